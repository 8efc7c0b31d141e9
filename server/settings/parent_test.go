package settings

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"dream-mcp/testdata/tmpfs"
)

// The test binary is the host and the server too, by DREAM_TEST_ROLE.
func TestMain(m *testing.M) {
	switch os.Getenv("DREAM_TEST_ROLE") {
	case "host":
		server := exec.Command(os.Args[0])
		server.Env = append(os.Environ(), "DREAM_TEST_ROLE=server")
		server.Stdout = os.Stdout
		if err := server.Start(); err != nil {
			fmt.Println(err)
		}
		time.Sleep(time.Minute) // until killed
		return
	case "server":
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		gone := ParentGone(ctx, 5*time.Millisecond)
		fmt.Println("watching")
		select {
		case <-gone:
			fmt.Println("gone")
		case <-ctx.Done():
			fmt.Println("never")
		}
		return
	}
	os.Exit(tmpfs.Run(m.Run))
}

func TestParentGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process keeps its parent's number there")
	}
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), "DREAM_TEST_ROLE=host")
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "watching" {
		t.Fatalf("the server says %q", lines.Text())
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if !lines.Scan() || lines.Text() != "gone" {
		t.Errorf("the server says %q", lines.Text())
	}
	host.Wait()
}

func TestParentAlive(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	select {
	case <-ParentGone(ctx, time.Millisecond):
		t.Error("gone, with a parent that lives")
	case <-time.After(50 * time.Millisecond):
	}
	ParentGone(ctx, 0) // without an interval it does not panic
}
