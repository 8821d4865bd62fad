package sentence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/lazyregexp"
)

// Clauses returns the main clauses of a sentence that "and" joins in English, German, French, Spanish or Italian and that each have a
// subject of their own: each of them is grammatical and true without the others. They have neither the conjunction nor the mark at the
// end. A sentence for which that is not certain has none.
func Clauses(sentence string) (all []string) {
	said := strings.TrimSpace(strings.TrimRight(strings.TrimSpace(sentence), ".!。"))
	if unclear.MatchString(said) || hasWord(reflexive.ReplaceAllString(strings.ToLower(said), ""), uncertain) {
		return nil
	}
	from := 0
	for _, at := range joins.FindAllStringIndex(said, -1) {
		all = append(all, said[from:at[0]])
		from = at[1]
	}
	if all = append(all, said[from:]); len(all) < 2 { //nolint:mnd // clauses
		return nil
	}
	for i, clause := range all {
		if !isMain(clause, i == 0) {
			return nil
		}
	}
	return all
}

// WithoutClause returns a sentence without one of its Clauses; false if the rest may refer to it.
func WithoutClause(sentence, clause string) (string, bool) {
	all := Clauses(sentence)
	end := sentence[len(strings.TrimRight(sentence, " .!。")):]
	joined, cut := "", false
	for _, c := range all {
		switch {
		case c == clause && !cut:
			cut = true
			continue
		case cut && hasWord(strings.ToLower(c), referring):
			return "", false
		case joined == "":
			first, size := utf8.DecodeRuneInString(c)
			joined = string(unicode.ToUpper(first)) + c[size:]
		default:
			at := strings.LastIndex(sentence[:strings.Index(sentence, c)], " ") // of the conjunction and its space
			before := strings.TrimSpace(sentence[:at])
			joined += " " + before[strings.LastIndexByte(before, ' ')+1:] + " " + c
		}
	}
	return joined + end, cut && joined != ""
}

// Without returns a text without the removed sentences and main clauses, and reports whether there are any. A clause of a sentence is
// removed by itself if the rest holds without it (see Clauses); else the sentence does.
func Without(text string, goes func(part string) bool) (rest string, found bool) {
	rest = text
	for _, said := range Split(text) {
		shorter := said
		for _, clause := range Clauses(said) {
			if one, ok := WithoutClause(shorter, clause); ok && goes(clause) {
				shorter = one
			}
		}
		if shorter == said && goes(said) {
			shorter = ""
		}
		if shorter == said {
			continue
		}
		found = true
		before, after, _ := strings.Cut(rest, said)
		if shorter == "" {
			after = strings.TrimLeft(after, " ")
		}
		rest = before + shorter + after
	}
	return strings.TrimSpace(rest), found
}

var (
	// joins matches the conjunction between two main clauses.
	joins = lazyregexp.New(`,?\s+(?:and|und|et|y|e|ed)\s+`)
	// unclear matches marks by which it is not known where a clause ends, and a verb that is denied.
	unclear = lazyregexp.New(`["“”„«»()\[\]:;?？–—]|n['’]t\b`)
	// uncertain are words by which a clause depends on another one, or is said, asked, doubted, denied or one of a pair.
	uncertain = wordSet(`if unless when while whenever because since although though that which who whom whose where until before after than
		both either neither nor or but not never no respectively say says said think thinks thought hope wish want would could should maybe
		perhaps only will wenn falls weil dass obwohl während bevor nachdem bis sowohl weder oder aber sondern nicht kein keine keinen nie
		sage sagt sagte denke denkt dachte glaube hoffe möchte würde vielleicht nur si quand que qui parce puisque avant après soit ni ou
		mais pas jamais dis dit pense crois espère voudrais peut seulement cuando porque aunque antes después o pero nunca digo dijo pienso
		creo espero quiero quisiera quizá quizás solo sólo se quando perché prima dopo né non mai dico penso credo spero vorrei forse`)
	// reflexive matches verbs with a word that is uncertain in another language.
	reflexive = lazyregexp.New(`\b(?:se (?:llama|dedica)|si chiama)\b`)
	// subject matches a clause that begins with its subject and a verb, or in Spanish and Italian with a verb of the first person.
	subject = lazyregexp.New(`(?i)^(?:i['’]m|i['’]ve|(?:i|we) (?:am|are|was|were|have|had|live|lived|work|worked|moved|study|` +
		`studied|teach|play|own|like|love|hate|` +
		`prefer|eat|drink|drive|speak|use|need|take|run|grew|was|come|go|got)|` + ofSomebody +
		`(?:is|are|was|has|had|lives|live|works|work|likes|like|loves|plays|studies|goes|speaks|drives|eats|teaches|['’]s name is)|` +
		`ich (?:bin|war|habe|hatte|wohne|lebe|arbeite|heiße|heisse|studiere|lerne|spiele|mag|liebe|hasse|esse|trinke|fahre|spreche|komme|gehe|unterrichte)|` +
		`wir (?:sind|waren|haben|hatten|wohnen|leben|arbeiten|heißen|spielen|mögen|lieben|essen|trinken|fahren|kommen)|` +
		ofSomebodyDE + `(?:ist|sind|war|hat|heißt|heisst|wohnt|lebt|arbeitet|studiert|spielt|mag|liebt|isst|fährt|spricht|kommt|geht|unterrichtet)|` +
		`je (?:suis|vis|travaille|loge|parle|joue|mange|bois|préfère|viens|fais|m['’]appelle)|j['’](?:ai|habite|étudie|aime|enseigne|adore|étais)|` +
		`nous (?:sommes|avons|habitons|vivons|travaillons)|` + ofSomebodyFR + `(?:est|a|habite|vit|travaille|s['’]appelle|aime|joue|étudie|parle|vient)|` +
		`(?:yo )?(?:soy|estoy|vivo|trabajo|tengo|me llamo|estudio|juego|hablo|vengo|enseño)|(?:mi|mis|nuestr[oa]) \p{L}+ (?:es|está|vive|trabaja|tiene|` +
		`se llama|estudia|juega|habla)|(?:io )?(?:sono|vivo|abito|lavoro|ho|mi chiamo|studio|gioco|parlo|vengo|insegno)|(?:il mio|la mia|mi[oa]) \p{L}+ ` +
		`(?:è|vive|abita|lavora|ha|si chiama|studia|gioca|parla))\s+\S`)
	greeting = lazyregexp.New(`(?i)^(?:hi|hello|hey|hallo|hola|bonjour|salut|ciao)(?: there)?[,!]?\s+`)
	// another matches a second subject of the first person within a clause: it has a clause in it.
	another = lazyregexp.New(`(?i)\b(?:i|we|ich|wir|je|nous|yo|nosotros|io|noi)\b|\bj['’]`)
	// referring are words that may refer to a clause before.
	referring = wordSet(`it its there here this these those he she they him her them his their so too also then therefore thus else same one ones
		dort da hier es sie er ihn ihm ihr ihre ihren das dies diese davon dabei dafür daher deshalb auch dann sein seine seinen y là ici il elle
		ils elles ça cela aussi donc ensuite lui leur leurs allí allá ahí aquí eso esto él ella también así entonces lo la su sus lì qui ciò
		questo anche quindi poi ci ne suo sua`)
)

// Subjects that are persons or things of somebody.
const (
	ofSomebody   = `(?:my|our) (?:\p{L}+ ){1,2}`
	ofSomebodyDE = `(?:mein|meine|unser|unsere) (?:\p{L}+ ){1,2}`
	ofSomebodyFR = `(?:mon|ma|notre) (?:\p{L}+ ){1,2}`
)

// isMain reports whether a clause has a subject and a verb, and no other clause in it.
func isMain(clause string, first bool) bool {
	if first {
		clause = greeting.ReplaceAllString(clause, "")
	}
	return subject.MatchString(clause) && len(another.FindAllStringIndex(clause, 2)) < 2 //nolint:mnd // subjects
}

// hasWord reports whether a text in lower case has one of the words.
func hasWord(text string, words map[string]bool) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }), func(w string) bool { return words[w] })
}
