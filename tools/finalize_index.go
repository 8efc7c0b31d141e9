package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/visible"
)

func finalizeIndex(ctx context.Context, p *consolidate.Project, r finalizeArguments) (answer, error) {
	request := r.FinalizeRequest
	request.DryRun, request.Diff, request.AcceptLoss = r.DryRun, r.Diff, make(map[string]string, len(r.AcceptLoss))
	for _, a := range r.AcceptLoss {
		request.AcceptLoss[a.File] = a.Why
	}
	if r.Cursor != "" {
		request.Diff = cmp.Or(r.Diff, consolidate.AllFiles)
	}
	if request.Diff != "" && !r.DryRun {
		return answer{}, ops.Refuse("diff and cursor go with dry_run", "finalize_index {\"dry_run\": true, \"diff\": \"all\"}")
	}
	res, err := p.Finalize(ctx, request)
	if err != nil {
		return answer{}, err
	}
	if request.Diff != "" {
		return diffPage(res, request.Diff, r.Cursor)
	}
	if r.DryRun {
		return answer{value: brief(res, `%d more: {"dry_run": true, "diff": "MEMORY.md"}`), most: maxDryRun, rest: `finalize_index {"dry_run": true, "diff": "all"} shows it`}, nil
	}
	return answer{value: finalized{FinalizeResult: brief(res, "and %d more")}, rest: "in a terminal: dream-mcp diff"}, nil
}

// finalized is what has landed: the caller has written the files, and the index has room where no finding says
// otherwise.
type finalized struct {
	consolidate.FinalizeResult
	Files any `json:"files,omitempty"`
	Index any `json:"index,omitempty"`
}

type finalizeArguments struct {
	ops.FinalizeRequest
	DryRun     bool                         `json:"dry_run"`
	AcceptLoss []struct{ File, Why string } `json:"accept_loss"`
	Diff       string
	Cursor     string
}

// maxDryRun bounds the answer of a dry run, in bytes.
const maxDryRun = 6_000

// Bounds of what is said beside a diff: characters, and errors that would refuse.
const (
	maxVerdict      = 500
	maxDiffFindings = 5
	maxFindings     = 40 // without a diff
)

// Of the changed lines of the index so many are shown, each with so many characters.
const (
	maxIndexChanges = 10
	maxIndexChange  = 240
)

// A page of the diff of all files has so many bytes, and so many characters of a line: the caller wrote what it lands.
const (
	maxDiffAll  = 4_000
	maxDiffLine = 200
)

// diffPage answers a page of a diff.
func diffPage(res consolidate.FinalizeResult, file, cursor string) (answer, error) {
	lines, room := strings.Split(strings.TrimRight(res.Diff, "\n"), "\n"), pageBytes
	if file == consolidate.AllFiles {
		room = maxDiffAll
		for i, line := range lines {
			lines[i] = visible.Short(line, maxDiffLine)
		}
	}
	page, err := linePage("", lines, cursor, room, func(cursor string) string {
		return fmt.Sprintf(`finalize_index {"dry_run": true, "diff": %q, "cursor": %q}, with the other arguments as they are`, file, cursor)
	})
	return answer{value: struct {
		Outcome  string         `json:"outcome"`
		Report   string         `json:"report"`
		Findings []rule.Finding `json:"findings,omitempty"`
		Diff     string         `json:"diff"`
	}{res.Outcome, visible.Short(res.Report, maxVerdict), fewFindings(res.Findings, maxDiffFindings), page}}, err
}

// brief leaves out what is too much to read, though it may fit.
func brief(r consolidate.FinalizeResult, moreOfIndex string) consolidate.FinalizeResult {
	r.Findings = fewFindings(r.Findings, maxFindings)
	changes := fewLines(r.IndexChanges, maxIndexChanges, moreOfIndex)
	r.IndexChanges = nil
	for _, line := range changes {
		r.IndexChanges = append(r.IndexChanges, visible.Short(line, maxIndexChange))
	}
	return r
}

func fewFindings(findings []rule.Finding, most int) []rule.Finding {
	if len(findings) <= most {
		return findings
	}
	return append(findings[:most:most], rule.Finding{
		Rule: "more", Severity: rule.Info, Message: fmt.Sprintf("and %d more findings", len(findings)-most), Hint: "dream_orient lists them",
	})
}

func fewLines(lines []string, most int, more string) []string {
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf(more, len(lines)-most))
}
