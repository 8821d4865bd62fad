package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
	"reverie/language/stance"
)

// statementsApart divides sentences that state something about the speaker and then ask: "I'm allergic to hazelnuts, do you have a
// recipe?" What is stated is not part of the question.
func statementsApart(sentences []stance.Sentence) []stance.Sentence {
	out := make([]stance.Sentence, 0, len(sentences))
	for _, s := range sentences {
		if s.Stance == stance.Question {
			if from, to := askedFrom(&s); from > 0 {
				out = append(out, within(&s, 0, from, stance.Own), within(&s, to, len(s.Text), stance.Question))
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// within returns a part of a sentence.
func within(s *stance.Sentence, from, to int, meant stance.Stance) stance.Sentence {
	part := *s
	part.Text, part.Start, part.End, part.Stance, part.Quotes = s.Text[from:to], s.Start+from, s.Start+to, meant, nil
	part.Marks = s.Marks.Within(from, to)
	for i := range part.Marks {
		part.Marks[i].Start, part.Marks[i].End = part.Marks[i].Start-from, part.Marks[i].End-from
	}
	return part
}

// boundary matches what may separate a statement from a question after it.
var boundary = lazyregexp.New(`\s*[,;][\s¿]+|\s*[,;，、；،؛]\s*|\s+[–—-]+\s+|\s+(?i:and|und|y|et|e|и|và)\s+`)

// askedFrom returns where the statement of a sentence ends and where its question begins; 0: it has no statement of its own. Both must be
// certain: the speaker may ask whether the first part is true.
func askedFrom(s *stance.Sentence) (from, to int) {
	end := strings.TrimRightFunc(s.Text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`!！"”»)）`, r) || !unicode.IsPrint(r)
	})
	last, _ := utf8.DecodeLastRuneInString(end)
	long := utf8.RuneCountInString(s.Text) > longSentence // each boundary is read to the end
	if long || !strings.ContainsRune("?？؟", last) || len(s.Quotes) > 0 {
		return 0, 0
	}
	for _, at := range slices.Backward(boundary.FindAllStringIndex(s.Text, -1)) {
		if at[0] > 0 && at[1] < len(end) && asksBehind(s, at[1], s.Text[at[0]:at[1]]) && isStatement(s, at[0]) {
			return at[0], at[1]
		}
	}
	return 0, 0
}

// unspaced are the languages that show by the end of a sentence that it asks.
var unspaced = []string{"zh", "ja", "ko"}

// confirmation matches a question whether the text before it is true, and one that continues with another possibility.
var confirmation = lazyregexp.New(`^(?i:or|oder|ou|o|u|или|أم|أو|hay)(?:[ ,?]|$)|^(?:还是|還是|または|それとも|아니면|혹은)` +
	`|(?i:\b(?:right|correct|true|sure|richtig|stimmt|wahr|verdad|cierto|correcto|vrai|juste|exact|n['’]est-ce pas|certo|verdade|correto` +
	`|vero|giusto)\b)` +
	`|правда|верно|так ли|не так|صحيح|أليس|đúng|phải không|[对對是]吗|[对對是]嗎|是不是|对不对|對不對|没错|沒錯|吧|ですよね|でしょう|だよね|正しい|合って|맞[지죠나아]|그[렇]?[지죠]` +
	`|^(?i:(?:is|are|am|was|were|do|does|did|have|has|had|can|could|will|would|should)(?:n['’]t| not)? (?:i|it|that|this|he|she|we` +
	`|they)(?: not)?)\W*$` +
	`|^(?i:(?:is|are|am|was|were|do|does|did|have|has|had|ai|ca|wo)n['’]t )`)

// asksBehind reports whether the rest of a sentence from an offset is a complete question.
func asksBehind(s *stance.Sentence, at int, mark string) bool {
	rest := s.Text[at:]
	if confirmation.MatchString(rest) {
		return false
	}
	set := s.Marks.Within(at, len(s.Text)).Set()
	if slices.Contains(unspaced, s.Lang) {
		return utf8.RuneCountInString(rest) > fragmentWords+1
	}
	if len(strings.Fields(rest)) < fragmentWords {
		return false
	}
	if strings.ContainsFunc(mark, unicode.IsLetter) { // "and" more often continues the question
		opening, _, _ := strings.Cut(rest, " ")
		return s.Marks.Within(at, at+len(opening)).Set().Has(cue.Ask) || slices.ContainsFunc(s.Marks, func(m cue.Mark) bool {
			return m.Start == at && (m.Kind == cue.Ask || m.Kind == cue.Request)
		})
	}
	return set.Any(cue.Ask, cue.You, cue.Request) || strings.Contains(mark, "¿") || inverted.MatchString(rest)
}

// inverted matches an English question about somebody else.
var inverted = lazyregexp.New(`^(?i:(?:so |and |but )?(?:is|are|can|could|should|will|would|may|must|do|does|did|has|have) (?:he|she` +
	`|they|it|we|there|anyone|someone|anybody|somebody) )`)

// matter matches the announcement of a question: it is not a fact that somebody has one.
var matter = lazyregexp.New(`(?i)\bquestions?\b|\bfragen?\b|\bpreguntas?\b|\bdudas?\b|\bpergunta|\bdúvida|\bdomand[ae]\b|вопрос|سؤال` +
	`|问题|問題|質問|질문|câu hỏi`)

// asksItself matches the form of a question in languages in which the verb or the end of a clause shows it.
var asksItself = lazyregexp.New(`(?i:^(?:\p{L}+, )?(?:\p{L}+ (?:ich|wir)|(?:am|are|was|were|have|had|has|is|do|does|did|can|could|will` +
	`|would|should|shall) (?:i|we|my|our))\b)|[¿?？؟]|(?i:-je\b)|[吗嗎么呢か]$|是不是|有没有|有沒有|会不会|會不會|能不能|可不可以|(?i:\sli\s|\sли\s)|(?i:\s(?:không` +
	`|chưa)$)|[나까]요?$`)

// goesOn matches how a Korean or a Japanese clause ends that says something; the rest of a list ends otherwise.
var goesOn = lazyregexp.New(`(?:데|데요|고|지만|니까|어서|아서|라서|해서|요|다|든요)$|(?:が|けど|けれど|けれども|ので|から|て|で|し|す|た|だ|る|い)$`)

// isStatement reports whether a sentence up to an offset states something about the speaker, without any reserve.
func isStatement(s *stance.Sentence, end int) bool {
	const reserved cue.Set = 1<<cue.Ask | 1<<cue.Doubt | 1<<cue.Suppose | 1<<cue.If | 1<<cue.Would | 1<<cue.Irony | 1<<cue.Fiction | 1<<cue.Paste |
		1<<cue.You | 1<<cue.Text | 1<<cue.Game | 1<<cue.Scene | 1<<cue.Request | 1<<cue.Forget | 1<<cue.Correct | 1<<cue.Once
	text := s.Text[:end]
	marks := s.Marks.Within(0, end)
	set := marks.Set()
	if set&reserved != 0 || set&contentCues == 0 || asksItself.MatchString(text) || matter.MatchString(text) || isFragment(text) {
		return false
	}
	if (s.Lang == "ja" || s.Lang == "ko") && !goesOn.MatchString(text) {
		return false
	}
	at := 0 // of the first word that is not a filler
	for _, m := range marks {
		if m.Kind == cue.Filler || m.Kind == cue.Chat {
			if !strings.ContainsFunc(text[at:max(at, m.Start)], unicode.IsLetter) {
				at = max(at, m.End)
			}
		}
	}
	opens := func(m cue.Mark) bool {
		return m.End > at && !strings.ContainsFunc(text[at:max(at, m.Start)], unicode.IsLetter)
	}
	return slices.ContainsFunc(marks, func(m cue.Mark) bool {
		return m.Kind == cue.Self && (opens(m) || slices.ContainsFunc(marks, func(o cue.Mark) bool { // "у меня"
			return o.Start <= m.Start && o.End >= m.End && opens(o)
		}))
	})
}
