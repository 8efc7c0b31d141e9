package host

import (
	"slices"
	"strings"
)

// List has all hosts, by their IDs.
var List []*Host

// add adds a host to List. It is called for a variable, which the compiler lays out: a literal would be made at every
// start.
func add(h *Host) struct{} {
	at, _ := slices.BinarySearchFunc(List, h.ID, func(of *Host, id string) int { return strings.Compare(of.ID, id) })
	List = slices.Insert(List, at, h)
	return struct{}{}
}
