package chat

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/language/analysis"
	"reverie/language/cue"
	"reverie/language/fold"
	"reverie/language/stance"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/scan"
	"reverie/search"
	"reverie/search/rank"
	"reverie/toolbox"
	"reverie/window"
)

const (
	// maxQuoted is the maximum number of statements in an answer.
	maxQuoted = 4
	// maxClosest is the same if none of them answers the question.
	maxClosest = 2
	// maxQuote bounds each of them, in characters.
	maxQuote = 300
	// minShare is the share of the question's significant words that a statement needs to be quoted, and answeringShare the
	// share above which it is quoted as an answer and not as what comes closest. Single characters of Chinese and Japanese
	// are counted as pairs with their neighbours, most of which differ between a question and its answer.
	minShare, answeringShare         = 1. / 3, .5
	minShareOfHan, answeringShareHan = .2, .4
)

// quotation is a statement of memory and its location.
type quotation struct {
	quotable

	source  string
	by      memory.Owner // who said it, in a group
	words   int          // shared with the question
	answers bool         // it shares enough words with the question to answer it
	hit     recall.Hit
	shown   recall.Hit // hit reduced to the statement
}

// quotable holds a quotation with its speaker and day.
type quotable struct {
	text     string    // without quotation marks, on one line
	question string    // that it answers; may be empty
	person   string    // who said it; empty: the user, or nobody if it is not said
	said     bool      // it is a quotation, not a note
	mine     bool      // the assistant said it
	day      time.Time // when it was said or noted; zero: unknown
}

// quotations returns the statements of the hits that answer the question best; ties keep the order of the hits. Questions,
// texts that every new agent has, the current message and what follows it are left out.
func (t *turning) quotations(query string, hits []recall.Hit, people sections) []quotation {
	asked := withoutTimes(analysis.NewQuery(query, t.now))
	least, answering := shares(asked)
	var all []quotation
	most := 0
	for _, hit := range hits {
		asksOnly := hit.Message.Role == memory.RoleOfUser && isFragment(hit.Text) // earlier words to look up
		if t.isCurrent(hit) || t.repeats(hit) || asksOnly {
			continue
		}
		for _, q := range statements(asked, hit, t.now.Location()) {
			q.by = people.by(hit, q.shown.FromLine)
			if q.person == "" {
				q.person = string(q.by)
			}
			share := shareOf(asked, q.words)
			isVector := hit.VectorScore > hit.TextScore
			q.answers = share > answering || share == 1 || isVector && hit.Score >= t.settings.AutoInjectThreshold
			if share < least && !isVector || slices.ContainsFunc(all, q.repeats) {
				continue
			}
			all = append(all, q)
			most = max(most, q.words)
		}
	}
	others := slices.Clone(all)
	all = slices.DeleteFunc(all, func(q quotation) bool { return slices.ContainsFunc(others, q.isCorrectedBy) })
	// A statement that shares one word, where others share three, was found only because of its neighbours.
	all = slices.DeleteFunc(all, func(q quotation) bool { return 2*q.words < most })
	if slices.ContainsFunc(all, func(q quotation) bool { return q.answers }) {
		all = slices.DeleteFunc(all, func(q quotation) bool { return !q.answers })
		return all[:min(len(all), maxQuoted)]
	}
	return all[:min(len(all), maxClosest)]
}

// isCurrent reports whether a hit is the current message or follows it.
func (t *turning) isCurrent(hit recall.Hit) bool {
	return hit.Source.Conversation == t.request.Conversation && int64(hit.FromLine) >= t.user.Seq
}

// repeats reports whether a statement and another of the same person contain each other.
func (q quotation) repeats(other quotation) bool {
	return other.by == q.by && (contains(other.text, q.text) || contains(q.text, other.text) && q.words <= other.words)
}

// isCorrectedBy reports whether another statement is this one with a corrected value in brackets.
func (q quotation) isCorrectedBy(other quotation) bool {
	return other.by == q.by && strings.Contains(other.text, "[") && !strings.Contains(q.text, "[") &&
		withoutValues(other.text) == withoutValues(q.text)
}

// correctedWithin is the number of messages of the user after a statement in which a correction of it is looked for.
const correctedWithin = 3

// withCorrections adds after each statement of the conversation the message in which the user corrects it, until an extraction writes
// the right value into memory: "Actually make that 3:30."
func (t *turning) withCorrections(quoted []quotation) (out []quotation) {
	for _, q := range quoted {
		out = append(out, q)
		if q.hit.Source.Conversation != t.request.Conversation || q.hit.Message.Role != memory.RoleOfUser {
			continue
		}
		left := correctedWithin
		for _, m := range t.history() {
			if m.Seq <= int64(q.hit.FromLine) || m.Role != memory.RoleOfUser || m.Name != q.hit.Message.Name || stance.OnlyAsks(m.Content) {
				continue
			}
			if left--; left < 0 {
				break
			}
			if !corrects(m.Content) || scan.Scan(m.Content).Verdict == scan.VerdictQuarantine {
				continue
			}
			by := q.hit
			by.Message, by.At, by.Text, by.Snippet = m, m.CreatedAt, m.Content, m.Content
			by.FromLine, by.ToLine = int(m.Seq), int(m.Seq)
			c := quotation{
				quotable: quotableOf(by, m.Content, scan.Redacted(m.Content), t.now.Location()), source: window.Readable(sourceOf(by, by.FromLine)),
				hit: by, shown: by, by: q.by, answers: true,
			}
			if !slices.ContainsFunc(quoted, c.repeats) {
				out = append(out, c)
			}
			break
		}
	}
	return out
}

// corrects reports whether a message begins with a word of correction.
func corrects(message string) bool {
	for _, m := range cue.Find(message, cue.LanguageByCues(message)) {
		if m.Kind != cue.Filler && m.Kind != cue.Chat {
			return m.Kind == cue.Correct
		}
	}
	return false
}

// values matches what a correction replaces, and what it puts in brackets instead.
var values = regexp.MustCompile(`\\?\[[^\[\]]*\]|\d+(?:[:.,]\d+)*`)

func withoutValues(text string) string { return words(values.ReplaceAllString(text, " 0 ")) }

// withoutTimes marks the words for times as stop words: "today" says little about the subject of a question. If there are no
// others, they stay.
func withoutTimes(asked analysis.Query) analysis.Query {
	times := map[string]bool{}
	for _, m := range cue.Find(asked.Text, cue.LanguageOf(asked.Text)) {
		if m.Kind == cue.Time {
			for word := range strings.FieldsSeq(words(asked.Text[m.Start:m.End])) {
				times[word] = true
			}
		}
	}
	others := slices.Clone(asked.Terms)
	for i, term := range others {
		others[i].Stop = term.Stop || times[fold.Text(term.Text)]
	}
	if slices.ContainsFunc(others, func(term analysis.QueryTerm) bool { return !term.Stop }) {
		asked.Terms = others
	}
	return asked
}

// shares returns the shares of a question's words from which a statement is quoted, and above which it answers.
func shares(asked analysis.Query) (least, answering float64) {
	for _, term := range asked.Terms {
		if term.Kind == analysis.Ideographs {
			return minShareOfHan, answeringShareHan
		}
	}
	return minShare, answeringShare
}

// shareOf returns the share of a question's significant words that a number of words is, 0 to 1.
func shareOf(asked analysis.Query, words int) float64 {
	significant := 0
	for _, term := range asked.Terms {
		if !term.Stop {
			significant++
		}
	}
	return min(1, float64(words)/float64(max(significant, 1)))
}

// statements returns the statements of a hit that share most words with the question. A hit found by its meaning
// needs no shared word.
func statements(asked analysis.Query, hit recall.Hit, zone *time.Location) (best []quotation) {
	entries := markdown.EntriesOf(hit.Text)
	if hit.Corpus == search.Sessions {
		if scan.Scan(hit.Text).Verdict == scan.VerdictQuarantine {
			return nil
		}
		entries = []markdown.Entry{{Text: stated(asked, hit.Text), FromLine: 1}}
	}
	most := 1
	for _, entry := range entries {
		scanned := scan.Scan(markdown.WithoutComments(entry.Text))
		if scanned.Verdict == scan.VerdictQuarantine || memory.IsSeedEntry(entry.ID) || stance.OnlyAsks(saidIn(scanned.Text)) {
			continue
		}
		q := quotableOf(hit, entry.Text, scanned.Text, zone)
		if q.text == "" {
			continue
		}
		words := len(rank.Matches(asked, scanned.Text))
		if hit.VectorScore > hit.TextScore {
			words = max(words, 1)
		}
		if words > most {
			best, most = nil, words
		}
		if words == most {
			shown := hit
			shown.Text, shown.Snippet = entry.Text, scanned.Text
			if hit.Corpus == search.Memory {
				shown.FromLine, shown.ToLine = hit.FromLine+entry.FromLine-1, hit.FromLine+entry.ToLine-1
			}
			best = append(best, quotation{
				quotable: q, source: window.Readable(sourceOf(hit, shown.FromLine)), words: words, hit: hit, shown: shown,
			})
		}
	}
	return best
}

// stated returns the sentences around the one that shares most words with the question, up to maxQuote characters, without
// questions and requests. It is empty if a message states nothing.
func stated(asked analysis.Query, message string) string {
	lang := cue.LanguageByCues(message)
	reader := stance.Reader{Lang: lang}
	sentences := reader.Read(message)
	best, most := -1, -1
	for i, s := range sentences {
		if n := len(rank.Matches(asked, s.Text)); n > most && isStatement(s, lang) {
			best, most = i, n
		}
	}
	if best < 0 {
		return ""
	}
	from, to := best, best
	fits := func(from, to, added int) bool {
		return utf8.RuneCountInString(message[sentences[from].Start:sentences[to].End]) <= maxQuote && isStatement(sentences[added], lang)
	}
	for grown := true; grown; {
		grown = false
		if from > 0 && fits(from-1, to, from-1) {
			from, grown = from-1, true
		}
		if to+1 < len(sentences) && fits(from, to+1, to+1) {
			to, grown = to+1, true
		}
	}
	return message[sentences[from].Start:sentences[to].End]
}

// onlySeeds reports whether a hit of memory contains nothing else.
func onlySeeds(hit recall.Hit) bool {
	if hit.Corpus != search.Memory {
		return false
	}
	entries := markdown.EntriesOf(hit.Text)
	return len(entries) > 0 && !slices.ContainsFunc(entries, func(e markdown.Entry) bool { return !memory.IsSeedEntry(e.ID) })
}

var (
	// quotedLine matches a line that quotes somebody: `Jonas: (later: 2026-03-10) [Which city?] "Bonn."`
	quotedLine = regexp.MustCompile(`^(?:([^:"“\[\](]{1,64}): )?((?:\(later: [^)]*\) )?)(?:\[([^\]]+)\] )?` +
		`["“](.+)["”]((?: ?[\[(][^\])]*[\])])*)$`)
	// inBrackets matches a date in brackets after a relative one.
	inBrackets = regexp.MustCompile(`\[(\d{4}-\d{2}-\d{2}[^\]]*)\]`)
	// ofDay matches a date in the path of a daily note.
	ofDay = regexp.MustCompile(`memory/(\d{4}-\d{2}-\d{2})`)
)

// quotableOf reads a statement of a hit. text is the statement without comments and secrets.
func quotableOf(hit recall.Hit, statement, text string, zone *time.Location) quotable {
	if hit.Corpus == search.Sessions {
		q := quotable{text: quote(text), said: true, mine: hit.Message.Role == memory.RoleOfAssistant}
		if !hit.At.IsZero() {
			q.day = hit.At.In(zone)
		}
		return q
	}
	q := quotable{day: dayOf(hit.Path, statement)}
	if hit.Corpus == toolbox.Outside {
		q.day = hit.At.In(zone)
	}
	m := quotedLine.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
	if m == nil {
		q.text = quote(text)
		return q
	}
	q.said, q.person, q.question, q.text = true, window.Readable(m[1]), quote(m[3]), quote(m[2]+m[4]+m[5])
	return q
}

// saidIn returns the words that a line quotes, or the line.
func saidIn(line string) string {
	if m := quotedLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
		return m[4]
	}
	return line
}

// dayOf returns the day of a statement: of the daily note that it is in, or that its comment names as its source.
func dayOf(path, statement string) time.Time {
	for _, text := range []string{path, statement} {
		if m := ofDay.FindStringSubmatch(text); m != nil {
			if day, err := time.Parse(time.DateOnly, m[1]); err == nil {
				return day
			}
		}
	}
	return time.Time{}
}

// quote returns the text on one line, readable, with dates in parentheses instead of brackets, and cut if it is long.
func quote(text string) string {
	text = inBrackets.ReplaceAllString(strings.Join(strings.Fields(text), " "), "($1)")
	text = window.Readable(text)
	if utf8.RuneCountInString(text) > maxQuote {
		text = string([]rune(text)[:maxQuote]) + "…"
	}
	return text
}

// cite quotes a statement with its day and who said it.
func (p phrases) cite(q quotable) string {
	text := fmt.Sprintf(p.quote, q.text)
	if q.person != "" && !q.said {
		text, q.person = q.person+": "+text, ""
	}
	if q.day.IsZero() {
		switch {
		case q.person != "":
			return fmt.Sprintf(p.they, q.person, p.withQuestion(q, text))
		case q.question != "":
			return fmt.Sprintf(p.answered, fmt.Sprintf(p.quote, q.question), text)
		case q.said && !q.mine:
			return fmt.Sprintf(p.said, text)
		}
		return text
	}
	day := q.day.Format(time.DateOnly)
	switch {
	case q.person != "":
		return fmt.Sprintf(p.theyOn, day, q.person, p.withQuestion(q, text))
	case q.question != "":
		return fmt.Sprintf(p.answeredOn, day, fmt.Sprintf(p.quote, q.question), text)
	case q.mine:
		return fmt.Sprintf(p.mineOn, day, text)
	case q.said:
		return fmt.Sprintf(p.saidOn, day, text)
	}
	return fmt.Sprintf(p.noted, day, text)
}

// withQuestion puts the question that a quotation answers in brackets before it.
func (p phrases) withQuestion(q quotable, text string) string {
	if q.question == "" {
		return text
	}
	return "(" + q.question + ") " + text
}

// hitsOf returns the distinct hits that statements come from.
func hitsOf(quoted []quotation) (hits []recall.Hit) {
	for _, q := range quoted {
		same := func(h recall.Hit) bool { return h.Path == q.hit.Path && h.FromLine == q.hit.FromLine }
		if !slices.ContainsFunc(hits, same) {
			hits = append(hits, q.hit)
		}
	}
	return hits
}
