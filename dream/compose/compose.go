// Package compose builds the changes that a dream commits: MEMORY.md, archives, the diary and the reports.
package compose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
	"reverie/memory/setting"
)

// Files holds the current documents that a dream may write: content and version, 0 for a document that does not exist.
type Files struct {
	Memory memory.Document
	Diary  memory.Document
	// Months maps paths to the existing monthly files of the diary and archives of MEMORY.md.
	Months map[string]memory.Document
}

// Input is the result of a dream, to be written by Compose.
type Input struct {
	Dream      uuid.UUID
	Mode       memory.DreamMode
	Topic      string
	AsOf       time.Time // in the owner's zone
	Now        time.Time // in the owner's zone; time of the diary entry
	Scope      memory.Scope
	Files      Files
	Memory     string // new MEMORY.md; empty to leave it unchanged
	Moved      []dream.MovedSection
	Ranking    dream.Ranking
	Reflection dream.Reflection
	Looked     dream.Looked
	Model      string // empty for a dream without a model
	Reason     string // the model's, in words
	Outcome    memory.Outcome
	Violations []proposals.Violation // why a quarantined dream was refused
	Retired    []proposals.Retired   // removed lines of a person, each with the reason
	Settings   setting.DreamSettings
}

// Composition holds the changes to commit together: MEMORY.md, its archive, the diary and the reports of the phases.
type Composition struct {
	Changes []memory.Change
	Diff    string // of MEMORY.md, in the unified format; empty when it is unchanged
}

// Compose builds the changes of a dream: the new MEMORY.md, sections that moved to an archive, an entry of the diary
// (DREAMS.md), whose old entries are folded into monthly files when it grows too long, and a report of each phase. A dream
// that changes nothing and judged no candidate has no changes.
//
// The diary and the reports never repeat text that was rejected or forgotten, or that the scan refuses.
func Compose(in Input) Composition {
	w := newComposing(in)
	if !w.writes() && len(in.Ranking.Candidates) == 0 && in.Outcome != memory.OutcomeQuarantined {
		return Composition{}
	}
	var out Composition
	if w.writes() {
		out.Changes = append(out.Changes, w.memory())
		out.Changes = append(out.Changes, w.archives()...)
		out.Diff = markdown.UnifiedDiff(versionName(in.Files.Memory.Version), versionName(in.Files.Memory.Version+1), w.before, in.Memory)
	}
	out.Changes = append(out.Changes, w.diary()...)
	out.Changes = append(out.Changes, w.phases()...)
	return out
}

// versionName names a version of MEMORY.md in a diff.
func versionName(version int) string { return fmt.Sprintf("%s@%d", memory.MemoryPath, version) }

// composing is the state of one Compose call.
type composing struct {
	Input
	before string // current MEMORY.md
	came   []arrival
	went   []string      // removed lines that are in no archive either
	other  int           // number of new lines of MEMORY.md without a candidate
	banned []bannedClaim // rejected statements, which are not shown, except those in MEMORY.md
	shown  map[string]string
}

// bannedClaim is a statement that must not be shown. With inAnyWords, text that contains more than the statement is hidden
// too.
type bannedClaim struct {
	rewrite.Claim
	inAnyWords bool
}

// arrival is a new line of MEMORY.md with its candidates.
type arrival struct {
	line       string
	candidates []dream.Candidate
}

func newComposing(in Input) *composing {
	w := &composing{Input: in, shown: map[string]string{}}
	for _, c := range in.Ranking.Candidates {
		if c.Verdict == dream.VerdictRejected && c.ReasonCode != dream.ReasonKnown {
			w.banned = append(w.banned,
				bannedClaim{rewrite.ClaimOf(c.Text), c.ReasonCode == dream.ReasonForgotten || c.ReasonCode == dream.ReasonUnfit})
		}
	}
	if !in.Files.Memory.Deleted {
		w.before = in.Files.Memory.Content
		if w.writes() {
			w.Memory = memory.KeepArchive(w.before, w.Memory)
		}
	}
	if w.writes() {
		w.compare()
	}
	return w
}

// writes reports whether MEMORY.md changes.
func (w *composing) writes() bool {
	return w.Memory != "" && w.Memory != w.before && w.Outcome != memory.OutcomeQuarantined
}

// compare finds the lines that are added to MEMORY.md and those that are removed.
func (w *composing) compare() {
	stays := map[string]bool{}
	for line := range strings.Lines(w.Memory) {
		stays[markdown.LineKey(line)] = true
	}
	for _, m := range w.Moved {
		for line := range strings.Lines(m.Text) {
			stays[markdown.LineKey(line)] = true
		}
	}
	known := map[string]bool{}
	for line := range strings.Lines(w.before) {
		said := markdown.LineKey(line)
		if known[said] = true; markdown.HasText(said) && !stays[said] {
			w.went = append(w.went, strings.TrimRight(line, "\r\n"))
		}
	}
	at := map[string]int{}
	for _, c := range w.Ranking.Candidates {
		if c.Verdict != dream.VerdictPromoted || c.Line == "" {
			continue
		}
		i, found := at[c.Line]
		if !found {
			i = len(w.came)
			at[c.Line] = i
			w.came = append(w.came, arrival{line: c.Line})
		}
		w.came[i].candidates = append(w.came[i].candidates, c)
	}
	for line := range strings.Lines(w.Memory) {
		line = strings.TrimRight(line, "\r\n")
		if _, promoted := at[line]; !promoted && !known[markdown.LineKey(line)] && markdown.HasText(line) && !strings.HasPrefix(line, "#") {
			w.other++
		}
	}
}

// memory returns the change of MEMORY.md, with the source messages of each promoted line.
func (w *composing) memory() memory.Change {
	reason := rewrite.Clip(oneLine(w.Reason), reasonChars)
	if reason == "" {
		reason = fmt.Sprintf("dream: %s promoted", amount(len(w.came), "line"))
	}
	return memory.Change{
		Ref: memory.Ref{Scope: w.Scope, Path: memory.MemoryPath}, Op: memory.OpReplace, Content: w.Memory, Base: w.Files.Memory.Version,
		Reason: reason, Sources: sourcesOf(w.came),
	}
}

// reasonChars bounds the reason of a change, in characters.
const reasonChars = 300

// sourcesOf links lines to messages. When all messages are of one conversation, so is the version; otherwise each line names
// its own conversation.
func sourcesOf(came []arrival) memory.Sources {
	var s memory.Sources
	conversations := map[string]bool{}
	for _, a := range came {
		first := len(s.Lines)
		for _, c := range a.candidates {
			for _, p := range c.Places {
				if p.Conversation == "" || len(p.Messages) == 0 {
					continue
				}
				conversations[p.Conversation] = true
				i := slices.IndexFunc(s.Lines[first:], func(l memory.LineSource) bool { return l.Conversation == p.Conversation })
				if i < 0 {
					i = len(s.Lines) - first
					s.Lines = append(s.Lines, memory.LineSource{Line: a.line, Conversation: p.Conversation})
				}
				l := &s.Lines[first+i]
				l.Messages = append(l.Messages, p.Messages...)
				l.Day = max(l.Day, string(p.Day))
				l.Asked = l.Asked || p.Asked && len(a.candidates) == 1 // a line of several says more than one was asked for
			}
		}
	}
	for i := range s.Lines {
		l := &s.Lines[i]
		slices.Sort(l.Messages)
		l.Messages = slices.Compact(l.Messages)
		if len(conversations) == 1 {
			if s.Conversation == "" {
				s.Conversation, s.From, s.To = l.Conversation, l.Messages[0], l.Messages[0]
			}
			s.From, s.To = min(s.From, l.Messages[0]), max(s.To, l.Messages[len(l.Messages)-1])
			l.Conversation = ""
		}
	}
	return s
}

// Reasons for moving text to an archive, in words.
const (
	archivedFull     = "MEMORY.md was full"
	archivedReplaced = "later statements correct lines of MEMORY.md"
)

// archives returns the changes of the archives of MEMORY.md, one for each file.
func (w *composing) archives() []memory.Change {
	var out []memory.Change
	at := map[string]int{}
	for _, m := range w.Moved {
		i, found := at[m.Path]
		if !found {
			i = len(out)
			at[m.Path] = i
			month := strings.TrimSuffix(strings.TrimPrefix(m.Path, rewrite.ArchiveFolder), ".md")
			out = append(out, memory.Change{
				Ref: memory.Ref{Scope: w.Scope, Path: m.Path}, Op: memory.OpAppend, Create: "# Archive of MEMORY.md, " + month + "\n",
			})
		}
		why := archivedFull
		if m.By != "" {
			why = archivedReplaced
		}
		if !strings.Contains(out[i].Reason, why) {
			out[i].Reason = strings.TrimPrefix(out[i].Reason+"; "+why, "; ")
		}
		if out[i].Content != "" {
			out[i].Content += "\n"
		}
		out[i].Content += strings.TrimSpace(m.Text) + "\n"
	}
	for i := range out {
		out[i].Path = w.withRoom(out[i].Path, len(out[i].Content))
	}
	return out
}

// monthBytes is the size at which the next file of a month begins.
const monthBytes = memory.MaxDocumentBytes / 2

// withRoom returns the path of a monthly file that can take size more bytes: path itself, or a numbered one.
func (w *composing) withRoom(path string, size int) string {
	stem, out := strings.TrimSuffix(path, ".md"), path
	for n := 2; len(w.Files.Months[out].Content) > 0 && len(w.Files.Months[out].Content)+size > monthBytes; n++ {
		out = fmt.Sprintf("%s-%d.md", stem, n)
	}
	return out
}
