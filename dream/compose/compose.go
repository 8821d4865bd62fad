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

// Files are the documents that a dream may write, as they are: content and version, 0 when there is none.
type Files struct {
	Memory memory.Document
	Diary  memory.Document
	// Months are the monthly files of the diary and the archives of MEMORY.md that exist, by path.
	Months map[string]memory.Document
}

// Input is a dream before it is written.
type Input struct {
	Dream      uuid.UUID
	Mode       memory.DreamMode
	Topic      string
	AsOf       time.Time // in the owner's zone
	Now        time.Time // in the owner's zone; entries of the diary bear it
	Scope      memory.Scope
	Files      Files
	Memory     string // MEMORY.md as it is to be; empty: it stays
	Moved      []dream.MovedSection
	Ranking    dream.Ranking
	Reflection dream.Reflection
	Looked     dream.Looked
	Model      string // empty: by rules
	Reason     string // the model's, in words
	Outcome    memory.Outcome
	Violations []proposals.Violation // why it was refused, of a quarantined one
	Retired    []proposals.Retired   // lines of a person that went, each with the reason
	Settings   setting.DreamSettings
}

// Composition is what is committed together: MEMORY.md, its archive, the diary and the reports of the phases.
type Composition struct {
	Changes []memory.Change
	Diff    string // of MEMORY.md, in the unified format; empty when it stays
}

// Compose writes what a dream leaves: the new MEMORY.md, sections that moved to an archive, an entry of the diary (DREAMS.md),
// whose old entries are folded into monthly files when it grows too long, and a report of each phase. A dream that changes
// nothing and has weighed no candidate leaves nothing.
//
// The diary and the reports repeat nothing that was rejected or forgotten, and nothing that the scan refuses.
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

// composing is a dream that is written down.
type composing struct {
	Input
	before string // MEMORY.md as it is
	came   []arrival
	went   []string      // lines that are no more in MEMORY.md nor in an archive
	other  int           // new lines of MEMORY.md that are of no candidate
	banned []bannedClaim // what was rejected, but for what MEMORY.md says anyway: it is not repeated
	shown  map[string]string
}

// bannedClaim is a statement that is not repeated; inAnyWords also where more is said beside it.
type bannedClaim struct {
	rewrite.Claim
	inAnyWords bool
}

// arrival is a new line of MEMORY.md with the candidates that it is of.
type arrival struct {
	line       string
	candidates []dream.Candidate
}

func newComposing(in Input) *composing {
	w := &composing{Input: in, shown: map[string]string{}}
	for _, c := range in.Ranking.Candidates {
		if c.Verdict == dream.VerdictRejected && c.ReasonCode != dream.ReasonKnown {
			w.banned = append(w.banned, bannedClaim{rewrite.ClaimOf(c.Text), c.ReasonCode == dream.ReasonForgotten || c.ReasonCode == dream.ReasonUnfit})
		}
	}
	if !in.Files.Memory.Deleted {
		w.before = in.Files.Memory.Content
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

// compare finds what comes into MEMORY.md and what goes.
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

// memory is the change of MEMORY.md, with the messages that each promoted line comes from.
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

// sourcesOf ties lines to messages. When all are of one conversation the version is, too; else each line names its own.
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

// Why something moves to an archive, in words.
const (
	archivedFull     = "MEMORY.md was full"
	archivedReplaced = "later statements correct lines of MEMORY.md"
)

// archives are the changes of the archives of MEMORY.md, one for each file.
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

// monthBytes is how long a monthly file gets before the next one of the month begins.
const monthBytes = memory.MaxDocumentBytes / 2

// withRoom is the path of a monthly file that can take so many bytes more: itself, or one with a number.
func (w *composing) withRoom(path string, size int) string {
	stem, out := strings.TrimSuffix(path, ".md"), path
	for n := 2; len(w.Files.Months[out].Content) > 0 && len(w.Files.Months[out].Content)+size > monthBytes; n++ {
		out = fmt.Sprintf("%s-%d.md", stem, n)
	}
	return out
}
