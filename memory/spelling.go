package memory

import (
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A TwinError says that a new name would be another spelling of one that exists.
type TwinError struct{ Name, Twin Name }

func (e *TwinError) Error() string {
	return fmt.Sprintf("%q differs from the existing %q only in case or accents' encoding", e.Name, e.Twin)
}

// CheckSpelling fails with a *TwinError where the file system finds n, and has it under another spelling:
// as on macOS and Windows, where the rules would take what is changed for another memory than the one that
// is. It does not report what is missing or cannot be listed.
func (d *Dir) CheckSpelling(n Name) error {
	there, err := d.root.Lstat(n.path)
	if err != nil {
		return nil
	}
	// A name in ASCII has another spelling where cases fold, and nowhere else.
	if other, err := d.root.Lstat(swapCase(n.path)); isASCII(n.path) && (err != nil || !os.SameFile(there, other)) {
		return nil
	}
	spelled := ""
	for part := range strings.SplitSeq(n.path, "/") {
		found, err := d.spelled(path.Join(".", spelled), part)
		if err != nil {
			return nil
		}
		spelled = path.Join(spelled, found)
	}
	if twin, err := ParseName(spelled); err == nil && twin != n {
		return &TwinError{n, twin}
	}
	return nil
}

// spelled returns the name in folder that is part in whatever spelling, part itself where both are there.
func (d *Dir) spelled(folder, part string) (string, error) {
	f, err := OpenFolder(d.root, folder)
	if err != nil {
		return "", err
	}
	defer f.Close()
	found, fold := part, Name{part}.Fold()
	for {
		entries, err := f.ReadDir(512)
		for _, e := range entries {
			if e.Name() == part {
				return part, nil
			}
			if (Name{e.Name()}).Fold() == fold {
				found = e.Name()
			}
		}
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// swapCase makes small letters of capitals and the other way round.
func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
