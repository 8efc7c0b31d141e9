package install

import (
	"bytes"
	"context"
	"fmt"

	"github.com/tailscale/hujson"
)

// Set sets the text that keys name in a JSON file, our own config.json, which it makes where it is missing; all else in the
// file stays. It reports whether that changed anything.
func (i Installer) Set(ctx context.Context, path string, keys []string, value string) (changed bool, err error) {
	unlock, err := i.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	set := setting(keys, value)
	err = again(func() error {
		f, err := load(path)
		if err != nil {
			return err
		}
		after, err := set(f.text)
		if err != nil {
			return fmt.Errorf("%q: %w", path, err)
		}
		if changed = !bytes.Equal(after, f.text); !changed {
			return nil
		}
		return f.replace(after)
	})
	return changed && err == nil, err
}

// setting puts a text where keys name it.
func setting(keys []string, value string) edit {
	return checked(func(text []byte) ([]byte, error) {
		v, err := root(text)
		if err != nil {
			return nil, err
		}
		at, err := find(v, keys...)
		if err != nil {
			return nil, err
		}
		if at == nil {
			return put(text, keys, value)
		}
		if word, ok := at.Value.(hujson.Literal); ok && word.Kind() == '"' && word.String() == value {
			return text, nil
		}
		return literal(text, at, value)
	}, func(all map[string]any) { without(all, keys...) })
}
