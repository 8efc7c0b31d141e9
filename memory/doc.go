// Package memory is the place: a directory of Markdown memories (topics) and their index, MEMORY.md.
//
// It promises that nothing outside the directory is read or written, whatever the name or link;
// that reading changes no byte; that the changes of a dream land whole or not at all, once Recover has
// carried a landing on that a crash cut off (until then Dir.Through reads the directory as it will be);
// and that whatever a landing changes or displaces is kept in the dream's own folder first, from which
// Diff shows it and Reverse brings it back, byte for byte where others have not changed it.
//
// Whoever lands must hold the lock of package consolidate. What is not promised: that a program which
// holds a file open while it is replaced, and writes to it afterwards, is heard (the replaced file is
// kept as it was when it was displaced); and that two programs which both ignore every lock see each
// other. On systems that cannot exchange two files in one step (all but Linux), a foreign edit in the
// microseconds between the last look and the replacement is kept only where it was made in place.
package memory
