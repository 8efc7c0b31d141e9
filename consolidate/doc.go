// Package consolidate is the act: when a dream is due (the gates), who may dream (the lock), and one
// dream from its start to its end.
//
// It promises that at most one dream is open over a memory directory, among our processes on one
// kernel and beside Claude Code's own; that a dream which ends in any way but a commit leaves the
// memory and the time of the last consolidation as they were, its changes kept in the state folder;
// and that after a crash at any moment each operation that changes the memory first ends what the crash
// left (a begun commit lands, all else is rolled back), and each that only reads sees the memory as that
// will leave it. Until then the files on disk may be between the two.
//
// An unattended dream that a person is to agree to ends at its commit; what it would have landed waits for their answer, and is
// checked again, whole, when it is yes.
//
// It does not promise exclusion across machines: flock does not reach over some network mounts and
// desktop container shares. There Claude Code's own lock file, which two processes can both take when
// they start in the same instant, is all there is.
package consolidate
