package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"dream-mcp/memory/lazy"
	"dream-mcp/memory/visible"
)

// IndexFile is the name of a memory's index: one line for each topic.
const IndexFile = "MEMORY.md"

// MaxNameBytes bounds a name. File systems allow 255 bytes for each part; the rest is left to the
// suffixes of temporaries and archives.
const MaxNameBytes = 200

// Name is the slash-separated path of a Markdown file inside a memory directory. The only way to a
// Name is ParseName, so whoever holds one may hand it to a Dir without checking again.
// Names are comparable and the zero Name names nothing.
type Name struct{ path string }

// IndexName is the name of the directory's index.
var IndexName = Name{IndexFile}

// errName says why a string is not a name.
var errName = errors.New("not a plain .md path inside the memory directory")

// ParseName reads the name of a file that may be read: a relative path of plain parts that ends in
// ".md". Whether it may also be written is for Writable to say.
func ParseName(s string) (Name, error) {
	switch {
	case len(s) > MaxNameBytes:
		return Name{}, fmt.Errorf("%w: it has %d bytes, %d are allowed", errName, len(s), MaxNameBytes)
	case !fs.ValidPath(s): // not UTF-8, absolute, or with an empty part, "." or ".."
		return Name{}, fmt.Errorf("%w: %q", errName, s)
	case !strings.HasSuffix(s, ".md"):
		return Name{}, fmt.Errorf("%w: it does not end in \".md\"", errName)
	}
	for part := range strings.SplitSeq(s, "/") {
		if err := checkPart(part); err != nil {
			return Name{}, err
		}
	}
	return Name{path: s}, nil
}

// notInName is what no name may hold on any system. A format character is invisible, and two names that look the same
// would be two files.
var notInName = lazy.New(`[\\:%\x{FFFD}\p{Cc}\p{Cf}]`)

// checkPart refuses what no part of a name may be, on any system: what climbs, hides, or is
// another spelling of something else.
func checkPart(part string) error {
	if part[0] == '.' || part[0] == '~' {
		return fmt.Errorf("%w: the part %q begins with %q", errName, part, part[:1])
	}
	if found := notInName.FindString(part); found != "" {
		return fmt.Errorf("%w: the character %+q is not allowed", errName, found)
	}
	if hidden := visible.Runs(part); len(hidden) > 0 { // it is named as it is shown
		return fmt.Errorf("%w: the character %s is not allowed", errName, hidden[0].Mark)
	}
	return nil
}

// String returns the path, slash-separated.
func (n Name) String() string { return n.path }

// IsIndex reports whether n is the index of the directory itself.
func (n Name) IsIndex() bool { return n.path == IndexFile }

// IsLog reports whether n is in a folder of logs, which a host writes and a dream only reads.
func (n Name) IsLog() bool {
	folder := n.TopFolder()
	return folder == "logs" || folder == "sessions"
}

// IsTopic reports whether n is a memory: neither the index nor in a folder that hosts keep for
// themselves. The index of a team folder counts as a topic: it is written like one.
func (n Name) IsTopic() bool {
	return n.path != "" && !n.IsIndex() && !n.IsLog() && n.TopFolder() != "agents"
}

// TopFolder returns the first folder of n in lower case, or "" if it is in the directory itself.
func (n Name) TopFolder() string {
	folder, _, nested := strings.Cut(n.path, "/")
	if !nested {
		return ""
	}
	return strings.ToLower(folder)
}

// Compare orders names by their paths.
func (n Name) Compare(o Name) int { return strings.Compare(n.path, o.path) }

// SortedNames returns the keys of a map in order.
func SortedNames[T any](of map[Name]T) []Name { return slices.SortedFunc(maps.Keys(of), Name.Compare) }

// MarshalText and UnmarshalText encode a Name in JSON; what is read passes ParseName.
func (n Name) MarshalText() ([]byte, error) { return []byte(n.path), nil }

// UnmarshalText is the inverse of MarshalText.
func (n *Name) UnmarshalText(text []byte) error {
	parsed, err := ParseName(string(text))
	if err == nil {
		*n = parsed
	}
	return err
}

// Creatable returns nil if a new file may have the name n, else the reason. A file deeper than one folder can be
// changed, but not created.
func (n Name) Creatable() error {
	if err := n.Writable(); err != nil || strings.Count(n.path, "/") <= 1 {
		return err
	}
	return fmt.Errorf("%w: only name.md or folder/name.md can be made", errName)
}

// Writable returns nil where n may be the target of a write, and else the reason why not: it is the
// index, is in a reserved folder, or is spelled so that some system would not keep it.
func (n Name) Writable() error {
	folder, file := path.Split(n.path)
	folder = strings.TrimSuffix(folder, "/")
	switch {
	case n.path == "":
		return errName
	case folder == "" && strings.EqualFold(file, IndexFile):
		return fmt.Errorf("%q is the index: use finalize_index", n.path)
	case strings.Count(folder, "/") >= maxDepth-1:
		return fmt.Errorf("%w: nested too deep", errName)
	}
	if !n.IsTopic() {
		return fmt.Errorf("%q is reserved: a dream does not write into %s/", n.path, folder)
	}
	for part := range strings.SplitSeq(n.path, "/") {
		if err := checkSpelling(part); err != nil {
			return err
		}
	}
	return nil
}

// checkSpelling allows letters, digits and marks of any language, inner spaces, "-", "_" and ".",
// and refuses the device names of Windows and what it would silently trim.
func checkSpelling(part string) error {
	stem, _, _ := strings.Cut(part, ".")
	stem = strings.TrimSpace(stem)
	if stem == "" || part != strings.TrimSpace(part) || strings.HasSuffix(part, ".") ||
		strings.TrimSuffix(part, ".md") != strings.TrimSpace(strings.TrimSuffix(part, ".md")) {
		return fmt.Errorf("%w: %q begins or ends with a space or a dot", errName, part)
	}
	if device.MatchString(stem) {
		return fmt.Errorf("%w: %q is a device on Windows", errName, part)
	}
	if found := unusual.FindString(part); found != "" {
		return fmt.Errorf("%w: the character %q is not allowed; letters, digits, spaces, \"-\", \"_\" and \".\" are", errName, found)
	}
	return nil
}

var (
	device  = lazy.New(`(?i)^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])$`)
	unusual = lazy.New(`[^\pL\pN\pM\-_. ]`)
)

// Fold returns what two names have in common that a case-folding or normalising file system takes
// for one file.
func (n Name) Fold() string { return strings.ToLower(norm.NFC.String(n.path)) }

// A TwinError says that a new name would be another spelling of one that exists.
type TwinError struct{ Name, Twin Name }

func (e *TwinError) Error() string {
	return fmt.Sprintf("%q differs from the existing %q only in case or accents' encoding", e.Name, e.Twin)
}
