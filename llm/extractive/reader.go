package extractive

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	sentences "reverie/language/sentence"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

// reader goes through a transcript and collects statements. It carries what a sentence may lean on: when and by whom the
// message was written, what the assistant had asked, and who was spoken of last.
type reader struct {
	out     []statement
	now     time.Time // of the run, in the owner's zone
	base    time.Time // of the message being read, in the owner's zone
	speaker string    // who wrote it, when there are several users; else empty
	seq     int64
	message string // its text, checked once for attacks
	hostile int    // of message: 0 not looked at, 1 no, 2 yes
	source  string // the sentence being read
	count   int    // of sentences so far

	question string          // the last question of the assistant before the message; empty once answered
	offered  string          // the assistant's message before it
	person   []word          // who was spoken of last, in English
	personZH string          // the same in Chinese
	thing    []word          // the thing that was spoken of last in this message or the one before
	topicZH  string          // the thing that a Chinese fact was told of last
	names    map[string]bool // names given to people of the user's life, lower case
	role     bool            // inside a role-play
	list     bool            // "remember the following:" was said; what follows in the message is to be remembered
	previous mark            // what the sentence before gave
}

// mark is a sentence and the index of its first statement.
type mark struct {
	from     int
	sentence string
}

// listen reads the user's messages of a transcript, oldest first.
func listen(in proposals.ExtractionInput) []statement {
	r := &reader{now: in.Today, names: map[string]bool{}}
	r.learnFromFiles(in.Profile, in.Memory)
	several := speakers(in.Transcript) > 1
	for _, line := range in.Transcript {
		if line.Role != memory.RoleOfUser {
			r.offered = printable(line.Text)
			r.question = lastQuestion(printable(line.Text))
			continue
		}
		r.seq, r.base, r.speaker = line.Seq, in.Today, ""
		if !line.At.IsZero() {
			r.base = line.At.In(in.Today.Location())
		}
		if several {
			r.speaker = strings.Join(strings.Fields(line.Name), " ")
		}
		r.read(withoutSpeaker(line.Text, line.Name), line.Cut)
		r.question, r.offered = "", ""
	}
	return r.out
}

// speakers counts the names under which users wrote.
func speakers(lines []transcripts.Line) int {
	var names []string
	for _, l := range lines {
		if l.Role == memory.RoleOfUser && l.Name != "" && !slices.Contains(names, l.Name) {
			names = append(names, l.Name)
		}
	}
	return len(names)
}

// withoutSpeaker removes "Bob: " from the beginning of Bob's message.
func withoutSpeaker(text, name string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), name)
	if name == "" || !ok {
		return text
	}
	if after, ok := strings.CutPrefix(strings.TrimSpace(rest), ":"); ok {
		return after
	}
	if after, ok := strings.CutPrefix(strings.TrimSpace(rest), "："); ok {
		return after
	}
	return text
}

// read reads one message.
func (r *reader) read(text string, cut bool) {
	text = printable(text)
	r.message, r.hostile, r.list = text, 0, false
	r.previous = mark{from: len(r.out)}
	passages := ownWords(text, cut)
	if len(passages) > 0 && isPersona(passages[0]) || r.answered(passages) {
		return
	}
	n := 0
	for _, p := range passages {
		for _, s := range sentences.Split(withoutQuotations(p)) {
			if n++; n > maxSentences || len(s) > 4*maxSentence {
				continue
			}
			from := len(r.out)
			r.count++
			r.sentence(s)
			r.previous = mark{from, s}
		}
	}
}

var persona = regexp.MustCompile(`(?i)^\s*(?:you are|you're|you will be|act as|imagine you are|pretend to be|i want you to act as)` +
	`\s+(?:an?|the|my)\s[^!]*$|^\s*(?:你是一|你是个|你是我的|你现在是|请?你?扮演|假设你是)`)

// printable removes control characters and invalid UTF-8.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// isPersona reports whether a message begins by telling the assistant who it is: a prompt, whose "I" need not be the user.
func isPersona(passage string) bool {
	first := passage
	if s := sentences.Split(passage); len(s) > 0 {
		first = s[0]
	}
	return persona.MatchString(first)
}

// sentence reads one sentence with the rules of its language; one that mixes scripts is read part by part.
func (r *reader) sentence(s string) {
	r.source = s
	if r.inRole(s) {
		return
	}
	switch languageOf(s) {
	case english:
		r.english(s)
	case chinese:
		if strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz") {
			latin, han := byScript(s)
			if latin != "" && strings.Count(latin, " ") >= 2 {
				r.english(latin)
				s = han
			}
		}
		if s != "" {
			r.chinese(s)
		}
	}
}

// byScript parts the comma-separated pieces of a mixed sentence by language.
func byScript(s string) (latin, han string) {
	var l, h []string
	for _, p := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '，' }) {
		if languageOf(p) == english {
			l = append(l, strings.TrimSpace(p))
		} else {
			h = append(h, strings.TrimSpace(p))
		}
	}
	return strings.Join(l, ", "), strings.Join(h, "，")
}

// inRole tracks role-play and stories in the user's messages: statements in a role are not about the user.
func (r *reader) inRole(s string) bool {
	l := padded(englishWords(s))
	if r.role {
		if hasAny(l, endsRole) || hasAny(s, endsRoleZH) {
			r.role = false
			return hasAny(l, startsRole)
		}
		return true
	}
	if hasAny(l, startsRole) || hasAny(s, startsRoleZH) {
		r.role = true
	}
	return r.role
}

// say adds a statement of the current sentence, unless it contains a secret or an attack.
func (r *reader) say(s statement) {
	if s.text == "" || len([]rune(s.text)) > maxLine || namesSecret(r.source) || isUnfit(s.text) || r.attacks() {
		return
	}
	if s.strength == unsure {
		s.place = noteOnly
	}
	s.speaker = r.speaker
	s.seqs = append(s.seqs, r.seq)
	s.sentence = r.count
	r.out = append(r.out, s)
}

// maxLine is the longest line that is written, in characters.
const maxLine = 280

// attacks reports whether the message being read holds an attack; it is looked at only once something is taken from it.
func (r *reader) attacks() bool {
	if r.hostile == 0 {
		r.hostile = 1
		if isHostile(r.message) {
			r.hostile = 2
		}
	}
	return r.hostile == 2
}

// learnFromFiles reads the names of people in the user's life from the files.
func (r *reader) learnFromFiles(files ...string) {
	for _, f := range files {
		for line := range strings.SplitSeq(f, "\n") {
			for _, cue := range []string{
				" named ", " called ", "name is ", "Sister ", "Brother ", "Wife ", "Husband ", "Son ", "Daughter ",
				"Friend ", "Partner ", "Boss ",
			} {
				if _, after, ok := strings.Cut(line, cue); ok {
					after, _, _ = strings.Cut(after, " ")
					r.learnNames(englishWords(after))
				}
			}
		}
	}
}
