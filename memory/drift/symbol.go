package drift

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	call      = regexp.MustCompile(`\([^()]*\)$`)
	qualified = regexp.MustCompile(`^(\*?[A-Za-z_]\w*)(?:\.|::|#|->)([A-Za-z_]\w*)$`)
	bareName  = regexp.MustCompile(`^[A-Za-z_]\w*$`)
)

// common are members that a type has in its language or library, whatever the project says.
var common = setOf("new name length size prototype constructor toString valueOf objects DoesNotExist default class call apply bind then catch finally find find_by find_by_id where all first last create save save! update delete destroy get set add remove push pop map filter reduce forEach keys values entries items append extend copy clone close open read write len cap Error String Unwrap Is As init deinit shared allocate id pk query count exists order limit from into parse unwrap expect default_value to_string as_str iter main self super env test_client displayName propTypes defaultProps model_dump model_validate")

// judgeSymbol returns a hit where no source file of the project mentions a symbol that must be its own.
func (p *Project) judgeSymbol(text string, s *passage) []Hit {
	called := call.MatchString(text)
	name := call.ReplaceAllString(text, "")
	if m := qualified.FindStringSubmatch(name); m != nil {
		return p.judgeMember(name, m[1], m[2], called)
	}
	if called && bareName.MatchString(name) && len(name) > minWord && isCompound(name) {
		anchored := p.anchored(s)
		return p.once(fmt.Sprintf("bare %s %v", name, anchored), func() *Hit { return p.findBare(name, anchored) })
	}
	return nil
}

// judgeMember judges Type.method, package.Name and module.name, where the project has the qualifier.
func (p *Project) judgeMember(text, qualifier, member string, called bool) []Hit {
	if len(member) < minWord || common[member] || len(qualifier) < minWord {
		return nil
	}
	return p.once("member "+text+fmt.Sprint(called), func() *Hit {
		w := p.indexed()
		if w.limited || w.has(member) {
			return nil
		}
		isType := qualifier[0] >= 'A' && qualifier[0] <= 'Z'
		switch {
		case isType && w.declares(qualifier):
		case !isType && p.listed().stems[qualifier] && (member[0] >= 'A' && member[0] <= 'Z' || called || isCompound(member)):
		default:
			return nil
		}
		return p.symbolHit(text, member)
	})
}

// findBare judges a function without a qualifier. It may be anybody's, unless the sentence names a source
// file of the project, or the project has one that is called nearly so.
func (p *Project) findBare(name string, anchored bool) *Hit {
	w := p.indexed()
	if w.limited || w.has(name) {
		return nil
	}
	if h := p.symbolHit(name+"()", name); anchored || h.Nearest != "" && alike(fold(name), fold(h.Nearest)) {
		return h
	}
	return nil
}

func (p *Project) symbolHit(ref, name string) *Hit {
	return &Hit{
		Kind: Symbol, Ref: ref, Message: fmt.Sprintf("no source file of the project mentions %q", name),
		Nearest: p.nearestSymbol(name),
	}
}

// anchored reports whether the sentence names a source file that the project has.
func (p *Project) anchored(s *passage) bool {
	for _, code := range s.codes {
		if ref, ok := parsePath(code); ok && sourceExts[extOf(ref.name)] && p.resolve(ref.name) != "" {
			return true
		}
	}
	return false
}

// isCompound reports whether a name has two words: "retryBusy", "parse_message", "NewPlanner".
func isCompound(name string) bool {
	name = strings.Trim(name, "_")
	for i := 1; i < len(name); i++ {
		if name[i] == '_' || name[i] >= 'A' && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// alike reports whether two folded names differ by what a rename leaves: an ending, or two letters.
func alike(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 6 {
		return false
	}
	return strings.HasPrefix(b, a) && len(b) <= 2*len(a) || len(a) >= 8 && distance(a, b) <= 2
}

// distance is the number of letters to insert, delete or replace that makes one name the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			next := diagonal
			if a[i] != b[j] {
				next = 1 + min(diagonal, above, row[j])
			}
			diagonal, row[j+1] = above, next
		}
	}
	return row[len(b)]
}
