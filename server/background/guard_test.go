package background

import (
	"testing"

	"dream-mcp/server/hook"
)

func TestOnlyReads(t *testing.T) {
	for _, line := range []string{
		"ls", "ls -la /tmp", "cat a.md | head -5", "git log --oneline -5", "git diff HEAD~1 -- a.go", "cd x && git status", "grep -rn 'foo|bar' . 2>/dev/null",
		`rg "a > b" src`, "find . -name '*.md'", "git grep -n deploy", "git show HEAD:a.md", "grep -E 'x$' a; wc -l a", "echo 'it; is' | wc -c", "git log --oneline",
	} {
		if !onlyReads(line) {
			t.Errorf("%q is denied", line)
		}
	}
	for _, line := range []string{
		"", "rm x", "ls; rm x", "ls && rm x", "ls || rm x", "ls | tee x", "ls & rm x", "ls\nrm x", "cat a > b", "cat a >> b", "cat <a", "echo $(rm x)", "echo `rm x`",
		`echo "$(rm x)"`, "echo \"`rm x`\"", "X=y ls", "git commit -m x", "git -c core.pager=x log", "git", "git push", "git log --output=x", "git log --outp=x", "git diff --ext-diff",
		"git grep -O", "git grep -nOvi x", "git grep --open-files x", "find . -delete", "find . -exec rm {} +", "find . -execdir x", "find . -fprintf x y", "rg --pre x y", "rg '--pre=x' y", "sed -i s/a/b/ x",
		"awk 'BEGIN{system(\"rm x\")}'", "bash -c ls", "xargs rm", "sort -o x y", "env rm x", "sudo ls", "python3 -c x", "tee x", "dd if=a of=b",
		`echo "x ' $y" ; rm z ; echo ' a'`, `echo \'; rm x; \'`, `echo \" ; rm x ; \"`, "echo 'a' '; rm x", `echo "a" " ; rm x`, "ls (x)", "{ rm x; }", "ls &>x", "ls |& rm", "'rm' x", "./ls", "/tmp/ls", "git 'commit'", "ls\r rm",
	} {
		if onlyReads(line) {
			t.Errorf("%q is let through", line)
		}
	}
}

func TestForbidden(t *testing.T) {
	for tool, denied := range map[string]bool{
		"Read": false, "Grep": false, "mcp__dream__write_memory": false, "mcp__dream-mcp__finalize_index": false, "mcp__plugin_x_dream__read_memory": false,
		"mcp_dream_dream_orient": false, "mcp_dream-mcp_dream_status": false, "dream-mcp_read_memory": false, "dream_mcp_read_memory": false, "grep_transcripts": true,
		"Write": true, "Edit": true, "Bash": true, "Task": true, "Agent": true, "WebFetch": true, "": true, "mcp__other__write_memory": true, "mcp__dream__rm": true,
		"mcp__evil_dream__write_memory": true, "mcp__dream__x__write_memory": true, "memory_write": true, "save_memory": true, "apply_patch": true, "run_shell_command": true,
	} {
		if got := forbidden(hook.Event{Tool: tool}) != ""; got != denied {
			t.Errorf("%s: denied %v", tool, got)
		}
	}
}
