// Package share keeps one memory on several machines: by a ref of a git remote that the person names.
//
// It promises that git is started without a shell, a prompt, hooks, filters or the configuration of any checkout; that what a
// remote holds is bounded, and judged by our own rules for names, before anything of it is used; and that a ref of the
// remote is moved only from where it was last seen.
//
// A crash leaves objects in our bare repository that nothing names, which cost space until git collects them. It is not promised that a
// remote forgets what was pushed to it.
package share
