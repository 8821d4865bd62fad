package claim

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/language/sentence"
)

// subjectKey returns whom a statement is about, as far as its words name them: User, a relative or acquaintance of somebody, or "" if that
// is not certain.
func subjectKey(text string) string {
	if script.HasHan(text) {
		if m := relativeZH.FindStringSubmatch(text); m != nil {
			if strings.Contains(text[len(m[0]):], "我") {
				return ""
			}
			return m[1]
		}
		if strings.Contains(text, "我") && !anyRelativeZH.MatchString(text) {
			return User
		}
		return ""
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	names := slices.ContainsFunc(words, func(w string) bool { return relatives()[w] })
	speaks := slices.ContainsFunc(words, func(w string) bool { return speaking[w] })
	switch {
	case speaks && !names:
		return User
	case speaks || !names:
		return ""
	}
	return relativeOf(words)
}

// relativeOf returns the persons with whom a statement begins: "my older brother", "Brother", "my brother's wife".
func relativeOf(words []string) string {
	var found []string
	if owning[words[0]] {
		words = words[1:]
	}
	for i, w := range words {
		switch {
		case relatives()[w]:
			if found = append(found, w); i+1 == len(words) || words[i+1] != "s" {
				slices.Sort(found)
				return strings.Join(found, " ")
			}
		case w == "s" || i < maxAdjectives && len(found) == 0 && i+1 < len(words) && relatives()[words[i+1]]:
		default:
			return ""
		}
	}
	return ""
}

// maxAdjectives is the number of words between "my" and the person.
const maxAdjectives = 1

var (
	// speaking are words for the user as somebody who does or has something.
	speaking = wordSet(`i me we us myself ourselves user ich mich mir wir uns nutzer nutzerin benutzer yo nosotros nosotras conmigo me nos je j moi nous io noi`)
	owning   = wordSet(`my our his her their the mein meine meiner unser unsere sein seine ihr ihre der die mi mis nuestro nuestra su sus mon ma mes notre
		nos son sa ses leur il la mio mia nostro nostra el le`)
	// relatives are words for relatives and acquaintances.
	relatives = sync.OnceValue(func() map[string]bool {
		all := wordSet(`mother mom mum father dad parents child kid son daughter brother sister wife husband partner spouse boyfriend girlfriend fiancé
			fiancée grandmother grandfather grandma grandpa granny uncle aunt cousin niece nephew friend boss manager colleague coworker neighbour
			neighbor roommate flatmate teammate mutter mama vater papa eltern kind sohn tochter bruder schwester frau mann ehefrau ehemann partnerin
			freund freundin verlobter verlobte oma opa großmutter großvater onkel tante cousine nichte neffe chef chefin kollege kollegin nachbar
			nachbarin mitbewohner mitbewohnerin madre mamá padre papá hijo hija hermano hermana mujer esposa marido esposo novio novia abuela abuelo tío
			tía primo prima sobrino sobrina amigo amiga jefe jefa compañero compañera vecino vecina mère maman père fils fille frère sœur soeur femme
			mari copain copine fiancé fiancée mémé oncle tante neveu nièce ami amie patron patronne collègue voisin voisine colocataire figlio figlia
			fratello sorella moglie marito nonna nonno zio zia cugino cugina amico amica capo collega vicino vicina`)
		for w := range persons { // words for people in English, see Meaning
			if w[0] != '=' {
				all[w] = true
			}
		}
		return all
	})
	relativeZH = lazyregexp.New(`^(?:用户|我|他|她)?(?:们)?(?:家)?的?(哥哥|弟弟|姐姐|妹妹|妈妈|爸爸|母亲|父亲|妻子|老婆|太太|丈夫|老公|儿子|女儿|孩子|奶奶|爷爷|外婆|外公|叔叔|` +
		`阿姨|姑姑|舅舅|表哥|表弟|表姐|表妹|堂哥|堂弟|朋友|男朋友|女朋友|同事|老板|邻居|室友)`)
	anyRelativeZH = lazyregexp.New(`哥哥|弟弟|姐姐|妹妹|妈妈|爸爸|母亲|父亲|妻子|老婆|太太|丈夫|老公|儿子|女儿|孩子|奶奶|爷爷|外婆|外公|叔叔|阿姨|姑姑|舅舅|表哥|表弟|表姐|表妹|堂哥|堂弟|朋友|` +
		`同事|老板|邻居|室友`)
)

// differ reports whether two subjects are known and not the same.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// clausesBySubject returns the clauses of a text with their subjects.
func clausesBySubject(text string) (all []subjectClause) {
	for _, said := range sentence.Split(unquoted(text)) {
		parts := sentence.Clauses(said)
		if parts == nil {
			parts = []string{said}
		}
		for _, part := range parts {
			all = append(all, subjectClause{part, subjectKey(part)})
		}
	}
	return all
}

type subjectClause struct{ text, subject string }

// maxSaid is the number of words that name a subject, at most.
const maxSaid = 6

// SubjectIn returns the words by which a text names the subject of the claim ("the remembered reviews"), or the subject itself if the text
// names it elsewhere, in Chinese, or not at all.
func (c Claim) SubjectIn(text string) string {
	subject := c.Subject
	if subject == "" || subject == User || script.HasHan(text) {
		return subject
	}
	missing := map[string]bool{}
	for stem := range strings.FieldsSeq(subject) {
		missing[stem] = true
	}
	words, first := strings.Fields(marks.Replace(text)), -1
	for i, w := range words {
		stem := subjectOf(nounKey(w))
		if stem == User || !missing[stem] {
			continue
		}
		delete(missing, stem)
		if first < 0 {
			first = i
		}
		if len(missing) == 0 && i-first < maxSaid {
			return strings.Trim(strings.Join(words[first:i+1], " "), ` ,.;:!?"'`)
		}
	}
	return subject
}
