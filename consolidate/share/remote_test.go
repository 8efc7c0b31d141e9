package share

import (
	"encoding/pem"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// configure makes text the person's own configuration of git.
func configure(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", file)
	known.Store(nil)
	t.Cleanup(func() { known.Store(nil) })
}

// TestHangingGit describes a share while git hangs: nobody waits for it with the mutex, nor for ever.
func TestHangingGit(t *testing.T) {
	m := join(t, bare(t), "desk", 0)
	bin := t.TempDir()
	hung := filepath.Join(bin, "hung")
	os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho $$ >"+hung+".new\nmv "+hung+".new "+hung+"\nexec sleep 600\n"), 0o700)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, first := range []bool{true, false} {
		if first {
			known.Store(nil) // it reads the configuration
		}
		line := make(chan string)
		go func() { line <- m.Line(t.Context()) }()
		pid := ""
		for pid == "" {
			time.Sleep(time.Millisecond)
			content, _ := os.ReadFile(hung)
			pid = strings.TrimSpace(string(content))
		}
		os.Remove(hung)
		m.Store.Lock()()
		if err := exec.Command("kill", "-0", pid).Run(); err != nil {
			t.Error("it held the mutex until git had ended")
		}
		if got := <-line; !strings.HasPrefix(got, "as desk, last sync") {
			t.Errorf("it says %q", got)
		}
		known.Store(&[]string{})
	}
	known.Store(nil)
}

// TestHTTPS shares by a server that wants a password and has a certificate of its own: the person's configuration names
// the credential helper, the certificate and a short address.
func TestHTTPS(t *testing.T) {
	remote := bare(t)
	backend := &cgi.Handler{
		Path: filepath.Join(sh(t, remote, "git", "--exec-path"), "git-http-backend"), InheritEnv: []string{"PATH"},
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(remote), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=jo"},
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "jo" || password != "a-word" {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	defer server.Close()
	ca, hook := filepath.Join(t.TempDir(), "ca.pem"), filepath.Join(t.TempDir(), "hooks")
	os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600)
	os.Mkdir(hook, 0o700)
	ran := filepath.Join(hook, "ran")
	os.WriteFile(filepath.Join(hook, "pre-push"), []byte("#!/bin/sh\ntouch "+ran+"\nexit 1\n"), 0o700)

	reach := "[http \"" + server.URL + "\"]\n\tsslCAInfo = " + ca + "\n[core]\n\thooksPath = " + hook + "\n[push]\n\tgpgSign = true\n"
	configure(t, reach)
	err := newMachine(t, 0).Join(t.Context(), JoinRequest{Remote: server.URL + "/remote.git", Name: "x"}, func(Preview) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "terminal prompts disabled") {
		t.Errorf("without a credential helper: %v", err)
	}
	configure(t, reach+"[credential]\n\thelper =\n\thelper = \"!f() { echo username=jo; echo password=a-word; }; f\"\n[url \""+server.URL+"/\"]\n\tinsteadOf = work:\n")
	story(t, "work:remote.git")
	if _, err := os.Stat(ran); err == nil {
		t.Error("a hook of the person's ran")
	}
}

// TestSSH shares by the ssh command of the person's configuration, which is started without prompts.
func TestSSH(t *testing.T) {
	remote := bare(t)
	dir := t.TempDir()
	ssh, log := filepath.Join(dir, "ssh"), filepath.Join(dir, "log")
	os.WriteFile(ssh, []byte("#!/bin/sh\necho \"$@\" >>"+log+"\nfor command; do :; done\nexec sh -c \"$command\"\n"), 0o700)
	configure(t, "[core]\n\tsshCommand = "+ssh+" -F none\n[ssh]\n\tvariant = ssh\n")
	story(t, "jo@git.example:"+remote)
	said, _ := os.ReadFile(log)
	if !strings.Contains(string(said), "-F none -o BatchMode=yes -o ConnectTimeout=10 ") || !strings.Contains(string(said), " jo@git.example git-receive-pack ") {
		t.Errorf("%s", said)
	}
}
