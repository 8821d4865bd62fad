package stance

import (
	"strings"
	"sync"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/analysis"
	"reverie/language/cue"
	"reverie/language/lazyregexp"
)

// gameMessages is the number of messages for which a role-play continues when nothing ends it.
const gameMessages = 8

// game is a role-play, or a story by the speaker and the assistant in turns.
type game struct {
	left  int             // messages for which it is taken to go on
	words map[string]bool // that were used in it
}

// ReadAssistant reads a message of the assistant. When it speaks in character, the next message answers to that character, however the role-play
// began. A role-play is recognised to be over by words that neither side has used in it.
func (r *Reader) ReadAssistant(message string) {
	switch {
	case isStaged(message):
		r.game.left = gameMessages
	case r.game.words != nil && isSpoken(message):
		r.game.left = max(r.game.left, answering)
	}
	if r.game.left > 0 {
		r.game.add(message)
	}
}

// answering is the number of messages for which a role-play continues after a message in character: the answer, which counts itself.
const answering = 2

// staged matches a stage direction at the beginning of a message: "(The door opens.)", "*knocks*".
var staged = lazyregexp.New(`^\s*(?:\([^()\d\n]{2,80}\)|（[^（）\d\n]{2,80}）|\*[^\s*][^*\d\n]{1,80}\*(?:[^*]|$))`)

// isStaged reports whether a message begins with a stage direction.
func isStaged(message string) bool { return staged.MatchString(message) }

// isSpoken reports whether a message begins with words of a character in quotation marks.
func isSpoken(message string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(message, " \t\n"))
	return strings.ContainsRune(`"“„«「『—–`, first)
}

func (g *game) add(text string) {
	if g.words == nil {
		g.words = map[string]bool{}
	}
	for _, w := range contentWords(text) {
		g.words[w] = true
	}
}

// contentWords returns the stems of the words of a text that say what it is about.
func contentWords(text string) []string {
	var out []string
	for _, t := range analysis.Analyse(text) {
		if t.Stop || len(t.Forms) == 0 || language.FunctionWords[t.Forms[0]] != 0 {
			continue
		}
		if w := t.Forms[len(t.Forms)-1]; utf8.RuneCountInString(w) > 1 { // single characters are in many words
			out = append(out, w)
		}
	}
	return out
}

// Bounds for a question or request that leaves a role-play.
const (
	leavingWords = 3  // content words that it has at least
	leavingShare = .2 // of its content words have been used in the role-play, at most
)

// leaves reports whether a message turns from a role-play to something else: it speaks about it as a text, laughs about
// it, or its first question or request is on another subject.
func (g *game) leaves(all []Sentence, lang string) bool {
	for i := range all {
		s := &all[i]
		if set := s.Marks.Set(); set.Has(cue.Text) || i == 0 && set.Has(cue.Laugh) {
			return true
		}
		if !asks(s, lang) && !s.Marks.Set().Has(cue.Request) {
			continue
		}
		words := contentWords(s.Text)
		used := 0
		for _, w := range words {
			if g.words[w] {
				used++
			}
		}
		return len(words) >= leavingWords && float64(used) <= leavingShare*float64(len(words))
	}
	return false
}

// roles holds for some languages how the assistant and the speaker get their roles. A sentence with both begins a role-play: "you
// are the manager and I'll be Priya".
var roles = map[string][2]string{
	"en": {
		`(?:\byou(?:'ll| will| can| could)? (?:play|be|do|act as)|\byou(?:'re| are) (?:the|my)|(?:would|could|can) you (?:play|be)) `,
		`\b(?:i(?:'ll| will|'m| am|'d)? ?(?:be|play|am|the|a|an)?|the (?:two|three|four|five) of us) `,
	},
	"de": {
		`(?:du bist|sie sind|du spielst|sie spielen|du machst|sie machen|du gibst|sie geben|spiel|spielen sie|mach|sei) ` +
			`(?:jetzt |mal |bitte )?(?:der|die|das|den|ein|eine|einen|mein|meine|meinen) `,
		`\bich (?:bin|spiele?|mache?|gebe?|mime|übernehme|antworte|der|die|den)\b`,
	},
	"es": {
		`(?:tú eres|tu eres|eres tú|vos sos|usted es|haces de|hacés de|haz de|hacé de|haga de|haga usted de|tú haces|vos hacés) `,
		`(?:yo soy|yo seré|yo voy a ser|yo hago|hago de|yo de|yo el|yo la|yo interpreto) `,
	},
	"fr": {
		`(?:tu es|vous êtes|tu fais|vous faites|tu joues|vous jouez|tu seras|vous serez|sois|soyez|fais|faites) ` +
			`(?:le |la |l'|l’|un |une |mon |ma |(?-i:\p{Lu}))`,
		`(?:je (?:suis|fais|joue|serai|ferai|jouerai) |moi (?:je fais |le |la |l'|l’|un |une ))`,
	},
	"pt": {
		`(?:você é|você será|você vai ser|tu és|tu é|faça de|faz de|faças de|você faz|o senhor é|a senhora é|seja|sê) (?:o |a |um |uma |de |meu |minha )?`,
		`(?:eu sou|eu serei|eu vou ser|eu faço|eu atendo como|eu respondo como|eu fico|eu o |eu a )`,
	},
	"it": {
		`(?:tu fai|tu sei|lei fa|lei è|tu interpreti|fai|faccia|sii|sia) (?:il|la|lo|l'|un|una|uno|da|mio|mia) ?`,
		`(?:io faccio|io sono|io sarò|io farò|faccio|io) (?:il|la|lo|l'|un|una|uno) ?`,
	},
	"ru": {
		`(?:^|[.!?,:;]\s*)(?:ты|вы)(?: будете| будешь| играете| играешь| —| –| -)? \pL+`,
		`а я (?:буду|играю|отвечаю за|за|—|–|-|в роли|\pL+(?:ик|ор|ер|ент|ель|ист|ка|ец|ант|арь|ач|мый)(?:[ .,!?]|$))`,
	},
	"ar": {
		`(?:أنت|انت|إنت|أنتِ|انتي|إنتي) (?:ال|ستكون|هتكون|رح تكون|تكون|بتكون)`,
		`(?:أنا|انا) (?:ال|سأكون|هكون|رح أكون|أكون|بكون)`,
	},
	"zh": {`(?:你|您)(?:来|來|就)?(?:演|扮|当|當|做)`, `我(?:来|來|就)?(?:演|扮|当|當|做|是)`},
	"ja": {`(?:あなた|君|そちら)が`, `(?:私|僕|俺|わたし|こちら)が`},
	"ko": {
		`(?:네가|니가|너는|넌|당신은|맡아) ?`,
		`(?:제가|내가|저는|난|나는) .{1,24}(?:할게|할께|역|이야|입니다|이에요|예요)`,
	},
	"vi": {
		`(?:bạn|chị|anh|ad|bot|con|cháu) (?:là|làm|đóng|đóng vai) (?:khách|chủ|sếp|bác sĩ|giám khảo|người|nhân viên|nhà|cô|thầy|hr)`,
		`(?:mình|em|tôi|tui|tớ|chú|cô|bác|anh) (?:là|làm|đóng|đóng vai) (?:khách|chủ|sếp|bác sĩ|người|nhân viên|ứng viên|bệnh nhân|học)`,
	},
}

// casts holds for each language the expression of sentences in which both roles are given.
var casts = func() map[string]func() *lazyregexp.Regexp {
	out := map[string]func() *lazyregexp.Regexp{}
	for lang, r := range roles {
		out[lang] = sync.OnceValue(func() *lazyregexp.Regexp {
			return lazyregexp.New(`(?i)` + r[0] + `.{1,80}?` + r[1] + `|` + r[1] + `.{1,80}?` + r[0])
		})
	}
	return out
}()

// casts reports whether a sentence gives the assistant and the speaker their roles.
func (s *Sentence) casts(lang string) bool {
	set := s.Marks.Set()
	if lang != "ko" && lang != "ar" && !set.Has(cue.You) || !set.Has(cue.Self) && lang != "ar" || set.Has(cue.Praise) {
		return false
	}
	find := casts[lang]
	return find != nil && find().MatchString(s.Text)
}
