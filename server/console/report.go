package console

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/atomicfile"
	html "dream-mcp/server/console/report"
	"dream-mcp/server/settings"
)

// reportFile is the page in our state folder. Each report replaces it.
const reportFile = "report.html"

// writeReport writes the page of a report, and opens it.
func writeReport(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup, r history.Report, open bool) error {
	var page bytes.Buffer
	if err := html.Write(&page, html.Page{Report: r, Project: setup.Project, Memory: p.Store.MemoryDir, Zone: p.Store.Now().Location()}); err != nil {
		return err
	}
	if c.diff.out == "-" {
		_, err := c.Out.Write(page.Bytes())
		return err
	}
	file, err := filepath.Abs(cmp.Or(c.diff.out, filepath.Join(p.Store.Records.StateDir(), reportFile)))
	if err == nil {
		err = notOurs(file, p.Store.MemoryDir)
	}
	if err == nil {
		err = writePage(file, page.Bytes())
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(c.Out, file)
	if open {
		return browse(ctx, file)
	}
	return nil
}

// openReport writes the page of a report and opens it. If it cannot, it prints the file and the reason.
func openReport(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup, id string) error {
	r, err := p.Report(ctx, id)
	if err != nil {
		return err
	}
	if err := writeReport(ctx, c, p, setup, r, true); err != nil {
		_, err = fmt.Fprintf(c.Out, "%v\n", err)
		return err
	}
	return nil
}

// notOurs refuses a file that a page must not replace: one in the memory, and any that is not a report.
func notOurs(file, memoryDir string) error {
	const hint = "name a file that does not exist yet, such as --out dream.html"
	folder, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return err
	}
	if memory, err := filepath.EvalSymlinks(memoryDir); err == nil {
		if name, err := filepath.Rel(memory, folder); err == nil && filepath.IsLocal(name) {
			return ops.Refuse(fmt.Sprintf("%s is in the memory, which only memories belong to", file), hint)
		}
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	begin := make([]byte, len(html.Begin))
	if n, err := io.ReadFull(f, begin); err != io.EOF && string(begin[:n]) != html.Begin {
		return ops.Refuse(fmt.Sprintf("%s exists and is not a report", file), hint)
	}
	return nil
}

// writePage replaces a file with the page. Only its owner can read it.
func writePage(file string, page []byte) error {
	folder, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return err
	}
	defer folder.Close()
	return atomicfile.Replace(folder, filepath.Base(file), page, time.Time{})
}

// browse opens a file in the default browser.
func browse(ctx context.Context, file string) error {
	opener := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if opener == nil {
		opener = []string{"xdg-open"}
	}
	if err := exec.CommandContext(ctx, opener[0], append(opener[1:], file)...).Run(); err != nil {
		return &Failure{fmt.Sprintf("%s cannot open the page: %v", opener[0], err), "open " + file + " in a browser", 1}
	}
	return nil
}
