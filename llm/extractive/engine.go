// Package extractive is the built-in engine: it selects, quotes and dates what users say, without a model.
//
// It splits the user's messages into sentences, leaves out what is not their own statement (package stance), weighs each
// sentence by signals that do not depend on the language and by short lists of words (package cue), and keeps those above a
// threshold in the user's own words. It does not paraphrase, except for closed templates. Everything is deterministic and
// free of I/O.
package extractive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	reading "reverie/language/claim"
	"reverie/language/cue"
	"reverie/language/date"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

const (
	// Model is the name under which the engine's answers are recorded.
	Model = "builtin/extractive"
	// RulesVersion names the words and weights; it changes whenever the same input may give another output.
	RulesVersion = "quotes@16"
)

// Engine proposes memory updates without a model. The zero value is ready to use and safe for concurrent use. It reads the words
// of a language when it first needs them.
type Engine struct{}

// New returns the engine. The first call reads the words of all languages.
func New() Engine {
	load()
	return Engine{}
}

var load = sync.OnceFunc(func() {
	compiled()
	for _, lang := range cue.Languages {
		cue.Find("", lang)
		date.Complete("", lang, time.Time{})
	}
})

// Propose reads the transcript of in and returns the JSON of a memory.Proposal. The same input gives the same output.
//
// What it never does: change or drop a line of in.Protected, touch a line that the user did not correct, or grow a file
// beyond its ceiling. On the repair round (in.Violations is set) it leaves alone the parts that were objected to.
// It fails only when ctx is done.
func (Engine) Propose(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	if err := ctx.Err(); err != nil {
		return proposals.Answer{}, err
	}
	return answerOf(propose(in))
}

// answerOf encodes a proposal.
func answerOf(p proposals.Proposal) (proposals.Answer, error) {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return proposals.Answer{}, fmt.Errorf("encode the proposal: %w", err)
	}
	return proposals.Answer{Raw: string(bytes.TrimSpace(raw.Bytes())), Model: Model, PromptVersion: RulesVersion}, nil
}

func propose(in proposals.ExtractionInput) proposals.Proposal {
	objected := readObjections(in.Violations)
	if objected.all {
		return proposals.Proposal{Reason: "the first proposal was refused as a whole; nothing is proposed instead"}
	}
	return read(in, objected).proposal()
}

// read returns a notebook with the passages of a transcript. Corrections are found in all of the conversation.
func read(in proposals.ExtractionInput, objected objections) *notebook {
	c := listenTo(slices.Concat(in.Before, in.Transcript), in.Today, hearing{group: quotesSpeakers(in)})
	n := newNotebook(in, objected, c.lang)
	all := c.passages()
	settle(all)
	passages := since(all, in.Transcript)
	n.recognise(passages)
	for i := range all {
		n.retract(&all[i], passages)
	}
	for i := range passages {
		n.take(&passages[i])
	}
	for i := range all { // the only line of a file can go when there is another one
		n.retract(&all[i], passages)
	}
	for _, l := range in.Transcript {
		if c.unfit[l.Seq] {
			n.unfit++
		}
	}
	return n
}

// quotesSpeakers reports whether the user has a name in a transcript and the files quote people by name, as they do in groups: a line such as
// "Home: Lyon" would not say whose.
func quotesSpeakers(in proposals.ExtractionInput) bool {
	named := slices.ContainsFunc(in.Transcript, func(l transcripts.Line) bool { return l.Role == memory.RoleOfUser && l.Name != "" })
	if !named {
		return false
	}
	for _, file := range []string{in.Profile, in.Memory} {
		for line := range strings.Lines(file) {
			if q, is := reading.QuoteOf(bareLine(line)); is && q.Speaker != "" {
				return true
			}
		}
	}
	return false
}

// since returns the passages that end in a transcript, without messages before it.
func since(passages []passage, transcript []transcripts.Line) []passage {
	if len(transcript) == 0 {
		return nil
	}
	before := func(seq int64) bool { return seq < transcript[0].Seq }
	var out []passage
	for _, p := range passages {
		if p.seqs = slices.DeleteFunc(slices.Clone(p.seqs), before); len(p.seqs) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// Flush proposes an entry for today's note, and nothing else, of everything in a transcript that is worth keeping. What the note
// says already is left out, and so are the passages with the lowest scores when there are more than one entry holds. It fails
// only when ctx is done.
func (Engine) Flush(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	if err := ctx.Err(); err != nil {
		return proposals.Answer{}, err
	}
	return answerOf(flush(in))
}

func flush(in proposals.ExtractionInput) proposals.Proposal {
	objected := readObjections(in.Violations)
	if objected.any() { // there is nothing but the entry
		return proposals.Proposal{Reason: "the entry was refused; nothing is proposed instead"}
	}
	n := read(in, objected)
	left := n.shorten()
	entry := n.daily()
	p := proposals.Proposal{ShouldUpdate: entry != "", DailyEntry: entry}
	if entry == "" {
		p.Reason = n.reason(p)
		return p
	}
	noted := 0
	for _, e := range n.entries {
		if e.noted {
			noted++
		}
	}
	p.Reason = "quoted: " + memory.Plural(noted, "line", "lines")
	if left > 0 {
		p.Reason += fmt.Sprintf("; %d more have no room in one entry", left)
	}
	p.Evidence = n.evidence(entry)
	return p
}
