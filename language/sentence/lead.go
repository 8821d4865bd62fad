package sentence

import (
	"slices"
	"strings"
	"time"

	"reverie/language"
	"reverie/language/date"
	"reverie/language/lazyregexp"
)

// announcement matches words that announce a statement: "Big news: ".
var announcement = lazyregexp.New(`(?i)^(?:(?:\p{L}+ ){0,2}(?:news|update|announcement|fyi|guess what|neuigkeit(?:en)?|nachricht(?:en)?|neues|` +
	`noticias?|novedad(?:es)?|nouvelles?|info) ?[:!,–—-] ?|(?:\p{Han}{0,2}(?:消息|新闻|新聞|喜讯)|告诉你|跟你说)[：:，,！!])`)

// toRemember matches a request to remember before the statement, in the languages that claims are read in except German.
var toRemember = lazyregexp.New(`(?i)^(?:(?:please|also|bitte|por favor|s'il te plaît|s'il vous plaît),? )*(?:(?:remember|note|keep in mind|bear in mind|` +
	`don't forget) that |(?:souviens-toi|souvenez-vous|retiens|retenez|rappelle-toi|note|n'oublie pas) qu(?:e |')|` +
	`(?:recuerda|acuérdate de|ten en cuenta|no olvides|apunta|anota) que )|^(?:[请請]|麻烦)?(?:[记記]住|[记記]得|[别別]忘了|不要忘[记記了])[：:，,]?`)

var (
	// toRememberDE does the same in German, where the verb ends the clause: speakerDE has its subject, its rest and its verb.
	toRememberDE = lazyregexp.New(`(?i)^(?:bitte )?(?:merke? dir|merken sie sich|denk daran|vergiss nicht|behalte?)(?: bitte)?,? dass `)
	speakerDE    = lazyregexp.New(`(?i)^(ich|wir|(?:mein|unser)\pL* \pL+) (.+) (\pL+)$`)
)

// speakers are words for the speaker in the languages that claims are read in.
var speakers = map[string]bool{
	"i": true, "i'm": true, "i've": true, "we": true, "we've": true, "ich": true, "wir": true, "je": true, "nous": true, "me": true, "nos": true,
}

// namesSpeaker reports whether a clause names the speaker after other words; in Chinese, anywhere.
func namesSpeaker(clause string) bool {
	first := true
	for word := range strings.FieldsSeq(clause) {
		if word = strings.ToLower(word); !first && (speakers[word] || strings.HasPrefix(word, "j'")) {
			return true
		}
		first = false
	}
	return strings.Contains(clause, "我") || strings.Contains(clause, "咱")
}

// links are between a request to remember and the statement, or in the request: without any of them there is none.
var links = []string{"that ", "que ", "qu'", "dass ", "住", "得", "忘"}

// opening matches what may precede a period at the beginning of a clause: a preposition, an article, or the speaker in Chinese.
var opening = lazyregexp.New(`(?i)^(?:(?:on|in|at|since|the|am|im|in der|in den|an|seit|el|la|en|en el|desde|le|l'|ce|au|depuis) ?)?$|` +
	`^(?:我们?|咱们?|我們)$`)

// speakerFirst matches a clause that begins with the speaker.
var speakerFirst = lazyregexp.New(`(?i)^(?:(?:bin|habe|hab|sind|haben) )?(?:i|i'm|i've|we|we've|ich|wir|je|nous|me|nos)\s|^j'|^我|^咱`)

// completed matches the date that completes a period, with or without its brackets.
var completed = lazyregexp.New(`^ ?\[?\d{4}-\d\d(?:-\d\d)?(?: to \d{4}-\d\d(?:-\d\d)?)?\]?`)

// anyDay is the day from which relative periods are read. Only their order counts.
var anyDay = time.Date(2100, time.June, 15, 12, 0, 0, 0, time.UTC)

// WithoutLead returns a clause without what precedes the speaker in it: a request to remember ("Please remember that I live …"), an
// announcement ("Big news: I moved …"), and a time that is over ("Last weekend I moved …", "我上周末搬到…"). Otherwise these words would be
// read as the subject.
func WithoutLead(clause string) string {
	clause = WithoutRequest(clause)
	if !namesSpeaker(clause) {
		return clause
	}
	if said := announcement.ReplaceAllString(clause, ""); speakerFirst.MatchString(said) {
		clause = said
	}
	periods := date.Periods(clause, language.Plausible(clause), anyDay)
	if len(periods) == 0 || periods[0].From.After(anyDay) {
		return clause
	}
	before, after, found := strings.Cut(clause, periods[0].Text)
	if !found || !opening.MatchString(before) {
		return clause
	}
	after = completed.ReplaceAllString(after, "")
	if strings.HasPrefix(before, "我") || strings.HasPrefix(before, "咱") {
		return before + after
	}
	if rest := strings.TrimLeft(after, " ,，"); speakerFirst.MatchString(rest) {
		return rest
	}
	return clause
}

// beforeTime matches what is before a time at the end of a clause: an article or a preposition.
var beforeTime = lazyregexp.New(`(?i)\s+(?:el|la|le|les|en|au|ce|cet|cette|depuis|desde|hace|il y a)$`)

// WithoutTime returns a clause without a time that is over at its end: "me mudé a Valencia el fin de semana pasado".
func WithoutTime(clause string) string {
	periods := date.Periods(clause, language.Plausible(clause), anyDay)
	if len(periods) == 0 {
		return clause
	}
	last := periods[0] // a date in brackets completes it
	at := strings.LastIndex(clause, last.Text)
	if at <= 0 || last.From.After(anyDay) || strings.Trim(completed.ReplaceAllString(clause[at+len(last.Text):], ""), " .!") != "" {
		return clause
	}
	return beforeTime.ReplaceAllString(strings.TrimSpace(clause[:at]), "")
}

// WithoutRequest returns a statement without a request to remember before it, in English, German, French, Spanish and Chinese.
func WithoutRequest(said string) string {
	if !slices.ContainsFunc(links, func(link string) bool { return strings.Contains(said, link) }) {
		return said
	}
	if rest := toRememberDE.ReplaceAllString(said, ""); rest != said {
		clause := strings.TrimRight(rest, " .!")
		return speakerDE.ReplaceAllString(clause, "$1 $3 $2") + rest[len(clause):]
	}
	return toRemember.ReplaceAllString(said, "")
}
