package extractive

import (
	"strings"
	"unicode"
)

// word is one token of an English sentence, with its original and its normalized form.
type word struct {
	text string // with its punctuation
	low  string // lower case, without punctuation around it and without a possessive 's
	when moment // the absolute date that the word carries, if it is one
}

// contractions are undone before anything is matched, so that rules know one form only. The replacement of a word that
// begins a sentence keeps its capital by being about "I".
var contractions = map[string]string{
	"i'm": "I am", "im": "I am", "i've": "I have", "ive": "I have", "i'll": "I will", "i'd": "I would", "id": "id", "i": "I",
	"we're": "we are", "we've": "we have", "we'll": "we will", "we'd": "we would",
	"you're": "you are", "you've": "you have", "you'll": "you will", "you'd": "you would", "youre": "you are",
	"he's": "he is", "she's": "she is", "it's": "it is", "that's": "that is", "there's": "there is", "here's": "here is",
	"he'll": "he will", "she'll": "she will", "it'll": "it will", "they'll": "they will", "that'll": "that will",
	"he'd": "he would", "she'd": "she would", "they'd": "they would", "it'd": "it would",
	"they're": "they are", "they've": "they have", "who's": "who is", "what's": "what is", "where's": "where is", "when's": "when is",
	"how's": "how is", "let's": "let us", "name's": "name is", "everyone's": "everyone is", "whos": "who is", "whats": "what is",
	"don't": "do not", "dont": "do not", "doesn't": "does not", "doesnt": "does not", "didn't": "did not", "didnt": "did not",
	"isn't": "is not", "isnt": "is not", "aren't": "are not", "arent": "are not", "wasn't": "was not", "wasnt": "was not",
	"weren't": "were not", "haven't": "have not", "havent": "have not", "hasn't": "has not", "hasnt": "has not", "hadn't": "had not",
	"can't": "cannot", "cant": "cannot", "couldn't": "could not", "won't": "will not", "wont": "will not", "wouldn't": "would not",
	"shouldn't": "should not", "mustn't": "must not", "needn't": "need not", "ain't": "is not",
	"gonna": "going to", "wanna": "want to", "gotta": "have to", "kinda": "kind of", "sorta": "sort of", "hafta": "have to",
	"cuz": "because", "cos": "because", "coz": "because", "'cause": "because", "b/c": "because", "bc": "because",
	"u": "you", "ur": "your", "pls": "please", "plz": "please", "thx": "thanks", "tho": "though", "w/": "with", "w/o": "without",
	"tmrw": "tomorrow", "tmr": "tomorrow", "tomorow": "tomorrow", "bday": "birthday", "fave": "favorite", "fav": "favorite",
	"favourite": "favorite", "favourites": "favorites", "appt": "appointment", "abt": "about", "remenber": "remember", "rember": "remember",
	"dunno": "do not know", "kiddo": "kid",
}

// isAfter lists the words after which "X's" means "X is": "the port's now 5434", "my sister's a vet".
var isAfter = set(`a an not called named now in on at from going moving coming getting the due still also`)

// englishWords splits a sentence into words with contractions undone and typographic quotes made plain.
func englishWords(s string) []word {
	s = plainQuotes.Replace(s)
	fields := strings.Fields(s)
	out := make([]word, 0, len(fields)+4)
	for i, f := range fields {
		core, tail := f, ""
		if j := strings.LastIndexFunc(f, isWordRune); j >= 0 {
			j += len(string(firstRune(f[j:])))
			core, tail = f[:j], f[j:]
		}
		lead := ""
		if j := strings.IndexFunc(core, func(r rune) bool {
			return isWordRune(r) || r == '\'' || r == '$' || r == '€' || r == '£' || r == '#' || r == '/' || r == '~' || r == '.' || r == '-' ||
				r == '+' || r == '@' || r == '`' || r == '<'
		}); j > 0 {
			lead, core = core[:j], core[j:]
		}
		low := strings.ToLower(core)
		switch full, known := contractions[low]; {
		case low == "lets" && i == 0:
			out = append(out, word{text: "Let", low: "let"}, word{text: "us", low: "us"})
		case known && !(low == "im" && core == "IM") && !(low == "id" || low == "u" && core == "U"):
			parts := strings.Fields(full)
			for k, p := range parts {
				text := p
				if k == 0 && unicode.IsUpper(firstRune(core)) && p != "I" {
					text = capitalise(p)
				}
				if k == 0 {
					text = lead + text
				}
				if k == len(parts)-1 {
					text += tail
				}
				out = append(out, word{text: text, low: strings.ToLower(p)})
			}
		case strings.HasSuffix(low, "'s") && i+1 < len(fields) && tail == "" && isIsAfter(fields[i+1]):
			out = append(out, word{text: lead + core[:len(core)-2], low: low[:len(low)-2]}, word{text: "is", low: "is"})
		case strings.HasSuffix(low, "'s") && i+1 < len(fields) && tail == "" && valued[low[:len(low)-2]] &&
			!(fields[i+1][0] >= 'a' && fields[i+1][0] <= 'z'):
			out = append(out, word{text: lead + core[:len(core)-2], low: low[:len(low)-2]}, word{text: "is", low: "is"})
		default:
			out = append(out, word{text: f, low: strings.TrimSuffix(strings.TrimFunc(low,
				func(r rune) bool { return !isWordRune(r) && !isSignRune(r) }), "'s")})
		}
	}
	return dropEmpty(out)
}

// valued lists words whose "'s" before a name or a number means "is": "my birthday's July 4th".
var valued = set(`birthday name deadline port address email number color colour favorite version city title`)

// isIsAfter looks at the word that follows "X's".
func isIsAfter(next string) bool {
	low := strings.ToLower(strings.TrimRight(next, ".,!;:"))
	return isAfter[low] || isDigits(low) || (strings.HasSuffix(low, "ing") && len(low) > 5)
}

// dropEmpty removes tokens without any letter or digit (emoticons, dashes); their closing punctuation stays with the word before.
func dropEmpty(ws []word) []word {
	out := ws[:0]
	for _, w := range ws {
		if strings.ContainsFunc(w.text, isWordRune) || w.text == "&" {
			if w.text == "&" {
				w = word{text: "and", low: "and"}
			}
			out = append(out, w)
			continue
		}
		if n := len(out); n > 0 && (w.text == "-" || w.text == "–" || w.text == "—") && !strings.HasSuffix(out[n-1].text, ",") {
			out[n-1].text += " —"
		}
	}
	return out
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isSignRune are signs that belong to a value: prices, paths, versions, addresses, C++ and C#.
func isSignRune(r rune) bool { return strings.ContainsRune("+#$€£%/~_@`", r) }

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

func capitalise(s string) string {
	for i, r := range s {
		if i == 0 {
			return string(unicode.ToUpper(r)) + s[len(string(r)):]
		}
	}
	return s
}

var plainQuotes = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "—", " — ", "–", "–", "\u00a0", " ")

// joinWords writes words as text.
func joinWords(ws []word) string {
	var b strings.Builder
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}

// lows writes words as they are compared.
func lows(ws []word) string {
	var b strings.Builder
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.low)
	}
	return b.String()
}

// endsClause reports whether punctuation closes the clause after w.
func (w word) endsClause() bool {
	return strings.HasSuffix(w.text, ",") || strings.HasSuffix(w.text, "—") || strings.HasSuffix(w.text, ";") ||
		strings.HasSuffix(w.text, ":") || strings.HasSuffix(w.text, ")")
}

// bare returns the word without surrounding punctuation.
func (w word) bare() string {
	return strings.TrimFunc(w.text, func(r rune) bool { return strings.ContainsRune(".,;:!?—…\"() ", r) })
}

// isName reports whether w looks like a proper name: a capital first and not all of it shouting.
func (w word) isName() bool {
	b := w.bare()
	r := firstRune(b)
	return unicode.IsUpper(r) && b != "I" && !isClosedClass[w.low]
}

// isClosedClass are words that a sentence may begin with in capitals without being a name.
var isClosedClass = set(`a an the my our your his her their its i we you he she it they this that these those and but or so if when while
	as at by for from in of on to with not no yes ok okay hi hello hey thanks thank please sure great good well also just now then there here
	what who where why how which is are was were am be do does did have has had can could will would should must may might let never always
	every each some any all both oh yeah yep nope lol haha btw actually sorry wait monday tuesday wednesday thursday friday saturday sunday
	january february march april may june july august september october november december one two three four five first second next last today
	tomorrow yesterday because since although though until after before besides anyway nice cool wow perfect alright right`)

// trimmed drops punctuation at the end of a clause.
func trimmed(ws []word) []word {
	if len(ws) == 0 {
		return ws
	}
	out := append([]word(nil), ws...)
	last := &out[len(out)-1]
	last.text = trimStop(last.text)
	return out
}

func lowerFirst(s string) string {
	if s == "I" || len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func lowerWords(ws []word) []word {
	if len(ws) == 0 {
		return nil
	}
	out := trimmed(ws)
	out[0].text = lowerFirst(out[0].text)
	return out
}

func splitTrim(s, sep string) []string {
	var out []string
	for p := range strings.SplitSeq(s, sep) {
		if t := strings.Join(strings.Fields(p), " "); t != "" {
			out = append(out, t)
		}
	}
	return out
}
