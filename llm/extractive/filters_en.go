package extractive

import "strings"

// Phrases are looked up in a sentence of lower-case words with a space at both ends.

// supposed are phrases that make a sentence a supposition or an example.
var supposed = []string{
	" if i were ", " if i was ", " if i had ", " if we had ", " if we were ", " if i could ", " imagine ", " suppose ", " supposing ",
	" let us say ", " let us pretend ", " let us assume ", " let us imagine ", " what if ", " pretend ", " hypothetically ", " in theory ",
	" for example ", " for instance ", " e.g ", " as an example ", " i wish ", " would have ", " could have ",
	" should have ", " in my dream ", " i dreamed ", " i dreamt ", " say i ", " say my ", " assume i ", " assume my ", " assume that ",
	" assume we ", " assume you ", " assuming ", " as if ", " in another life ", " theoretically ", " in a parallel ",
	" some people ", " never said ", " did not say ", " not saying ", " let us play ", " role-play ", " roleplay ", " act as ", " you are a ",
	" you are an ", " you are my ", " you are the ", " you are now ", " used as an example ", " just kidding ", " kidding ", " joking ",
	" sarcasm ", " lorem ipsum ", " placeholder ",
}

// doubtful are phrases that make a clause uncertain.
var doubtful = []string{
	" maybe ", " perhaps ", " might ", " possibly ", " probably ", " i think ", " i guess ", " i suppose ", " not sure ", " unsure ",
	" not certain ", " i may ", " we may ", " could be ", " considering ", " thinking about ", " thinking of ", " i wonder ", " hopefully ",
	" i hope ", " tentatively ", " not decided ", " undecided ", " leaning towards ", " leaning toward ",
	" seems ", " apparently ", " supposedly ", " i believe ", " debating ", " toying with ", " if possible ", " if all goes well ",
	" wondering ", " i feel like ", " not yet ", " no idea ", " do not know ", " cannot decide ", " cannot remember ", " do not remember ",
	" can not recall ", " someday ", " some day ", " one day ", " eventually ", " contemplating ",
}

// reporting lists verbs of reported speech.
var reporting = set(`said says say told tells thinks claims claimed mentioned replied texted emailed believes believed argues argued wrote
	writes insists insisted complains complained joked jokes announced added explained answered quoted posted tweeted reported suggested
	suggests recommends recommended`)

// isQuestion reports whether a sentence is a question. A closing "ok?" does not make it a question.
func isQuestion(s string, ws []word) bool {
	end := strings.TrimRight(s, " \t\"')”’*_~")
	if strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？") {
		if n := len(ws); n > 2 && ws[n-2].endsClause() {
			switch ws[n-1].low {
			case "ok", "okay", "please", "alright", "deal", "cool", "k":
				return false
			}
		}
		return true
	}
	for len(ws) > 0 && (fillers.one(ws[0].low) || coordinators[ws[0].low]) {
		ws = ws[1:]
	}
	if len(ws) < 2 {
		return false
	}
	next := ws[1].low
	switch ws[0].low {
	case "what", "how", "why", "where", "who", "which", "whose", "whom":
		return true
	case "when":
		return next == "is" || next == "do" || next == "does" || next == "did" || next == "will" || next == "are" || next == "was" ||
			next == "can" || next == "should"
	case "is", "are", "am", "was", "were", "does", "did", "has", "can", "could", "would", "will", "should", "shall", "may", "do",
		"have", "might":
		return isPersonal[next] || determiners[next] && ws[0].low != "do" && ws[0].low != "have" || next == "there" || next == "anyone" ||
			next == "not" && ws[0].low != "do"
	case "any", "anyone", "anything":
		return true
	}
	return false
}

var isPersonal = set(`i you he she it we they this that these those`)

func padded(ws []word) string { return " " + lows(ws) + " " }

func hasAny(s string, list []string) bool {
	for _, p := range list {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// isReported reports whether a sentence is reported speech of another person. "I said" and "I told you" do not count.
func isReported(ws []word) bool {
	l := padded(ws)
	if strings.Contains(l, " according to ") || strings.Contains(l, " quote ") {
		return true
	}
	for k, w := range ws {
		if !reporting[w.low] || k == 0 {
			continue
		}
		who := ws[k-1].low
		if droppedAdverbs[who] || keptAdverbs[who] || auxiliaries[who] {
			if k < 2 {
				continue
			}
			who = ws[k-2].low
		}
		switch who {
		case "i", "we", "you", "to", "not", "as", "like", "be":
			continue
		case "has", "had", "have", "is", "was":
			continue
		}
		if (w.low == "told" || w.low == "asked") && k+2 < len(ws) && ws[k+1].low == "me" && ws[k+2].low == "to" {
			continue // an order passed on is a task
		}
		if w.low == "added" || w.low == "reported" || w.low == "posted" || w.low == "suggested" || w.low == "recommended" || w.low == "writes" {
			if !isPersonal[who] && !(k >= 1 && ws[k-1].isName()) {
				continue
			}
		}
		return true
	}
	return false
}

// isConditional reports whether a sentence begins with "if".
func isConditional(ws []word) bool {
	for len(ws) > 0 && (fillers.one(ws[0].low) || coordinators[ws[0].low]) {
		ws = ws[1:]
	}
	return len(ws) > 0 && ws[0].low == "if"
}

// startsRole and endsRole mark where a role-play or a story begins and ends in the user's messages.
var (
	startsRole = []string{
		" role-play ", " roleplay ", " role play ", " pretend you ", " pretend to be ", " let us pretend ", " imagine you are ", " imagine i am ",
		" let us play a game ", " you are a pirate ", " you play the ", " i will play the ", " i play the role ", " i am playing the role ",
		" write a story together ", " let us write a story ", " let us tell a story ", " in this story ", " my character ", " let us do a scene ",
		" improvise ", " text adventure ", " interactive fiction ", " imagine i ",
	}
	endsRole = []string{
		" stop the ", " stop here ", " end of story ", " end role-play ", " end the ", " out of character ", " for real ", " in real life ",
		" back to reality ", " seriously ", " jokes aside ", " stop playing ", " let us stop ",
		" the end ", " enough of ", " new topic ", " back to work ", " anyway ", " on another note ", " ooc ", " story over ", " that is enough ",
		" game over ", " stop role ", " done with the ", " stop pretending ",
	}
)
