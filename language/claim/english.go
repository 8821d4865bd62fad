package claim

import (
	"strings"

	"reverie/language/lazyregexp"
)

var (
	// cueEN matches words for a change, or for an error in an earlier statement.
	cueEN = lazyregexp.New(`(?i)\b(?:actually|in fact|correction|to correct|i was wrong|as it turns out|turns out|now|` +
		`nowadays|these days|from now on|instead|since recently|as of (?:now|today)|has changed|have changed|new)\b:?`)
	// endEN matches words for the end of something.
	endEN = lazyregexp.New(`(?i)\b(?:no longer|not any ?more|not any longer|any ?more|any longer|stopped|quit|gave up|` +
		`has given up|given up|cancell?ed|called off|used to|previously|formerly|until recently|ended)\b`)
	// negationEN matches negations.
	negationEN = lazyregexp.New(`(?i)\b(?:not|never|cannot|(?:do|does|did|is|are|was|were|ca|wo|has|have|had|would|` +
		`should|could)n't|doesnt|dont|isnt)\b`)

	endsEN = lazyregexp.New(`(?i)^(.*?)\b(?:no longer|stopped|quit|gave up|(?:has |have )?given up|cancell?ed|` +
		`called off|used to|previously|formerly|until recently)\s+(.+)$`)
	moreEN  = lazyregexp.New(`(?i)^(.*?)\b(?:do|does|did|is|are|has|have|ca)(?:n't|n’t| not)\s+(.+?)\s+any ?(?:more|longer)\b`)
	brokeEN = lazyregexp.New(`(?i)\b(?:broke up with|split up with|separated from|divorced from)\s+(\p{Lu}[\p{L}'-]+)`)
	leftEN  = lazyregexp.New(`\b(?i:left|resigned from|quit (?:his|her|my|the)? ?job at|was laid off (?:by|from)|` +
		`stopped working (?:at|for))\s+(\p{Lu}[\p{L}\p{N}&.'-]*(?: \p{Lu}[\p{L}\p{N}&.'-]*){0,3})`)
	// because matches the words after the subject of an ending: its time or reason.
	because = lazyregexp.New(`(?i)[,:]|\s(?:since|because|as of|after|due to|and|but|so|now|from now on|except)\s.*$`)

	notButEN  = lazyregexp.New(`(?i)\bnot\s+((?:\S+\s+){0,4}?\S+?),?\s+but\s+(.+)$`)
	butNotEN  = lazyregexp.New(`(?i)[,(]\s*(?:and\s+)?not\s+((?:\S+\s+){0,4}\S+?)\)?$`)
	insteadEN = lazyregexp.New(`(?i)\b(?:instead of|in place of|rather than|replac(?:es|ed|ing))` +
		`\s+((?:\S+\s+){0,4}?\S+?)(?:\s+(?:with|by|for|because|since|from|as)\b.*)?$`)
	fromToEN = lazyregexp.New(`(?i)\b(?:moved|switched|changed|migrated|went|rescheduled|postponed|shifted|relocated|` +
		`upgraded|downgraded|renamed|raised|lowered|increased|decreased|reduced|is moving|pushed)\b` +
		`(?:\s+\S+){0,5}?\s+from\s+((?:\S+\s+){0,3}?\S+)\s+to\s+`)
	replacedEN = lazyregexp.New(`(?i)\breplaced\s+((?:\S+\s+){0,3}?\S+)\s+(?:with|by)\s+`)
)

// maxSubject is the maximum number of words before a verb that form its subject.
const maxSubject = 5

// english reads one clause.
func (r *Reading) english(clause string) {
	cue := cueEN.MatchString(clause)
	r.cue = r.cue || cue
	for _, p := range []*lazyregexp.Regexp{notButEN, butNotEN, insteadEN, fromToEN, replacedEN} {
		if m := p.FindStringSubmatch(clause); m != nil {
			r.wrong = append(r.wrong, ContentOf(m[1]))
			r.cue = true
			clause = strings.TrimSpace(strings.Replace(clause, m[0], butOf(p, m), 1))
			break
		}
	}
	r.endsEnglish(clause)
	if negationEN.MatchString(clause) && !endEN.MatchString(clause) {
		r.negated = true
	}
	r.taste = tasteOf(clause, r.taste)
	if !endEN.MatchString(clause) && !negationEN.MatchString(clause) {
		r.slotsEnglish(strings.Join(strings.Fields(inlineCue.ReplaceAllString(clause, " ")), " "), cue)
	}
}

// butOf returns the rest of a clause after a wrong value: "not Monday but Tuesday" yields Tuesday.
func butOf(p *lazyregexp.Regexp, m []string) string {
	switch p {
	case notButEN:
		return m[2]
	case fromToEN:
		before, _, _ := strings.Cut(m[0], " from ")
		return before + " to "
	}
	return ""
}

// inlineCue matches cues that may be anywhere in a clause without being part of a subject or value.
var inlineCue = lazyregexp.New(`(?i)\b(?:actually|in fact|correction:?|to correct:?|now|nowadays|currently|` +
	`at the moment|these days|from now on|instead|as it turns out,?|turns out,?|recently|just|already|also|still|finally)\b,?`)

// endsEnglish reads the things that a clause declares to be over.
func (r *Reading) endsEnglish(clause string) {
	add := func(said string) {
		said = because.Split(said, 2)[0]
		if over := ContentOf(said).without(endless); len(over) > 0 {
			r.over = append(r.over, over)
			r.cue = true
		}
	}
	switch {
	case moreEN.MatchString(clause):
		m := moreEN.FindStringSubmatch(clause)
		add(m[1] + " " + m[2])
	case leftEN.MatchString(clause):
		add("works at " + leftEN.FindStringSubmatch(clause)[1])
	case brokeEN.MatchString(clause):
		add(brokeEN.FindStringSubmatch(clause)[1])
	case endsEN.MatchString(clause):
		m := endsEN.FindStringSubmatch(clause)
		add(m[1] + " " + m[2])
	}
}

// endless are words that do not identify the thing that ended.
var endless = ContentOf("subscription plan working doing going using having old")

var (
	likesEN    = lazyregexp.New(`(?i)\b(?:likes?|loves?|enjoys?|adores?|(?:is )?a (?:big )?fan of|is fond of)\b`)
	dislikesEN = lazyregexp.New(`(?i)\b(?:hates?|dislikes?|detests?|loathes?|can't stand|cannot stand|` +
		`(?:do|does)(?:n't| not) (?:really )?(?:like|love|enjoy))\b`)
)

func tasteOf(clause string, before int) int {
	switch {
	case dislikesEN.MatchString(clause):
		return -1
	case likesEN.MatchString(clause):
		return 1
	}
	return before
}

// notNow are words before a verb that make it a wish, a plan, a question or the past.
var notNow = wordSet(`will would may might plans plan planning wants want wanted going thinking considering hopes hoping
	could should if when was were
	used dreams wishes wonders asked lets once before until unless shall can never not`)

// meansUser are subjects for the user.
var meansUser = wordSet(`user i i'm i've`)

// subjectEN returns the key of a clause's subject: "" for the user. It returns false if the words are not a subject.
func subjectEN(before string) (string, bool) {
	words := strings.Fields(strings.ToLower(before))
	for i, w := range words { // "I moved: I"
		if strings.HasSuffix(w, ":") && i+1 < len(words) && meansUser[words[0]] && meansUser[words[i+1]] {
			words = words[i+1:]
			break
		}
	}
	var out []string
	for _, w := range words {
		w = strings.Trim(w, `,:"'`)
		switch {
		case notNow[w]:
			return "", false
		case w == "" || meansUser[w] || auxiliaries[w]:
			continue
		}
		out = append(out, w)
	}
	if len(out) > maxSubject {
		return "", false
	}
	if len(out) == 1 && (out[0] == "he" || out[0] == "she" || out[0] == "they" || out[0] == "we") {
		return out[0], true
	}
	return nounKey(strings.Join(out, " ")), true
}

var auxiliaries = wordSet(`the my user's our has have had is are 's 've 'm am been be got get and but so he's she's who that`)
