package claim

import (
	"strings"

	"reverie/language/lazyregexp"
)

// Quote is a line that quotes what somebody said: Jonas: (later: 2026-03-10) [Which city?] "Bonn, since March."
type Quote struct {
	Speaker  string // in a group
	Later    string // date of a statement that probably corrects an earlier one
	Question string // of the assistant, which the words answer
	Words    string // without quotation marks
}

// quoted matches a Quote. Marks within the words are of another kind than those around them.
var quoted = lazyregexp.New(`^\s*(?:([^"“”\[\]():：]{1,60})[:：] ?)?(?:\(later: (\d{4}-\d{2}-\d{2})\) ?)?(?:\[([^\]\n]+)\] ?)?` +
	`(?:"([^"]+)"|“(.+)”)\s*$`)

// QuoteOf parses a line without its list marker and comments; false for a line of another form.
func QuoteOf(line string) (Quote, bool) {
	m := quoted.FindStringSubmatch(line)
	if m == nil {
		return Quote{}, false
	}
	return Quote{Speaker: m[1], Later: m[2], Question: m[3], Words: m[4] + m[5]}, true
}

// String returns the line.
func (q Quote) String() string {
	out := `"` + q.Words + `"`
	if strings.Contains(q.Words, `"`) {
		out = "“" + q.Words + "”"
	}
	if q.Question != "" {
		out = "[" + q.Question + "] " + out
	}
	if q.Later != "" {
		out = "(later: " + q.Later + ") " + out
	}
	if q.Speaker != "" {
		out = q.Speaker + ": " + out
	}
	return out
}

// brackets are put around values and dates that complete the words of a quote.
var brackets = strings.NewReplacer("[", "", "]", "")

// Plain returns the content of a quote without its marks: "Jonas: Which city: Bonn, since March."
func (q Quote) Plain() string {
	out := brackets.Replace(q.Words)
	if q.Question != "" {
		out = strings.TrimRight(q.Question, "?？؟ ") + ": " + out
	}
	if q.Speaker != "" {
		out = q.Speaker + ": " + out
	}
	return out
}

// unquoted returns the content of a quote, and any other text as it is.
func unquoted(text string) string {
	if !strings.ContainsAny(text, `"“`) {
		return text
	}
	if q, ok := QuoteOf(Comment.ReplaceAllString(text, "")); ok {
		return q.Plain()
	}
	return text
}

// sentenceEnd matches the end of a sentence with its marks.
var sentenceEnd = lazyregexp.New(`[.!?…]+["”»)]*(?:\s+|$)|[。！？؟]+["”」）]*\s*`)

// asking matches the end of a question. Japanese and Chinese questions may end with a particle.
var asking = lazyregexp.New(`[?？؟][!！]*["”»」）)]*\s*$|(?:[かカ]|[吗嗎])[。]?\s*$`)

// IsQuestion reports whether all sentences of a text, or of the words that it quotes, are questions.
func IsQuestion(text string) bool {
	if q, ok := QuoteOf(text); ok {
		text = q.Words
	}
	from, asks := 0, false
	for _, at := range append(sentenceEnd.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		if strings.TrimSpace(text[from:at[1]]) == "" {
			continue
		}
		if !asking.MatchString(text[from:at[1]]) {
			return false
		}
		from, asks = at[1], true
	}
	return asks
}
