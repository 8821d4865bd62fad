package scan

import (
	"encoding/base64"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"reverie/language/lazyregexp"
)

// overrideRule matches one way of giving the model orders.
type overrideRule struct {
	name string
	// heads are the words that begin it, separated by "|".
	heads string
	// tail is a pattern for what follows a head. A space matches any white space, with marks of emphasis, quotation and
	// comments around it. Escapes must be in lower case, because patterns are folded.
	tail string
	// except is a pattern for continuations that make it harmless.
	except string
	// opens requires the beginning of a sentence or line: elsewhere the words are harmless.
	opens bool
	// plain skips the check for a negation before it: the head is not a verb.
	plain bool
}

// compiledRule is an overrideRule with compiled patterns.
type compiledRule struct {
	overrideRule
	tail, except *lazyregexp.Regexp
}

const (
	// overrideWindow bounds the length of an order, in bytes. The longest known one has a third of it.
	overrideWindow = 240
	// blank is the pattern for a space.
	blank = `(?:[*_~"'` + "`" + `,]{0,3}[ \n](?:[>#/|*_~"'` + "`" + `-]{1,3}[ \n]?){0,2})`
)

// overrideHeads maps heads to rules.
var overrideHeads = sync.OnceValue(func() *literals[*compiledRule] {
	heads := &literals[*compiledRule]{WordStart: true}
	for _, rules := range [][]overrideRule{englishOverrides, chineseOverrides, otherOverrides} {
		for _, r := range rules {
			compiled := &compiledRule{overrideRule: r, tail: tailPattern(r.tail)}
			if r.except != "" {
				compiled.except = tailPattern(r.except)
			}
			for head := range strings.SplitSeq(r.heads, "|") {
				heads.Add(foldLetters(head), compiled)
			}
		}
	}
	return heads
})

// tailPattern compiles a pattern of a rule. The end of a word may be the end of its emphasis.
func tailPattern(pattern string) *lazyregexp.Regexp {
	pattern = strings.NewReplacer(" ", blank, `\b`, `(?:\b|_)`).Replace(foldLetters(pattern))
	return lazyregexp.New("^(?:" + pattern + ")")
}

// overrides finds orders to the model.
func (s *scanner) overrides(f folded) {
	overridesIn(f, func(rule string, at int) {
		if !mentioned(f, at) {
			s.block(classOverride, rule, f.line(at))
		}
	})
}

// quotes are the marks that end a quotation, by the mark that begins it, on a folded text. Single ones are apostrophes as well.
var quotes = map[rune]string{'"': `"`, '「': "」", '『': "』"}

// mentioned reports whether the order at an offset begins a quotation within a sentence, such as in a report about attacks: who reads it
// is not addressed. The write gate keeps such statements out of what steers the assistant.
func mentioned(f folded, at int) bool {
	line := f.starts[f.line(at)]
	before := strings.TrimRight(leadIn.ReplaceAllString(f.text[max(line, at-longestLeadIn):at], "$1"), " ")
	mark, size := utf8.DecodeLastRuneInString(before)
	ends := quotes[mark]
	if size == 0 || ends == "" {
		return false
	}
	before = strings.TrimRight(before[:len(before)-size], sentenceMarks)
	rest, _, _ := strings.Cut(f.text[at:], "\n")
	return before != "" && !strings.HasSuffix(before, ":") && strings.ContainsAny(window(rest, 0, overrideWindow), ends)
}

// overridesIn calls found for each order in a text.
func overridesIn(f folded, found func(rule string, at int)) {
	overrideHeads().Each(f.text, func(from, to int, rule *compiledRule) {
		if !startsWord(f.text, from) {
			return
		}
		rest := window(f.text, to, overrideWindow)
		if !rule.tail.MatchString(rest) || rule.except != nil && rule.except.MatchString(rest) {
			return
		}
		if rule.opens && !opensSentence(f, from) || !rule.plain && negated(f.text[:from]) {
			return
		}
		found(rule.name, from)
	})
}

// startsWord reports whether a word begins at an offset of a folded text. Chinese and Japanese words can begin anywhere.
func startsWord(text string, at int) bool {
	first, _ := utf8.DecodeRuneInString(text[at:])
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	isMark := !unicode.IsLetter(first) && first != '['
	return isMark || isWide(first) || isWide(before) || !unicode.IsLetter(before) && !unicode.IsDigit(before)
}

// negation matches before words that are not an order because they are negated.
var negation = lazyregexp.New(`(?:` +
	`\b(?:do|does|did|must|should|shall|can|could|would|will|may|to) ?not(?: just| simply)?[ \n]|` +
	`(?:n't|\bnever|\bcannot|\bwithout|\bdont)(?: just| simply| ever)?[ \n]|` +
	foldLetters(`不要|不能|不可|不可以|不得|不应|不应该|不该|不会|请勿|切勿|勿|(?:^|[^特分级个类性识区辨告离])别|没有|没|并未|未|从不|绝不`) +
	`)$`)

// invitation matches before words that are an order despite a negation.
var invitation = lazyregexp.New(`\b(?:why|if you) (?:do not|don't|not)[ \n]$`)

// negated reports whether the end of a text negates what follows.
func negated(before string) bool {
	before = before[max(0, len(before)-40):]
	return negation.MatchString(before) && !invitation.MatchString(before)
}

// leadIn matches a word that may begin a sentence before its order.
var leadIn = lazyregexp.New(`(^|[^\pL])(?:please|now|so|ok|okay|and|then|hi|hello|hey|important|attention|note|assistant|system|` +
	`bitte|por favor|s'il te plait|` + foldLetters(`请|现在|那么|好的|好|注意`) + `)[,!:]?[ \n]?$`)

const (
	// sentenceMarks may precede a sentence: lists, quotes, emphasis, headings.
	sentenceMarks = " \n>*_#-+|`\"'([{"
	// longestLeadIn bounds the bytes before an order that are checked: marks, and a word such as "please".
	longestLeadIn = 60
)

// opensSentence reports whether a sentence or line begins at an offset, ignoring marks and a lead-in.
func opensSentence(f folded, at int) bool {
	line := f.starts[f.line(at)]
	before := leadIn.ReplaceAllString(f.text[max(line, at-longestLeadIn):at], "$1")
	before = strings.TrimRight(before, sentenceMarks)
	if before == "" {
		return at-line <= longestLeadIn
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	if strings.ContainsRune(".!?;:)]}", last) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(f.text[at:])
	return isWide(first) && last == ','
}

// shortestEncoded is the length of the shortest order in Base64, in characters.
const shortestEncoded = 24

// encoded finds orders to the model in Base64.
func (s *scanner) encoded() {
	for at := 0; at < len(s.text); {
		end := at
		for end < len(s.text) && isBase64(s.text[end]) {
			end++
		}
		if end-at >= shortestEncoded {
			if decoded, ok := decodeText(s.text[at:end]); ok {
				overridesIn(fold(decoded), func(string, int) { s.block(classOverride, "encoded", s.line(at)) })
			}
		}
		at = end + 1
	}
}

func isBase64(b byte) bool {
	return isWordByte(b) || b == '+' || b == '/' || b == '-' || b == '_'
}

// decodeText decodes Base64 in either alphabet, without padding, to printable text.
func decodeText(code string) (text string, ok bool) {
	code = strings.NewReplacer("-", "+", "_", "/").Replace(code)
	if len(code)%4 == 1 { // one character too many: an adjacent word, or no Base64
		code = code[:len(code)-1]
	}
	decoded, err := base64.RawStdEncoding.DecodeString(code)
	if err != nil || !utf8.Valid(decoded) {
		return "", false
	}
	for _, r := range string(decoded) {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return "", false
		}
	}
	return string(decoded), true
}
