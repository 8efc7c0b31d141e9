package share

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Identity says which project a memory belongs to, wherever its checkout lies.
type Identity struct {
	Origin string `json:"origin,omitempty"` // normalised
	Root   string `json:"root,omitempty"`   // the first commit
	Path   string `json:"path,omitempty"`   // below the top of the checkout
	Name   string `json:"name,omitempty"`   // that a person gave instead of all that
}

// An IdentityError says why a project cannot be known again on another machine unless a person names it.
type IdentityError struct{ Why string }

func (e *IdentityError) Error() string { return e.Why }

// Identify finds the identity of the project whose checkout holds dir.
func Identify(ctx context.Context, dir string) (Identity, error) {
	top, err := in(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return Identity{}, &IdentityError{"the project is not in a git checkout"}
	}
	origin, err := Origin(ctx, dir)
	if err != nil {
		return Identity{}, err
	}
	if shallow, err := in(ctx, dir, "rev-parse", "--is-shallow-repository"); err != nil || shallow != "false" {
		return Identity{}, &IdentityError{"the checkout is shallow: its first commit is not known"}
	}
	roots, err := in(ctx, dir, "rev-list", "--max-parents=0", "HEAD")
	if err != nil {
		return Identity{}, &IdentityError{"the checkout has no commit"}
	}
	if n := len(strings.Fields(roots)); n != 1 {
		return Identity{}, &IdentityError{fmt.Sprintf("the history has %d first commits", n)}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Identity{}, err
	}
	below, err := filepath.Rel(filepath.FromSlash(top), real)
	if err != nil {
		return Identity{}, err
	}
	if below = filepath.ToSlash(below); below == "." {
		below = ""
	}
	return Identity{Origin: normalise(origin), Root: roots, Path: below}, nil
}

// Origin returns the address of the remote that the checkout around dir was cloned from.
func Origin(ctx context.Context, dir string) (string, error) {
	origin, err := in(ctx, dir, "config", "--get", "remote.origin.url")
	if err != nil || origin == "" {
		return "", &IdentityError{"the checkout has no remote named origin"}
	}
	return origin, nil
}

// in asks git about the checkout around dir. The commands that are used run nothing that the checkout names.
func in(ctx context.Context, dir string, args ...string) (string, error) {
	g := &git{}
	out, err := g.run(ctx, localTime, nil, append([]string{"-C", dir}, args...)...)
	return strings.TrimSpace(string(out)), err
}

// ID names the identity in refs: a readable part, and a hash that no other has.
func (i Identity) ID() string {
	name, whole := i.Name, "name\n"+i.Name
	if name == "" {
		name, whole = path.Base(path.Join(i.Origin, i.Path)), strings.Join([]string{"origin", i.Origin, i.Root, i.Path}, "\n")
	}
	sum := sha256.Sum256([]byte(whole))
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.TrimLeft(slug[:min(len(slug), 40)]+"-", "-") + hex.EncodeToString(sum[:8])
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

func (i Identity) String() string {
	switch {
	case i.Name != "":
		return i.Name + " (named)"
	case i.Path != "":
		return i.Origin + " (" + i.Path + "), first commit " + i.Root[:min(len(i.Root), 12)]
	}
	return i.Origin + ", first commit " + i.Root[:min(len(i.Root), 12)]
}

var scpLike = regexp.MustCompile(`^(?:[^/@:]+@)?(\[[^\]]+\]|[^/:]{2,}):(.*)$`)

// normalise returns what the addresses of one repository have in common: no scheme, user, port and ".git", the host in lower case.
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

// CheckRemote fails where an address is not one that git may be given: it would be an option, start a program, or carry a
// password into our state.
func CheckRemote(address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return errors.New("the address of the remote is empty")
	case strings.HasPrefix(address, "-"), strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("%q is not the address of a remote", address)
	case regexp.MustCompile(`^[A-Za-z0-9+.-]+::`).MatchString(address):
		return fmt.Errorf("%q would start a program: only paths and file, git, ssh, http and https addresses are taken", address)
	case err == nil && u.User != nil:
		if _, has := u.User.Password(); has {
			return errors.New("the address of the remote holds a password: leave it to git's credential helper")
		}
	}
	return nil
}
