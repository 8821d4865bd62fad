package claim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Turns are the ways in which a few words turn the meaning of a statement.
type Turns uint8

// The turns of a statement.
const (
	Negated  Turns = 1 << iota
	Former         // it was true once
	intended       // it may become true
	doubtful
	limited // it is true in some cases only
)

// turnOf returns the turn that a folded word gives a statement.
func turnOf(folded string) Turns {
	if strings.HasSuffix(folded, "n't") {
		return Negated
	}
	return turningWords[folded]
}

var turningWords = func() map[string]Turns {
	out := map[string]Turns{}
	for turn, list := range map[Turns]string{
		Negated: `not no never without cannot cant dont doesnt didnt isnt arent wasnt wont wouldnt neither nor none nobody nothing
			avoid avoids avoided stop stops stopped quit quits
			nicht kein keine keinen keinem keiner nie niemals ohne ne pas jamais sans nunca sin não nem nunca non mai senza niet geen nooit
			inte aldrig ikke aldri aldrig ei eivät nem soha nie bez nigdy není žádný nikdy değil hiç nu fără не нет без никогда ні ніколи δεν μην όχι
			لا ليس لم لن بدون नहीं לא אין بدون không chưa tidak bukan tak`,
		Former: `done former formerly previously previous ex früher ehemals ancien avant antes`,
		intended: `plan plans planned planning want wants wanted hope hopes hoping intend intends intending consider considers
			considering wish wishes`,
		doubtful: `maybe perhaps might possibly probably unsure allegedly vielleicht peut-être quizás`,
		limited:  `only except unless if until almost nearly nur außer falls`,
	} {
		for word := range strings.FieldsSeq(list) {
			out[word] |= turn
		}
	}
	return out
}()

// opposedPairs are pairs of opposites. Most carry little meaning otherwise and are excluded from the comparison.
var opposedPairs = [][2]string{
	{"he", "she"},
	{"his", "her"},
	{"before", "after"},
	{"from", "to"},
	{"in", "out"},
	{"on", "off"},
	{"up", "down"},
	{"over", "under"},
	{"above", "below"},
	{"more", "less"},
	{"most", "least"},
	{"since", "until"},
	{"for", "against"},
	{"with", "without"},
	{"first", "last"},
	{"always", "sometimes"},
	{"all", "some"},
	{"every", "some"},
	{"same", "other"},
	{"here", "there"},
	{"many", "few"},
	{"my", "your"},
	{"vor", "nach"},
	{"mit", "ohne"},
	{"er", "sie"},
	{"avant", "après"},
	{"avec", "sans"},
	{"antes", "después"},
	{"con", "sin"},
}

var opposedBits = func() map[string]uint64 {
	out := map[string]uint64{}
	for i, pair := range opposedPairs {
		out[pair[0]] |= 1 << (2 * i)
		out[pair[1]] |= 1 << (2*i + 1)
	}
	return out
}()

// Opposed reports whether each statement has only one word of a pair, and the two are opposites.
func Opposed(a, b uint64) bool {
	const firsts = 0x5555555555555555
	left, right := a&firsts, a>>1&firsts
	otherLeft, otherRight := b&firsts, b>>1&firsts
	return left&^right&otherRight&^otherLeft != 0 || right&^left&otherLeft&^otherRight != 0
}

// relations maps prepositions to the bit of their group; those of one group are interchangeable.
var relations = func() map[string]uint32 {
	out := map[string]uint32{}
	for i, group := range []string{
		"in at on into inside", "from", "to towards", "with", "for", "about", "over than instead rather", "under below",
		"between", "through via by",
		"near beside", "against", "as", "before", "after", "since", "until",
	} {
		for word := range strings.FieldsSeq(group) {
			out[word] = 1 << i
		}
	}
	return out
}()

var conjunctions = wordSet("and or but while whereas und oder aber et ou mais y o pero e")

// related reports whether the relations of one statement include those of the other: "from Berlin" and "in Berlin"
// differ.
func related(a, b uint32) bool { return a&^b == 0 || b&^a == 0 }

// fillers do not change the content of a statement.
var fillers = wordSet(`really actually currently usually generally typically mostly basically quite also still already please very just`)

// leads introduce a statement without adding content.
var leads = wordSet(`user users owner remember remembered remembers asked ask asks note noted notes said says mentioned
	mentions told reminder fyi important`)

// synonyms maps interchangeable words to the one that represents the group.
var synonyms = func() map[string]string {
	out := map[string]string{}
	for _, group := range []string{
		"like likes liked love loves loved enjoy enjoys enjoyed prefer prefers preferred adore adores favour favours favor favors",
		"dislike dislikes disliked hate hates hated detest detests loathe loathes",
		"live lives lived living reside resides residing",
		"allergic allergy allergies",
		"mother mom mum mothers", "father dad fathers", "child children kid kids", "wife", "husband", "partner spouse",
		"flat apartment flats apartments", "bike bicycle bikes bicycles", "film movie films movies", "car cars automobile",
		"favourite favorite", "colour color colours colors", "job occupation profession",
		"database db databases", "production prod", "repository repo repos repositories", "kubernetes k8s", "postgres postgresql",
		"email e-mail mail emails", "phone telephone",
	} {
		list := strings.Fields(group)
		for _, word := range list {
			out[word] = "=" + list[0]
		}
	}
	return out
}()

// persons are words for people: a statement about a sister never equals one without her.
var persons = wordSet(`=mother =father =child =wife =husband =partner sister sisters brother brothers son sons daughter daughters
	grandmother grandfather grandma grandpa granny uncle aunt cousin cousins niece nephew parents boyfriend girlfriend fiancé fiancée
	friend friends boss manager colleague colleagues coworker neighbour neighbor roommate flatmate team teammate client customer
	dog dogs cat cats assistant someone everybody`)

var numberWords = func() map[string]string {
	out := map[string]string{}
	for i, word := range strings.Fields("two three four five six seven eight nine ten eleven twelve") {
		out[word] = []string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}[i]
	}
	return out
}()

func wordSet(list string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		out[word] = true
	}
	return out
}

func startsUpper(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}
