package demo

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory/lazy"
)

//go:embed memory project sessions story.txt
var files embed.FS

// world is the sandbox: a home directory with a project, its memory and its transcripts.
type world struct {
	home, project, memory string
	now                   time.Time
}

// lastDreamDays is the age of the last dream in the sandbox. All its sessions are younger.
const lastDreamDays = 9

// build creates the world in dir.
func build(dir string, now time.Time) (world, error) {
	dir, err := filepath.EvalSymlinks(dir) // as the server does
	if err != nil {
		return world{}, err
	}
	w := world{home: filepath.Join(dir, "home"), now: now.UTC()}
	w.project = filepath.Join(w.home, "teashop")
	slug := sessions.Slug(w.project)
	sessions := filepath.Join(w.home, ".claude", "projects", slug)
	w.memory = filepath.Join(sessions, "memory")
	if strings.HasSuffix(slug, "-") { // it was cut
		return w, fmt.Errorf("the path %q is too long", w.project)
	}
	for from, to := range map[string]string{"project": w.project, "memory": w.memory, "sessions": sessions} {
		if err := w.copyTree(from, to); err != nil {
			return w, err
		}
	}
	lock := filepath.Join(w.memory, ".consolidate-lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		return w, err
	}
	last := w.now.AddDate(0, 0, -lastDreamDays)
	return w, os.Chtimes(lock, last, last)
}

// environment returns an environment that names nothing outside the world.
func (w world) environment() []string {
	env := []string{"HOME=" + w.home, "USERPROFILE=" + w.home, "NO_COLOR=1",
		"APPDATA=" + filepath.Join(w.home, "AppData", "Roaming"), "LOCALAPPDATA=" + filepath.Join(w.home, "AppData", "Local")}
	for _, name := range []string{"PATH", "TZ", "TMPDIR", "TEMP", "SYSTEMROOT"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// timestamp is the time of a memory or an utterance. The last one in a file becomes its modification time.
var timestamp = lazy.New(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// fill executes a text as a template. {{day N}} is the date N days ago, {{project}} the quoted path of the project.
func (w world) fill(text string, data any, more template.FuncMap) (string, error) {
	t, err := template.New("").Option("missingkey=error").Funcs(more).Funcs(template.FuncMap{
		"day":     func(ago int) string { return w.now.AddDate(0, 0, -ago).Format(time.DateOnly) },
		"project": func() string { return strconv.Quote(w.project) }, // valid in JSON, too
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, data)
	return b.String(), err
}

func (w world) copyTree(from, to string) error {
	return fs.WalkDir(files, from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(strings.TrimPrefix(name, from)))
		if e.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		data, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		text, err := w.fill(string(data), nil, nil)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, []byte(text), 0o600); err != nil {
			return err
		}
		modified := w.now.AddDate(0, 0, -lastDreamDays)
		if all := timestamp.FindAllString(text, -1); len(all) > 0 {
			if modified, err = time.Parse(time.RFC3339, all[len(all)-1]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return os.Chtimes(target, modified, modified)
	})
}

// image returns the text and time of each memory and of the index, by name.
func (w world) image() (map[string]string, error) {
	image := make(map[string]string)
	names, err := filepath.Glob(filepath.Join(w.memory, "*.md"))
	for _, name := range names {
		info, statErr := os.Stat(name)
		data, readErr := os.ReadFile(name)
		if err = cmp.Or(err, statErr, readErr); err != nil {
			return nil, err
		}
		image[name] = info.ModTime().UTC().String() + "\n" + string(data)
	}
	return image, err
}
