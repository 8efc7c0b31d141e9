package main

import (
	"fmt"
	"net/mail"
	"os/exec"
	"strings"
)

// about is what the files of a release say of where it comes from.
type about struct {
	version    string
	repository string // https://github.com/OWNER/NAME; "" where nobody named one
	author     object // name, and email where it was given
}

// describe takes what flags say, and for what they leave out the remote "origin" of the checkout where that is
// GitHub's. missing says what is known by neither.
func describe(version, repository, author string) (a about, missing []string, err error) {
	a.version = version
	if repository == "" {
		said, _ := exec.Command("git", "remote", "get-url", "origin").Output() // no git, no remote: none
		repository = fromRemote(strings.TrimSpace(string(said)))
	}
	owner := ""
	if repository == "" {
		missing = append(missing, "no server.json: the registry wants a GitHub repository, and neither -repository nor the remote origin names one")
	} else if owner, _, err = splitRepository(repository); err != nil {
		return a, nil, err
	}
	a.repository = repository
	switch address, err := mail.ParseAddress(author); {
	case author == "" && owner != "":
		a.author = object{"name": owner}
	case author == "":
		// A plugin may leave it out, a bundle may not (mcpb 2.1.2); nobody is made up.
		a.author = object{"name": "dream-mcp"}
		missing = append(missing, `the author is given as "dream-mcp", the product itself: -author names who publishes it`)
	case err == nil && address.Name != "":
		a.author = object{"name": address.Name, "email": address.Address}
	default:
		a.author = object{"name": author}
	}
	return a, missing, nil
}

// splitRepository returns whose a repository is, and its name. The registry knows GitHub's owners by their login.
func splitRepository(repository string) (owner, name string, err error) {
	path, ok := strings.CutPrefix(repository, "https://github.com/")
	owner, name, found := strings.Cut(path, "/")
	if !ok || !found || owner == "" || name == "" || strings.Contains(name, "/") {
		return "", "", fmt.Errorf("repository %q is not https://github.com/OWNER/NAME", repository)
	}
	return owner, name, nil
}

// fromRemote returns the address of a repository that git fetches from GitHub, in whichever form, without what it holds
// of a login; "" for any other.
func fromRemote(remote string) string {
	remote = strings.TrimSuffix(strings.TrimSuffix(remote, "/"), ".git")
	for _, form := range []string{"git@github.com:", "ssh://git@github.com/", "https://github.com/"} {
		if path, ok := strings.CutPrefix(remote, form); ok {
			return "https://github.com/" + path
		}
	}
	if scheme, rest, ok := strings.Cut(remote, "://"); ok && scheme == "https" {
		if login, path, ok := strings.Cut(rest, "@github.com/"); ok && !strings.Contains(login, "/") {
			return "https://github.com/" + path
		}
	}
	return ""
}
