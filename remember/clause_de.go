package remember

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/lazyregexp"
)

// German puts the verb of a clause with "dass" at the end, and that of a main clause after the subject: "dass ich in Bremen
// wohne" is kept as "ich wohne in Bremen". Only simple clauses with a known subject and verb are reordered; all others are
// kept unchanged.
var (
	subordinateDE = lazyregexp.New(`(?i)dass\s+$`)
	pronounDE     = lazyregexp.New(`^(?i:ich|du|er|sie|es|wir|man)$`)
	articleDE     = lazyregexp.New(`^(?i:(?:d(?:er|ie|as)|(?:m|d|s|k)?eine?|ihre?|unse?re?|unser|eu(?:er|re)|diese[rs]?|` +
		`jede[rs]?|alle))$`)
	goesOnDE = lazyregexp.New(`^(?:und|oder|von|vom|des|der|(?:m|d|s|k)?eine[rs]|ihre[rs]|unsere[rs])$`)
	finiteDE = lazyregexp.New(`^(?:bin|bist|ist|sind|war|waren|habe|hast|hat|haben|hatte|hatten|werde|wird|werden|muss|` +
		`musst|müssen|darf|dürfen|kann|können|will|wollen|soll|sollen|mag|mögen|möchte|heiße|heißt|heißen|wohne|wohnt|wohnen|lebe|` +
		`lebt|leben|arbeite|arbeitet|arbeiten|liebe|liebt|hasse|hasst|bevorzuge|bevorzugt|trinke|trinkt|trinken|esse|isst|essen|` +
		`spreche|spricht|sprechen|nutze|nutzt|nutzen|verwende|verwendet|verwenden|lautet|komme|kommt|kommen|fahre|fährt|fahren|gehe|` +
		`geht|gehen|gehört|gehören|beginnt|endet|kostet|kosten|bedeutet|vertrage|verträgt|steht|stehen|liegt|liegen|läuft|laufen|` +
		`hängt|hängen|sitzt|sitzen|brauche|braucht|brauchen|spiele|spielt|spielen|studiere|studiert)$`)
)

// mainClauseDE turns a subordinate clause into a sentence.
func mainClauseDE(link, kept string) string {
	said := strings.TrimRight(kept, " .!")
	words := strings.Fields(said)
	last := len(words) - 1
	if last < 2 || !subordinateDE.MatchString(link) || strings.ContainsAny(said, ".,;:!\n\"„“»«()") || !finiteDE.MatchString(words[last]) {
		return kept
	}
	subject := subjectDE(words[:last])
	if subject == 0 || subject == last || goesOnDE.MatchString(words[subject]) {
		return kept
	}
	for _, word := range words[subject:last] {
		if finiteDE.MatchString(word) && !strings.HasSuffix(word, "en") { // the verb is in its place already
			return kept
		}
	}
	ordered := append(append(append([]string{}, words[:subject]...), words[last]), words[subject:last]...)
	return strings.Join(ordered, " ") + kept[len(said):]
}

// subjectDE returns the number of words at the beginning of a clause that form its subject; 0 when it is not clear.
func subjectDE(words []string) int {
	switch first := words[0]; {
	case pronounDE.MatchString(first):
		return 1
	case articleDE.MatchString(first):
		for i, word := range words[1:] {
			if isCapitalised(word) {
				return i + 2
			}
		}
	case isCapitalised(first):
		n := 1
		for n < len(words) && isCapitalised(words[n]) {
			n++
		}
		if n == len(words) && n == 2 { // "Bruno Vegetarier ist"
			n = 1
		}
		return n
	}
	return 0
}

func isCapitalised(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}
