package simulation

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"reverie/memory"
	"reverie/memory/markdown"
)

// reportID is a report's id in the diary and in the reports of phases.
var reportID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// check checks everything that must be true of an owner's memory after every night.
func (s *simulation) check(owner memory.Owner, before string) {
	s.t.Helper()
	l, known := s.lives[owner], s.seen[owner]
	documents := s.documents(owner, memory.ScopePersonal)
	text := documents[memory.MemoryPath]
	s.person(owner, text)
	if n := utf8.RuneCountInString(text); n > max(ceiling, utf8.RuneCountInString(before)) {
		s.t.Errorf("day %d: MEMORY.md of %s has %d characters, %d before the night", s.day, owner, n, utf8.RuneCountInString(before))
	}
	archives := ""
	for path, archive := range documents {
		if strings.HasPrefix(path, "memory/archive/") {
			archives += archive
			known.moved = true
		}
		s.foreign(owner, path, archive)
	}
	for word := range known.forgotten {
		if strings.Contains(text, word) || strings.Contains(archives, word) {
			s.t.Errorf("day %d: what %s wanted gone is back: %s", s.day, owner, word)
		}
	}
	for word := range known.chatter {
		if strings.Contains(text, word) {
			s.t.Errorf("day %d: what %s said once is in MEMORY.md: %s", s.day, owner, word)
		}
	}
	for _, e := range markdown.EntriesOf(before) {
		if !has(text, e.Text) && !has(archives, e.Text) {
			s.t.Errorf("day %d: a line of %s got lost in the night: %s", s.day, owner, e.Text)
		}
	}
	for _, f := range l.facts() {
		if _, was := known.promoted[f.word]; !was && strings.Contains(text, f.word) {
			known.promoted[f.word] = s.day
		}
	}
	if after := has(text, l.corrected.noted) && !has(before, l.corrected.noted); after && s.day >= l.change.days[0] {
		s.t.Errorf("day %d: %s corrected this, and it came into MEMORY.md all the same: %s", s.day, owner, l.corrected.noted)
	}
	s.traced(owner)
}

// person checks that a person's lines are unchanged.
func (s *simulation) person(owner memory.Owner, text string) {
	s.t.Helper()
	for line := range s.seen[owner].mine {
		if !strings.Contains(text, line+"\n") {
			s.t.Errorf("day %d: a line that %s wrote is gone: %s", s.day, owner, line)
		}
	}
}

// foreign checks that a document contains no words of another owner.
func (s *simulation) foreign(owner memory.Owner, path, text string) {
	s.t.Helper()
	for other, l := range s.lives {
		if other == owner {
			continue
		}
		for word := range l.used {
			if strings.Contains(text, word) {
				s.t.Errorf("day %d: %s of %s has %q, which is a word of %s", s.day, path, owner, word, other)
			}
		}
	}
}

// traced checks that every statement that a dream put into MEMORY.md leads back to messages that contain it.
func (s *simulation) traced(owner memory.Owner) {
	s.t.Helper()
	l, ref := s.lives[owner], memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath}
	if s.document(owner, memory.MemoryPath).Version == 0 {
		return
	}
	blame, err := s.Blame(s.t.Context(), person(owner), ref, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, line := range blame {
		if line.Author.Kind != memory.AuthorDream || !strings.HasPrefix(line.Line, "- ") {
			continue
		}
		if line.Conversation == "" || len(line.Messages) == 0 {
			s.t.Errorf("day %d: a line of %s leads to no message: %s", s.day, owner, line.Line)
			continue
		}
		messages, err := s.Messages(s.t.Context(), person(owner), line.Conversation, line.Messages[0]-1, 1)
		if err != nil || len(messages) != 1 {
			s.t.Errorf("day %d: the message of a line of %s is not there: %v", s.day, owner, err)
			continue
		}
		if word := l.wordIn(line.Line); word == "" || !strings.Contains(messages[0].Content, word) {
			s.t.Errorf("day %d: a line of %s leads to a message that does not say it:\n%s\n%s", s.day, owner, line.Line, messages[0].Content)
		}
	}
}
