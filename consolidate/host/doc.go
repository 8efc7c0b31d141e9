// Package host knows the programs that people talk to: what each is called, how it is found, configured and asked for a
// dream, its hooks, how it is started without a person, and how its sessions are read. One file is about one host;
// everything else ranges over List. Only Claude Code, whose lock and memory others share, is named elsewhere.
//
// It promises nothing of a version of a host that was not tried: a reader leaves out what it does not know (package
// said).
//
// # A new host
//
// A host is one file here and one fixture. In the file:
//
//   - a variable of type Host, and var _ = add(&it). Leave zero what does not exist or what you do not know; each
//     field says what it is for.
//   - the reader of its sessions, a said.Format. Choose its container: Line for a file that grows by lines of JSON,
//     Whole for one that is rewritten, Collect for a file of many sessions, such as a database. A reader turns what
//     it reads into said.Record: TypedBlocks for what a person typed, which leaves out what the host wrote in their
//     place, Message.Blocks for what the model said, Used for a call of a tool and Answered for its answer. It says
//     nothing of what it does not know.
//   - memories, if its model keeps files of what it remembers: where they are, and how one is cut into entries.
//
// The fixture is what a run of the host wrote, with invented content. The test ranges over List: a host without one
// fails it.
package host
