package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// A corpus is generated transcripts of one project, the same for the same seed, with the shape of real transcripts:
// what share of the bytes is typed, said, thought, asked of tools, answered by them and kept twice, how often each kind
// of record comes, how long lines are. TestCorpusIsLikeReal holds it to that. It is unlike them in that half of its
// lines go beyond ASCII, not 29 %, and in that no time steps back.
type corpus struct {
	folder string // of the transcripts, below that of all projects
	size   int64
	lines  int
}

// root is where the generated sessions say that they ran.
const root = "/srv/bench/lighthouse"

const slug = "-srv-bench-lighthouse"

// begin is the time of the first record; sessions follow each other from there.
var begin = time.Date(2026, 8, 1, 8, 0, 0, 0, time.UTC)

// generate writes so many sessions of about so many bytes in all, a line more each.
func generate(ctx context.Context, projects string, seed uint64, sessions int, size int64) (corpus, error) {
	c := corpus{folder: filepath.Join(projects, slug)}
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return c, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	shares := make([]float64, sessions)
	sum := 0.0
	for i := range shares {
		shares[i] = math.Exp(math.Min(2.1*rng.NormFloat64(), 4.6)) // the median is a tenth of the mean
		sum += shares[i]
	}
	pools := newPools(rng, max(1, int(size>>30)))
	for i, share := range shares {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		w := writer{pools: pools, rng: rng, ordinal: i, when: begin.Add(time.Duration(i) * 2 * time.Hour)}
		if err := w.session(c.folder, int64(share/sum*float64(size)), sessions); err != nil {
			return c, err
		}
		c.size += w.written
		c.lines += w.lines
	}
	return c, nil
}

// A writer writes one session.
type writer struct {
	*pools
	rng     *rand.Rand
	ordinal int
	id      string
	when    time.Time
	out     *bufio.Writer
	line    []byte
	written int64
	lines   int
	parent  string // the record before
	message string // of the model, which comes in one record for each block
}

func (w *writer) session(folder string, size int64, of int) error {
	w.id = w.uuid()
	path := filepath.Join(folder, w.id+".jsonl")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w.out = bufio.NewWriterSize(f, 1<<20)
	w.plain(`{"type":"file-history-snapshot","messageId":"`, w.uuid(), `","snapshot":{"trackedFileBackups":{}},"isSnapshotUpdate":false`)
	w.user(w.short())
	w.message = w.token(24)
	w.say()
	if every := max(1, of/12); w.ordinal%every == 0 && w.ordinal < 12*every {
		w.user("the " + rareWord + " is here")
	}
	for w.written < size {
		w.turn(size)
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Chtimes(path, w.when, w.when)
}

// turn is what a person asks and what the model does about it: ten calls of tools, fewer where the session ends.
func (w *writer) turn(size int64) {
	w.user(w.request())
	for n := 1 + w.rng.IntN(19); n > 0 && w.written < size; n-- {
		w.message = w.token(24)
		if w.often(42) {
			w.think()
		}
		if w.often(58) {
			w.say()
		}
		w.tool()
		for range w.rng.IntN(5) {
			w.host()
		}
	}
}

// often is true so many times of a hundred.
func (w *writer) often(percent int) bool { return w.rng.IntN(100) < percent }

// size is lognormal: half are below median; spread is the deviation of the logarithm.
func (w *writer) size(median, spread, limit float64) int {
	return int(min(median*math.Exp(spread*w.rng.NormFloat64()), limit))
}

// open begins a record as the host does, with its envelope.
func (w *writer) open(kind string) {
	w.when = w.when.Add(time.Duration(200+w.rng.IntN(9000)) * time.Millisecond)
	uuid := w.uuid()
	w.line = append(w.line[:0], `{"parentUuid":"`...)
	w.add(w.parent, `","isSidechain":false,"userType":"external","cwd":"`, root, `","sessionId":"`, w.id,
		`","version":"2.1.230","gitBranch":"main","slug":"quiet-turning-lamp","type":"`, kind, `","uuid":"`, uuid,
		`","timestamp":"`, w.when.Format("2006-01-02T15:04:05.000Z"), `"`)
	w.parent = uuid
}

func (w *writer) add(texts ...string) {
	for _, t := range texts {
		w.line = append(w.line, t...)
	}
}

// close ends a record.
func (w *writer) close(texts ...string) {
	w.add(texts...)
	w.line = append(w.line, "}\n"...)
	w.written += int64(len(w.line))
	w.lines++
	_, _ = w.out.Write(w.line) // an error is kept for Flush
}

// plain writes a record without an envelope.
func (w *writer) plain(texts ...string) {
	w.line = w.line[:0]
	w.add(texts...)
	w.close()
}

func (w *writer) user(text string) {
	w.open("user")
	w.close(`,"message":{"role":"user","content":"`, text, `"},"permissionMode":"default"`)
}

// request is what a person types: short as a rule, at times a paste.
func (w *writer) request() string {
	n := w.size(88, 2.6, 50_000)
	if n < 1000 {
		return w.prose(n)
	}
	return w.short() + `\n` + w.output(n)
}

// assistant is a record of the model with one block of its message.
func (w *writer) assistant(block ...string) {
	w.open("assistant")
	w.add(`,"requestId":"req_`, w.message, `","message":{"model":"claude-sonnet","id":"msg_`, w.message,
		`","type":"message","role":"assistant","content":[`)
	w.add(block...)
	w.close(`],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":`, w.number(9000),
		`,"cache_creation_input_tokens":`, w.number(90000), `,"cache_read_input_tokens":`, w.number(160000),
		`,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":`, w.number(90000),
		`},"output_tokens":`, w.number(900), `,"service_tier":"standard","inference_geo":"not_available"}}`)
}

func (w *writer) say() {
	w.assistant(`{"type":"text","text":"`, w.prose(w.size(200, 1.3, 20_000)), `"}`)
}

// think writes thoughts, of which nearly half are kept as a signature alone.
func (w *writer) think() {
	text := ""
	if w.often(56) {
		text = w.prose(w.size(420, 1.1, 20_000))
	}
	w.assistant(`{"type":"thinking","thinking":"`, text, `","signature":"`, w.base64(w.size(900, 0.8, 20_000)), `"}`)
}

// tool is a call, and its answer with what the host keeps of it a second time.
func (w *writer) tool() {
	id := "toolu_" + w.token(20)
	name := w.pick(toolNames)
	w.assistant(`{"type":"tool_use","id":"`, id, `","name":"`, name, `","input":{"command":"`,
		w.code(w.size(175, 1.5, 60_000)), `","description":"`, w.short(), `"}}`)

	asked := w.parent
	w.open("user")
	w.add(`,"message":{"role":"user","content":[{"tool_use_id":"`, id, `","type":"tool_result","content":`)
	switch {
	case w.rng.IntN(560) == 0: // an image
		data := w.base64(w.size(130_000, 0.6, 390_000))
		w.add(`[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`, data,
			`"}}]}]},"toolUseResult":{"type":"image","file":{"base64":"`, data, `"}}`)
	case name == "Edit":
		text := w.code(300)
		w.add(`"`, text, `"}]},"toolUseResult":{"filePath":"`, root, `/lamp.go","newString":"`, text, `","originalFile":"`,
			w.code(w.size(2300, 1.25, 400_000)), `","structuredPatch":[{"oldStart":10,"oldLines":3,"newStart":10,"newLines":4,"lines":["`,
			w.code(w.size(500, 1, 20_000)), `"]}],"userModified":false}`)
	default:
		text := w.output(w.size(700, 1.6, 400_000))
		w.add(`"`, text, `","is_error":false}]}`)
		if w.often(80) {
			w.add(`,"toolUseResult":{"stdout":"`, text, `","stderr":"","interrupted":false,"isImage":false}`)
		}
	}
	w.close(`,"sourceToolAssistantUUID":"`, asked, `"`)
}

// host is a record that nobody said: progress, a hook, a count of tokens, a mode, a title.
func (w *writer) host() {
	switch n := w.rng.IntN(100); {
	case n < 16:
		w.open("progress")
		w.close(`,"data":{"type":"hook_progress","hookEvent":"PostToolUse","hookName":"PostToolUse:Bash","command":"`, w.code(60),
			`"},"parentToolUseID":"toolu_`, w.token(20), `","toolUseID":"toolu_`, w.token(20), `"`)
	case n < 32: // what a subagent did
		w.open("progress")
		w.close(`,"data":{"type":"agent_progress","message":{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_`,
			w.token(20), `","type":"tool_result","content":"`, w.output(w.size(3200, 1.5, 200_000)), `"}]}},"normalizedMessages":[]},"parentToolUseID":"toolu_`,
			w.token(20), `","toolUseID":"agent_msg_`, w.token(24), `"`)
	case n < 44:
		w.open("attachment")
		w.close(`,"attachment":{"type":"hook_success","hookName":"PostToolUse:Edit","toolUseID":"toolu_`, w.token(20),
			`","hookEvent":"PostToolUse","content":"","stdout":"`, w.output(w.size(600, 1.5, 60_000)),
			`","stderr":"","exitCode":0,"command":"`, w.code(60), `","durationMs":41}`)
	case n < 63:
		w.open("attachment")
		w.close(`,"attachment":{"type":"total_tokens_reminder","used":`, w.number(200000), `,"total":200000,"remaining":`, w.number(200000), `}`)
	case n < 66: // a command that was typed, and what the host says in a person's name
		w.open("user")
		w.close(`,"message":{"role":"user","content":"<local-command-stdout>`, w.output(w.size(500, 1.2, 20_000)), `</local-command-stdout>"},"isMeta":true`)
	case n < 72:
		w.plain(`{"type":"file-history-snapshot","messageId":"`, w.uuid(), `","snapshot":{"messageId":"`, w.uuid(),
			`","trackedFileBackups":{"lamp.go":{"backupFileName":"`, w.token(16), `@v2","version":2,"backupTime":"`,
			w.when.Format("2006-01-02T15:04:05.000Z"), `"}}},"isSnapshotUpdate":false`)
	case n < 78:
		w.open("system")
		w.close(`,"subtype":"turn_duration","durationMs":`, w.number(90000), `,"isMeta":false`)
	case n < 82:
		w.plain(`{"type":"last-prompt","lastPrompt":"`, w.short(), `","sessionId":"`, w.id, `"`)
	case n < 86:
		w.plain(`{"type":"queue-operation","operation":"dequeue","timestamp":"`, w.when.Format("2006-01-02T15:04:05.000Z"), `","sessionId":"`, w.id, `"`)
	case n < 93:
		w.plain(`{"type":"permission-mode","permissionMode":"acceptEdits","sessionId":"`, w.id, `"`)
	default:
		w.plain(`{"type":"ai-title","aiTitle":"`, w.short(), `","sessionId":"`, w.id, `"`)
	}
}

func (w *writer) uuid() string {
	a, b := w.rng.Uint64(), w.rng.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", uint32(a), uint16(a>>32), a>>52, b>>52, b&(1<<48-1))
}
