package memory

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	// freeDrops is how many lines any replacement may drop: of a short file, one line is a large share.
	freeDrops = 3
	// reworded is the share, in per cent, of an old line's words, weighed by how rare they are, that a new line has when
	// it is the same line in other words.
	reworded = 60
	// wordWeight is the weight of a word that one line has; it is large so that whole numbers do.
	wordWeight = 1_000_000
	// quotedLines bounds how many lines one violation names.
	quotedLines = 20
)

// replacement checks the full new text of a document and returns it tidied, or empty when it changes nothing.
func (g *guard) replacement(field, path, current, text string, ceiling int) string {
	text = tidied(text)
	if text == "" || sameText(current, text) {
		return ""
	}
	g.text(field, current, text)
	if len(headings(text)) == 0 && (len(headings(current)) > 0 || strings.TrimSpace(current) == "") {
		g.refuse(ViolationNoHeading, "%s has no heading: give the full new text of %s, beginning with its title, or %s to keep the file as it is", field, path, g.leave)
		return ""
	}
	if n := utf8.RuneCountInString(text); n > max(ceiling, utf8.RuneCountInString(current)) {
		g.refuse(ViolationTooLong, "%s has %d characters, %s may have %d: join or shorten lines that no person wrote, or %s", field, n, path, ceiling, g.elsewhere)
	}
	if line := elision(current, text); line > 0 {
		g.refuse(ViolationElided, "%s, line %d, stands for text that was left out: give the full new text of %s, every line of it", field, line, path)
	}
	g.kept(field, path, current, text)
	return text
}

// Tidied takes off a fence around a whole text and spaces around it, and ends it with one line break. A text of spaces is empty.
func Tidied(text string) string { return tidied(text) }

// tidied takes off a fence around the whole text and spaces around it, and ends it with one line break.
func tidied(text string) string {
	text = strings.TrimSpace(text)
	if m := wholeFence.FindStringSubmatch(text); m != nil && !strings.Contains(m[1], "\n```") {
		text = strings.TrimSpace(m[1])
	}
	if text == "" {
		return ""
	}
	return text + "\n"
}

var wholeFence = regexp.MustCompile("(?s)^```(?:markdown|md)?[ \t]*\n(.*)\n```$")

// sameText reports whether two texts differ in spaces around them and in line breaks at most.
func sameText(a, b string) bool {
	normal := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return normal(a) == normal(b)
}

// elided is a line that stands for others: "...", "[rest unchanged]", "(existing entries)", "其余内容不变".
var elided = regexp.MustCompile(`(?i)^(?:` + strings.Join([]string{
	`\.{3,}|…+`,
	`\[` + elidedHint + `[^][]*\]`,
	`\(` + elidedHint + `[^()]*\)`,
	`[（【]` + elidedHint + `[^（）【】]*[）】]`,
	`<!--` + elidedHint + `.*-->`,
	`(?:\.{3}|…)\s*[[(（]?` + elidedHint + `.*`,
	`(?:the )?(?:rest|remaining|remainder|other|existing|previous)\b.{0,30}\b(?:unchanged|as before|as is|omitted)\.?`,
	`(?:unchanged|no changes?|(?:same )?as before)\.?`,
	`(?:其余|其他|其它|剩余)(?:内容|部分)?(?:保持)?(?:不变|省略|未变|同上)。?`,
}, "|") + `)$`)

const elidedHint = `\s*(?:\.{3}|…)?\s*(?:(?:the|all) )?(?:rest|remaining|remainder|other|existing|previous|unchanged|same|omitted|no changes?|其余|其他|其它|剩余|省略|保持不变)`

// elision is the first line of text, from 1, that stands for lines left out and was not there before; 0 when there is none.
func elision(current, text string) int {
	known := lineSet(lineTexts(current))
	for i, line := range lineTexts(text) {
		if said := bare(line); said != "" && !known[said] && elided.MatchString(said) {
			return i + 1
		}
	}
	return 0
}

// kept checks that the lines of current are in text: each of a person's, and enough of the others.
func (g *guard) kept(field, path, current, text string) {
	text += g.moved
	stands := lineSet(lineTexts(text))
	var (
		broken []string
		missed []string // content lines that do not stand in text
		total  int
		ended  int // a person's lines that are retired
	)
	isHeading := map[int]bool{}
	for _, h := range headings(current) {
		isHeading[h.line] = true
	}
	named := map[string]bool{}
	for i, line := range lineTexts(current) {
		said := bare(line)
		if !saysSomething(said) {
			continue
		}
		if g.protected[said] && !stands[said] && !g.retired[said] && !named[said] {
			named[said] = true
			broken = append(broken, strings.TrimSpace(line))
		}
		if isHeading[i] {
			continue
		}
		total++
		switch {
		case stands[said]:
		case g.strict && g.protected[said]:
			ended++
		default:
			missed = append(missed, said)
		}
	}
	for i, line := range broken {
		if i == quotedLines {
			g.refuse(ViolationPersonLine, "%s misses %d more lines that a person wrote", field, len(broken)-quotedLines)
			break
		}
		g.refuse(ViolationPersonLine, "%s misses a line that a person wrote; put it back word for word, or name it in retired with the reason from %s: %s", field, g.proof, line)
	}
	if dropped, allowed := ended+unlike(missed, current, text), max(g.free, int(g.share*float64(total))); dropped > allowed || total > 0 && dropped == total && !hasContent(text) {
		g.refuse(ViolationDropped, "%s drops %d of the %d lines of %s, at most %d may go at once: keep the others, reworded where they changed", field, dropped, total, path, min(allowed, total-1))
	}
}

// hasContent reports whether a document has a line that says something and is no heading.
func hasContent(text string) bool {
	isHeading := map[int]bool{}
	for _, h := range headings(text) {
		isHeading[h.line] = true
	}
	for i, line := range lineTexts(text) {
		if !isHeading[i] && saysSomething(line) {
			return true
		}
	}
	return false
}

// unlike counts the missed lines of current that no line of text says in other words. Words weigh less the more lines of
// current have them: "User likes" is no sign that two lines say the same when half of the file begins with it. Comments, such
// as the sources of promoted lines, say nothing.
func unlike(missed []string, current, text string) int {
	if len(missed) == 0 {
		return 0
	}
	lines := map[string]int{} // how many lines of current have a word
	for _, line := range lineTexts(current) {
		for word := range words(uncommented(line)) {
			lines[word]++
		}
	}
	known := lineSet(lineTexts(current))
	having := map[string][]int{} // which new lines have a word
	for i, line := range lineTexts(text) {
		if known[bare(line)] {
			continue // it says something else already
		}
		for word := range words(uncommented(line)) {
			having[word] = append(having[word], i)
		}
	}
	count := 0
	for _, line := range missed {
		weight, common := 0, map[int]int{}
		for word := range words(uncommented(line)) {
			w := wordWeight / lines[word]
			weight += w
			for _, i := range having[word] {
				common[i] += w
			}
		}
		best := 0
		for _, w := range common {
			best = max(best, w)
		}
		if weight == 0 || best*100 < reworded*weight {
			count++
		}
	}
	return count
}

func uncommented(line string) string { return htmlComment.ReplaceAllString(line, "") }
