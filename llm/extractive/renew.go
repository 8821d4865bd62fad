package extractive

import (
	"strings"
	"unicode"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
	"reverie/language/stance"
)

// pause matches what separates a request to forget from what holds instead.
var pause = lazyregexp.New(`\s*[,;，；،؛]\s*|\s+[–—-]+\s+`)

// newsAfter returns where the request of a sentence to forget something ends, and where it continues with what holds instead; 0: it does
// not, or only gives a reason ("that's off").
func newsAfter(text string, marks cue.Marks) (from, to int) {
	const reason cue.Set = 1<<cue.Not | 1<<cue.Over | 1<<cue.Forget | 1<<cue.Ask | 1<<cue.Doubt | 1<<cue.If | 1<<cue.Would | 1<<cue.Suppose
	asked := -1 // where the request ends
	for _, m := range marks {
		if m.Kind == cue.Forget && !strings.ContainsFunc(text[:m.Start], unicode.IsLetter) {
			asked = max(asked, m.End)
		}
	}
	if asked < 0 {
		return 0, 0
	}
	at := pause.FindStringIndex(text[asked:])
	if at == nil || at[0] == 0 || asked+at[1] >= len(text) {
		return 0, 0
	}
	from, to = asked+at[0], asked+at[1]
	rest := marks.Within(to, len(text))
	set := rest.Set()
	moved := set.Any(cue.Correct, cue.Change) && set.Any(cue.Time, cue.Number)
	own := len(rest) > 0 && rest[0].Kind == cue.Self && rest[0].Start == to && !set.Has(cue.Lean) && namesIn("x "+text[to:]) > 0
	if set&reason != 0 || !moved && !own || isFragment(text[to:]) {
		return 0, 0
	}
	return from, to
}

// newsApart divides sentences that ask to forget something and go on with a statement about the speaker. One that says what became of it
// ("it was moved to Thursday") stays whole: it means nothing alone.
func newsApart(sentences []stance.Sentence) []stance.Sentence {
	out := make([]stance.Sentence, 0, len(sentences))
	for _, s := range sentences {
		if s.Stance == stance.Own && s.Marks.Set().Has(cue.Forget) {
			if from, to := newsAfter(s.Text, s.Marks); from > 0 && !s.Marks.Within(to, len(s.Text)).Set().Has(cue.Lean) {
				out = append(out, within(&s, 0, from, stance.Own), within(&s, to, len(s.Text), stance.Own))
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// renews reports whether unit i says what holds instead of something that its sentence asks to forget.
func (c *conversation) renews(i int) bool {
	u := &c.units[i]
	if u.set.Has(cue.Forget) {
		from, _ := newsAfter(u.text, u.marks)
		return from > 0
	}
	if i == 0 || c.units[i-1].seq != u.seq || !c.units[i-1].set.Has(cue.Forget) || c.units[i-1].end >= u.start {
		return false
	}
	between := u.source[c.units[i-1].end:u.start]
	return strings.TrimSpace(between) != "" && pause.FindString(between) == between
}
