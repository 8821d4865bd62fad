package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"reverie/language/fold"
)

// bare folds a text for the comparison of words: case, width, diacritics of Latin letters, ё, and the variants of Arabic letters.
func bare(text string) string {
	text = fold.Text(text)
	if fold.ASCIIPrefix(text) == len(text) {
		return text
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(text) {
		switch {
		case 0x300 <= r && r <= 0x36F && r != 0x306, 0x64B <= r && r <= 0x655, r == 'ـ': // й keeps its breve
		case r == 'ı':
			b.WriteByte('i')
		case r == 'đ':
			b.WriteByte('d')
		case r == 'ß':
			b.WriteString("ss")
		case r == 'ø':
			b.WriteByte('o')
		case r == 'ة':
			b.WriteRune('ه')
		case r == 'ى':
			b.WriteRune('ي')
		case r == 'ٱ':
			b.WriteRune('ا')
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// light folds a text as fold.Text does, and the variants of ё and of Arabic letters. It keeps the positions of fold.Text.
func light(text string) string { return variants.Replace(fold.Text(text)) }

var variants = strings.NewReplacer("ё", "е", "أ", "ا", "إ", "ا", "آ", "ا", "ٱ", "ا", "ة", "ه", "ى", "ي")

// phrases is a set of expressions, found in a text without spaces as substrings and elsewhere as whole words.
type phrases struct {
	words map[string]string // single words, and the first words of phrases with a space
	long  map[string]string // phrases with spaces
	run   map[string]string // in scripts without spaces
	max   int               // length of the longest in run, in characters
}

// phrasesOf reads lines of "value: expression, expression". Every expression maps to its value.
func phrasesOf(list string) phrases {
	p := phrases{map[string]string{}, map[string]string{}, map[string]string{}, 0}
	for line := range strings.SplitSeq(list, "\n") {
		value, expressions, found := strings.Cut(line, ":")
		if !found {
			continue
		}
		value = strings.TrimSpace(value)
		for expression := range strings.SplitSeq(expressions, ",") {
			e := light(strings.Join(strings.Fields(expression), " "))
			p.add(e, value)
			if plain := bare(e); plain != e && len(plain) > 3 && !isVietnamese(e) {
				p.add(plain, value)
			}
		}
	}
	return p
}

func (p *phrases) add(e, value string) {
	switch first, _ := firstRune(e); {
	case e == "":
	case isRun(first):
		p.run[e] = value
		p.max = max(p.max, utf8.RuneCountInString(e))
	case strings.Contains(e, " "):
		p.long[e] = value
		p.words[e[:strings.IndexByte(e, ' ')]] += ""
	default:
		p.words[e] = value
	}
}

// isVietnamese reports whether a folded expression has letters of Vietnamese only, whose marks distinguish words.
func isVietnamese(e string) bool {
	return strings.ContainsFunc(e, func(r rune) bool { return 0x1EA0 <= r && r <= 0x1EF9 || strings.ContainsRune("ăđơư", r) })
}

func firstRune(s string) (rune, bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}

// isRun reports whether a character belongs to a script in which expressions are found inside of longer words.
func isRun(r rune) bool {
	if r < 0x1100 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー' || r == '々' || r == '〇'
}

// found is an expression at its place in a text.
type found struct {
	value      string
	start, end int // bytes
}

// maxPhrase is the length of the longest phrase, in words.
const maxPhrase = 4

// in returns the expressions in a light text, the longest at each place.
func (p phrases) in(text string) []found { return p.among(wordsOf(text), text) }

// among returns the expressions in a light text that has these words.
func (p phrases) among(words []span, text string) []found {
	var out []found
	for _, w := range words {
		if w.isRun {
			out = p.inRun(out, text, w)
			continue
		}
		out = p.at(out, text, w)
	}
	return out
}

func (p phrases) at(out []found, text string, w span) []found {
	if len(out) > 0 && out[len(out)-1].end > w.start {
		return out
	}
	value, known := p.words[text[w.start:w.end]]
	if r, size := utf8.DecodeRuneInString(text[w.start:]); !known && strings.ContainsRune("وفلب", r) {
		if value, known = p.words[text[w.start+size:w.end]]; known {
			w.start += size
		}
	}
	if i := strings.IndexByte(text[w.start:w.end], '\''); !known && i >= 0 { // l'utente
		if value, known = p.words[text[w.start+i+1:w.end]]; known {
			w.start += i + 1
		}
	}
	if !known {
		return out
	}
	end := w.end
	best := w.end
	for range maxPhrase {
		space := strings.IndexByte(text[min(end+1, len(text)):], ' ')
		if end >= len(text) || text[end] != ' ' {
			break
		}
		next := len(text)
		if space >= 0 {
			next = end + 1 + space
		}
		phrase := strings.TrimRightFunc(text[w.start:next], unicode.IsPunct)
		if v, ok := p.long[phrase]; ok {
			value, best = v, w.start+len(phrase)
		}
		end = next
	}
	if value == "" {
		return out
	}
	return append(out, found{value, w.start, best})
}

func (p phrases) inRun(out []found, text string, w span) []found {
	for at := w.start; at < w.end; {
		n, length, value := 0, 0, ""
		for i, r := range text[at:w.end] {
			if n == p.max {
				break
			}
			n++
			size := i + len(string(r))
			if v, ok := p.run[text[at:at+size]]; ok {
				length, value = size, v
			}
		}
		if length > 0 {
			out = append(out, found{value, at, at + length})
			at += length
			continue
		}
		r, _ := firstRune(text[at:])
		at += len(string(r))
	}
	return out
}

// span is a word of a text, or a run of characters without spaces.
type span struct {
	start, end int
	isRun      bool
}

// wordsOf splits a text into words of letters, digits, marks, apostrophes and hyphens, and runs of scripts without spaces.
func wordsOf(text string) []span {
	var out []span
	open := false
	for i, r := range text {
		size := len(string(r))
		run := isRun(r)
		inWord := run || 'a' <= r && r <= 'z' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || (r == '\'' || r == '-') && open
		switch {
		case !inWord:
			open = false
		case open && out[len(out)-1].isRun == run:
			out[len(out)-1].end = i + size
		default:
			out = append(out, span{i, i + size, run})
			open = true
		}
	}
	for i, w := range out {
		out[i].end = w.start + len(strings.TrimRight(text[w.start:w.end], "'-"))
	}
	return out
}

// people maps words for persons to the relation. A relation after "/" is a wider one that also names the person.
var people = phrasesOf(`
mother/parent: mother, mom, mum, mommy, mama, mamma, ma, mutter, mutti, mère, maman, madre, mamá, mãe, mae, madre, mamma, mẹ, má, мама, мамы, маме, маму, мамой, мать, матери, матерью, أم, أمي, أمه, أمها, ماما, والدة, والدتي, والدته, الأم, 妈妈, 妈, 母亲, 我妈, 媽媽, 母親, 母, お母さん, 母さん, 엄마, 어머니
father/parent: father, dad, daddy, papa, vater, papi, père, padre, papá, pai, papà, babbo, bố, ba mình, cha, папа, папы, папе, папу, папой, отец, отца, отцу, отцом, أب, أبي, أبوي, والدي, والده, بابا, الأب, 爸爸, 爸, 父亲, 我爸, 父親, 父, お父さん, 父さん, 아빠, 아버지
parent: parents, parent, eltern, padres, pais, genitori, miei genitori, bố mẹ, ba má, ba mẹ, cha mẹ, родители, родителей, родителям, والدين, والداي, أهلي, 爸妈, 父母, 両親, 親, 부모님, 부모
sister/sibling: sister, sisters, sis, schwester, schwestern, sœur, soeur, sœurs, hermana, hermanas, irmã, irma, irmãs, sorella, sorelle, chị gái, em gái, сестра, сестры, сестре, сестру, сестрой, أخت, أختي, أخته, أختها, 姐姐, 姐, 妹妹, 妹, 姉, お姉さん, 妹, 姉妹, 누나, 언니, 여동생
brother/sibling: brother, brothers, bro, bruder, brüder, frère, frères, hermano, hermanos, irmão, irmao, irmãos, fratello, fratelli, anh trai, em trai, брат, брата, брату, братом, أخ, أخي, أخوي, أخوه, أخوها, أخويا, 哥哥, 哥, 弟弟, 弟, 兄, お兄さん, 兄弟, 오빠, 남동생
sibling: sibling, siblings, geschwister, hermanos, irmãos, 동생, 형제, 兄弟姐妹
daughter/child: daughter, daughters, tochter, töchter, fille, filles, hija, hijas, filha, filhas, figlia, figlie, con gái, дочь, дочери, дочка, дочке, дочку, дочкой, дочерью, بنت, بنتي, ابنة, ابنتي, ابنته, 女儿, 闺女, 女兒, 娘, 딸, 딸아이
son/child: son, sons, sohn, söhne, sohnes, fils, hijo, hijos, filho, filhos, figlio, figli, con trai, сын, сына, сыну, сыном, сыновья, ابن, ابني, ابنه, ابنها, 儿子, 兒子, 息子, 아들
child: child, children, kid, kids, baby, toddler, kind, kinder, kindern, kindes, enfant, enfants, niño, niños, niña, hijos, criança, crianças, filhos, bambino, bambina, bambini, bé nhà, con mình, các con, ребёнок, ребенка, ребенку, дети, детей, детям, أولاد, أطفال, طفل, ولاد, ولدي, 孩子, 小孩, 娃, 子供, 子ども, お子さん, 아이, 애들, 큰애, 작은애, 아이들
wife/partner: wife, wifes, ehefrau, meine frau, seiner frau, seine frau, frau des, femme, esposa, mujer, mulher, moglie, vợ, bà xã, жена, жены, жене, жену, женой, زوجة, زوجتي, زوجته, مراتي, 老婆, 妻子, 太太, 妻, 家内, 奥さん, 嫁, 아내, 와이프, 집사람
husband/partner: husband, hubby, ehemann, mein mann, meinem mann, ihr mann, ihrem mann, mari, esposo, marido, marito, chồng, ông xã, муж, мужа, мужу, мужем, زوج, زوجي, زوجها, جوزي, 老公, 丈夫, 先生是, 夫, 旦那, 主人, 남편
partner: partner, spouse, fiancé, fiancée, fiance, partnerin, verlobte, verlobter, pareja, parceiro, compagno, compagna, compagne, compagnon, conjoint, freundin, freund, girlfriend, boyfriend, novia, novio, namorada, namorado, fidanzata, fidanzato, bạn gái, bạn trai, девушка, парень, خطيبتي, خطيبي, 女朋友, 男朋友, 彼女さん, 彼氏, 여자친구, 남자친구
grandmother/grandparent: grandmother, grandma, granny, nana, oma, großmutter, grand-mère, mamie, abuela, avó, vovó, nonna, bà ngoại, bà nội, бабушка, бабушки, бабушке, جدة, جدتي, تيتا, 奶奶, 外婆, 姥姥, 祖母, おばあちゃん, 할머니
grandfather/grandparent: grandfather, grandpa, granddad, opa, großvater, grand-père, papi, abuelo, avô, vovô, nonno, ông ngoại, ông nội, дедушка, дед, дедушки, جد, جدي, 爷爷, 外公, 姥爷, 祖父, おじいちゃん, 할아버지
grandparent: grandparents, großeltern, grands-parents, abuelos, avós, nonni, ông bà, 祖父母
grandchild: grandson, granddaughter, grandchild, grandchildren, enkel, enkelin, enkelkind, petit-fils, petite-fille, nieto, nieta, neto, neta, nipotino, nipotina, cháu, внук, внука, внучка, внучке, внучку, حفيد, حفيدتي, حفيدي, 孙子, 孙女, 外孙, 外孙女, 孫, 손자, 손녀
mother-in-law/in-law: mother-in-law, mother in law, schwiegermutter, belle-mère, suegra, sogra, suocera, mẹ chồng, mẹ vợ, свекровь, тёща, тёщи, теща, حماتي, حماة, 婆婆, 岳母, 丈母娘, 義母, 姑, 시어머니, 장모님, 장모
father-in-law/in-law: father-in-law, father in law, schwiegervater, beau-père, suegro, sogro, suocero, bố chồng, bố vợ, свёкор, тесть, тестя, حماي, 公公, 岳父, 丈人, 老丈人, 義父, 시아버지, 장인어른, 장인
sibling-in-law/in-law: brother-in-law, sister-in-law, brother in law, sister in law, schwager, schwägerin, beau-frère, belle-sœur, cuñado, cuñada, cunhado, cunhada, cognato, cognata, зять, зятя, шурин, золовка, невестка, صهري, 姐夫, 妹夫, 嫂子, 弟妹, 小舅子, 小姨子, 義兄, 義弟, 義姉, 義妹, 처남, 처제, 형수, 매형, 시누이
child-in-law/in-law: son-in-law, daughter-in-law, son in law, daughter in law, schwiegersohn, schwiegertochter, gendre, belle-fille, yerno, nuera, genro, nora, genero, nuora, con rể, con dâu, зять, невестка, كنتي, 女婿, 儿媳, 媳妇, 婿, 사위, 며느리
in-law: in-laws, schwiegereltern, beaux-parents, suegros, sogros, suoceri
aunt: aunt, auntie, aunty, tante, tía, tia, zia, dì, cô ruột, тётя, тетя, тёти, тетка, خالتي, خالة, عمتي, عمة, 阿姨, 姑姑, 姨妈, 舅妈, おばさん, 叔母, 伯母, 이모, 고모
uncle: uncle, onkel, oncle, tío, tio, zio, chú ruột, cậu ruột, дядя, дяди, عمي, خالي, خال, 叔叔, 舅舅, 姑父, 伯伯, おじさん, 叔父, 伯父, 삼촌, 이모부
cousin: cousin, cousins, cousine, vetter, primo, prima, primos, cugino, cugina, anh họ, chị họ, em họ, двоюродный, двоюродная, بنت خالتي, بنت خالتها, بنت خالته, ابن خالتي, ولد خالتي, بنت عمي, ابن عمي, 表弟, 表妹, 表哥, 表姐, 堂弟, 堂妹, 堂哥, 堂姐, いとこ, 従兄弟, 사촌
nephew: nephew, niece, neffe, nichte, neveu, nièce, sobrino, sobrina, sobrinho, sobrinha, nipote, племянник, племянница, 侄子, 侄女, 外甥, 外甥女, 甥, 姪, 조카
friend: friend, friends, buddy, mate, pal, bff, kumpel, ami, amie, amis, copain, copine, pote, amigo, amiga, amigos, amico, amica, bạn thân, bạn mình, друг, друга, подруга, подруги, подруге, подружка, صديق, صديقي, صديقتي, صاحبي, صاحبتي, 朋友, 闺蜜, 哥们, 友人, 友達, 친구
colleague: colleague, colleagues, coworker, coworkers, co-worker, kollege, kollegin, kollegen, collègue, compañero de trabajo, compañera de trabajo, colega, collega, đồng nghiệp, коллега, коллеги, زميل, زميلي, زميلتي, 同事, 同僚, 동료
boss: boss, manager, supervisor, chef, chefin, patron, patronne, jefe, jefa, chefe, patrão, capo, sếp, начальник, начальница, шеф, مديري, مديرتي, 老板, 领导, 上司, 部長, 上司, 상사, 사장님, 팀장님
neighbour: neighbour, neighbor, neighbours, neighbors, nachbar, nachbarin, nachbarn, voisin, voisine, vecino, vecina, vizinho, vizinha, vicino di casa, vicina di casa, hàng xóm, сосед, соседка, соседка, соседки, جاري, جارتي, 邻居, 隣人, お隣さん, 이웃
roommate: roommate, flatmate, housemate, mitbewohner, mitbewohnerin, colocataire, coloc, compañero de piso, compañera de piso, colega de quarto, coinquilino, coinquilina, bạn cùng phòng, соседка по комнате, زميلة السكن, 室友, ルームメイト, 룸메이트
`)

// third finds pronouns and verbs about others than the speaker.
var third = phrasesOf(`
x: he, she, him, his, hers, he's, she's, hes, shes, they're, them, er, ihm, ihn, ihr, sie, il, elle, lui, él, ella, le gusta, lei, ele, ela, dela, dele, nó, cô ấy, anh ấy, chị ấy, ông ấy, bà ấy, он, она, ему, ей, её, ее, его, него, неё, нее, هو, هي, له, لها, عنده, عندها, معها, معه, 他, 她, 彼, 彼女, あの子, あの人, 그는, 그녀, 걔
`)

// first finds the speaker as a subject.
var first = phrasesOf(`
x: i, i'm, i've, i'd, i'll, im, ive, ill, ich, je, j'ai, j', j'adore, j'habite, moi, yo, soy, estoy, tengo, vivo, trabajo, quiero, necesito, prefiero, puedo, tomo, como, voy, uso, manejo, eu, sou, tenho, moro, trabalho, prefiro, faço, posso, quero, tô, io, sono, ho, vivo, lavoro, abito, voglio, posso, devo, preferisco, mangio, prendo, insegno, mình, tôi, tui, tớ, я, мне, меня, мной, у меня, أنا, انا, عندي, معي, بدي, عايزة, عايز, أحب, أعمل, أسكن, احنا, أنا اللي, 我, 咱, 私, 俺, 僕, わたし, 저는, 제가, 나는, 내가, 저, 전, 난
`)

// second finds the person who is asked.
var second = phrasesOf(`
x: you, your, du, dein, deine, deiner, dir, dich, ihnen, vous, votre, vos, tu, ton, ta, usted, tú, tus, te, você, voce, sua, seu, bạn, ban, вы, вас, вам, ваш, ты, тебя, у тебя, أنت, عندك, حضرتك, 你, 您, あなた, 당신, 님`)

// selfWords name the user in lines written by others.
var selfWords = phrasesOf(`
x: user, the user, user's, nutzer, nutzerin, nutzers, benutzer, benutzerin, utilisateur, utilisatrice, l'utilisateur, l'utilisatrice, usuario, usuaria, usuário, usuária, utente, người dùng, пользователь, пользователя, пользователю, пользовательница, المستخدم, المستخدمة, للمستخدم, للمستخدمة, 用户, 使用者, ユーザー, 利用者, 사용자
`)

// negators finds negations. adverse finds words that may replace one.
var negators = phrasesOf(`
n: not, no, n't, never, none, nobody, nothing, neither, nor, without, cannot, cant, can't, dont, don't, doesnt, doesn't, didnt, didn't, isnt, isn't, arent, aren't, wasnt, wasn't, weren't, wont, won't, wouldn't, wouldnt, couldn't, shouldn't, hasn't, haven't, havent, hadn't, aint, ain't, no longer, anymore, stopped, quit, gave up, given up, nope, nicht, kein, keine, keinen, keinem, keiner, keins, nie, niemals, ohne, nichts, niemand, weder, ned, net, nimmer, aufgehört, nö, nee, ne, pas, jamais, aucun, aucune, rien, sans, ni, arrêté, nunca, jamás, ningún, ninguno, ninguna, nada, sin, tampoco, dejé, dejó, dejado, não, nao, nem, jamais, nenhum, nenhuma, sem, parou, parei, non, mai, nessun, nessuno, nessuna, niente, senza, né, smesso, không, chưa, chẳng, đừng, hông, khỏi, cấm, ko, не, ни, нет, никогда, без, нельзя, бросил, бросила, لا, لم, لن, ليس, ليست, لست, مش, مو, ما, بدون, بلا, غير, أبدا, ولا, فلا, ولم, مفيش, مبتحبش, مبتاكلش, متعرفش, توقف, توقفت, 不, 没, 沒, 别, 未, 无, 無, 勿, 莫, ない, なく, なかっ, ません, じゃない, やめ, 抜き, 不要, 안, 않, 못, 없, 말고, 말아, 마세요, 지마, 아니, 그만, 끊
`)

var adverse = phrasesOf(`
a: hate, hates, hated, dislike, dislikes, avoid, avoids, avoiding, avoided, allergic, allergy, allergies, intolerant, intolerance, refuse, refuses, refused, unable, lack, lacks, lacking, except, instead, only, free, stop, stops, against, ban, banned, forbid, forbidden, former, formerly, ex, lost, cancelled, canceled, declined, rejected, vetoed, rather, hardly, rarely, barely, left, ended, used to, sold, gone, out, allergisch, allergie, hasst, hasse, meidet, vermeidet, unverträglichkeit, intoleranz, statt, nur, früher, ehemals, ausser, außer, abgelehnt, déteste, horreur, évite, allergique, intolérant, intolérante, sauf, seulement, éviter, ne, odia, odio, evita, alérgico, alérgica, alergia, intolerante, solo, sólo, excepto, menos, salvo, odeia, detesta, só, apenas, exceto, evitar, odia, allergico, allergica, allergia, tranne, soltanto, evitare, smette, ghét, dị ứng, tránh, chỉ, trừ, say xe, аллергия, аллергии, ненавидит, избегает, только, кроме, отменила, отменил, запретил, ушла, ушёл, ушел, حساسية, يكره, تكره, يتجنب, تتجنب, فقط, إلا, بس, ممنوع, 过敏, 讨厌, 戒, 忌, 避免, 只, 除了, 拒绝, アレルギー, 苦手, 嫌い, なし, だけ, だめ, 駄目, のみ, 以外, 避け, 알레르기, 싫, 피하, 만, 불내증, 빼
`)

// affirms and denies find an answer at the beginning of a message.
var affirms = phrasesOf(`
y: yes, yeah, yep, yup, yea, sure, exactly, right, correct, ok, okay, true, indeed, definitely, absolutely, perfect, great, ja, genau, jo, klar, stimmt, richtig, passt, jawohl, oui, ouais, exact, exactement, voilà, d'accord, bien sûr, sí, si, claro, exacto, correcto, vale, dale, eso, sim, isso, exato, certo, claro, sì, esatto, certo, giusto, vâng, dạ, đúng, ừ, uh, có, да, ага, верно, точно, именно, конечно, نعم, أيوه, ايوه, اه, آه, صح, صحيح, تمام, أكيد, 是, 对, 嗯, 好, 没错, 是的, 对的, はい, うん, そう, ええ, その通り, 네, 예, 응, 맞아요, 맞아, 그래요, 넵
`)

var denies = phrasesOf(`
n: no, nope, nah, not, nein, nee, nö, ne, non, não, nao, không, chưa, нет, не, لا, لأ, 不, 没有, 不是, いいえ, いや, ううん, 아니요, 아뇨, 아니
`)

// joins begin another statement within a sentence.
var joins = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`and but because while although though so whereas und aber sondern weil denn doch obwohl et mais car donc puis
		y e pero sino porque aunque mas porém pois ma però perché và nhưng vì mà còn nên để и а но зато потому или or oder ou أو و لكن بس لأن`) {
		out[light(word)] = true
	}
	return out
}()

// plain are capitalised words that are no names.
var plain = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`user users assistant ai i i'm i've i'd i'll utc gmt am pm mr mrs ms dr herr frau madame monsieur señor señora sig
		sr sra ok tv pc usd eur profile memory note notes nutzer nutzerin benutzer today tomorrow yesterday later kinder familie
		pro gäste uhr euro`) {
		out[bare(word)] = true
	}
	return out
}()
