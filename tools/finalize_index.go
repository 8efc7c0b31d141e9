package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/secret"
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
		return answer{value: fit(res, maxDryRun, `%d more: {"dry_run": true, "diff": "MEMORY.md"}`)}, nil
	}
	return answer{value: fit(res, maxAnswer, "and %d more")}, nil
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
)

// Of the changed lines of the index so many are shown, each with so many characters.
const (
	maxIndexChanges = 5
	maxIndexChange  = 120
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

// fit shortens what a result lists until it has at most so many bytes: each list says what it
// leaves out, and where the rest is, that of the index by moreOfIndex.
func fit(res consolidate.FinalizeResult, most int, moreOfIndex string) consolidate.FinalizeResult {
	for share := 1; ; share *= 2 {
		r := res
		r.Findings = fewFindings(res.Findings, 40/share)
		r.IndexChanges = nil
		for _, line := range res.IndexChanges {
			r.IndexChanges = append(r.IndexChanges, visible.Short(line, maxIndexChange))
		}
		r.IndexChanges = fewLines(r.IndexChanges, maxIndexChanges, moreOfIndex)
		r.Files.Created = fewLines(res.Files.Created, 200/share, "and %d more")
		r.Files.Updated = fewLines(res.Files.Updated, 200/share, "and %d more")
		r.Files.Deleted = fewLines(res.Files.Deleted, 200/share, "and %d more")
		r.Report = visible.Short(res.Report, 4_000/share)
		if share > 4 {
			for i := range r.Findings {
				r.Findings[i].Message, r.Findings[i].Hint = visible.Short(r.Findings[i].Message, 400), visible.Short(r.Findings[i].Hint, 200)
			}
		}
		data, err := secret.JSON(r)
		if err != nil || len(data) <= most || share > 64 {
			return r
		}
	}
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
