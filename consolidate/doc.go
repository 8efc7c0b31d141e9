// Package consolidate implements a dream from its start to its end: the gates, which decide when a dream is due, the
// calls of an open dream, and its commit.
//
// At most one dream is open over a memory directory, among our processes on one kernel and Claude Code's own. A dream
// that ends without a commit leaves the memory and the time of the last consolidation as they were, and its changes in
// the state folder. After a crash at any moment, the next operation that changes the memory recovers first: it
// completes a commit that has begun, and rolls back anything else. Readers see the memory as recovery will leave it.
// Until recovery, the files on disk may be between the two.
//
// An unattended dream that needs the person's agreement ends at its commit and becomes a proposal. What the person
// accepts of it is checked again, and lands whole.
//
// Exclusion across machines is not promised. flock does not work on some network mounts and desktop container shares.
// There only Claude Code's own lock file remains, which two processes can take in the same instant.
package consolidate
