package extractive

import (
	"encoding/base64"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/memory"
	"reverie/memory/transcripts"
)

// traits are the cues and the shape of a message: a bit each.
type traits uint64

// Bits of the shape, above those of the cues.
const (
	shapeStaged   = cue.Kinds + iota // it begins with a quotation, a dialogue or a stage direction
	shapeQuotes                      // it has quotation marks
	shapeDelivers                    // it quotes a text of several words
	shapeExclaims
	shapeAsks // it ends in a question
	shapeLines
	shapeVerse // most of its lines are short
	shapeDigit
	shapeDots
	shapeColon
	shapeLower  // it begins in lower case
	shapePeriod // it ends in a full stop
	shapeShort
	shapeLong
	traitBits // 64 at most
)

// Lengths in words.
const (
	shortTurn   = 12
	longTurn    = 45
	shortLine   = 9
	manyLines   = 4
	quotedText  = 8
	headOfReply = 120 // bytes of an assistant's message whose cues count
)

const quotationMarks = "\"“”„«»「」『』"

// traitsOf returns the traits of a text with its cues.
func traitsOf(text string, cues cue.Set) traits {
	text = strings.TrimSpace(text)
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	length := lengthOf(text)
	out := traits(cues)
	for at, is := range [...]bool{
		strings.ContainsRune(`"“„«「『—–(（*`, first), strings.ContainsAny(text, quotationMarks), delivers(text), strings.ContainsAny(text, "!！"),
		strings.ContainsRune("?？؟", last), strings.Contains(text, "\n"), isVerse(text), hasDigit(text),
		strings.Contains(text, "...") || strings.Contains(text, "…"), strings.ContainsAny(text, ":："), unicode.IsLower(first),
		strings.ContainsRune(".。!！", last), length < shortTurn, length > longTurn,
	} {
		if is {
			out |= 1 << (shapeStaged + at)
		}
	}
	return out
}

// delivers reports whether a text quotes a text of several words.
func delivers(text string) bool {
	words := 0
	for i, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(quotationMarks, r) }) {
		if i%2 == 1 {
			words += lengthOf(part)
		}
	}
	return words >= quotedText
}

func isVerse(text string) bool {
	lines, short := 0, 0
	for line := range strings.Lines(text) {
		lines++
		if lengthOf(line) <= shortLine {
			short++
		}
	}
	return lines >= manyLines && short*3 > lines*2
}

// Places of the messages around a unit whose traits are features.
const (
	placeUsers      = iota // all messages of the user before
	placeAssistants        // all messages of the assistant before
	placeFirst             // the first message of the user
	placeBefore            // the message of the user before
	placeAsked             // the message before
	placeSame              // the unit's message
	placeReply             // the next message
	placeNext              // the next message of the user
	placeOwn               // the unit itself; its cues are features already
	places
)

// Features of the setting, after those of a unit.
const (
	settingOpening = features + places*traitBits + iota // one of the first three messages
	settingMiddle
	settingLate
	settingGroup
	settingNoReply
	settingEcho // four: none, some, half or most of its words are in the reply
	settingEchoHalf
	settingEchoMore
	settingEchoMost
	settingLower    // the user mostly begins in lower case
	settingOddUpper // and this does not
	settingOddPeriod
	settingInvents // see invents
	settingFeatures
)

// minSetting is the number of messages of a conversation whose setting is weighed. In shorter ones, which the corpus does not have,
// there is nothing to weigh a sentence against.
const minSetting = 8

// minReplies is the share of a conversation that an assistant says where the setting is weighed. The corpus has no conversation with less.
const minReplies = .25

// hasSetting reports whether a conversation is of the kind that the weights of settings were fitted to.
func hasSetting(transcript []transcripts.Line) bool {
	replies := 0
	for _, l := range transcript {
		if l.Role == memory.RoleOfAssistant {
			replies++
		}
	}
	return len(transcript) >= minSetting && float64(replies) >= minReplies*float64(len(transcript))
}

// Traits with which the user or the assistant begins a role-play, a story or a translation.
const (
	inventing = 1<<cue.Fiction | 1<<cue.Game | 1<<cue.Scene | 1<<shapeStaged | 1<<shapeQuotes | 1<<shapeDelivers | 1<<shapeLines | 1<<shapeVerse
	asking    = inventing | 1<<cue.Suppose | 1<<cue.Paste | 1<<cue.Text | 1<<cue.Review
)

// invents reports whether anything up to the reply to message i may have begun an invented text, given the traits of the messages of users
// and assistants before. Role-plays that begin without a sign exist, but a conversation without one is far more often about its speaker.
func invents(users, assistants traits, all []traits, i int) bool {
	users |= all[i]
	if i+1 < len(all) {
		assistants |= all[i+1]
	}
	return users&asking != 0 || assistants&inventing != 0
}

// openingTurns is the number of messages that open a conversation.
const openingTurns = 3

// around returns for each message of a user the features of the messages around it.
func around(transcript []transcripts.Line, all []traits, group bool) []vector {
	out := make([]vector, len(all))
	var users, assistants, first, before traits
	count, lower, periods := 0, 0, 0
	for i, l := range transcript {
		if l.Role == memory.RoleOfUser {
			count++
			lower += int(all[i] >> shapeLower & 1)
			periods += int(all[i] >> shapePeriod & 1)
		}
	}
	for i, l := range transcript {
		if l.Role != memory.RoleOfUser {
			assistants |= all[i]
			continue
		}
		v := make(vector, 0, 128)
		v = v.add(placeUsers, users).add(placeAssistants, assistants).add(placeFirst, first).add(placeBefore, before).add(placeSame, all[i])
		if i > 0 {
			v = v.add(placeAsked, all[i-1])
		}
		if i+1 < len(all) {
			v = v.add(placeReply, all[i+1])
		} else {
			v = append(v, settingNoReply)
		}
		if next := slices.IndexFunc(transcript[i+1:], func(l transcripts.Line) bool { return l.Role == memory.RoleOfUser }); next >= 0 {
			v = v.add(placeNext, all[i+1+next])
		}
		if invents(users, assistants, all, i) {
			v = append(v, settingInvents)
		}
		switch {
		case i < openingTurns:
			v = append(v, settingOpening)
		case i*2 < len(all):
			v = append(v, settingMiddle)
		default:
			v = append(v, settingLate)
		}
		if group {
			v = append(v, settingGroup)
		}
		if count > 1 {
			others, low, full := count-1, lower-int(all[i]>>shapeLower&1), periods-int(all[i]>>shapePeriod&1)
			if low*3 >= others*2 {
				v = append(v, settingLower)
			}
			if full*3 < others {
				v = append(v, settingOddPeriod) // removed again where the unit has none
			}
		}
		out[i] = v
		if users == 0 {
			first = all[i]
		}
		users, before = users|all[i], all[i]
	}
	return out
}

// add appends the features of the traits at a place.
func (v vector) add(place int, t traits) vector {
	for ; t != 0; t &= t - 1 {
		v = append(v, features+place*traitBits+bits.TrailingZeros64(uint64(t)))
	}
	return v
}

// settingOf returns the features of unit i, whose own ones are given, with those of its setting.
func (c *conversation) settingOf(i int, own vector) vector {
	u := &c.units[i]
	shape := traitsOf(u.text, 0)
	v := slices.Concat(own, u.around).add(placeOwn, shape)
	if shape>>shapePeriod&1 == 0 {
		v = slices.DeleteFunc(v, func(f int) bool { return f == settingOddPeriod })
	}
	if first, _ := utf8.DecodeRuneInString(u.text); unicode.IsUpper(first) && slices.Contains(u.around, settingLower) {
		v = append(v, settingOddUpper)
	}
	if u.reply != nil {
		v = append(v, settingEcho+min(3, int(u.terms.within(u.reply)*3.01+.99)))
	}
	return v
}

// trapWeights are read from their text in weights.go.
var trapWeights = sync.OnceValue(func() [][]int32 {
	out := make([][]int32, len(trapTexts))
	for k, text := range trapTexts {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			panic(err) // generated with the program
		}
		for _, b := range raw {
			out[k] = append(out[k], int32(int8(b))*trapScale)
		}
	}
	return out
})

// trapScale is the value of the smallest step of a weight of traps, in units of weightScale.
const trapScale = 25

// sureTrap is the score of traps above which a unit is left out although it says what the speaker is called, where they live or work, or
// what they suffer from. Of introductions that were put into conversations, two in a hundred have a higher one.
const sureTrap = 1

// trap is the highest score over the ways a sentence can be non-literal; a unit above 0 is left out. The first way is invention.
func (v vector) trap() float64 {
	weights := trapWeights()
	worst := math.Inf(-1)
	for k := range weights {
		if k > 0 || slices.Contains(v, settingInvents) {
			worst = max(worst, v.score(weights[k], trapBiases[k]))
		}
	}
	return worst
}
