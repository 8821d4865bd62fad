package memory

import (
	"regexp"
	"strings"
)

// labelClass is what a label announces, which decides what a value must look like.
type labelClass int

const (
	labelPassword labelClass = iota // chosen by people: short, sometimes words
	labelKey                        // made by machines: long, letters and digits
	labelBearer                     // the header of a request
)

type label struct {
	kind  string
	class labelClass
	// whole is set for labels that are words of their own: letters before them make another word.
	whole bool
	// assigned is set for labels that mean something else unless an equals sign follows: "pass: 12 of 12".
	assigned bool
}

// labelWords are the words that announce a secret, in lower case.
var labelWords = []struct {
	words string // divided by "|"
	label
}{
	{"password|passwd|passphrase|passwort|kennwort|contraseña|contrasena|mot de passe|senha|пароль|密码|密碼|口令|パスワード|비밀번호", label{kind: "password", class: labelPassword}},
	{"pwd", label{kind: "password", class: labelPassword, whole: true}},
	{"pass", label{kind: "password", class: labelPassword, whole: true, assigned: true}},
	{"api_key|api-key|apikey|api key|密钥|密鑰|秘钥", label{kind: "api-key", class: labelKey}},
	{"access_key|access-key|accesskey|account_key|accountkey|private_key|private-key", label{kind: "api-key", class: labelKey}},
	{"auth_key|encryption_key|signing_key|master_key", label{kind: "api-key", class: labelKey}},
	{"secret", label{kind: "secret", class: labelKey, whole: true}},
	{"token", label{kind: "token", class: labelKey, whole: true}},
	{"令牌", label{kind: "token", class: labelKey}},
	{"bearer|authorization", label{kind: "token", class: labelBearer, whole: true}},
}

var labels = func() *literals[label] {
	l := &literals[label]{}
	for _, row := range labelWords {
		for word := range strings.SplitSeq(row.words, "|") {
			l.add(word, row.label)
		}
	}
	return l
}()

// strength is how surely what stands between a label and a value announces a secret.
type strength int

const (
	strengthNone   strength = iota
	strengthBare            // nothing but a space
	strengthSpoken          // a verb: "is"
	strengthColon           // a colon, or an equals sign between spaces: also what a form or a type is written with
	strengthEquals          // an equals sign without spaces, or a quoted value
)

// labelWindow is how many bytes after a label are looked at: what it is for, and the value.
const labelWindow = 320

// longValue is a value within which no further labels are looked for.
const longValue = 40

var (
	// labelRest is what a label may go on with: the rest of a name, and the end of its quotes or emphasis.
	labelRest = regexp.MustCompile(`^(?:[_-]?(?:access[_-]?)?(?:key|value|secret|token))?(?:[_-](?:prod|production|dev|test|staging|stage|live|main|old|new|local|admin|root|user|db|\d+))?["'` + "`" + `\\\])*_]{0,4}`)
	// labelObject and labelObjectRest are the words that say what a password is for.
	labelObject     = regexp.MustCompile(`^ (?:for|of|to|on|at|in|from) [\w.@'-]+`)
	labelObjectRest = regexp.MustCompile(`^ [\w.@'-]+`)

	// What stands between label and value.
	announceSign   = regexp.MustCompile(`^[ \t\x{3000}]{0,4}(?::=|=>|->|=|:|：|＝)[ \t\x{3000}]{0,4}`)
	announceVerb   = regexp.MustCompile(`^ {1,3}(?:is now|is still|is|was|ist|lautet|war|es|est|era|é)[ :]{1,3}`)
	announceChange = regexp.MustCompile(`^ {1,2}(?:to|is) {1,2}`)
	announceHan    = regexp.MustCompile(`^(?:现在|已经|已|就|被|暂时)*(?:是|为|為|改成了?|改为了?|设为了?|设成了?|设置为|换成了?|は|は、)[ ]?[:：]?[ ]?`)

	// element is what follows the name of an element that holds a value.
	element = regexp.MustCompile(`^>[^\s<]+</`)

	// What stands before a label.
	changed   = regexp.MustCompile(`\b(?:chang|set|reset|updat|switch)\w*\b[^.\n]{0,40}$`)
	possessed = regexp.MustCompile(`(?i)\b(?:my|our|his|her|their|wi-?fi|wlan|root|admin|login|\w+['’]s) (?:[\w-]+ ){0,2}$`)
)

// labelled finds the values that stand behind a label: "password: …", "my password is …", "密码是…".
func labelled(text, lower string) []secret {
	var found []secret
	examined := 0
	labels.each(lower, func(from, to int, l label) {
		if from < examined || !startsLabel(text, from, l) {
			return
		}
		before, rest := text[max(0, from-60):from], window(text, to, labelWindow)
		if strings.HasSuffix(before, placeholderOpen) || strings.HasSuffix(before, ":") && strings.HasPrefix(rest, ":") || l.assigned && !strings.HasPrefix(rest, "=") {
			return // in a placeholder, or in a name of several parts
		}
		var v value
		var ok bool
		if l.class == labelBearer {
			v, ok = bearerValue(rest)
		} else {
			v, ok = announced(before, rest, window(lower, to, labelWindow))
			if len(v.text) > longValue {
				examined = to + v.to
			}
			ok = ok && v.isSecret(l, before)
		}
		if !ok {
			return
		}
		end := to + v.to
		if v.to == len(rest) { // it goes on beyond the window
			if end = strings.IndexFunc(text[to+v.to:], endsValue); end < 0 {
				end = len(text) - to - v.to
			}
			end += to + v.to
		}
		examined = end
		found = append(found, secret{span{to + v.from, end}, l.kind})
	})
	return found
}

// startsLabel reports whether a label is not the tail of another word. A capital letter begins one in "dbPassword".
func startsLabel(text string, at int, l label) bool {
	if at == 0 || !l.whole {
		return true
	}
	before := text[at-1]
	if !isWordByte(before) {
		return true
	}
	isUpper := 'A' <= text[at] && text[at] <= 'Z'
	return isUpper && 'a' <= before && before <= 'z'
}

// announced is the value that follows a label, when something announces one: at once, or behind what it is for.
func announced(before, rest, lower string) (v value, ok bool) {
	at := len(labelRest.FindString(lower))
	places := []int{at}
	for words := labelObject.FindString(lower[at:]); words != "" && len(places) <= 4; words = labelObjectRest.FindString(lower[at:]) {
		at += len(words)
		places = append(places, at)
	}
	for _, at := range places {
		sign, how := announcement(before, rest[at:], lower[at:])
		if how == strengthNone || how == strengthBare && len(places) > 1 {
			continue
		}
		v = valueAt(rest, at+sign)
		if v.strength = how; v.quoted && how == strengthColon {
			v.strength = strengthEquals
		}
		return v, v.text != ""
	}
	return value{}, false
}

// announcement is the length and strength of what stands between a label and a value.
func announcement(before, rest, lower string) (length int, how strength) {
	if sign := announceSign.FindString(rest); sign != "" {
		if next := rest[len(sign):]; strings.HasPrefix(next, "=") || strings.HasPrefix(next, "~") {
			return 0, strengthNone // a comparison
		}
		if sign == "=" {
			return 1, strengthEquals
		}
		return len(sign), strengthColon
	}
	if verb := announceVerb.FindString(lower); verb != "" {
		return len(verb), strengthSpoken
	}
	if verb := announceHan.FindString(lower); verb != "" {
		return len(verb), strengthSpoken
	}
	if verb := announceChange.FindString(lower); verb != "" && changed.MatchString(strings.ToLower(before)) {
		return len(verb), strengthSpoken
	}
	if element.MatchString(rest) && strings.HasSuffix(before, "<") {
		return 1, strengthColon
	}
	if strings.HasPrefix(rest, " ") {
		return 1, strengthBare
	}
	return 0, strengthNone
}
