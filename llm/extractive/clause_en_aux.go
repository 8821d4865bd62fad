package extractive

import "strings"

// progressiveModals are "am …ing to" forms that mean a plan.
var progressiveModals = map[string]string{
	"going": "going to", "planning": "plan to", "hoping": "hope to", "trying": "try to", "aiming": "aim to", "intending": "intend to",
	"looking": "look to", "preparing": "prepare to", "expecting": "expect to", "about": "going to", "supposed": "supposed to", "excited": "",
	"happy": "",
}

func (c *clause) readBe(ws []word, i int) {
	c.said = ws[i].bare()
	if w := ws[i].low; w == "was" || w == "were" {
		c.tense = past
	}
	c.verb = "be"
	i = c.skipAdverbs(ws, i+1)
	c.rest = ws[i:]
	if i >= len(ws) {
		return
	}
	if modal := progressiveModals[ws[i].low]; modal != "" && i+2 < len(ws) && ws[i+1].low == "to" {
		if _, base := verbForms[ws[i+2].low]; base || ws[i+2].low == "be" || adverbial(ws, i+2) {
			c.modal = modal
			c.setInfinitive(ws, i+2)
			return
		}
	}
	f, ok := verbForms[ws[i].low]
	if ok && f.form == formIng || !ok && looksIng(ws[i].low) {
		if c.tense == present {
			c.tense = progressive
		}
		if !ok {
			f.lemma = "?" + ws[i].low // "prepping": no table knows it
		}
		c.setVerb(ws, i, f)
	}
}

// looksIng distinguishes -ing forms of unknown verbs from nouns and adjectives in -ing.
func looksIng(low string) bool {
	return len(low) > 5 && strings.HasSuffix(low, "ing") && !nounsIng[low]
}

var nounsIng = set(`morning evening nothing something anything everything during wedding meeting building thing pricing shipping ceiling
	interesting amazing exciting boring annoying frustrating challenging disappointing surprising confusing outstanding missing willing
	charming pleasing tempting missing lacking housing clothing string spring darling sibling feeling
	beginning warning offering understanding overwhelming inspiring promising relaxing rewarding embarrassing stunning depressing refreshing
	fascinating convincing demanding upcoming ongoing outgoing hard-working hardworking forthcoming easygoing easy-going encouraging
	concerning worrying mind-blowing heartwarming`)

func adverbial(ws []word, i int) bool {
	_, n := adverbAt(ws, i)
	return n > 0
}

func (c *clause) readHave(ws []word, i int) {
	has := ws[i]
	i = c.skipAdverbs(ws, i+1)
	c.verb, c.said = "have", has.bare()
	if has.low == "had" {
		c.tense = past
	}
	if i >= len(ws) {
		return
	}
	c.rest = ws[i:]
	w := ws[i].low
	switch {
	case w == "to" && i+1 < len(ws):
		c.modal = "have to"
		c.setInfinitive(ws, i+1)
	case w == "got" && i+2 < len(ws) && ws[i+1].low == "to":
		c.modal = "have to"
		c.setInfinitive(ws, i+2)
	case w == "got":
		c.rest = ws[i+1:] // "I have got a cat"
	case w == "been":
		c.readBeen(ws, i+1)
	default:
		if f, ok := verbForms[w]; ok && (f.form == formParticiple || f.form == formPast) &&
			!(f.lemma == w && i+1 < len(ws) && ws[i+1].low == "of") {
			if catenatives[f.lemma] && i+2 < len(ws) && ws[i+1].low == "to" {
				c.modal = f.lemma + " to"
				c.setInfinitive(ws, i+2)
				return
			}
			c.tense = perfect
			c.setVerb(ws, i, f)
		} else if ok && f.lemma == w && participleIsBase[w] {
			c.tense = perfect
			c.setVerb(ws, i, f)
		}
	}
}

// participleIsBase lists verbs whose participle equals the base form; the table has only their base.
var participleIsBase = set(`become come run quit put set cut hit hurt read cost split let`)

// readBeen reads the words after "have been".
func (c *clause) readBeen(ws []word, i int) {
	i = c.skipAdverbs(ws, i)
	c.verb, c.said, c.tense, c.rest = "be", "been", perfect, ws[i:]
	if i < len(ws) {
		if f, ok := verbForms[ws[i].low]; ok && f.form == formIng {
			c.tense = perfectProgressive
			c.setVerb(ws, i, f)
		}
	}
}

func (c *clause) readDo(ws []word, i int) {
	did := ws[i]
	j := c.skipAdverbs(ws, i+1)
	if did.low == "did" {
		c.tense = past
	}
	if j < len(ws) && (c.negated || j == i+1) {
		if f, ok := verbForms[ws[j].low]; ok && f.lemma == ws[j].low {
			keep := c.tense
			c.readVerb(ws, j)
			c.tense = keep
			return
		}
		if c.negated && ws[j].low != "" && did.low != "did" || c.negated {
			c.verb, c.said, c.rest = "?"+ws[j].low, ws[j].bare(), ws[j+1:]
			return
		}
	}
	c.verb, c.said, c.rest = "do", did.bare(), ws[i+1:]
}

func (c *clause) readModal(ws []word, i int) {
	modal := ws[i].low
	if modal == "cannot" {
		modal, c.negated = "can", true
	}
	i = c.skipAdverbs(ws, i+1)
	c.modal = modal
	if modal == "will" {
		c.tense = future
	}
	if i >= len(ws) {
		return
	}
	if modal == "would" {
		switch ws[i].low {
		case "rather":
			c.modal, c.verb, c.said, c.rest = "would", "prefer", "rather", ws[i+1:]
			return
		case "like", "love":
			if i+2 < len(ws) && ws[i+1].low == "to" {
				c.modal = "would like to"
				c.setInfinitive(ws, i+2)
				return
			}
		}
	}
	c.setInfinitive(ws, i)
}
