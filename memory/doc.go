// Package memory reads a directory of Markdown memories (topics) and their index, MEMORY.md.
//
// It promises that nothing outside the directory is read, whatever the name or link, and that reading
// changes no byte. Package ops changes the directory; package rule judges what is in it.
package memory
