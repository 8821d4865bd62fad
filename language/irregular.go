package language

import "strings"

// irregularForms maps English forms that no ending explains to the word that they belong to: the closed classes of
// irregular verbs and plurals. Forms that are as common as words of their own (left, saw, found, ground, rose, lay, felt)
// are not among them.
var irregularForms = func() map[string]string {
	forms := make(map[string]string, 256)
	for line := range strings.SplitSeq(irregularLists, ";") {
		words := strings.Fields(line)
		for _, form := range words[1:] {
			forms[form] = words[0]
		}
	}
	return forms
}()

const irregularLists = `arise arose arisen; awake awoke awoken; beat beaten; become became; begin began begun;
	bend bent; bite bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built;
	burn burnt; buy bought; catch caught; choose chose chosen; cling clung; come came; creep crept; deal dealt; dig dug;
	draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fallen; feed fed;
	fight fought; flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven;
	freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid
	hidden; hold held; keep kept; kneel knelt; know knew known; lead led; leap leapt; learn learnt; lend lent; light lit;
	lose lost; make made; mean meant; meet met; mistake mistook mistaken; overcome overcame; pay paid; prove proven;
	ride rode ridden; ring rang rung; rise risen; run ran; say said; see seen; seek sought; sell sold; send sent; sew sewn;
	shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat;
	sleep slept; slide slid; speak spoke spoken; speed sped; spend spent; spill spilt; spin spun; spoil spoilt; spread;
	spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike struck; swear swore sworn;
	sweep swept; swell swollen; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told;
	think thought; throw threw thrown; understand understood; undertake undertook undertaken; wake woke woken;
	wear wore worn; weave wove woven; weep wept; win won; withdraw withdrew withdrawn; write wrote written;
	child children; foot feet; goose geese; man men; mouse mice; ox oxen; person people; tooth teeth; woman women;
	die dying; lie lying; tie tying; half halves; knife knives; leaf leaves; life lives; loaf loaves; shelf shelves;
	thief thieves; wife wives; wolf wolves; calf calves; crisis crises; analysis analyses; thesis theses;
	diagnosis diagnoses; hypothesis hypotheses; phenomenon phenomena; criterion criteria; curriculum curricula`
