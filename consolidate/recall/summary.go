package recall

import (
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"
	"sort"

	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/text"
)

// maxSummaries is the number of topics that are read for the cache at one prompt, so that it is not late. The others
// follow at the next.
const maxSummaries = 300

// A summary has the hashes of the terms of a topic, and no text. It is kept, so that a prompt reads only the topics that it touches.
type summary state.Terms

const hashSize = 3

func hashOf(term string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(term))
	return h.Sum32() >> 8
}

// holds reports whether a topic has a term, or one of the same hash.
func (s summary) holds(hash uint32) bool {
	at := func(i int) uint32 {
		b := s.Hashes[i*hashSize:]
		return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])
	}
	n := len(s.Hashes) / hashSize
	i := sort.Search(n, func(i int) bool { return at(i) >= hash })
	return i < n && at(i) == hash
}

// A summarizer knows the terms of the words that it met.
type summarizer map[string][]uint32

// summarize returns the hashes of the terms of a topic.
func (z summarizer) summarize(path string, t *memory.Topic) (terms []byte) {
	var hashes []uint32
	text.EachToken(memory.NameWords(path)+"\n"+t.Description()+"\n"+t.Body(), func(token string, kind text.Kind) {
		known, ok := z[token]
		if !ok {
			for _, term := range text.English().Terms(token, kind) {
				known = append(known, hashOf(term))
			}
			z[token] = known
		}
		hashes = append(hashes, known...)
	})
	slices.Sort(hashes)
	for _, h := range slices.Compact(hashes) {
		terms = append(terms, binary.BigEndian.AppendUint32(nil, h)[4-hashSize:]...)
	}
	return terms
}

// summaries returns the summaries of the topics of dir, and keeps them.
func (r *Recall) summaries(dir *memory.Dir) (map[string]summary, error) {
	list, err := dir.List()
	if err != nil {
		return nil, err
	}
	db := r.Store.Records.Look()
	terms, err := db.Terms()
	if err != nil {
		return nil, err
	}
	known, now := map[string]summary{}, map[string]summary{}
	for _, t := range terms {
		known[t.File] = summary(t)
	}
	var changed []state.Terms
	z := summarizer{}
	for _, f := range list.Files {
		path, size, modified := f.Name.String(), f.Size, f.ModTime.UnixNano()
		s, ok := known[path]
		switch {
		case !f.Name.IsTopic():
			continue
		case !ok || s.Size != size || s.Modified != modified:
			if len(changed) == maxSummaries {
				continue
			}
			file, err := dir.Read(f.Name)
			if err != nil {
				continue
			}
			s = summary{path, size, modified, z.summarize(path, memory.ParseTopic(file.Data))}
			changed = append(changed, state.Terms(s))
		}
		now[path] = s
		delete(known, path)
	}
	if len(changed)+len(known) == 0 {
		return now, nil
	}
	_ = r.Store.Records.DB().SetTerms(changed, slices.Collect(maps.Keys(known))) // without them the next prompt reads the topics again
	return now, nil
}
