package drift

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// operators separate the commands of a line.
var operators = regexp.MustCompile(`\s*(?:&&|\|\||;|\|)\s*`)

var (
	assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)
	plainName  = regexp.MustCompile(`^[A-Za-z0-9_][\w.:/-]*$`)
	longFlag   = regexp.MustCompile(`^--([a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)(?:=.*)?$`)
)

// judgeCommands returns what the commands of a line name in vain.
func (p *Project) judgeCommands(text string) []Hit {
	var hits []Hit
	for _, part := range operators.Split(text, -1) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(part), "$ "))
		for len(words) > 0 && (assignment.MatchString(words[0]) || words[0] == "sudo" || words[0] == "time" || words[0] == "env" || words[0] == "exec") {
			words = words[1:]
		}
		if len(words) > 0 {
			hits = append(hits, p.judgeCommand(words)...)
		}
	}
	return hits
}

// judgeCommand judges one command: its runner decides what the words after it mean.
func (p *Project) judgeCommand(words []string) []Hit {
	runner, rest := words[0], words[1:]
	switch runner {
	case "npm", "pnpm", "yarn", "bun":
		return p.judgePackageScript(runner, rest)
	case "make", "gmake":
		return p.judgeMake(rest)
	case "just":
		return p.judgeName("just", &p.manifested().just, operands(rest, "-f", "--justfile", "-d", "--working-directory", "--set"))
	case "task", "go-task":
		return p.judgeName("task", &p.manifested().task, operands(rest, "-t", "--taskfile", "-d", "--dir"))
	case "composer":
		return p.judgeComposer(rest)
	case "deno":
		if len(rest) > 1 && rest[0] == "task" {
			return p.judgeName("deno task", &p.manifested().deno, operands(rest[1:]))
		}
		if len(rest) > 1 && rest[0] == "run" {
			return p.judgeProgram(operands(rest[1:]))
		}
	case "cargo":
		return p.judgeCargo(rest)
	case "go":
		return p.judgeGo(rest)
	case "docker", "docker-compose", "podman", "kubectl", "helm", "ansible-playbook", "terraform":
		return p.judgeFiles(rest, "-f", "--file")
	case "poetry", "uv", "pipenv", "hatch", "pdm", "bundle":
		if len(rest) > 1 && (rest[0] == "run" || rest[0] == "exec") {
			return p.judgeCommand(rest[1:])
		}
	case "python", "python3", "node", "ruby", "php", "perl", "bash", "sh", "zsh", "fish", "source", ".", "tsx", "ts-node", "pytest", "Rscript", "lua":
		if len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
			return nil // -m, -c, -e: what follows is no file of ours
		}
		return p.judgeProgram(rest)
	default:
		if strings.HasPrefix(runner, "./") || strings.Contains(runner, "/") {
			return p.judgeProgram(words)
		}
		if p.manifested().own[runner] {
			return p.judgeFlags(runner, rest)
		}
	}
	return nil
}

// operands returns the words that are neither options, nor the values of those named, nor assignments.
func operands(words []string, valued ...string) []string {
	var found []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			return found
		case strings.HasPrefix(word, "-"):
			if slices.Contains(valued, word) {
				i++
			}
		case !assignment.MatchString(word):
			found = append(found, word)
		}
	}
	return found
}

// judgeName judges the first operand as a name that a runner knows.
func (p *Project) judgeName(runner string, known *names, operands []string) []Hit {
	if len(operands) == 0 || !known.some || known.open || p.manifested().limited || !plainName.MatchString(operands[0]) || known.set[operands[0]] {
		return nil
	}
	name := operands[0]
	return p.once("script "+runner+" "+name, func() *Hit {
		h := &Hit{Kind: Script, Ref: runner + " " + name, Message: fmt.Sprintf("the project has no %q for %s", name, runner)}
		if near := nearestOf(name, known.list); near != "" {
			h.Nearest = runner + " " + near
		}
		return h
	})
}

// packageVerbs are what package managers do by themselves; a script of such a name needs "run".
var packageVerbs = setOf("install i ci add remove rm uninstall update upgrade up outdated audit link unlink publish pack init create exec x dlx why list ls info view config cache prune dedupe rebuild store import patch login logout whoami version help workspaces workspace set get pkg fund doctor bin root")

// judgePackageScript judges a script of package.json. Without "run" a word may be a program that some
// package brings, unless it looks like nothing but a script.
func (p *Project) judgePackageScript(runner string, words []string) []Hit {
	s := p.manifested()
	words = operands(words, "--filter", "-F", "-C", "--dir", "--prefix", "-w", "--workspace", "--cwd")
	if len(words) > 2 && words[0] == "workspace" {
		words = words[2:]
	}
	explicit := false
	if len(words) > 1 && (words[0] == "run" || words[0] == "run-script") {
		words, explicit = words[1:], true
	}
	if len(words) == 0 {
		return nil
	}
	name := words[0]
	switch {
	case explicit && (runner == "npm" || runner == "pnpm"):
	case explicit && !s.dependencies[name] && !strings.ContainsAny(name, "./"):
	case !explicit && (name == "test" || name == "start"):
	case !explicit && runner != "npm" && strings.Contains(name, ":") && !packageVerbs[name]:
	default:
		return nil
	}
	label := runner
	if explicit {
		label += " run"
	}
	return p.judgeName(label, &s.npm, words)
}

func (p *Project) judgeMake(words []string) []Hit {
	s := p.manifested()
	targets := operands(words, "-C", "-f", "-I", "--directory", "--file")
	var missing, hits []string
	for _, target := range targets {
		switch {
		case s.make.set[target]:
			hits = append(hits, target)
		case slices.ContainsFunc(s.patterns, func(pattern string) bool {
			before, after, _ := strings.Cut(pattern, "%")
			return len(target) > len(before)+len(after) && strings.HasPrefix(target, before) && strings.HasSuffix(target, after)
		}):
		case p.look(path.Clean(target)) != absent: // make builds a file
		default:
			missing = append(missing, target)
		}
	}
	if len(missing) == 0 || len(targets) > 1 && len(hits) == 0 { // "make sure of it"
		return nil
	}
	return p.judgeName("make", &s.make, missing)
}

// composerVerbs are commands of composer itself.
var composerVerbs = setOf("about archive audit bump browse check-platform-reqs clear-cache config create-project depends diagnose dump-autoload dumpautoload exec fund global help i info init install licenses list outdated prohibits reinstall remove repository require search self-update show status suggests u update upgrade validate why why-not")

func (p *Project) judgeComposer(words []string) []Hit {
	words = operands(words, "-d", "--working-dir")
	if len(words) > 1 && (words[0] == "run" || words[0] == "run-script") {
		return p.judgeName("composer run", &p.manifested().composer, words[1:])
	}
	if len(words) > 0 && composerVerbs[words[0]] {
		return nil
	}
	return p.judgeName("composer", &p.manifested().composer, words)
}

func (p *Project) judgeCargo(words []string) []Hit {
	s := p.manifested()
	for i, word := range words {
		flag, value, joined := strings.Cut(word, "=")
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		known := map[string]*names{"--bin": &s.bins, "--example": &s.examples, "-p": &s.crates, "--package": &s.crates}[flag]
		if known != nil && value != "" {
			known.some = known.some || s.bins.some
			if hits := p.judgeName("cargo "+flag, known, []string{value}); hits != nil {
				return hits
			}
		}
		if word == "--" {
			break
		}
	}
	return nil
}

// judgeGo judges the packages that a go command names by their folders, and the flags of a program that
// it runs.
func (p *Project) judgeGo(words []string) []Hit {
	if len(words) < 2 || !setOf("run test build vet install generate tool")[words[0]] {
		return nil
	}
	for i := 1; i < len(words); i++ {
		word := words[i]
		if strings.HasPrefix(word, "-") {
			if word == "-o" || word == "-tags" || word == "-run" || word == "-bench" || word == "-timeout" || word == "-count" || word == "-C" || word == "-p" {
				i++
			}
			continue
		}
		if !strings.HasPrefix(word, "./") {
			return nil
		}
		folder := path.Clean(strings.TrimSuffix(word, "..."))
		if folder == "." {
			continue
		}
		if !plainPath.MatchString(folder) || strings.Contains(folder, "..") {
			return nil
		}
		if hits := p.judgePath(pathRef{name: folder, folder: !strings.HasSuffix(folder, ".go")}); hits != nil || words[0] != "run" {
			return hits
		}
		return p.judgeFlags(path.Base(folder), words[i+1:])
	}
	return nil
}

// judgeProgram judges a file that is run, and the flags that it is given.
func (p *Project) judgeProgram(words []string) []Hit {
	if len(words) == 0 {
		return nil
	}
	ref, ok := parsePath(words[0])
	if !ok {
		return nil
	}
	if hits := p.judgePath(ref); hits != nil {
		return hits
	}
	if p.look(ref.name) != present {
		return nil
	}
	return p.judgeFlags(words[0], words[1:])
}

// judgeFiles judges the files that follow a flag.
func (p *Project) judgeFiles(words []string, flags ...string) []Hit {
	for i, word := range words {
		if i+1 == len(words) || !slices.Contains(flags, word) {
			continue
		}
		if ref, ok := parsePath(words[i+1]); ok {
			if hits := p.judgePath(ref); hits != nil {
				return hits
			}
		}
	}
	return nil
}

// judgeFlags judges the long flags that a program of the project is given. A flag that any source file
// mentions, in whatever spelling, is there.
func (p *Project) judgeFlags(program string, words []string) []Hit {
	var hits []Hit
	for _, word := range words {
		m := longFlag.FindStringSubmatch(word)
		if m == nil || m[1] == "help" || m[1] == "version" || len(m[1]) < minWord {
			if word == "--" {
				break
			}
			continue
		}
		hits = append(hits, p.once("flag "+program+" "+m[1], func() *Hit {
			w := p.indexed()
			bare, _ := strings.CutPrefix(m[1], "no-")
			if w.limited || w.hasFolded(m[1]) || w.hasFolded(bare) {
				return nil
			}
			return &Hit{Kind: Flag, Ref: "--" + m[1], Message: fmt.Sprintf("no source file of the project knows the flag %q of %s", "--"+m[1], program)}
		})...)
	}
	return hits
}
