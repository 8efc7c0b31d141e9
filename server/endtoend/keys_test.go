package endtoend

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the keys of JSON answers to testdata/json_keys.txt")

// answerKeys holds the keys of every JSON answer of the scripts, as lines "NAME KEY.KEY[].KEY", where NAME is a tool or
// a verb. It is compared with testdata/json_keys.txt.
type answerKeys struct {
	mu   sync.Mutex
	seen map[string]bool
}

var jsonKeys = answerKeys{seen: make(map[string]bool)}

// fixedKey matches the keys that are names of fields. Others are data, such as names of files.
var fixedKey = regexp.MustCompile(`^[a-zA-Z][a-zA-Z_]*$`)

func (k *answerKeys) add(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, v := range v {
			if !fixedKey.MatchString(key) {
				key = "*"
			}
			at := path + "." + key
			if !strings.Contains(path, " ") {
				at = path + " " + key
			}
			k.mu.Lock()
			k.seen[at] = true
			k.mu.Unlock()
			k.add(at, v)
		}
	case []any:
		for _, v := range v {
			k.add(path+"[]", v)
		}
	}
}

// keysCommand notes the keys of the JSON that the last command printed:
//
//	keys VERB
func keysCommand(ts *testscript.TestScript, _ bool, args []string) {
	for d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout"))); ; {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			ts.Fatalf("not JSON: %v", err)
		}
		jsonKeys.add(args[0], v)
	}
}

// compare compares the keys with those of the golden file. After a part of the scripts, some may be missing.
func (k *answerKeys) compare(t *testing.T) {
	file := filepath.Join(root, "testdata", "json_keys.txt")
	golden, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	seen, want := slices.Sorted(maps.Keys(k.seen)), strings.Split(strings.TrimSpace(string(golden)), "\n")
	all := flag.Lookup("test.run").Value.String() == "" && runtime.GOOS == "linux" && !t.Failed()
	if *update {
		if !all { // the keys of the scripts that did not run stay
			seen = slices.Compact(slices.Sorted(slices.Values(append(seen, want...))))
		}
		if err := os.WriteFile(file, []byte(strings.TrimSpace(strings.Join(seen, "\n"))+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	const fix = "go test ./server/endtoend -update writes testdata/json_keys.txt, after a part of the scripts what is new"
	for _, key := range seen {
		if !slices.Contains(want, key) {
			t.Errorf("a new key in an answer: %s; %s", key, fix)
		}
	}
	for _, key := range want {
		if all && !k.seen[key] {
			t.Errorf("no answer has the key any more: %s; %s", key, fix)
		}
	}
}
