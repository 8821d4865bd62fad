package grounding

import (
	"slices"
	"strings"
	"unicode"

	"reverie/language/date"
	"reverie/language/lazyregexp"
)

var (
	// quoting matches a line that quotes one message: [1] the speaker, [2] the question it answers, [3] or [4] its words.
	quoting = lazyregexp.New(`^(?:([^"“\[\]]{1,60}): )?(?:\(later: \d{4}-\d{2}-\d{2}\) )?(?:\[(.*?)\] )?(?:"(.*)"|“(.*)”)$`)
	// inserted matches what a quotation may add in brackets: a resolved date, a corrected value.
	inserted  = lazyregexp.New(` ?\[([^\[\]]*)\]`)
	clockTime = lazyregexp.New(`^\d\d:\d\d `)
)

// isVerbatim reports whether a line only repeats what one message of a user, or one line of a document, says, with dates as they are
// resolved and values that a user named in brackets. A question in brackets before it is the assistant's.
func (c *checking) isVerbatim(text string) bool {
	if c.isHeading {
		rest, isShort := strings.CutSuffix(clockTime.ReplaceAllString(text, ""), "…")
		return isShort && c.isPart(rest, "", false)
	}
	m := quoting.FindStringSubmatch(text)
	switch {
	case m == nil:
		return strings.Contains(text, "[") && c.isPart(text, "", true)
	case m[2] != "" && !slices.ContainsFunc(c.answered.passages, func(p passage) bool { return strings.Contains(p.squeezed, squeezed(m[2])) }):
		return false
	}
	return c.isPart(m[3]+m[4], light(m[1]), false)
}

// isPart reports whether one passage has the words of a text in order, apart from what it adds in brackets.
func (c *checking) isPart(text, speaker string, document bool) bool {
	parts := inserted.Split(text, -1)
	for i := range parts {
		parts[i] = squeezed(parts[i])
	}
	plain := inserted.ReplaceAllString(text, "")
	for _, p := range c.said.passages {
		if p.document != document || speaker != p.speaker && (speaker != "" || len(c.speakers) > 0) || !inOrder(p.squeezed, parts) {
			continue
		}
		var resolved []string
		for _, d := range date.Insertions(plain, p.lang, p.at) {
			resolved = append(resolved, strings.TrimSpace(d.Text))
		}
		if !slices.ContainsFunc(inserted.FindAllString(text, -1), func(b string) bool {
			b = strings.TrimSpace(b)
			return !slices.Contains(resolved, b) && !c.isNamed(b)
		}) {
			return true
		}
	}
	return false
}

// altered checks a line that is a message but for its digits, or for a date in brackets that resolves its words differently.
func (c *checking) altered(text string) {
	line := squeezed(inserted.ReplaceAllString(text, ""))
	shape, mine := masked(line)
	if len(shape) < minAltered {
		return
	}
	for i, p := range c.said.passages {
		if p.document || !c.isSpeaker(p, text) {
			continue
		}
		whole, theirs := masked(p.squeezed)
		before, _, found := strings.Cut(whole, shape)
		if !found {
			continue
		}
		first := strings.Count(before, "#")
		for j, value := range mine {
			if value != theirs[first+j] && !strings.Contains(p.squeezed, line) && !c.isCorrected(i, value) {
				c.fault(Number, value)
			}
		}
		c.misdated(text, p)
		return
	}
}

// minAltered is the length in bytes from which a line repeats a message.
const minAltered = 12

func (c *checking) isSpeaker(p passage, text string) bool {
	return len(c.speakers) == 0 || strings.Contains(light(text), p.speaker)
}

// isCorrected reports whether a message after a passage has a number.
func (c *checking) isCorrected(at int, value string) bool {
	return slices.ContainsFunc(c.said.passages[at+1:], func(p passage) bool { _, all := masked(p.squeezed); return slices.Contains(all, value) })
}

// misdated checks the dates in brackets after words that mean one date.
func (c *checking) misdated(text string, p passage) {
	plain := inserted.ReplaceAllString(text, "")
	meant := map[int]string{}
	for _, d := range date.Insertions(plain, p.lang, p.at) {
		if !d.DayOnly {
			meant[d.Offset] = strings.TrimSpace(d.Text)
		}
	}
	removed := 0
	for _, at := range inserted.FindAllStringIndex(text, -1) {
		if want, said := strings.TrimSpace(text[at[0]:at[1]]), meant[at[0]-removed]; said != "" && said != want && !c.isNamed(want) {
			c.fault(Date, want)
		}
		removed += at[1] - at[0]
	}
}

// masked returns a squeezed text with a sign for each number, and the numbers.
func masked(text string) (shape string, values []string) {
	var b strings.Builder
	start := -1
	for i, r := range text + "\n" {
		switch isDigit := unicode.IsDigit(r); {
		case isDigit && start < 0:
			start = i
		case !isDigit && start >= 0:
			values = append(values, text[start:i])
			b.WriteByte('#')
			start = -1
			b.WriteRune(r)
		case !isDigit:
			b.WriteRune(r)
		}
	}
	return strings.TrimSuffix(b.String(), "\n"), values
}

func inOrder(text string, parts []string) bool {
	for _, part := range parts {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

// isNamed reports whether a user names a value in brackets.
func (c *checking) isNamed(value string) bool {
	value = squeezed(value)
	return value != "" && slices.ContainsFunc(c.said.passages, func(p passage) bool { return !p.document && strings.Contains(p.squeezed, value) })
}
