//go:build browser

package endtoend

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var (
	browserProgram = flag.String("browser", "chromium", "the browser, Chromium or Chrome")
	screenshots    = flag.String("screenshots", "", "the folder for pictures of the pages")
)

// TestBrowser runs testdata/browser: the pages of the real program in a real browser.
func TestBrowser(t *testing.T) {
	dependOnSources(t)
	b := startBrowser(t)
	commands := map[string]func(*testscript.TestScript, bool, []string){"page": b.pageCommand, "mcp": mcpCommand}
	testscript.Run(t, testscript.Params{Dir: filepath.Join(root, "testdata", "browser"), RequireExplicitExec: true, Cmds: commands, Setup: func(e *testscript.Env) error {
		e.Vars = append(e.Vars, "ELSEWHERE="+b.elsewhere)
		return setUp(e)
	}})
}

// A browser is a Chromium that is spoken to by its DevTools protocol, over two pipes: a message ends in a NUL.
type browser struct {
	out       *os.File
	in        *bufio.Reader
	last      int
	elsewhere string // the address of a server that no page may ask
	asked     atomic.Int64
}

func startBrowser(t *testing.T) *browser {
	b := &browser{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { b.asked.Add(1) })}
	go elsewhere.Serve(listener)
	b.elsewhere = "http://" + listener.Addr().String()
	theirs, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	cmd := exec.CommandContext(ctx, *browserProgram, "--headless", "--no-sandbox", "--remote-debugging-pipe",
		"--user-data-dir="+profile, "--disable-gpu", "--hide-scrollbars")
	cmd.ExtraFiles = []*os.File{theirs, answers}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	answers.Close()
	b.out, b.in = out, bufio.NewReader(in)
	t.Cleanup(func() {
		_ = b.call("", "Browser.close", map[string]any{}, nil)
		out.Close()
		_ = cmd.Wait()
		cancel()
		elsewhere.Close()
		for range 50 { // its processes end, and write, a little later
			if err := os.RemoveAll(profile); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Logf("%s was left", profile)
	})
	return b
}

// call makes a call of the protocol, and leaves out the events before its answer. Session is of a page, or "".
func (b *browser) call(session, method string, params, result any) error {
	b.last++
	message := map[string]any{"id": b.last, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if _, err := b.out.Write(append(data, 0)); err != nil {
		return err
	}
	for {
		data, err := b.in.ReadBytes(0)
		if err != nil {
			return err
		}
		var answer struct {
			ID     int
			Error  *struct{ Message string }
			Result json.RawMessage
		}
		if err := json.Unmarshal(data[:len(data)-1], &answer); err != nil {
			return err
		}
		switch {
		case answer.ID != b.last:
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(answer.Result, result)
		}
	}
}

// pageCommand opens a page: page FILE WIDTH light|dark. Stdout gets what the browser made of it: a line "title",
// "overflow" (how many pixels it is too wide), "background", "elements" (those that are asked for or run), "requests"
// (to elsewhere), and the text.
func (b *browser) pageCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: page FILE WIDTH light|dark")
	}
	width, err := strconv.Atoi(args[1])
	ts.Check(err)
	seen, picture, err := b.open("file://"+ts.MkAbs(args[0]), width, args[2])
	ts.Check(err)
	if *screenshots != "" {
		name := strings.TrimSuffix(filepath.Base(args[0]), ".html") + "-" + args[1] + "-" + args[2] + ".png"
		ts.Check(os.WriteFile(filepath.Join(*screenshots, name), picture, 0o600))
	}
	fmt.Fprintf(ts.Stdout(), "%srequests: %d\n", seen, b.asked.Swap(0))
}

// look says what became of a page.
const look = `new Promise(done => setTimeout(() => done([
	"title: " + document.title,
	"overflow: " + Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
	"background: " + getComputedStyle(document.body).backgroundColor,
	"elements: " + [...document.querySelectorAll("script, img, link, iframe, object, embed, form, a:not([href^=\"#\"]), meta[http-equiv=refresh], [onload], [onerror], [onclick]")].map(e => e.localName).join(" "),
	document.body.innerText, ""].join("\n")), 300))`

func (b *browser) open(url string, width int, scheme string) (seen string, picture []byte, err error) {
	var target struct{ TargetID, SessionID string }
	var value struct{ Result struct{ Value string } }
	var shot struct{ Data []byte }
	loaded := `new Promise(done => document.readyState == "complete" ? done("") : addEventListener("load", () => done("")))`
	evaluate := func(expression string) map[string]any {
		return map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}
	}
	session := func(method string, params, result any) {
		if err == nil {
			err = b.call(target.SessionID, method, params, result)
		}
	}
	session("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	session("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	session("Page.enable", map[string]any{}, nil)
	session("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	session("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	session("Page.navigate", map[string]any{"url": url}, nil)
	session("Runtime.evaluate", evaluate(loaded), nil)
	session("Runtime.evaluate", evaluate(look), &value)
	session("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &shot)
	session("Page.close", map[string]any{}, nil)
	return value.Result.Value, shot.Data, err
}
