// Package text cuts texts into words, terms, sentences and blocks.
//
// It is the only tokenizer, the only stemmer and the only splitter of the program. Every function takes time in
// proportion to its text, never panics, and returns the same for the same text in every process. The package keeps no
// state and reads no file.
//
// Not promised: to know where words end in Chinese, Japanese, Korean, Thai and the like. There each pair of
// neighbouring characters is a term.
package text
