package digest

import "time"

// A keptDigest is a digest in memory.
type keptDigest struct {
	*Digest
	modTime time.Time
	written int64  // the transcript's size when the digest was last written to the folder; -1: never
	sum     uint32 // of a sealed part
}

// keep keeps a digest in memory if there is room, or if there are older ones to remove.
func (ds *Store) keep(key string, d keptDigest) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.forget(key)
	n := d.bytes()
	for ds.size+n > ds.limit {
		if !d.modTime.After(ds.oldest) || len(ds.kept) == 0 {
			return
		}
		oldest := ""
		for path, k := range ds.kept {
			if oldest == "" || k.modTime.Before(ds.kept[oldest].modTime) {
				oldest = path
			}
		}
		if ds.oldest = ds.kept[oldest].modTime; !d.modTime.After(ds.oldest) {
			return
		}
		ds.forget(oldest)
	}
	ds.kept[key] = &d
	ds.size += n
}

// forget removes a digest from memory. ds.mu is held.
func (ds *Store) forget(key string) {
	if k := ds.kept[key]; k != nil {
		ds.size -= k.bytes()
		ds.oldest = time.Time{}
		delete(ds.kept, key)
	}
}
