package consolidate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory/secret"
)

// A dream that listed one session, or a part, leaves the rest to the next, however long ago that was touched.
func TestListedInPart(t *testing.T) {
	for _, test := range []struct {
		name string
		r    ListRequest
		rest string
	}{
		{"one session", ListRequest{SinceLast: true, Session: "second00-1", PageBytes: 1_000}, "the first word"},
		{"the first page", ListRequest{Limit: 1, PageBytes: 1_000}, "the second word"},
		{"what the model said", ListRequest{Speakers: []said.Speaker{said.Assistant}, PageBytes: 1_000}, "the first word the second word"},
		{"a time", ListRequest{Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Limit: 1, PageBytes: 1_000}, "the first word the second word"},
		{"all", ListRequest{PageBytes: 1_000}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.say("first000-1", "the first word")
			w.say("second00-1", "the second word")
			w.setNow(time.Now().Add(time.Hour))
			p := w.open()
			if err := p.Begin(ctx, true, false); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Sessions.List(ctx, test.r); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Finalize(ctx, ops.FinalizeRequest{}); err != nil {
				t.Fatal(err)
			}
			page, err := p.Sessions.List(ctx, ListRequest{SinceLast: true, PageBytes: 1_000})
			if err != nil {
				t.Fatal(err)
			}
			for _, words := range []string{"the first word", "the second word"} {
				if got, want := strings.Contains(page.Text, words), strings.Contains(test.rest, words); got != want {
					t.Errorf("%q is listed: %v, want %v:\n%s", words, got, want, page.Text)
				}
			}
		})
	}
}

// Where the words that were found stand after the credentials around them have been hidden.
func TestMask(t *testing.T) {
	value := "9fK3xQ7v" + "L2mZ8pR4tW6yB1nC" // nobody's
	store := MaskCredentials(search.Open(sessions.Options{}), nil)
	defer store.Close()
	token := "api_key=" + value
	password := "postgres://app:" + "hunter" + "22secretpw@db.example.test/x"
	for _, text := range []string{
		"deploy with " + token + " to staging, then " + password + " and rest",
		token, "staging " + token, token + " staging",
	} {
		for from := 0; from <= len(text); from++ {
			for _, to := range []int{from, min(from+7, len(text)), len(text)} {
				masked, f, e := store.Mask(text, from, to)
				if f < 0 || e < f || e > len(masked) {
					t.Fatalf("mask(%q, %d, %d) = %q, %d, %d", text, from, to, masked, f, e)
				}
				if i := strings.Index(text, "staging"); i >= 0 && from == i && to == i+7 && masked[f:e] != "staging" {
					t.Errorf("%q is now %q in %q", text[from:to], masked[f:e], masked)
				}
				if strings.Contains(masked, value) {
					t.Errorf("the token is still in %q", masked)
				}
			}
		}
	}
}

// A digest has no credentials: a copy of what was said is not a second place for them. It is made again when the person
// allows one.
func TestDigestsHaveNoCredentials(t *testing.T) {
	const value = "9fK3xQ7v" + "L2mZ8pR4tW6yB1nC" // nobody's
	w := newWorld(t)
	w.say("first000-1", "deploy with api_key="+value+" to staging")
	// A message that may go on, and a text in the queue, are kept as they are until more is read.
	for session, last := range map[string]string{
		"second00-1": `{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"I use api_key=` + value + ` here."}]}`,
		"third000-1": `{"type":"queue-operation","operation":"enqueue","content":"use api_key=` + value + ` here"`,
	} {
		w.say(session, "which key?")
		f, err := os.OpenFile(filepath.Join(w.transcripts(), session+".jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(f, "%s,\"sessionId\":%q,\"cwd\":\"/p\",\"timestamp\":\"2026-11-17T09:01:00.000Z\"}\n", last, session)
		f.Close()
	}
	cached := filepath.Join(t.TempDir(), cache.FileName)
	sum := sha256.Sum256([]byte(value))
	for _, test := range []struct {
		name    string
		allowed secret.Allowed
		has     bool
	}{{"masked", nil, false}, {"allowed", secret.Allowed{hex.EncodeToString(sum[:])}, true}, {"masked again", nil, false}} {
		store := MaskCredentials(search.Open(sessions.Options{Folders: []string{w.transcripts()}}), test.allowed)
		store.Cache = cached
		if n, err := store.Read(ctx); n == 0 || err != nil {
			t.Fatal(n, err)
		}
		store.Close()
		all := ""
		files, _ := filepath.Glob(cached + "*")
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all += string(data)
		}
		if !strings.Contains(all, "to staging") || strings.Contains(all, value) != test.has {
			t.Errorf("%s: %d bytes", test.name, len(all))
		}
	}
}

// A folder that cannot be read is not taken for silence, and what it holds is listed once it can.
func TestUnreadableFolderIsCounted(t *testing.T) {
	w := newWorldFor(t, "commit")
	p := w.open()
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	rename(w.transcripts(), w.transcripts()+aside)
	if err := os.WriteFile(w.transcripts(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	page, err := p.Sessions.List(ctx, ListRequest{PageBytes: 1_000})
	if err != nil || page.Of != 0 || len(page.List.Unread) != 1 {
		t.Errorf("a file instead of the folder: %d utterances, %d unreadable, %v", page.Of, len(page.List.Unread), err)
	}
	os.Remove(w.transcripts())
	rename(w.transcripts()+aside, w.transcripts())
	page, err = p.Sessions.List(ctx, ListRequest{PageBytes: 1_000})
	if err != nil || page.Of == 0 || len(page.List.Unread) != 0 {
		t.Errorf("the folder again: %d utterances, %d unreadable, %v", page.Of, len(page.List.Unread), err)
	}
}
