package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A corpus is generated transcripts of one project, the same for the same seed: in the proportions of
// CENSUS 2 by bytes (what people typed 1.3 %, what the model said 2 %, thoughts 1.3 %, inputs of tools
// 4.5 %, results 13 %, their duplicates 24 %, images 4 %, the rest envelopes, progress, hooks and
// signatures), by kinds of records, by lengths of lines and by sizes of files.
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
	pools := newPools(rng)
	for i, share := range shares {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		w := writer{pools: pools, rng: rng, number: i, when: begin.Add(time.Duration(i) * 2 * time.Hour)}
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
	number  int
	id      string
	when    time.Time
	out     *bufio.Writer
	line    []byte
	written int64
	lines   int
	parent  string
	calls   int
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
	w.plain(`{"type":"file-history-snapshot","messageId":"`, w.uuid(), `","snapshot":{"trackedFileBackups":{}},"isSnapshotUpdate":false}`)
	w.user(w.prose(1))
	w.say(w.prose(2))
	if every := max(1, of/12); w.number%every == 0 && w.number < 12*every {
		w.user("the " + rareWord + " is here")
	}
	for w.written < size {
		w.turn(of)
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Chtimes(path, w.when, w.when)
}

// turn is what a person asks and what the model does about it.
func (w *writer) turn(of int) {
	w.user(w.request())
	for range 2 + w.rng.IntN(10) {
		if w.rng.IntN(100) < 45 {
			w.think()
		}
		if w.rng.IntN(100) < 55 {
			w.say(w.prose(1 + w.rng.IntN(2)))
		}
		w.tool()
		for range w.rng.IntN(4) {
			w.host()
		}
	}
	scale := max(1, of/1000)
	if w.rng.IntN(9*scale) == 0 {
		w.plant(w.pick(planted))
	}
	if w.rng.IntN(11*scale) == 0 {
		w.plant("call " + mediumWord + " again")
	}
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
	w.line = append(w.line, '\n')
	w.written += int64(len(w.line))
	w.lines++
	_, _ = w.out.Write(w.line)
}

func (w *writer) user(text string) {
	w.open("user")
	w.close(`,"message":{"role":"user","content":"`, text, `"},"permissionMode":"default"`)
}

// assistant begins a record of the model, up to its one block.
func (w *writer) assistant() {
	w.open("assistant")
	w.add(`,"requestId":"req_`, w.token(24), `","message":{"model":"claude-sonnet","id":"msg_`, w.token(24),
		`","type":"message","role":"assistant","content":[`)
}

func (w *writer) assistantEnd() {
	w.close(`],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":`, strconv.Itoa(w.rng.IntN(9000)),
		`,"cache_creation_input_tokens":`, strconv.Itoa(w.rng.IntN(90000)),
		`,"cache_read_input_tokens":40960,"output_tokens":212,"service_tier":"standard"}}`)
}

func (w *writer) say(text string) {
	w.assistant()
	w.add(`{"type":"text","text":"`, text, `"}`)
	w.assistantEnd()
}

func (w *writer) think() {
	w.assistant()
	text := ""
	if w.rng.IntN(100) < 56 {
		text = w.prose(1)
	}
	w.add(`{"type":"thinking","thinking":"`, text, `","signature":"`, w.base64(300+w.rng.IntN(900)), `"}`)
	w.assistantEnd()
}

// tool is a call, and its result with the host's duplicate of it.
func (w *writer) tool() {
	w.calls++
	id := "toolu_" + w.token(20)
	name := w.pick(toolNames)
	w.assistant()
	w.add(`{"type":"tool_use","id":"`, id, `","name":"`, name, `","input":{"command":"`, w.code(1+w.rng.IntN(3)),
		`","description":"`, w.short(), `"}}`)
	w.assistantEnd()

	output := w.output(w.outputSize())
	w.open("user")
	switch {
	case w.calls%400 == 0: // an image
		data := w.base64(20_000 + w.rng.IntN(300_000))
		w.close(`,"message":{"role":"user","content":[{"tool_use_id":"`, id, `","type":"tool_result","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`,
			data, `"}}]}]},"toolUseResult":{"type":"image","file":{"base64":"`, data, `"}}`)
	default:
		w.add(`,"message":{"role":"user","content":[{"tool_use_id":"`, id, `","type":"tool_result","content":"`, output, `"`)
		w.add(`,"is_error":false}]},"toolUseResult":{"stdout":"`, output, `","stderr":"","interrupted":false,"isImage":false`)
		if name == "Edit" {
			w.add(`,"originalFile":"`, output, `","structuredPatch":[{"oldStart":10,"oldLines":3,"newStart":10,"newLines":4,"lines":["`, w.code(1), `","`, w.code(1), `"]}]`)
		}
		w.close(`},"sourceToolAssistantUUID":"`, w.parent, `"`)
	}
}

// outputSize is the length of a tool's answer: half are below 600 bytes, one of a hundred beyond 20,000.
func (w *writer) outputSize() int {
	return int(math.Min(500*math.Exp(1.4*w.rng.NormFloat64()), 900_000))
}

// host is a record that says nothing: a hook, progress, a mode, a count of tokens.
func (w *writer) host() {
	switch w.rng.IntN(6) {
	case 0, 1:
		w.open("progress")
		w.close(`,"data":{"type":"hook_progress","hookEvent":"PostToolUse","hookName":"PostToolUse:Bash","command":"`, w.code(1),
			`"},"parentToolUseID":"toolu_`, w.token(20), `","toolUseID":"toolu_`, w.token(20), `"`)
	case 2, 3:
		w.open("attachment")
		w.close(`,"attachment":{"type":"hook_success","hookName":"PostToolUse:Edit","toolUseID":"toolu_`, w.token(20),
			`","hookEvent":"PostToolUse","content":"","stdout":"`, w.output(400), `","stderr":"","exitCode":0,"command":"`, w.code(1), `","durationMs":41}`)
	case 4:
		w.open("system")
		w.close(`,"subtype":"turn_duration","durationMs":`, strconv.Itoa(w.rng.IntN(90000)), `,"isMeta":false`)
	default:
		w.plain(`{"type":"last-prompt","lastPrompt":"`, w.short(), `","sessionId":"`, w.id, `"}`)
	}
}

// plant writes words that are searched, where the pools do not hold them.
func (w *writer) plant(text string) {
	if w.rng.IntN(2) == 0 {
		w.say(w.prose(1) + " " + text)
	} else {
		w.user(text + " " + w.short())
	}
	w.open("user")
	output := w.output(300) + `\n` + text + `\n`
	w.close(`,"message":{"role":"user","content":[{"tool_use_id":"toolu_x","type":"tool_result","content":"`, output,
		`"}]},"toolUseResult":{"stdout":"`, output, `"}`)
}

func (w *writer) uuid() string {
	a, b := w.rng.Uint64(), w.rng.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", uint32(a), uint16(a>>32), a>>52, b>>52, b&(1<<48-1))
}
