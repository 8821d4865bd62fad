package wire

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/script"
)

const redacted = "[secret]"

// secrets match credentials in a provider's error: API keys, masked or whole, and passwords in URLs.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bbearer\s+[\w.~+/=*-]{6,}`),
	regexp.MustCompile(`\b(?:sk|rk|gsk|xai|hf|r8|pplx|nvapi|csk|fw|rv)[-_][\w*.…-]{6,}`),
	regexp.MustCompile(`\bAIza[\w*-]{10,}`),
	regexp.MustCompile(`\b(?:AKIA|ASIA|ABSK)[\w*+/=]{12,}`),
	regexp.MustCompile(`(?i)(\b(?:api[-_ ]?key|secret|password|access[-_ ]?token|token)(?: provided)?["']?\s*[:=]\s*["']?)[^\s"',;]{6,}`),
	regexp.MustCompile(`://[^/\s@]+@`),
}

// maxRaw bounds the text that is redacted, in bytes; the rest is dropped.
const maxRaw = 2000

// tidy makes a provider's error safe to log: without keys and text of the request, on one line, and of at most MaxMessage
// characters.
func tidy(s, key string, said []string) string {
	s = withoutKey(s, key)
	s = withoutShapes(strings.ToValidUTF8(s[:min(len(s), maxRaw)], ""))
	s = withoutWords(withoutWhole(withoutEcho(s, said), said), said)
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	return Cut(withoutShapes(withoutKey(s, key))) // removing something may have joined the halves of another
}

// withoutShapes redacts what looks like a secret.
func withoutShapes(s string) string {
	for _, shape := range secrets {
		s = shape.ReplaceAllString(s, "${1}"+redacted)
	}
	return s
}

// withoutKey redacts the key. It must run before s is cut: half a key would not be found.
func withoutKey(s, key string) string {
	if key == "" {
		return s
	}
	return strings.ReplaceAll(s, key, redacted)
}

// Cut shortens s to MaxMessage characters.
func Cut(s string) string {
	if utf8.RuneCountInString(s) <= MaxMessage {
		return s
	}
	runes := []rune(s)
	return string(runes[:MaxMessage-1]) + "…"
}

// echoBytes is the length from which text shared with the request counts as an echo of it. Some providers repeat an invalid
// request in their error, and a request holds somebody's memory. Shorter runs occur in any two texts.
const echoBytes = 24

// withoutEcho redacts what s repeats of the texts.
func withoutEcho(s string, texts []string) string {
	s = s[:min(len(s), maxRaw)]
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := echo(s[i:], texts); n > 0 {
			b.WriteString("[…]")
			i += n
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		b.WriteString(s[i : i+size])
		i += size
	}
	return b.String()
}

// wholeBytes is the minimum length of a text that is redacted as a whole: a question may be that short, while shorter texts
// occur inside many words.
const wholeBytes = 4

// withoutWhole redacts the texts that are too short for withoutEcho.
func withoutWhole(s string, texts []string) string {
	for _, text := range texts {
		if text = strings.TrimSpace(text); len(text) >= wholeBytes && len(text) < echoBytes {
			s = strings.ReplaceAll(s, text, "[…]")
		}
	}
	return s
}

// usual are words of providers' errors, which say what is wrong. They occur in requests as well and stay.
var usual = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`
a about above access account active after again all allow allowed already an and any api are argument arguments array as at authentication
authorization available bad balance base be because been before billing blocked body boolean but by call calls can cannot capacity change characters
check choose code completion completions complete connect connection content context count create credentials credit credits current currently data
deadline declined denied deployment deprecated details did dial different dimensions disabled do docs does doesn't domain down due each either
embedding embeddings empty enabled encountered endpoint engine enough error errors exceed exceeded exceeds exist existing expected expired failed
failure feature field file filter filtered finish for forbidden format found free from function functions gateway get given got has have header
headers higher host hour http https id if image in include incorrect input instead insufficient integer internal invalid is it item items its json key
keys large last later length less limit limits limited list load longer low lower made many max maximum may message messages method min minimum minute
missing model models more must name new no not null number object of on one only openai anthropic azure google mistral ollama operation option or org
organization other output overloaded parameter parameters parse payment per permission permissions plan please policy position possible project prompt
property provide provided provider quota range rate reach reached read reason reduce refused region rejected request requested requests require
required requires reset resource response result resulted retry role running schema seconds see server service set setting should size start status
stop stream streaming string such support supported supports system temperature text than that the their then there these this time timed timeout to
token tokens too tool tools tpm rpm try type unable unauthorized unavailable unexpected unknown unprocessable unrecognized unsupported until up
upgrade url usage use used user using valid validation value values version via wait was we were when which while will with within without would wrong
you you've your yours tcp eof reset peer closed certificate tls max_tokens max_completion_tokens`) {
		set[w] = true
	}
	return set
}()

// aWord matches a word, an identifier or a number.
var aWord = regexp.MustCompile(`[\pL\pM\pN]+(?:[_'’-]+[\pL\pM\pN]+)*`)

// Lengths of words in characters: shorter ones reveal nothing, and longer ones count also as a part of a word, since an echo may be cut.
const (
	shortWord = 3
	longWord  = 5
)

// withoutWords redacts the words that s and the texts have in common, other than usual ones: one word may say enough of somebody.
func withoutWords(s string, texts []string) string {
	if len(texts) == 0 {
		return s
	}
	said := strings.ToLower(strings.Join(texts, "\n"))
	words := map[string]bool{}
	for _, w := range aWord.FindAllString(said, -1) {
		words[w] = true
	}
	s = aWord.ReplaceAllStringFunc(s, func(found string) string {
		w := strings.ToLower(found)
		runes := []rune(w)
		bare := strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		switch {
		case usual[w] || usual[bare]:
		case strings.ContainsFunc(w, script.IsUnspaced):
			for i := range len(runes) - 1 {
				if strings.Contains(said, string(runes[i:i+2])) {
					return "[…]"
				}
			}
		case len(runes) < shortWord:
		case words[w] || words[bare] || len(runes) >= longWord && strings.Contains(said, bare):
			return "[…]"
		}
		return found
	})
	return echoes.ReplaceAllString(s, "[…]")
}

// echoes match redacted words next to each other.
var echoes = regexp.MustCompile(`\[…\](?:\s*\[…\])+`)

// echo returns the length of the longest prefix of s that one of the texts contains; 0 if it is shorter than an echo.
func echo(s string, texts []string) int {
	if len(s) < echoBytes {
		return 0
	}
	longest := 0
	for _, text := range texts {
		n := echoBytes
		at := strings.Index(text, s[:n])
		if at < 0 {
			continue
		}
		for n < len(s) && at+n < len(text) && s[n] == text[at+n] {
			n++
		}
		longest = max(longest, n)
	}
	for longest > 0 && longest < len(s) && !utf8.RuneStart(s[longest]) {
		longest--
	}
	return longest
}

// Tidy redacts a provider's text, such as the name of a model, as errors are.
func Tidy(s string, c *Call) string { return tidy(s, c.Key, c.Said) }
