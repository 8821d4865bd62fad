package extractive

import "strings"

// subject is the subject of a clause.
type subject int

const (
	nobody     subject = iota // no subject was understood
	self                      // I
	we                        // we
	you                       // you: the assistant
	together                  // let us
	pronoun                   // he, she, they, it
	thing                     // a noun phrase: my sister, the staging DB port, Dana
	imperative                // no subject: an order
)

// tense is the tense or aspect of a clause.
type tense int

const (
	present tense = iota
	past
	perfect
	progressive
	perfectProgressive
	future
)

// clause is a parsed English clause.
type clause struct {
	subject subject
	noun    []word   // the words of the subject, for thing and pronoun
	adverbs []string // those that carry meaning: always, never, usually …
	negated bool
	ended   bool // "no longer", "not … anymore"
	tense   tense
	modal   string // "need to", "will", "would like to" …; empty when there is none
	verb    string // lemma; "be" for the copula; empty when none was understood
	said    string // the verb as it was said
	rest    []word // what follows the verb
	when    []word // a subordinate clause that limits it: "when I travel"
	fixes   bool   // begins with a word of correction: actually, no, sorry
	recent  bool   // just, recently, finally
}

// keptAdverbs lists adverbs that change the meaning of a statement; others are dropped.
var keptAdverbs = set(`always usually never often sometimes rarely seldom mostly mainly generally typically normally only regularly
	occasionally hardly frequently`)

// droppedAdverbs only colour it.
var droppedAdverbs = set(`also just really still now currently actually already recently finally both truly totally definitely absolutely
	simply honestly personally officially even then very so quite originally lately basically literally probably maybe presently temporarily
	obviously clearly genuinely strongly greatly particularly especially deeply kindly first initially eventually nowadays too usually-so once
	again ever extremely super pretty`)

// adverbAt reads an adverb at word i and returns its number of words.
func adverbAt(ws []word, i int) (adverb string, n int) {
	w := ws[i].low
	switch {
	case keptAdverbs[w]:
		return w, 1
	case droppedAdverbs[w]:
		return "", 1
	case (w == "kind" || w == "sort") && i+1 < len(ws) && ws[i+1].low == "of":
		return "", 2
	case w == "very" && i+1 < len(ws) && ws[i+1].low == "much":
		return "", 2
	}
	return "", 0
}

// skipAdverbs reads adverbs and negations from word i on.
func (c *clause) skipAdverbs(ws []word, i int) int {
	for i < len(ws) {
		switch a, n := adverbAt(ws, i); {
		case n > 0:
			if a != "" {
				c.adverbs = append(c.adverbs, a)
			}
			w := ws[i].low
			c.recent = c.recent || w == "just" || w == "recently" || w == "finally" || w == "already"
			i += n
		case ws[i].low == "not":
			c.negated = !c.negated
			i++
		case ws[i].low == "no" && i+1 < len(ws) && ws[i+1].low == "longer":
			c.negated, c.ended = true, true
			i += 2
		default:
			return i
		}
	}
	return i
}

// catenatives lists verbs that take "to" and another verb, which is then the verb of the clause.
var catenatives = set(`need want plan hope intend aim promise wish expect`)

var modals = set(`will would can cannot could should must may might shall`)

// parseClause parses a clause. For an unknown structure it returns a clause without verb, which no rule reads.
func parseClause(ws []word) clause {
	var c clause
	ws, c.fixes = withoutFillers(ws)
	ws = dateLast(ws)
	if len(ws) == 0 {
		return c
	}
	i := c.readSubject(ws)
	if i >= len(ws) {
		return c
	}
	c.readPredicate(ws, i)
	c.trimEnd()
	return c
}

func (c *clause) readSubject(ws []word) int {
	switch ws[0].low {
	case "i":
		c.subject = self
		return 1
	case "we":
		c.subject = we
		return 1
	case "you":
		c.subject = you
		return 1
	case "let":
		if len(ws) > 1 && ws[1].low == "us" {
			c.subject = together
			return 2
		}
	case "he", "she", "they", "it", "there":
		c.subject, c.noun = pronoun, ws[:1]
		return 1
	case "please", "always", "never", "do", "only":
		c.subject = imperative
		return 0
	}
	if f, ok := verbForms[ws[0].low]; ok && f.form == formBase && (len(ws) == 1 || !isBe[ws[1].low]) && !isCompound(ws) {
		c.subject = imperative
		return 0
	}
	v := findVerb(ws)
	if v == 0 {
		return len(ws)
	}
	c.subject, c.noun = thing, ws[:v]
	return v
}

var isBe = set(`am is are was were`)

var auxiliaries = set(`am is are was were has have had will would can cannot could should must does did may might do`)

var determiners = set(`my our the his her their a an your this that these those its some any every each no another`)

const maxSubjectWords = 9

// findVerb finds the finite verb after a noun phrase, 0 when there is none near.
func findVerb(ws []word) int {
	for k := 1; k < len(ws) && k <= maxSubjectWords; k++ {
		if ws[k-1].endsClause() && !(ws[k-1].isName() || isNameOrAge(ws[k])) {
			return 0
		}
		w := ws[k].low
		switch {
		case auxiliaries[w]:
			return k
		case determiners[ws[k-1].low]:
			continue
		}
		if w == "not" || w == "never" || w == "always" || w == "also" || w == "just" {
			continue
		}
		f, ok := verbForms[w]
		if !ok || f.form == formIng {
			continue
		}
		nextAux := k+1 < len(ws) && auxiliaries[ws[k+1].low] || k+2 < len(ws) && auxiliaries[ws[k+2].low] && f.form != formThird
		switch f.form {
		case formThird, formPast:
			if !nextAux && !prepositions[ws[k-1].low] {
				return k
			}
		case formBase:
			if participleIsBase[w] && !nextAux && !prepositions[ws[k-1].low] && w != "become" && w != "come" && w != "run" {
				return k // "my grandson set up this tablet"
			}
			if isPlural(ws[k-1].low) && !nextAux && !prepositions[ws[k-1].low] {
				return k
			}
		}
	}
	return 0
}

// isCompound reports whether a verb form at the beginning is the first half of a noun: "Code freeze starts on …".
func isCompound(ws []word) bool {
	if len(ws) < 4 || !eventNouns[ws[1].low] && !factNouns[ws[1].low] {
		return false
	}
	f := verbForms[ws[2].low]
	return f.form == formThird || isBe[ws[2].low] || ws[2].low == "has"
}

func isNameOrAge(w word) bool {
	return w.isName() || isDigits(w.low) || w.low == "who" || w.low == "aged"
}

var prepositions = set(`in on at to for of with by from about as into near under over between during without against after before until
	since than like via per`)

func isPlural(w string) bool {
	return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && len(w) > 3 || w == "children" ||
		w == "people" || w == "folks" || w == "i"
}

// readPredicate reads tense, modality, negation and verb from word i on.
func (c *clause) readPredicate(ws []word, i int) {
	i = c.skipAdverbs(ws, i)
	if c.subject == imperative && i < len(ws) && ws[i].low == "please" {
		i = c.skipAdverbs(ws, i+1)
	}
	if i >= len(ws) {
		return
	}
	w := ws[i].low
	switch {
	case isBe[w]:
		c.readBe(ws, i)
	case w == "have" || w == "has" || w == "had":
		c.readHave(ws, i)
	case w == "do" || w == "does" || w == "did":
		c.readDo(ws, i)
	case modals[w]:
		c.readModal(ws, i)
	case w == "used" && i+2 < len(ws) && ws[i+1].low == "to":
		c.modal = "used to"
		c.setInfinitive(ws, i+2)
	default:
		c.readVerb(ws, i)
	}
}

func (c *clause) readVerb(ws []word, i int) {
	f, ok := verbForms[ws[i].low]
	if !ok {
		c.verb, c.said, c.rest = "?"+ws[i].low, ws[i].bare(), ws[i+1:] // a verb that no table knows; habits may use it
		if strings.HasSuffix(ws[i].low, "ed") && len(ws[i].low) > 4 {
			c.tense = past
		}
		return
	}
	if f.form == formPast && !(f.lemma == ws[i].low) || f.lemma == "quit" && c.subject == self {
		c.tense = past
	}
	if catenatives[f.lemma] && i+2 < len(ws) && ws[i+1].low == "to" {
		c.modal = f.lemma + " to"
		c.setInfinitive(ws, i+2)
		return
	}
	c.setVerb(ws, i, f)
}

func (c *clause) setVerb(ws []word, i int, f verbForm) {
	c.verb, c.said, c.rest = f.lemma, ws[i].bare(), ws[i+1:]
	if ws[i].endsClause() {
		c.rest = nil
	}
}

// setInfinitive reads the verb after "to" or a modal.
func (c *clause) setInfinitive(ws []word, i int) {
	i = c.skipAdverbs(ws, i)
	if i >= len(ws) {
		return
	}
	w := ws[i].low
	switch f, ok := verbForms[w]; {
	case w == "be":
		c.verb, c.said, c.rest = "be", "be", ws[i+1:]
	case ok && f.form == formBase || ok && f.lemma == w:
		c.verb, c.said, c.rest = f.lemma, ws[i].bare(), ws[i+1:]
	default:
		c.verb, c.said, c.rest = "?"+w, ws[i].bare(), ws[i+1:]
	}
}
