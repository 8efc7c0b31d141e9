package share

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/lazy"
)

// Identity says which project a memory belongs to, wherever its checkout is.
type Identity struct {
	Origin string `json:"origin,omitempty"` // normalised
	Root   string `json:"root,omitempty"`   // the first commit
	Path   string `json:"path,omitempty"`   // below the top of the checkout
	Name   string `json:"name,omitempty"`   // that a person gave instead of all that
}

// identify returns the identity of the project whose checkout holds dir.
func identify(ctx context.Context, dir string) (id Identity, err error) {
	about, err := in(ctx, dir, "rev-parse", "--is-shallow-repository", "--show-prefix")
	if err != nil {
		return id, unknown("the project is not in a git checkout")
	}
	shallow, prefix, _ := strings.Cut(about, "\n")
	id.Path = strings.TrimSuffix(prefix, "/")
	address, err := origin(ctx, dir)
	if err != nil {
		return id, err
	}
	id.Origin = normalise(address)
	if shallow != "false" {
		return id, unknown("the checkout is shallow: its first commit is not known")
	}
	if id.Root, err = in(ctx, dir, "rev-list", "--max-parents=0", "HEAD"); err != nil {
		return id, unknown("the checkout has no commit")
	}
	if n := len(strings.Fields(id.Root)); n != 1 {
		return id, unknown(fmt.Sprintf("the history has %d first commits", n))
	}
	return id, nil
}

// unknown refuses a project that another machine would not recognise.
func unknown(why string) error {
	return ops.Refuse(why, "give the remote and a name, the same on every machine: dream-mcp share REMOTE --name NAME")
}

// origin returns the address of the remote that the checkout around dir was cloned from.
func origin(ctx context.Context, dir string) (string, error) {
	address, err := in(ctx, dir, "config", "--get", "remote.origin.url")
	if err != nil || address == "" {
		return "", unknown("the checkout has no remote named origin")
	}
	return address, nil
}

// in runs git in the checkout around dir. The commands run nothing that the checkout names.
func in(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := git{}.run(ctx, nil, append([]string{"-C", dir}, args...)...)
	return strings.TrimSpace(out), err
}

// ID returns the name of the identity in refs: a readable part and a hash.
func (i Identity) ID() string {
	name, whole := i.Name, "name\n"+i.Name
	if name == "" {
		name, whole = path.Base(path.Join(i.Origin, i.Path)), strings.Join([]string{"origin", i.Origin, i.Root, i.Path}, "\n")
	}
	sum := sha256.Sum256([]byte(whole))
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.TrimLeft(slug[:min(len(slug), 40)]+"-", "-") + hex.EncodeToString(sum[:8])
}

var notSlug = lazy.New(`[^a-z0-9]+`)

func (i Identity) String() string {
	if i.Name != "" {
		return i.Name + " (named)"
	}
	return path.Join(i.Origin, i.Path) + ", first commit " + i.Root[:min(len(i.Root), 12)]
}

var scpLike = lazy.New(`^(?:[^/@:]+@)?(\[[^\]]+\]|[^/:]{2,}):(.*)$`)

// normalise returns an address without scheme, user, port and ".git", and with the host in lower case.
func normalise(address string) string {
	host, rest := "", address
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && strings.Contains(address, "://") {
		host, rest = u.Hostname(), u.Path
	} else if m := scpLike.FindStringSubmatch(address); m != nil {
		host, rest = m[1], m[2]
	}
	rest = strings.TrimSuffix(strings.TrimRight(filepath.ToSlash(rest), "/"), ".git")
	if host == "" {
		return rest
	}
	return strings.ToLower(strings.Trim(host, "[]")) + "/" + strings.Trim(rest, "/")
}

// checkRemote refuses an address that would be an option of git, start a program, or put a password into our state.
func checkRemote(address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "", strings.HasPrefix(address, "-"), strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return ops.Refuse(fmt.Sprintf("%q is not the address of a remote", address), "a path, or an ssh, https, git or file address")
	case helper.MatchString(address):
		return ops.Refuse(fmt.Sprintf("%q would start a program", address), "a path, or an ssh, https, git or file address")
	case err == nil && u.User != nil:
		if _, has := u.User.Password(); has {
			return ops.Refuse("the address of the remote holds a password", "leave it out; git asks your credential helper for it")
		}
	}
	return nil
}

var helper = lazy.New(`^[A-Za-z0-9+.-]+::`)
