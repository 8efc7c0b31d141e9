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

// origin returns the address of the remote that the checkout around dir was cloned from. A path that is relative to the
// top of the checkout is made absolute.
func origin(ctx context.Context, dir string) (string, error) {
	address, err := in(ctx, dir, "config", "--get", "remote.origin.url")
	if err != nil || address == "" {
		return "", unknown("the checkout has no remote named origin")
	}
	if _, rest := split(address); rest == address && !filepath.IsAbs(address) {
		top, err := in(ctx, dir, "rev-parse", "--show-toplevel")
		if err != nil {
			return "", unknown("the project is not in a git checkout")
		}
		address = filepath.Join(top, address)
	}
	return address, nil
}

// in runs git in the checkout around dir. The commands run nothing that the checkout names.
func in(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := git{}.run(ctx, nil, append([]string{"-C", dir}, args...)...)
	return strings.TrimSpace(out), err
}

// id returns the name of the identity in refs: a readable part, one for the first commit, and one for all of it. A name
// may be such an ID.
func (i Identity) id() string {
	if isID.MatchString(i.Name) {
		return i.Name
	}
	name, root, whole := i.Name, i.Name, "name\n"+i.Name
	if name == "" {
		name, root = path.Base(path.Join(i.Origin, i.Path)), i.Root
		whole = strings.Join([]string{"origin", i.Origin, i.Root, i.Path}, "\n")
	}
	part := func(text string) string { sum := sha256.Sum256([]byte(text)); return "-" + hex.EncodeToString(sum[:4]) }
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.TrimLeft(slug[:min(len(slug), 40)]+part(root)+part(whole), "-")
}

var isID = lazy.New(`^([a-z0-9-]{1,41}-)?([0-9a-f]{8})-[0-9a-f]{8}$`)

// alike reports whether two IDs have the readable part or the first commit in common.
func alike(a, b string) bool {
	x, y := isID.FindStringSubmatch(a), isID.FindStringSubmatch(b)
	return x[1] != "" && x[1] == y[1] || x[2] == y[2]
}

var notSlug = lazy.New(`[^a-z0-9]+`)

func (i Identity) String() string {
	if i.Name != "" {
		return i.Name + " (named)"
	}
	return path.Join(i.Origin, i.Path) + ", first commit " + i.Root[:min(len(i.Root), 12)]
}

var scpLike = lazy.New(`^(?:[^/@:]+@)?(\[[^\]]+\]|[^/:]{2,}):(.*)$`)

// split returns the host of an address, "" for a path, and the path.
func split(address string) (host, rest string) {
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && strings.Contains(address, "://") {
		return u.Hostname(), u.Path
	}
	if m := scpLike.FindStringSubmatch(address); m != nil {
		return m[1], m[2]
	}
	return "", address
}

// normalise returns an address without scheme, user, port and ".git". With a host it is in lower case: the hosts that
// many use do not tell names by their case. Without, links are resolved.
func normalise(address string) string {
	host, rest := split(address)
	if host == "" {
		if real, err := filepath.EvalSymlinks(rest); err == nil {
			rest = real
		}
	}
	rest = strings.TrimSuffix(strings.TrimRight(filepath.ToSlash(rest), "/"), ".git")
	if host == "" {
		return rest
	}
	return strings.ToLower(strings.Trim(host, "[]") + "/" + strings.Trim(rest, "/"))
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
