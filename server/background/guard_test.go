package background

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dream-mcp/server/hook"
)

// harmless are command lines that a dream may run. Each is run by TestHarmlessChangesNothing.
var harmless = []string{
	"ls", "ls -la /tmp", "cat a.md | head -5", "git log --oneline -5", "git diff HEAD~1 -- a.go", "cd x && git status", "grep -rn 'foo|bar' . 2>/dev/null",
	`rg "a > b" src`, "find . -name '*.md'", "git grep -n deploy", "git show HEAD:a.md", "grep -E 'x$' a; wc -l a", "echo 'it; is' | wc -c", "git log --oneline",
	"pwd", "ls ./*.md", "ls x/*", "cat a.md b.md", "head -n 40 a.md", "tail -n +20 a.md | head -30", "wc -l a*.md", "sed -n 1,200p a.md", "sed -n '10,20p' a.md", "sed -n '$p' a.md",
	"cat a.md | sort | uniq -c | sort -rn | head", "sort -t, -k2,2n a.md", "sort -nrk2 a.md", "sort -u a.md b.md", `grep -n "foo\|bar" a.md`, `grep -c '\.md' a.md`, `grep -rn "it's" .`,
	"grep -rl foo . | wc -l", "rg -n foo", "rg --files -g '*.md'", `rg 'foo\(bar' .`, "rg foo ./*", "find . -type f -mtime -7", "find x -maxdepth 2 -type d",
	"ls missing 2>&1", "ls missing 2> /dev/null || echo none", "ls > /dev/null 2>&1; echo done", "ls &>/dev/null && echo yes", "cat a.md >/dev/null && echo there",
	"git -C . log --oneline", "git --no-pager log -3", "git log -n 5 --format='%h %s' -- '*.md'", "git log --since='2 weeks ago' --stat", "git branch --show-current", "git remote -v", "git status --short",
	"git blame -L 1,3 a.md", "git ls-files | grep md", "git rev-parse --show-toplevel", "git diff --stat HEAD^", "git cat-file -p HEAD", "git shortlog -sn HEAD",
	"diff a.md b.md", "stat a.md", "du -sh .", "date", "which git", "uname -a", "readlink -f a.md", "basename x/a.md", "cut -d: -f1 a.md | tr a-z A-Z", "nl -ba a.md", "cat a.md\nls -l\n",
	"cat 'a b.md'", `cat "a b.md"`, "true && false || echo ok", "echo a=b", "ls ~", "echo 50%",
}

func TestOnlyReads(t *testing.T) {
	for _, line := range harmless {
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

		// Output that goes to a file.
		"echo text 2>&1evil.md", "cd x && echo text 2>&1evil.md", "echo text 2>&1/evil.md", "echo text 2>/dev/nullevil", "echo text 2>/dev/null/../evil", "echo text >&evil.md", "echo text &>evil.md",
		"echo text &>>evil.md", "echo text >|evil.md", "echo text <>evil.md", "echo text 1<>evil.md", "echo text 3>evil.md", "echo text 2>evil.md", "echo text >'evil.md'", `echo text > "evil.md"`,
		"echo text>evil.md", "echo text 2>&1>evil.md", "echo text >/dev/null >evil.md", "echo text > /dev/null2", "echo text >& 1evil", ">evil.md", "2>evil.md ls", "echo a 12>/dev/null", "echo text >\n evil.md",
		"cat <<EOF >evil.md\nx\nEOF", "cat <<<x", "cat <(touch evil)", "ls >(tee evil)", "ls | tee -a evil.md", "ls 2>&1 | tee evil.md", "echo text >~/evil.md", "echo text >&-evil", "ls >!evil.md", "ls >>!evil.md",

		// Commands that write.
		"cp a.md evil.md", "mv a.md evil.md", "ln -s a.md evil.md", "sed -i 's/a/b/' a.md", "sed -n 'w evil.md' a.md", "sed -n '1w evil.md' a.md", "sed -n 1p -i a.md", "sed -n -i 1p a.md", "sed -n 1p *", "sed -e 1p a.md",
		"sed -n 's/x/y/w evil' a", "sed -n '1e touch evil' a.md", "sed 1d a.md", "python -c 'open(\"evil\",\"w\")'", "perl -e 1", "node -e 1", "ruby -e 1", "git checkout a.md", "git checkout -- .", "git restore .", "git stash",
		"git branch evil", "git branch -D main", "git tag evil", "git remote add a b", "git remote -v add a b", "git config user.name x", "git -C . commit -m x", "git -C . -c a=b log", "git --no-pager -c alias.x='!touch evil' x",
		"git --exec-path=. log", "git -C", "git --git-dir=x log", "git worktree add x", "git apply x", "git show --output evil", "git log --o'ut'put=evil", "git diff --outpu evil", "git archive -o evil HEAD",
		"git format-patch -1", "git bundle create evil HEAD", "git fetch", "git gc", "git update-index --refresh", "git hash-object -w a.md", "touch evil", "install a evil", "rsync a evil", "tar cf evil a", "truncate -s0 a.md",
		"mkdir evil", "rmdir x", "chmod 0 a.md", "uniq a.md evil.md", "uniq -c a.md evil.md", "sort --output=evil a.md", "sort a.md -o evil", "sort -uo evil a.md", "sort -ro evil a.md", "sort --compress-program=touch a.md",
		"sort *", "sort -T x a.md", "find . -fls evil", "find . -fprint0 evil", "find . -okdir touch evil +", "find . -ex'ec' touch evil +", `find . "-delete"`, "find . -'del'ete", "find * -name x", "find -*", "rg --hostname-bin=x y",
		"rg foo *", "rg -*", "rg [-]-pre=x", "git log *", "git diff -?utput=evil", "git grep -Otouch x", "date -s 2020-01-01", "date 01010000", "tree -o evil", "file -C", "less a.md", "man ls", "vim a.md", "ed a.md",
		"printf -v PATH /evil", "printf -v 'a[$(touch evil)]' x", "printf '%n' 'a[$(touch evil)]'", "printf %d 'x[$(touch evil)]'", "test -v 'a[$(touch evil)]'", "[ -v 'a[$(touch evil)]' ]", "[[ a -eq 'x[$(touch evil)]' ]]",

		// What a shell expands, and what hides it.
		"X='touch evil'; $X", "ls $HOME", "ls ${x:=y}", "echo $((1))", "echo $'\\n'", `echo $"a"`, "eval touch evil", "exec touch evil", "command touch evil", "builtin echo", "source a.md", ". ./a.md", "alias ls=rm", "ls() { touch evil; }",
		"function ls { touch evil; }", "if true; then touch evil; fi", "for i in a; do touch evil; done", "while false; do :; done", "time touch evil", "! touch evil", "trap 'touch evil' EXIT", "{touch,evil}", "cat {a,b}.md",
		"ls # '\ntouch evil\n#'", "# '\ntouch evil #'", "ls \\\ntouch evil", "l\\s", "touc\\h evil", `echo 'a\' ; touch evil ; echo '\''`, `echo "a\" ; touch evil ; "`, `echo "\\" ; touch evil ; "\\"`, "ls\x00", "ls\x1b[0m", "ls\u00a0a.md",
		"ls\u2028touch evil", "ls\u202e", "echo ‘ ' ; touch evil ; ' ’", `echo “ " ; touch evil ; " ”`, "ls &", "ls & touch evil", "ls&touch evil", "ls;touch evil", "ls\n\ntouch evil", "coproc touch evil", "nohup touch evil", "env touch evil",
		"busybox touch evil", "sh a.md", "zsh -c ls", "make", "npm test", "curl -o evil x", "wget x", "nc x 1", "ssh x", "xargs touch", "ls | xargs touch", "find . | sh", "crontab a.md", "kill 1", "su -c ls", "touch\tevil", "cd", "cd x y", "export X=y", "set -e",
		"ls\xff", "echo 'open", `echo "open`, "[", "*", "?vil", "~/evil",
	} {
		if onlyReads(line) {
			t.Errorf("%q is let through", line)
		}
	}
}

// What is let through is run in the shells that are here, and leaves everything as it was.
func TestHarmlessChangesNothing(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git is missing")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v: %s", name, args, err, out)
		}
	}
	for _, file := range []string{"a.md", "b.md", "a b.md", "x/a.md", "-delete", "evil.sh"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte("foo\nbar\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run("git", "init", "-q")
	run("git", "add", "-A")
	run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one")
	tree := func() (files []string) {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Name() == ".git" {
				return filepath.SkipDir // git refreshes its index
			}
			data, _ := os.ReadFile(path)
			files = append(files, path+" "+string(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	before := tree()
	for _, shell := range []string{"sh", "bash", "zsh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("no %s here", shell)
			continue
		}
		for _, line := range slices.Concat(harmless, soups(300)) {
			cmd := exec.CommandContext(t.Context(), path, "-c", line)
			cmd.Dir = dir
			cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
			_ = cmd.Run() // some find nothing, or are not well-formed
		}
		if after := tree(); !slices.Equal(before, after) {
			t.Errorf("in %s: %q", shell, after)
		}
	}
}

// soups returns random command lines that are let through.
func soups(most int) (lines []string) {
	parts := []string{" ", " ", " ", "ls", "cat", "echo", "touch evil", "evil", "a.md", "a*", "--x='a b'", "1", "2", ">", ">", "&", "&1", "2>&1", "/dev/null", "2>/dev/null", "|", "||", "&&", ";", "\n", "'", "'", `"`, `"`, `\`, "#",
		"sort", "uniq", "-o", "sed -n", "1p", "w evil", "find .", "-delete", "-ok", "*", "?", "git log", "--output=evil", "$(touch evil)", "`touch evil`", "!", "=", "~", "<", "rg", "--pre", "tee evil"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2_000_000 {
		var line strings.Builder
		for range 2 + random.IntN(8) {
			line.WriteString(parts[random.IntN(len(parts))])
		}
		if onlyReads(line.String()) {
			if lines = append(lines, line.String()); len(lines) == most {
				break
			}
		}
	}
	return lines
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
	for event, denied := range map[hook.Event]bool{
		{Tool: "Bash", Command: "ls", Arguments: "command,description,timeout"}:                 false,
		{Tool: "run_shell_command", Command: "ls", Arguments: "command,dir_path"}:               false,
		{Tool: "bash", Command: "ls", Arguments: "command,workdir"}:                             false,
		{Tool: "Bash", Command: "rm x", Arguments: "command"}:                                   true,
		{Tool: "Bash", Command: "ls", Arguments: "_simulatedSedEdit,command"}:                   true,
		{Tool: "Bash", Command: "ls", Arguments: "command,shell"}:                               true,
		{Tool: "Write", Command: "ls", Arguments: "command,content,file_path", File: "/p/a.md"}: true,
		{Tool: "mcp__other__run", Command: "ls", Arguments: "command"}:                          true,
		{Tool: "Task", Command: "ls", Arguments: "command,prompt"}:                              true,
		{Tool: "", Command: "ls", Arguments: "command"}:                                         true,
	} {
		if got := forbidden(event) != ""; got != denied {
			t.Errorf("%+v: denied %v", event, got)
		}
	}
}

// Each tool of the table, which has a file in its folder wire, may be used in a dream.
func TestOursAreAllTools(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "tools", "wire", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tools, %v", err)
	}
	for _, file := range files {
		if tool := "mcp__dream__" + strings.TrimSuffix(filepath.Base(file), ".json"); !ours.MatchString(tool) {
			t.Errorf("%s may not be used", tool)
		}
	}
}
