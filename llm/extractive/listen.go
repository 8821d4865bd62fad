package extractive

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/script"
	"reverie/language/sentence"
	"reverie/language/stance"
	"reverie/memory"
	"reverie/memory/transcripts"
)

// Lengths in characters.
const (
	shortMessage  = 70  // a message up to this length is one unit
	longSentence  = 260 // a sentence beyond this length is cut at commas
	maxPassage    = 270 // of several sentences; dreams read statements up to 280
	maxSentences  = 3   // of one passage
	maxQuestion   = 140
	heardBytes    = 2000 // of the assistant's messages, that are compared with the user's
	fragmentWords = 3    // a sentence with fewer words belongs to the one before it
)

// unit is the smallest piece of a message that is weighed: a sentence, or a short message as a whole.
type unit struct {
	text       string
	source     string // the message
	seq        int64
	message    int // index of the message among the user's messages
	start, end int // bytes of the message
	speaker    string
	at         time.Time
	lang       string
	marks      cue.Marks
	set        cue.Set
	sentences  int
	question   bool    // all of it is asked
	alone      bool    // the only unit of its message
	first      bool    // the first unit of its message
	follows    bool    // the unit before it in the message is adjacent
	asked      string  // question of the assistant that the message answers
	heard      words   // of the assistant's message before
	theirs     bool    // probably about a person of whom the message before spoke
	reply      words   // of the assistant's answer to the message
	around     vector  // features of the messages around it; nil in a short conversation
	trap       float64 // above 0: probably not meant
	terms      words
	novel      float64 // share of its words that no message before it has
}

// conversation holds the units of a transcript, in order.
type conversation struct {
	units []unit
	group bool // several people speak
	lang  string
	said  int // messages of the users

	messages map[string]span // of each word; see repeated
	unfit    map[int64]bool  // messages that are left out, or part of them, because they hold an attack or a secret
}

// listen reads the user's messages of a transcript. Hostile messages and everything that is not the speaker's own statement or
// question are left out.
//
// Messages without a time were said now, whose location is the owner's zone.
func listen(transcript []transcripts.Line, now time.Time) conversation {
	return listenTo(transcript, now, hearing{})
}

// withoutBuiltin leaves out the answers of a chat without a model. They are fixed phrases and quotations, which say nothing about how the
// user meant a message.
func withoutBuiltin(transcript []transcripts.Line) []transcripts.Line {
	return slices.DeleteFunc(slices.Clone(transcript), func(l transcripts.Line) bool {
		return l.Role == memory.RoleOfAssistant && strings.HasPrefix(l.Name, memory.BuiltinPrefix)
	})
}

// hearing sets how a transcript is read. The zero value reads as the engine does; training sets the rest.
type hearing struct {
	group      bool // several people speak, even if only one does here
	everything bool // what is not the speaker's own statement is not left out
	// whole leaves sentences undivided that begin with a statement or end with one: a label belongs to a sentence, and would go to both parts.
	whole bool
}

// listenTo reads as listen does, except for what how says.
func listenTo(transcript []transcripts.Line, now time.Time, how hearing) conversation {
	c := conversation{unfit: map[int64]bool{}, group: how.group}
	transcript = withoutBuiltin(transcript)
	seen := make([]traits, len(transcript))
	lines := make([]int, 0, len(transcript)) // of the transcript, for each message of the user
	var all strings.Builder
	names := map[string]bool{}
	for _, l := range transcript {
		if l.Role == memory.RoleOfUser {
			c.group = c.group || memory.SpeakerOf(l.Name) != memory.NoOwner // of a group of which one person speaks
			all.WriteString(l.Text)
			all.WriteByte('\n')
			names[l.Name] = true
		}
	}
	c.group = c.group || len(names) > 1
	c.lang = cue.LanguageByCues(all.String())
	reader := stance.Reader{Lang: c.lang, Year: now.Year()} // of all speakers: they play together
	messages := 0
	heard := words{}
	replies := make([]words, len(transcript)+1) // words of the assistant's messages
	fresh := 0                                  // the message that ended the last role-play: what it says and what follows counts again
	for i, l := range transcript {
		if l.Role != memory.RoleOfUser {
			if replies[i] == nil {
				replies[i] = wordsOf(head(l.Text, heardBytes), c.lang)
			}
			heard.add(replies[i])
			reader.ReadAssistant(l.Text)
			seen[i] = traitsOf(l.Text, cue.Find(head(l.Text, headOfReply), c.lang).Set())
			continue
		}
		text := printable(l.Text)
		sentences := reader.Read(text)
		if reader.Ended() && !how.whole { // the weights are fitted to conversations as a whole
			fresh = i
		}
		if !how.whole {
			sentences = newsApart(statementsApart(sentences))
		}
		var cues cue.Set
		for k := range sentences {
			cues |= sentences[k].Marks.Set()
			if how.everything {
				sentences[k].Stance = stance.Own
			}
		}
		seen[i] = traitsOf(text, cues)
		if isHostile(text) {
			c.unfit[l.Seq] = true
			continue
		}
		if l.Cut && len(sentences) > 0 { // its end is missing
			sentences = sentences[:len(sentences)-1]
		}
		if i+1 < len(transcript) && transcript[i+1].Role == memory.RoleOfAssistant {
			replies[i+1] = wordsOf(head(transcript[i+1].Text, heardBytes), c.lang)
		}
		asked := questionBefore(transcript, i, c.lang)
		units := unitsOf(text, sentences, asked != "" && !how.whole && answersApart(sentences, asked))
		theirs := false
		for k := range units {
			u := &units[k]
			u.source, u.seq, u.message, u.at = text, l.Seq, messages, timeOf(l, now)
			if c.group {
				u.speaker = l.Name
			}
			if k == 0 {
				u.asked = asked
				theirs = u.asked != "" && c.turnsTo(messages-1, u.asked)
			}
			if i > 0 {
				u.heard = replies[i-1]
			}
			u.reply = replies[i+1]
			u.set = u.marks.Set()
			u.theirs = theirs && !u.set.Has(cue.Self) && u.set.Any(cue.Health, cue.Like, cue.Kin, cue.Age, cue.Home, cue.Work, cue.Over, cue.Not)
			u.terms = wordsOf(u.text, c.lang)
			u.novel = 1 - u.terms.within(heard)
		}
		for k := range units {
			heard.add(units[k].terms)
		}
		c.units = append(c.units, units...)
		messages++
		lines = append(lines, i)
	}
	c.said = messages
	settings := make([]vector, len(transcript))
	if hasSetting(transcript) {
		copy(settings, around(transcript, seen, c.group))
	}
	if fresh > 0 {
		clear(settings[fresh:])
		if hasSetting(transcript[fresh:]) {
			copy(settings[fresh:], around(transcript[fresh:], seen[fresh:], c.group))
		}
	}
	for k := range c.units {
		c.units[k].around = settings[lines[c.units[k].message]]
	}
	return c
}

// turnsTo reports whether a message of the user speaks of a person outside the family, and the question after it may be about
// them: sentences without a subject then are, too.
func (c *conversation) turnsTo(message int, asked string) bool {
	var set cue.Set
	names := 0
	for _, u := range slices.Backward(c.units) {
		if u.message != message {
			break
		}
		set |= u.set
		names += namesIn(u.text)
	}
	about := cue.Find(asked, c.lang).Set()
	return set.Has(cue.Other) || !set.Has(cue.Kin) && names > 0 && about.Has(cue.Lean) && !about.Has(cue.You)
}

// timeOf returns the time of a message in the zone of now.
func timeOf(l transcripts.Line, now time.Time) time.Time {
	if l.At.IsZero() {
		return now
	}
	return l.At.In(now.Location())
}

// answersApart reports whether the first sentence of a message answers a question and means nothing without it, and another sentence says
// something else: "Warfarin, 5 mg. Please remember that the review is on 3 March."
func answersApart(sentences []stance.Sentence, asked string) bool {
	if len(sentences) < 2 || sentences[0].Stance != stance.Own {
		return false
	}
	first := partsOf(sentences[0])[0]
	first.first, first.asked, first.set = true, asked, first.marks.Set()
	return len(wordsOf(without(first.text, first.marks, cue.Filler, cue.Chat), first.lang)) > 0 && leansOnQuestion(&first) &&
		slices.ContainsFunc(sentences[1:], func(s stance.Sentence) bool { return s.Stance == stance.Own && s.Marks.Set().Has(cue.Remember) })
}

// unitsOf joins the sentences of a message into units. apart leaves those of a short message single.
func unitsOf(message string, sentences []stance.Sentence, apart bool) []unit {
	var own []stance.Sentence
	whole := !apart && utf8.RuneCountInString(message) <= shortMessage && !strings.Contains(message, "\n")
	for _, s := range sentences {
		if s.Stance != stance.Own && s.Stance != stance.Question {
			whole = false
			continue
		}
		own = append(own, s)
	}
	var out []unit
	for i, s := range own {
		if i > 0 {
			last := &out[len(out)-1]
			adjacent := s.Paragraph == own[i-1].Paragraph && strings.TrimSpace(message[own[i-1].End:s.Start]) == ""
			length := utf8.RuneCountInString(message[last.start:s.End])
			if adjacent && length <= maxPassage && s.Stance == own[i-1].Stance && (whole || isFragment(s.Text)) {
				shift := s.Start - last.start
				for _, m := range s.Marks {
					m.Start, m.End = m.Start+shift, m.End+shift
					last.marks = append(last.marks, m)
				}
				last.text, last.end = message[last.start:s.End], s.End
				last.sentences++
				last.question = last.question && s.Stance == stance.Question
				continue
			}
		}
		for k, part := range partsOf(s) {
			part.first = len(out) == 0
			part.follows = k > 0 || i > 0 && s.Paragraph-own[i-1].Paragraph <= 1 && strings.TrimSpace(message[own[i-1].End:s.Start]) == ""
			out = append(out, part)
		}
	}
	for i := range out {
		out[i].alone = len(out) == 1
	}
	return out
}

// partsOf cuts a long sentence at its commas.
func partsOf(s stance.Sentence) []unit {
	one := func(from, to int) unit {
		text := s.Text[from:to]
		blanks := len(text) - len(strings.TrimSpace(text))
		lead := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
		marks := s.Marks.Within(from, to)
		for i := range marks {
			marks[i].Start, marks[i].End = marks[i].Start-from-lead, marks[i].End-from-lead
		}
		return unit{
			text: strings.TrimSpace(text), start: s.Start + from + lead, end: s.Start + to - (blanks - lead), marks: marks, sentences: 1,
			question: s.Stance == stance.Question, lang: s.Lang,
		}
	}
	if utf8.RuneCountInString(s.Text) <= longSentence {
		return []unit{one(0, len(s.Text))}
	}
	var out []unit
	start := 0
	for p := range sentence.Parts(s.Text, longSentence, utf8.RuneCountInString) {
		if end := p.End; end > start {
			if strings.TrimSpace(s.Text[start:end]) != "" {
				out = append(out, one(start, end))
			}
			start = end
		}
	}
	if strings.TrimSpace(s.Text[start:]) != "" {
		out = append(out, one(start, len(s.Text)))
	}
	return out
}

// isFragment reports whether a sentence is too short to say something alone.
func isFragment(text string) bool {
	if script.HasHan(text) || strings.ContainsFunc(text, script.IsKana) {
		return utf8.RuneCountInString(text) < 2*fragmentWords
	}
	return len(strings.Fields(text)) < fragmentWords
}

// questionBefore returns the last question of the assistant's message before message i.
func questionBefore(transcript []transcripts.Line, i int, lang string) string {
	for k := i - 1; k >= 0; k-- {
		if transcript[k].Role != memory.RoleOfAssistant {
			if transcript[k].Role == memory.RoleOfUser && transcript[k].Name == transcript[i].Name {
				return ""
			}
			continue
		}
		text := printable(transcript[k].Text)
		all := sentence.Split(text)
		for at := len(all) - 1; at >= max(0, len(all)-3); at-- {
			q := strings.TrimRight(all[at], " *_`\"”»」)）")
			if strings.HasSuffix(q, "?") || strings.HasSuffix(q, "？") || strings.HasSuffix(q, "؟") ||
				lang == "ja" && (strings.HasSuffix(q, "か。") || strings.HasSuffix(q, "か")) {
				if isHostile(text) {
					return ""
				}
				return strings.Join(strings.Fields(strings.TrimLeft(q, "-*•#> ")), " ")
			}
		}
		return ""
	}
	return ""
}

// printable returns a text without control characters and invalid bytes.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}
