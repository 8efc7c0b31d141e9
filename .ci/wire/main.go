// Conformance lets the official conformance suite, which speaks HTTP alone, test servers that speak on
// standard input and output.
//
//	conformance bridge ADDRESS COMMAND [ARG...]   serves COMMAND's MCP over streamable HTTP
//	conformance fixture                           serves what the suite asks for, through our own loop, on stdio
//
// The bridge promises to pass every message as it is, in order, to a process of its own for each session,
// and for each request of the stateless era: what passes holds without any state on our side. What HTTP has and
// stdio has not (status codes, headers, the streams that carry an answer) is the bridge's and says nothing about
// the server; expected-*.yml names the checks of that kind. A process that dies ends its session.
//
// It is a tool for tests: it does not promise to serve more than one well-behaved client, and listens where
// nobody but this machine can reach it.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"dream-mcp/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch args := os.Args[1:]; {
	case len(args) > 2 && args[0] == "bridge":
		err = listen(ctx, args[1], args[2:])
	case len(args) == 1 && args[0] == "fixture":
		err = server.Serve(ctx, os.Stdin, os.Stdout, fixture())
	default:
		err = fmt.Errorf("want bridge ADDRESS COMMAND [ARG...], or fixture")
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// listen serves command at http://address/mcp until ctx is done, and says on standard output where, once it
// does: with port 0 the system chooses.
func listen(ctx context.Context, address string, command []string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	s := &http.Server{Handler: newBridge(ctx, command)}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	return s.Serve(l)
}
