// Release builds what people install: for each system a zip of the program, a Claude Code plugin, a Gemini CLI
// extension and an MCPB bundle, the registry's server.json where the repository is known, and SHA256SUMS.
//
//	go run -C .ci ./packages [-repository https://github.com/OWNER/NAME] [-author 'NAME <EMAIL>'] DIR
//
// Without -repository it is the remote "origin", if that is on GitHub; without -author the repository's owner.
//
// It promises that the same source, Go version, repository and author give the same bytes, whenever and wherever they
// are built: no paths, no times, no build stamps. DIR is a full path, and must not exist or be empty; a build that
// failed or was killed leaves it incomplete, without SHA256SUMS. It does not sign anything, nor does it publish.
package main

import (
	"archive/zip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/host"
)

//go:embed plugin
var plugin embed.FS

// description is at most 100 characters, as the registry wants it.
const description = "Consolidates the long-term memory of coding agents: whole or not at all, and nothing lost"

// systems are those of the releases.
var systems = []system{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

type system struct{ os, arch string }

func (s system) program() string {
	if s.os == "windows" {
		return "dream-mcp.exe"
	}
	return "dream-mcp"
}

func main() {
	repository := flag.String("repository", "", "where the releases are published: https://github.com/OWNER/NAME")
	author := flag.String("author", "", "who publishes them: NAME, or NAME <EMAIL>")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	dir, err := filepath.Abs(flag.Arg(0))
	if err == nil {
		err = os.Chdir("..") // the program's own module decides the versions of what it imports
	}
	if err == nil {
		err = release(dir, *repository, *author, systems)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\nhint: run it in .ci, with the full path of an empty folder as its argument\n", err)
		os.Exit(1)
	}
}

// release builds for each of the systems into dir.
func release(dir, repository, author string, systems []system) error {
	if there, err := os.ReadDir(dir); err == nil && len(there) > 0 {
		return fmt.Errorf("%q is not empty", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	said, err := exec.Command("go", "run", ".", "version").Output() // main.go is the one place that knows
	if err != nil {
		return fmt.Errorf("asking the program for its version: %w", err)
	}
	a, missing, err := describe(strings.TrimPrefix(strings.TrimSpace(string(said)), "dream-mcp "), repository, author)
	if err != nil {
		return err
	}
	for _, what := range missing {
		fmt.Fprintln(os.Stderr, "note: "+what)
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		fmt.Fprintln(os.Stderr, "note: no LICENSE is handed on, and Claude Code's directory of plugins wants one:", err)
	}
	sums := map[string]string{}
	for _, s := range systems {
		program, err := build(s, a.repository)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", s.os, s.arch, err)
		}
		for name, files := range map[string]map[string][]byte{
			"dream-mcp_%s_%s_%s.zip":        {s.program(): program},
			"dream-mcp-plugin_%s_%s_%s.zip": pluginFiles(s, a, program),
			"dream-mcp_%s_%s_%s.mcpb":       bundleFiles(s, a, program),
			"dream-mcp-gemini_%s_%s_%s.zip": extensionFiles(s, a, program),
		} {
			if license != nil {
				files["LICENSE"] = license
			}
			name = fmt.Sprintf(name, a.version, s.os, s.arch)
			if sums[name], err = pack(filepath.Join(dir, name), files); err != nil {
				return err
			}
		}
	}
	if a.repository != "" {
		text, err := registryFile(a, sums)
		if err != nil {
			return err
		}
		sums["server.json"] = sum(text)
		if err := os.WriteFile(filepath.Join(dir, "server.json"), text, 0o644); err != nil {
			return err
		}
	}
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&list, "%s  %s\n", sums[name], name)
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(list.String()), 0o644)
}

// environ is what a program is built in: what a person has set for their own builds (go env -w) changes its bytes, or
// asks for a processor that others do not have.
func (s system) environ() []string {
	return append(os.Environ(), "GOOS="+s.os, "GOARCH="+s.arch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off",
		"GOENV=off") // what is empty here would be taken from there
}

// build compiles the program and returns it.
func build(s system, website string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "dream-release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, s.program())
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid= -X main.website="+website, "-o", out, ".")
	cmd.Env = s.environ()
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	return os.ReadFile(out)
}

// document writes a value as a file of JSON.
func document(v any) []byte {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // of maps and strings it can't fail
	}
	return append(text, '\n')
}

type object = map[string]any

// hooks has one command line at each event of Claude Code.
func hooks(command string) object {
	all := object{}
	claude := host.Find("claude-code").Hooks
	for _, event := range claude.Events {
		all[event] = []object{{"hooks": []object{{"type": "command", "command": command, "timeout": claude.Timeout}}}}
	}
	return all
}

// pluginFiles is a Claude Code plugin: the server, the hook, and the two prompts as commands.
func pluginFiles(s system, a about, program []byte) map[string][]byte {
	path := "${CLAUDE_PLUGIN_ROOT}/bin/" + s.program()
	manifest := object{
		"name": "dream-mcp", "version": a.version, "description": description, "author": a.author,
		"mcpServers": object{"dream": object{"command": path}},
	}
	if a.repository != "" {
		manifest["repository"] = a.repository
	}
	files := map[string][]byte{
		"bin/" + s.program():         program,
		".claude-plugin/plugin.json": document(manifest),
		"hooks/hooks.json":           document(object{"hooks": hooks(`"` + path + `" hook`)}),
	}
	err := fs.WalkDir(plugin, "plugin", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files[strings.TrimPrefix(name, "plugin/")], err = plugin.ReadFile(name)
		return err
	})
	if err != nil {
		panic(err) // it is embedded
	}
	return files
}

// extensionFiles is an extension of Gemini CLI: the server, whose prompts are commands there.
func extensionFiles(s system, a about, program []byte) map[string][]byte {
	return map[string][]byte{
		"bin/" + s.program(): program,
		"gemini-extension.json": document(object{
			"name": "dream-mcp", "version": a.version, "description": description,
			"mcpServers": object{"dream": object{"command": "${extensionPath}${/}bin${/}" + s.program()}},
		}),
	}
}

// bundleFiles is an MCPB bundle (manifest version 0.3).
func bundleFiles(s system, a about, program []byte) map[string][]byte {
	platform := s.os
	if platform == "windows" {
		platform = "win32"
	}
	path := "server/" + s.program()
	manifest := object{
		"manifest_version": "0.3", "name": "dream-mcp", "display_name": "Dream", "version": a.version, "description": description,
		"author": a.author,
		"server": object{
			"type": "binary", "entry_point": path,
			"mcp_config": object{"command": "${__dirname}/" + path, "args": []string{}, "env": object{
				"DREAM_PROJECT": "${user_config.project}", "DREAM_MEMORY_DIR": "${user_config.memory_dir}",
			}},
		},
		"user_config": object{
			"project": object{
				"type": "directory", "title": "Project folder", "required": false, "default": "",
				"description": "The folder that you work in with coding agents: its sessions are reviewed. " +
					"Leave it empty where there are none, and choose a memory folder.",
			},
			"memory_dir": object{
				"type": "directory", "title": "Memory folder", "required": false, "default": "",
				"description": "Where the memories are kept. Leave it empty to use the memory of the project.",
			},
		},
		"tools_generated": true, "prompts_generated": true,
		"compatibility": object{"platforms": []string{platform}},
	}
	if a.repository != "" {
		manifest["repository"] = object{"type": "git", "url": a.repository}
	}
	return map[string][]byte{path: program, "manifest.json": document(manifest)}
}

// registryFile is the registry's server.json (schema of 2025-12-11) for what a repository's release holds.
func registryFile(a about, sums map[string]string) ([]byte, error) {
	owner, name, err := splitRepository(a.repository)
	if err != nil {
		return nil, err
	}
	var packages []object
	for _, file := range slices.Sorted(maps.Keys(sums)) {
		if strings.HasSuffix(file, ".mcpb") {
			packages = append(packages, object{
				"registryType": "mcpb", "identifier": a.repository + "/releases/download/v" + a.version + "/" + file,
				"fileSha256": sums[file], "transport": object{"type": "stdio"},
			})
		}
	}
	return document(object{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    "io.github." + owner + "/" + name, "title": "Dream", "description": description, "version": a.version,
		"repository": object{"url": a.repository, "source": "github"}, "packages": packages,
	}), nil
}

// epoch is the time of every file in an archive: the earliest that zip knows.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// pack writes a zip of files, by name, and returns its sum. Programs, all of them, lie in it executable.
func pack(name string, files map[string][]byte) (string, error) {
	var b strings.Builder
	z := zip.NewWriter(&b)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		header := &zip.FileHeader{Name: file, Method: zip.Deflate, Modified: epoch}
		header.SetMode(0o644)
		if strings.HasPrefix(filepath.Base(file), "dream-mcp") {
			header.SetMode(0o755)
		}
		w, err := z.CreateHeader(header)
		if err == nil {
			_, err = w.Write(files[file])
		}
		if err != nil {
			return "", err
		}
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return sum([]byte(b.String())), os.WriteFile(name, []byte(b.String()), 0o644)
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
