package extractive

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"reverie/language/script"
)

// terms is the comparable content of a line: Latin words without endings and synonyms, pairs of Han
// characters, without function words.
type terms struct {
	set     map[string]bool
	salient map[string]bool // those that no other line has by chance: numbers, names, addresses
	negated bool
	former  bool // says that something was so
}

// functionWords lists words without content.
var functionWords = set(`the a an is are was were be been being am to of in on at for with by and or their they them theirs his her hers
	him its it user he she that this these those as has have had do does did will would can could should must from about into up out so very
	really also who which what than then there only just more some any my your our we you i me us
	currently now still already usually mostly like-to assistant wants want around mainly both one s am pm o'clock said called`)

var negations = set(`not no never cannot without nor neither longer`)

var formerly2 = set(`used former formerly previously ex past`)

// synonyms map words to one of their group.
var synonyms = map[string]string{
	"db": "database", "prod": "production", "repo": "repository", "env": "environment", "postgresql": "postgres", "pg": "postgres",
	"k8s": "kubernetes", "golang": "go", "due": "deadline", "love": "like", "enjoy": "like", "prefer": "like", "adore": "like",
	"favor": "like", "fan": "like", "dislike": "hate", "detest": "hate", "loathe": "hate", "despise": "hate",
	"reside": "live", "based": "live", "base": "live", "relocate": "move", "locate": "live", "located": "live", "employ": "work", "mum": "mom",
	"mother": "mom", "father": "dad", "kid": "child", "children": "child",
	"apartment": "flat", "bike": "bicycle", "movie": "film", "colour": "color", "favourite": "favorite", "reply": "answer",
	"respond": "answer", "response": "answer", "replie": "answer", "url": "endpoint", "spouse": "partner", "phone": "telephone",
	"mail": "email", "e-mail": "email", "tz": "timezone", "decide": "decision", "agreed": "decision", "agree": "decision", "short": "concise",
	"brief": "concise",
}

// termsOf reads a line.
func termsOf(s string) terms {
	t := terms{set: map[string]bool{}, salient: map[string]bool{}}
	s = norm.NFKC.String(s)
	first := true
	var han []rune
	flush := func() {
		t.addHan(han)
		han = han[:0]
	}
	for len(s) > 0 {
		r := firstRune(s)
		switch {
		case script.IsHan(r):
			han = append(han, r)
			s = s[len(string(r)):]
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			flush()
			n := latinWord(s)
			t.addLatin(s[:n], first)
			first = false
			s = s[n:]
		default:
			if !unicode.IsSpace(r) {
				flush()
			}
			s = s[max(1, len(string(r))):]
		}
	}
	flush()
	return t
}

// latinWord returns the length of the word that begins s: letters and digits, and signs between them ("eu-central-1", "a@b.c").
func latinWord(s string) int {
	end := 0
	for i, r := range s {
		switch {
		case script.IsHan(r):
			return end
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			end = i + len(string(r))
		case strings.ContainsRune("-._@:/'+#%", r):
			if i != end { // two signs in a row
				return end
			}
			if i+1 < len(s) && s[i+1] == ' ' {
				return end
			}
		default:
			return end
		}
		if i > end+1 {
			return end
		}
	}
	return end
}

func (t *terms) addLatin(w string, first bool) {
	low := strings.TrimSuffix(strings.ToLower(w), "'s")
	switch {
	case negations[low] || strings.HasSuffix(low, "n't"):
		t.negated = true
		return
	case formerly2[low]:
		t.former = true
		return
	case functionWords[low]:
		return
	}
	stem := stemEN(low)
	if s, ok := synonyms[low]; ok {
		stem = s
	} else if s, ok := synonyms[stem]; ok {
		stem = s
	}
	if stem == "" || functionWords[stem] {
		return
	}
	t.set[stem] = true
	if strings.ContainsAny(low, "0123456789@/") || !first && unicode.IsUpper(firstRune(w)) {
		t.salient[stem] = true
	}
}

// stemEN removes the endings in which similar lines differ. A rough stem suffices: both sides are stemmed.
func stemEN(w string) string {
	if f, ok := verbForms[w]; ok {
		return f.lemma
	}
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes")):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

// hanFunction lists characters and words without content.
var hanFunction = strings.NewReplacer("用户", "", "我们", "", "咱们", "", "他们", "", "我", "", "他", "", "她", "", "的", "", "了", "", "是", "", "在", "",
	"也", "", "都", "", "就", "", "很", "",
	"现在", "", "目前", "", "已经", "", "一个", "", "一名", "", "一位", "", "和", "", "与", "", "为", "", "请", "", "吧", "", "呢", "", "啊", "", "助手", "", "希望",
	"", "自己", "", "以后", "", "职业", "", "名字", "名", "名叫", "名", "叫", "名", "居住", "住", "爱", "喜欢", "热爱", "喜欢", "偏好", "喜欢")

var hanNegation = []string{"不再", "从不", "从来不", "不要", "不", "没", "别", "讨厌", "戒"}

func (t *terms) addHan(han []rune) {
	if len(han) == 0 {
		return
	}
	s := string(han)
	for _, n := range hanNegation {
		if strings.Contains(s, n) {
			t.negated = true
			break
		}
	}
	if strings.Contains(s, "以前") || strings.Contains(s, "曾经") || strings.Contains(s, "原来") {
		t.former = true
	}
	rest := []rune(hanFunction.Replace(s))
	if len(rest) == 1 {
		t.set[string(rest)] = true
	}
	for i := 1; i < len(rest); i++ {
		t.set[string(rest[i-1:i+1])] = true
	}
}

// covers reports whether t contains all terms of more.
func (t terms) covers(more terms) bool {
	if len(more.set) == 0 {
		return true
	}
	if t.negated != more.negated || t.former != more.former {
		return false
	}
	missing := 0
	for w := range more.set {
		if t.set[w] {
			continue
		}
		if more.salient[w] {
			return false
		}
		missing++
	}
	if len(more.set) <= 4 {
		return missing == 0
	}
	return missing*5 <= len(more.set)
}

// equal reports whether two values have the same meaning.
func sameTerms(a, b map[string]bool) bool {
	if len(a) != len(b) {
		return false
	}
	for w := range a {
		if !b[w] {
			return false
		}
	}
	return true
}

// within reports whether all of a is in b.
func within(a, b map[string]bool) bool {
	for w := range a {
		if !b[w] {
			return false
		}
	}
	return len(a) > 0
}
