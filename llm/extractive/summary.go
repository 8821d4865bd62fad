package extractive

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
	sentences "reverie/language/sentence"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/tokencount"
	"reverie/memory/transcripts"
	"reverie/scan"
)

// SummaryMaker names the engine and its version; there is no other model.
func (Engine) SummaryMaker(string) string { return Model + " " + RulesVersion }

// Summarise updates a summary of earlier turns within a number of tokens: what the user wanted, what was
// stated and decided in their own words, what is open, which files it is about, and what was talked about last. The same input
// gives the same output. It fails only when ctx is done.
func (Engine) Summarise(ctx context.Context, in proposals.SummaryInput) (proposals.Answer, error) {
	if err := ctx.Err(); err != nil {
		return proposals.Answer{}, err
	}
	return proposals.Answer{Raw: summarise(in), Model: Model, PromptVersion: RulesVersion}, nil
}

func summarise(in proposals.SummaryInput) string {
	transcript, now := spokenLines(in)
	passages := spoken(transcript, now)
	lang := ""
	if len(passages) > 0 {
		lang = passages[0].words
	}
	d := readDigest(in.Previous, lang)
	if len(d.items[goalHeading]) == 0 {
		if goal := quoted(in.Goal); goal != "" {
			d.add(goalHeading, goal)
		}
	}
	for i := range passages {
		d.take(&passages[i])
	}
	for _, path := range filesIn(in.Messages) {
		d.again(filesHeading, path)
	}
	d.latest(transcript)
	return d.render(in.MaxTokens)
}

// spokenLines returns the messages of user and assistant in the summary's time zone, and the time of the last one.
func spokenLines(in proposals.SummaryInput) (lines []transcripts.Line, now time.Time) {
	zone := in.Zone
	if zone == nil {
		zone = time.UTC
	}
	for _, m := range in.Messages {
		if m.CreatedAt.After(now) {
			now = m.CreatedAt
		}
		if m.Role == memory.RoleOfUser || m.Role == memory.RoleOfAssistant {
			lines = append(lines, transcripts.Line{Seq: m.Seq, Role: m.Role, Name: m.Name, At: m.CreatedAt, Text: m.Content})
		}
	}
	return lines, now.In(zone)
}

// Headings of a summary. They are the same in every language, so that engines can continue each other's summaries.
const (
	goalHeading       = "Goal"
	latestHeading     = "Latest"
	constraintHeading = "Constraints"
	decisionHeading   = "Decisions"
	factHeading       = "Facts"
	nextHeading       = "Next"
	filesHeading      = "Files"
)

// leadHeadings come first in this order; those of other engines follow as they came.
var leadHeadings = []string{goalHeading, latestHeading, constraintHeading, decisionHeading, factHeading, nextHeading, filesHeading}

// headingOfKind maps kinds to the headings of a summary.
var headingOfKind = [...]string{
	kindNone: factHeading, kindIdentity: factHeading, kindPerson: factHeading, kindPreference: constraintHeading, kindFact: factHeading,
	kindDecision: decisionHeading, kindPlan: nextHeading, kindTask: nextHeading, kindCorrection: factHeading, kindRemember: constraintHeading,
}

// digest is a summary, item by item.
type digest struct {
	order []string // of the headings
	items map[string][]item
	lang  string // of the conversation
}

// item is one line of a summary. Newer ones have a larger age number.
type item struct {
	text  string
	born  int
	terms words
}

// readDigest reads a summary of any engine. Lines without a heading count as facts.
func readDigest(text, lang string) *digest {
	d := &digest{order: slices.Clone(leadHeadings), items: map[string][]item{}, lang: lang}
	heading := factHeading
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if title, isHeading := strings.CutPrefix(line, "#"); isHeading {
			heading = strings.TrimSpace(strings.TrimLeft(title, "#"))
			continue
		}
		if line = bareLine(line); line != "" {
			d.add(heading, line)
		}
	}
	return d
}

// add adds an item after the others.
func (d *digest) add(heading, text string) {
	if !slices.Contains(d.order, heading) {
		d.order = append(d.order, heading)
	}
	d.items[heading] = append(d.items[heading], item{text: text, born: d.count(), terms: wordsOf(text, d.lang)})
}

// count returns a lower bound of the number of items ever added. It never decreases.
func (d *digest) count() int {
	newest := 0
	for _, list := range d.items {
		for _, it := range list {
			newest = max(newest, it.born)
		}
	}
	return newest + 1
}

// again adds an item, or makes an equal item the newest.
func (d *digest) again(heading, text string) {
	d.items[heading] = slices.DeleteFunc(d.items[heading], func(it item) bool { return it.text == text })
	d.add(heading, text)
}

// take adds a passage unless the summary has it already. It applies corrections and removes what the passage withdraws.
func (d *digest) take(p *passage) {
	if p.withdrawn || p.asks {
		return
	}
	if p.corrects() && p.corrected == "" && d.correct(p) {
		return
	}
	for heading, list := range d.items {
		if isStated(heading) && slices.ContainsFunc(list, func(it item) bool { return p.says(it.terms) }) {
			return
		}
	}
	d.add(headingOfKind[p.kind], p.lastingLine())
}

// isStated reports whether the items of a heading are statements, and not quotations of the user.
func isStated(heading string) bool { return heading != goalHeading && heading != latestHeading }

// correct applies a correction to the newest item that it concerns, and reports whether nothing is left to add.
func (d *digest) correct(p *passage) bool {
	for _, heading := range d.order {
		if !isStated(heading) {
			continue
		}
		for i := range slices.Backward(d.items[heading]) {
			it := &d.items[heading][i]
			marks := cue.Find(it.text, p.lang)
			c := claim{text: it.text, terms: it.terms, rare: it.terms, set: marks.Set(), values: valuesOf(it.text, marks)}
			by := p.takesBack(&c)
			if by == nil {
				continue
			}
			if text, _ := p.right(&c, by); text != "" {
				it.text, it.terms = text, wordsOf(text, d.lang)
				return true
			}
			d.items[heading] = slices.Delete(d.items[heading], i, i+1)
			return p.forgets()
		}
	}
	return p.forgets()
}

// latest replaces the last topics of the conversation.
func (d *digest) latest(transcript []transcripts.Line) {
	var asked, answered string
	for _, l := range transcript {
		if said := quoted(l.Text); said != "" && l.Role == memory.RoleOfUser {
			asked, answered = said, ""
		} else if said != "" {
			answered = said
		}
	}
	if asked == "" && answered == "" {
		return
	}
	if asked != "" {
		d.items[latestHeading] = nil
		d.add(latestHeading, label(asked, "The user said: ", "用户说：")+asked)
	}
	if answered != "" {
		d.add(latestHeading, label(answered, "The assistant answered: ", "助手答：")+answered)
	}
	if list := d.items[latestHeading]; len(list) > 2 { // of several parts without a word of the user
		d.items[latestHeading] = append(list[:1], list[len(list)-1])
	}
}

// label is the label in the language of a text.
func label(text, en, zh string) string {
	if cue.LanguageOf(text) == "zh" {
		return zh
	}
	return en
}

// quoted returns a message on one line, without sentences about secrets; empty if it is an attack or has no content.
func quoted(message string) string {
	if isHostile(message) {
		return ""
	}
	var kept []string
	for _, s := range sentences.Split(printable(message)) {
		if !namesSecret(s) {
			kept = append(kept, s)
		}
	}
	text := scan.Scan(strings.Join(strings.Fields(strings.Join(kept, " ")), " "))
	if text.Verdict == scan.VerdictQuarantine {
		return ""
	}
	return text.Text
}

const (
	// maxFiles are named in a summary, the last ones.
	maxFiles = 8
	// maxFileChars bounds the name of one.
	maxFileChars = 120
	// maxFileText bounds how much of one message is looked at, in bytes.
	maxFileText = 16 << 10
)

// fileName is a path or a name with an ending that files have.
var fileName = lazyregexp.New(`(?:[\w.~-]*/)*[\w-][\w.-]*\.(?:md|txt|go|py|js|ts|tsx|jsx|java|rs|rb|c|h|cc|cpp|cs|sh|sql|css|html|` +
	`json|yaml|yml|toml|ini|cfg|xml|csv|tsv|pdf|docx?|xlsx?|pptx?|png|jpe?g|svg|ipynb|log|proto|tf|lock|env)\b`)

// address matches web addresses, whose paths are not files of the conversation.
var address = lazyregexp.New(`\w+://\S+`)

// filesIn are the files that messages are about, in the order in which they were named last.
func filesIn(messages []memory.Message) []string {
	var out []string
	look := func(text string) {
		for _, name := range fileName.FindAllString(text[:min(len(text), maxFileText)], -1) {
			if len(name) > maxFileChars || isUnfit(name) {
				continue
			}
			if i := slices.Index(out, name); i >= 0 {
				out = slices.Delete(out, i, i+1)
			}
			out = append(out, name)
		}
	}
	for _, m := range messages {
		if m.Role != memory.RoleOfTool { // what a tool returns is full of names that nobody asked for
			look(address.ReplaceAllString(m.Content[:min(len(m.Content), maxFileText)], " "))
		}
		for _, call := range m.ToolCalls {
			look(call.Arguments)
		}
	}
	return out[max(0, len(out)-maxFiles):]
}

// usualSummary is the default length of a summary in tokens.
const usualSummary = 300

// Shares of a summary: the goal has at most a quarter of it, and each of the two things that were said last a fifth. The rest is
// for what was stated.
const (
	goalShare   = .25
	latestShare = .2
)

// unsaid is the summary of messages from which nothing may be repeated.
const unsaid = "Nothing of it can be repeated here."

// render writes the summary within a number of tokens. Goal and latest are always in it; of the rest the newest.
func (d *digest) render(maxTokens int) string {
	if maxTokens <= 0 {
		maxTokens = usualSummary
	}
	short := func(heading string, share float64) {
		for i := range d.items[heading] {
			it := &d.items[heading][i]
			it.text = tokencount.Cut(it.text, int(share*float64(maxTokens)), tokencount.Estimate)
		}
	}
	if len(d.items[goalHeading]) == 0 && len(d.items[latestHeading]) == 0 {
		d.add(goalHeading, unsaid)
	}
	d.items[goalHeading] = d.items[goalHeading][:min(1, len(d.items[goalHeading]))]
	short(goalHeading, goalShare)
	short(latestHeading, latestShare)

	type choice struct {
		heading string
		item
	}
	var rest []choice
	for _, heading := range d.order {
		for _, it := range d.items[heading] {
			if heading != goalHeading && heading != latestHeading {
				rest = append(rest, choice{heading, it})
			}
		}
	}
	slices.SortFunc(rest, func(a, b choice) int { return cmp.Compare(b.born, a.born) })
	chosen := map[string][]item{goalHeading: d.items[goalHeading], latestHeading: d.items[latestHeading]}
	text := d.text(chosen)
	for _, c := range rest {
		was := chosen[c.heading]
		chosen[c.heading] = append(slices.Clone(was), c.item)
		next := d.text(chosen)
		if tokencount.Estimate(next) > maxTokens {
			chosen[c.heading] = was
			continue
		}
		text = next
	}
	return proposals.TidySummary(text, false, maxTokens, tokencount.Estimate)
}

// text writes items under their headings, the oldest first.
func (d *digest) text(chosen map[string][]item) string {
	var b strings.Builder
	for _, heading := range d.order {
		list := slices.SortedFunc(slices.Values(chosen[heading]), func(a, b item) int { return cmp.Compare(a.born, b.born) })
		if len(list) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString("## " + heading + "\n")
		for _, it := range list {
			b.WriteString("- " + it.text + "\n")
		}
	}
	return b.String()
}
