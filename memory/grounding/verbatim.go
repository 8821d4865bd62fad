package grounding

import (
	"slices"
	"strings"

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
