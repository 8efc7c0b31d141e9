package rule

import (
	"embed"
	"slices"
	"strconv"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

// The names of the rules that other packages report under or look for. InAllProjects is not in the table: it is about a
// memory that a person has in all projects.
const (
	Conflict      = "conflict" // two machines changed a memory; a shared memory reports its own findings under it
	Secret        = "secret"
	Invisible     = "invisible"
	IndexLimits   = "index-limits"
	Orphan        = "orphan"
	Loss          = "loss"
	Drift         = "drift"
	NearDuplicate = "near-duplicate"
	Name          = "name"
	Unsourced     = "unsourced"
	WikiLink      = "wiki-link"
	InAllProjects = "person"
)

// rule is one row of the table. A rule reads, and never touches a disk, but for the project's folder.
type rule struct {
	name     string
	severity Severity                                                // the worst that it reports
	topic    func(v *view, n memory.Name, t *memory.Topic) []Finding // reads one topic: asked at every write too
	whole    func(v *view) []Finding                                 // reads the memory: asked when it is to land
	many     string                                                  // the noun for more than maxPlaces of its findings in a file; "": all are reported
	waivable bool                                                    // the model may waive it, with a reason
	minor    bool                                                    // its warnings about what stood before are infos
	exact    bool                                                    // it reads the memory as it is, the others as it may be shown, and quotes nothing of it
	form     bool                                                    // it is about the form of a memory: its findings are shown as one
}

// table holds every rule, in the order in which its findings are shown: the worst consequence first, what is about form
// last. A rule has a file doc/NAME.txt.
var table = []rule{
	{name: Conflict, severity: Warning, whole: findConflictCopies},
	{name: Secret, severity: Error, topic: findSecretsIn, whole: findSecretsInIndex, exact: true, many: "credentials"},
	{name: Invisible, severity: Error, topic: findHidden, whole: findHiddenInIndex, exact: true, many: "lines with hidden characters"},
	{name: IndexLimits, severity: Error, whole: findIndexOverLimits, exact: true},
	{name: "dangling", severity: Error, whole: findDangling},
	{name: Orphan, severity: Warning, whole: findOrphans, minor: true},
	{name: Loss, severity: Error, whole: findLoss, exact: true},
	{name: Drift, severity: Warning, topic: findDriftWritten, whole: findDrift, many: "lines that name what the project does not have"},
	{name: NearDuplicate, severity: Error, topic: findDuplicate, whole: findCopies, waivable: true},
	{name: "relative-date", severity: Error, topic: findRelativeDates, waivable: true},
	{name: Name, severity: Error, topic: findOddName, whole: findOddFiles},
	{name: "frontmatter", severity: Error, topic: findBadFrontmatter, whole: findOtherForm, form: true},
	{name: "leftover", severity: Warning, topic: findLeftovers, form: true},
	{name: "index-entry", severity: Warning, whole: findBadEntries, minor: true, form: true},
	{name: Unsourced, severity: Warning, topic: findUnsourced, form: true},
	{name: WikiLink, severity: Info, topic: findLooseLinks, many: "links that lead to no memory", form: true},
	{name: "oversized", severity: Warning, topic: findOversized, form: true},
	{name: "description", severity: Warning, topic: findPoorDescription, form: true},
}

// Doc is what a rule says of itself. It is kept in doc/NAME.txt, where \uXXXX in an example stands for a character.
//
// Bad and Good are small memories, in which the rule finds something and nothing: a test holds every rule
// to its own. A line "-- PATH --" begins a file; those under before/ stood before the change that is
// checked. A text without such a line is the body of one memory with good frontmatter, and where no
// MEMORY.md is given, the index names every memory. What lies under project/ is the project's.
type Doc struct {
	Name     string   `json:"name"`
	Summary  string   `json:"summary"`
	Severity Severity `json:"severity"` // the worst that it reports
	Waivable bool     `json:"waivable"` // the model may waive it, with a reason
	Catches  string   `json:"catches"`  // in words
	Leaves   string   `json:"leaves"`   // what it looks like and is not
	Fix      string   `json:"fix"`      // what a person does
	Bad      string   `json:"bad"`
	Good     string   `json:"good"`
}

//go:embed doc/*.txt
var docFiles embed.FS

var (
	docForm = lazy.New(`(?s)^summary: (.*?)\ncatches: (.*?)\nleaves: (.*?)\nfix: (.*?)\n== bad ==\n(.*)== good ==\n(.*)$`)
	escape  = lazy.New(`\\u[0-9a-f]{4}`)
)

// doc returns what the rule says of itself; a test reads the file of each.
func (r rule) doc() Doc {
	page, _ := docFiles.ReadFile("doc/" + r.name + ".txt")
	part := docForm.FindStringSubmatch(string(page))
	example := func(text string) string {
		return escape.ReplaceAllStringFunc(text, func(code string) string {
			character, _ := strconv.Unquote(`"` + code + `"`)
			return character
		})
	}
	return Doc{Name: r.name, Severity: r.severity, Waivable: r.waivable, Summary: part[1], Catches: part[2], Leaves: part[3],
		Fix: part[4], Bad: example(part[5]), Good: example(part[6])}
}

// Waivable reports whether a rule of this name exists that the model may waive, with a reason.
func Waivable(name string) bool { return ruleOf(name).waivable }

// Docs returns what each rule says of itself, in the order of the table.
func Docs() []Doc {
	docs := make([]Doc, len(table))
	for i, r := range table {
		docs[i] = r.doc()
	}
	return docs
}

// Rank is the position of a rule in the table: of two findings that of the lower rank comes first.
func Rank(name string) int {
	return slices.IndexFunc(table, func(r rule) bool { return r.name == name })
}

// AboutForm reports whether a rule is about the form of a memory.
func AboutForm(name string) bool { return ruleOf(name).form }

func ruleOf(name string) rule {
	for _, r := range table {
		if r.name == name {
			return r
		}
	}
	return rule{}
}
