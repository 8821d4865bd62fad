package window

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"reverie/language/analysis"
	"reverie/language/lazyregexp"
	"reverie/language/script"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maxTrivial = 80 // characters; a longer message is never trivial
	maxRun     = 2  // more repetitions of a letter are collapsed: "hiiii"
)

// Trivial reports whether a message is not worth a search: SmallTalk, or one word without a meaning ("why?") or a question for a reason
// ("why not?"). Longer questions without a meaning may refer to the turn before ("and when is it?") and are not trivial.
func Trivial(message string) bool {
	if len(message) > 16*maxTrivial {
		return SmallTalk(message)
	}
	letters := letters(message)
	return SmallTalk(message) || madeOf(letters, whys().exact) || unmarked(letters) && madeOf(letters, whys().bare) ||
		!slices.Contains(letters, ' ') && means(message) == 0
}

// whys ask for a reason, and are written in several words.
var whys = sync.OnceValue(func() phrases { return readPhrases(trivialWhys) })

const trivialWhys = `
why not, why so, how come, warum nicht, wieso nicht, weshalb nicht, warum denn, por qué, por qué no, y por qué no,
pourquoi pas, por quê, por que não, perché no, perché mai, почему нет, почему бы нет, почему бы и нет, tại sao không, 为什么不, 为什么不呢, 为啥, 为啥不,
なぜですか, どうして, なんで, なぜだめ, 왜 안돼, 왜 안 돼, 왜요, لماذا لا, ليش لا, ليه لا`

// SmallTalk reports whether a message is a greeting, thanks, an acknowledgement or only symbols, in any script.
//
// It consists entirely of the phrases below. Short questions, names, numbers and words of languages without a list are not
// small talk.
func SmallTalk(message string) bool {
	text := emoticon.ReplaceAllString(visible(message), "  ")
	if len(text) > 16*maxTrivial {
		return false
	}
	letters := letters(text)
	if len(letters) > maxTrivial {
		return false
	}
	known := trivialPhrases()
	return madeOf(letters, known.exact) || madeOf(shortened(letters, maxRun), known.exact) ||
		madeOf(shortened(letters, 1), known.exact) || unmarked(letters) && madeOf(letters, known.bare)
}

// means counts the words of a text that have a meaning.
func means(text string) (n int) {
	for _, token := range analysis.Analyse(text) {
		if !token.Stop {
			n++
		}
	}
	return n
}

// emoticon matches a face made of characters, some of which may be letters.
var emoticon = lazyregexp.New(`(?i)(?:^|\s)(?:[:;=]['’]?-?[dpo3sx|/\\)(\]\[*]+|xd+)`)

// letters returns the letters, marks and digits of a text in the form used for comparison, with a space between
// words.
func letters(text string) []rune {
	text = cases.Fold().String(norm.NFKC.String(text))
	var out []rune
	for _, r := range text {
		switch {
		case same[r] != 0:
			out = append(out, same[r])
		case drawn(r) || r == '\'' || r == '’' || unicode.Is(unicode.Me, r): // inside a word: don't
		case unicode.In(r, unicode.L, unicode.N), unicode.Is(unicode.M, r) && len(out) > 0 && out[len(out)-1] != ' ':
			out = append(out, r)
		case len(out) > 0 && out[len(out)-1] != ' ':
			out = append(out, ' ')
		}
	}
	if len(out) > 0 && out[len(out)-1] == ' ' {
		out = out[:len(out)-1]
	}
	return out
}

// same maps letters to the letter that is commonly written for them.
var same = map[rune]rune{'أ': 'ا', 'إ': 'ا', 'آ': 'ا', 'ى': 'ي', 'ة': 'ه', 'ё': 'е'}

// drawn reports whether a mark only points or stretches Arabic and Hebrew, or shapes an emoji.
func drawn(r rune) bool {
	return r == joiner || r == nonJoiner || unicode.Is(drawnMarks, r)
}

var drawnMarks = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0591, Hi: 0x05C7, Stride: 1}, // points of Hebrew
	{Lo: 0x0640, Hi: 0x0640, Stride: 1}, // the stretching of Arabic
	{Lo: 0x064B, Hi: 0x0652, Stride: 1}, // its vowels
	{Lo: 0x20E3, Hi: 0x20E3, Stride: 1}, // the frame of a key
	{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, // variants of emojis
}}

// shortened collapses repetitions of a letter to at most most.
func shortened(text []rune, most int) []rune {
	out := make([]rune, 0, len(text))
	run := 0
	for i, r := range text {
		if run++; i == 0 || r != text[i-1] {
			run = 1
		}
		if run <= most {
			out = append(out, r)
		}
	}
	return out
}

// unmarked reports whether a text has no accented letter. People who write without accents mean the accented words as
// well.
func unmarked(text []rune) bool { return slices.Equal(text, unaccented(text)) }

func unaccented(text []rune) []rune {
	var out []rune
	for _, r := range norm.NFD.String(string(text)) {
		switch {
		case 0x0300 <= r && r <= 0x036F:
		case r == 'đ':
			out = append(out, 'd')
		default:
			out = append(out, r)
		}
	}
	return []rune(norm.NFC.String(string(out)))
}

// phrases are the phrases that messages are compared with.
type phrases struct {
	exact, bare map[string]bool // as written, and without accents
}

// longestPhrase is the length of the longest phrase, in characters.
const longestPhrase = 32

// madeOf reports whether a text can be split into known phrases, at word boundaries where the script has them.
func madeOf(text []rune, known map[string]bool) bool {
	reached := make([]bool, len(text)+1)
	reached[0] = true
	for from := range text {
		if !reached[from] {
			continue
		}
		if text[from] == ' ' {
			reached[from+1] = true
			continue
		}
		for to := from + 1; to <= min(from+longestPhrase, len(text)); to++ {
			if edge(text, to) && known[string(text[from:to])] {
				reached[to] = true
			}
		}
	}
	return reached[len(text)]
}

// edge reports whether a word may end at a position.
func edge(text []rune, at int) bool {
	if at == len(text) || text[at] == ' ' || text[at-1] == ' ' {
		return true
	}
	return unspaced(text[at-1]) || unspaced(text[at])
}

// unspaced reports whether a script does not separate words by spaces, at least in short messages.
func unspaced(r rune) bool { return script.IsUnspaced(r) || script.IsHangul(r) }

// readPhrases reads phrases separated by line breaks or commas.
func readPhrases(lists ...string) phrases {
	p := phrases{exact: map[string]bool{}, bare: map[string]bool{}}
	for _, list := range lists {
		for phrase := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == '\n' }) {
			if l := letters(phrase); len(l) > 0 {
				p.exact[string(l)] = true
				p.bare[string(unaccented(l))] = true
			}
		}
	}
	return p
}

// trivialPhrases are greetings, farewells, thanks, acknowledgements, laughter and praise, which give nothing to
// search for. Phrases that could begin a question, or answer one with more than yes or no, are left out. Single
// Chinese characters are included only if no combination of them means anything else.
var trivialPhrases = sync.OnceValue(func() phrases {
	return readPhrases(trivialLatin, trivialHan, trivialJapanese, trivialKorean, trivialCyrillic, trivialOthers)
})

const trivialLatin = `
hi, hello, hey, heya, hiya, yo, howdy, hi there, hello there, hey there, hi all, hi everyone, hello everyone,
hey everyone, hi again,
hello again, greetings, good morning, good afternoon, good evening, good night, goodnight, good day, morning,
gm, gn, how are you,
how are you doing, how are you today, how is it going, hows it going, whats up, sup, wassup, how do you do,
nice to meet you,
long time no see, welcome back, im back, anyone there, are you there, you there,
bye, goodbye, good bye, bye bye, see you, see ya, see you later, see you soon, see you tomorrow, cya, later,
ttyl, take care, cheers,
have a nice day, have a good day, have a good one, have a great day, talk to you later, talk later,
thanks, thank you, thx, thanx, ty, tysm, tyvm, thank u, many thanks, thanks a lot, thanks so much,
thank you so much,
thank you very much, thanks very much, much appreciated, appreciate it, i appreciate it, thanks again,
thank you again, thanks man,
thanks mate, thanks a million, thanks for your help, thank you for your help, thanks for the help,
thanks in advance, you too,
same to you, youre welcome, you are welcome, welcome, no problem, np, no worries, my pleasure,
dont mention it, sorry, my bad, oops,
ok, okay, okey, okie, k, kk, okk, oki, okey dokey, okidoki, alright, all right, alrighty, right, sure,
sure thing, of course, yes,
yep, yup, yeah, yea, ya, yes please, no, nope, nah, no thanks, no thank you, please, pls, plz, got it,
gotcha, i got it, i see,
understood, i understand, makes sense, that makes sense, fair enough, noted, roger, roger that, copy that,
copy, will do, done,
all good, all set, sounds good, sounds great, looks good, look good, lgtm, good, great, nice, cool, perfect,
awesome, excellent,
amazing, wonderful, fantastic, brilliant, super, sweet, neat, lovely, wow, woah, whoa, yay, hooray, hurray,
well done, good job,
nice one, great job, good work, nice work, great work, very good, very nice, so good, so cool, thats great,
thats good, thats nice,
thats fine, thats ok, its ok, its fine, its all good, fine, that works, works for me, agreed, i agree,
exactly, indeed, correct,
thats right, thats correct, absolutely, definitely, totally, true, ah, aha, ahh, oh, ooh, oh ok, oh i see,
hm, hmm, mm, mmm, mhm,
uh, uhh, um, umm, uh huh, er, erm, huh, meh, lol, lmao, rofl, lmfao, haha, hahaha, ha, heh, hehe, hihi, hoho,
xd, omg, y, n, test,
testing, ping, well, so, anyway, go on, continue, go ahead, carry on, proceed, and so on, never mind,
nevermind, nvm, whatever,
congrats, congratulations, happy birthday, merry christmas, happy new year,

xin chào, chào, chào bạn, chào anh, chào chị, chào em, chào cậu, chào mọi người, chào buổi sáng,
chào buổi tối, chào buổi chiều,
buổi sáng tốt lành, chúc ngủ ngon, ngủ ngon, bạn khỏe không, bạn khoẻ không, tạm biệt, hẹn gặp lại, bái bai,
bai bai,
cảm ơn, cám ơn, cảm ơn bạn, cám ơn bạn, cảm ơn anh, cảm ơn chị, cảm ơn em, cảm ơn nhiều, cám ơn nhiều,
cảm ơn bạn nhiều,
cảm ơn rất nhiều, cảm ơn nhé, cám ơn nhé, cảm ơn nha, xin cảm ơn, không có gì, không sao, không sao đâu,
xin lỗi, xl,
vâng, vâng ạ, dạ, dạ vâng, dạ được, dạ ok, dạ cảm ơn, ừ, ừm, ờ, ừ nhỉ, ok nhé, ok bạn, ok em, ok anh, oke,
okela, okie nhé, được,
được rồi, được thôi, được nhé, tốt, tốt lắm, tốt quá, hay quá, hay lắm, tuyệt, tuyệt vời, tuyệt quá, đồng ý,
đúng, đúng rồi,
đúng vậy, hiểu rồi, mình hiểu rồi, tôi hiểu rồi, em hiểu rồi, tôi hiểu, mình biết rồi, biết rồi, rồi, xong,
xong rồi, dạ không, không ạ, không cảm ơn,
không cần, không cần đâu, thôi, thôi được, nhất trí, chuẩn, chuẩn rồi, chúc mừng, vui quá, hihi, hì, à, à ừ,
ồ, à há, tiếp tục, tiếp đi, alo, a lô,

hola, holi, buenas, buenos días, buen día, buenas tardes, buenas noches, qué tal, cómo estás, cómo está,
cómo te va, qué onda,
hola qué tal, mucho gusto, encantado, encantada, adiós, chao, chau, hasta luego, hasta mañana, hasta pronto,
nos vemos, cuídate,
gracias, muchas gracias, mil gracias, muchísimas gracias, gracias por todo, gracias por tu ayuda,
gracias por la ayuda, te lo agradezco,
de nada, no hay de qué, por favor, perdón, perdona, lo siento, disculpa, sí, si, no, claro, claro que sí,
por supuesto, vale, ok,
okey, de acuerdo, está bien, esta bien, muy bien, bien, bueno, perfecto, genial, estupendo, excelente,
fantástico, guay, qué bien,
buenísimo, buen trabajo, entendido, entiendo, lo entiendo, ya veo, ya entiendo, listo, hecho, exacto,
exactamente, correcto, cierto,
es verdad, así es, jaja, jajaja, jeje, jejeje, ja, ay, ah, ajá, uf, vaya, anda, venga, dale, sale, órale,
felicidades, feliz cumpleaños, continúa, sigue,

hallo, hi zusammen, hallo zusammen, guten morgen, guten tag, guten abend, gute nacht, morgen, moin,
moin moin, servus, grüß gott,
grüß dich, grüezi, na, wie gehts, wie geht es dir, wie geht es ihnen, wie gehts dir, tschüss, tschüß, tschau,
ciao, bis dann,
bis bald, bis später, bis morgen, auf wiedersehen, schönen tag, schönen tag noch, schönen abend,
schönen abend noch,
schönes wochenende, danke, danke schön, dankeschön, vielen dank, herzlichen dank, besten dank, tausend dank,
danke sehr, danke dir,
danke ihnen, danke euch, ich danke dir, vielen lieben dank, danke für die hilfe, danke für deine hilfe,
merci, bitte, bitte schön,
bitteschön, bitte sehr, gern, gerne, gern geschehen, kein problem, keine ursache, entschuldigung, sorry,
tut mir leid, ja, jo, jep,
jawohl, ja bitte, nein, nö, nein danke, nee, ok, okay, alles klar, klar, na klar, in ordnung, alles gut,
passt, passt schon,
einverstanden, verstanden, verstehe, ich verstehe, ach so, achso, aha, ah ja, gut, sehr gut, schön,
sehr schön, super, toll, prima,
klasse, perfekt, wunderbar, ausgezeichnet, großartig, spitze, genau, richtig, stimmt, das stimmt, erledigt,
fertig, gut gemacht,
mach ich, weiter, weiter so, mach weiter, hm, tja, na gut, na ja, naja, glückwunsch, herzlichen glückwunsch,
alles gute,

bonjour, bonsoir, salut, coucou, bonne nuit, bonne journée, bonne soirée, ça va, comment ça va, au revoir,
à bientôt, à demain,
à plus, merci, merci beaucoup, merci bien, mille mercis, je vous remercie, je te remercie, de rien,
je vous en prie, je t en prie,
sil vous plaît, sil te plaît, svp, stp, pardon, désolé, désolée, oui, ouais, non, non merci, daccord, dac,
bien sûr, parfait, super,
génial, excellent, très bien, bien, cest bon, ça marche, compris, je comprends, je vois, exact, exactement,
mdr, ptdr, bravo, félicitations,

olá, oi, bom dia, boa tarde, boa noite, tudo bem, tudo bom, e aí, tchau, até logo, até mais, até amanhã,
obrigado, obrigada,
muito obrigado, muito obrigada, valeu, por nada, de nada, desculpa, desculpe, sim, não, claro, certo, tá,
tá bom, tá bem, está bem,
beleza, legal, ótimo, perfeito, entendi, entendido, kkk, kkkk, rsrs, parabéns,

buongiorno, buonasera, buonanotte, salve, come stai, come va, arrivederci, a presto, grazie, grazie mille,
molte grazie, prego, scusa,
scusi, sì, va bene, certo, perfetto, ottimo, bene, benissimo, capito, ho capito, esatto, bravo, brava,

hoi, goedemorgen, goedemiddag, goedenavond, dank je, dank je wel, dankjewel, bedankt, dank u, dank u wel,
graag gedaan, alsjeblieft,
nee, prima, goed, begrepen, tot ziens, doei,

cześć, dzień dobry, dobry wieczór, dobranoc, dzięki, dziękuję, dziękuję bardzo, proszę, tak, nie, dobrze,
jasne, super, rozumiem, na razie,
pa, do widzenia,

merhaba, selam, günaydın, iyi akşamlar, iyi geceler, nasılsın, teşekkürler, teşekkür ederim, çok teşekkürler,
sağol, sağ ol, rica ederim,
evet, hayır, tamam, peki, olur, güzel, harika, anladım, görüşürüz, hoşça kal,

halo, hai, selamat pagi, selamat siang, selamat sore, selamat malam, apa kabar, terima kasih, makasih,
terima kasih banyak, sama sama,
ya, iya, tidak, oke, baik, baiklah, bagus, mantap, siap, sip, paham, mengerti, sampai jumpa, wkwk, wkwkwk,

hej, hejsan, god morgon, tack, tack så mycket, tusen tack, varsågod, nej, okej, bra, jättebra, förstår,
hejdå, hei, moi, kiitos, kyllä, joo, takk, tak, mange tak`

const trivialHan = `
你好, 您好, 妳好, 你们好, 大家好, 你好呀, 你好啊, 你好吗, 您好吗, 哈喽, 哈啰, 哈囉, 嗨, 嘿, 喂, 在吗, 在嗎, 在不在, 在么, 早, 早啊, 早呀, 早安, 早上好, 上午好, 中午好,
下午好, 晚上好, 晚安, 午安, 好久不见, 好久不見, 最近好吗, 最近怎么样, 再见, 再見, 拜拜, 拜, 回头见, 明天见, 回见, 下次见, 慢走,
谢谢, 謝謝, 谢谢你, 謝謝你, 谢谢您, 謝謝您, 谢谢啦, 谢谢了, 谢谢哈, 谢啦, 谢了, 多谢, 多謝, 非常感谢, 非常感謝, 太感谢了, 感谢, 感謝, 感恩, 感谢你, 感谢您, 十分感谢, 万分感谢,
谢谢你的帮助, 谢谢帮忙, 麻烦你了, 麻烦您了, 麻烦了, 辛苦了, 辛苦啦, 不客气, 不客氣, 不用谢, 不用謝, 别客气, 没事, 沒事, 没关系, 沒關係, 不好意思, 抱歉, 对不起, 對不起, 请, 拜托,
好, 好的, 好滴, 好哒, 好嘞, 好啦, 好呀, 好啊, 好吧, 好哦, 好喔, 好耶, 很好, 非常好, 太好了, 真好, 挺好, 挺好的, 不错, 不錯, 真不错, 很不错, 行, 行吧, 行啊, 行的,
可以, 可以的, 可以啊, 没问题, 沒問題,
是, 是的, 是啊, 是呀, 是滴, 对, 對, 对的, 對的, 对啊, 对呀, 對啊, 没错, 沒錯, 嗯, 嗯嗯, 嗯哼, 嗯呢, 恩, 恩恩, 哦, 哦哦, 噢, 喔, 额, 呃, 唔, 啊, 哎, 唉, 哇,
哇塞, 哇哦, 诶, 欸, 嘻嘻, 嘿嘿, 呵呵, 哈哈, 哈哈哈, 哈,
呵, 嘻, 收到, 收到了, 收到啦, 明白, 明白了, 明白啦, 知道了, 知道啦, 我知道了, 我明白了, 懂了, 我懂了, 了解, 了解了, 瞭解, 清楚了, 原来如此, 原來如此, 原来是这样, 这样啊,
這樣啊, 这样子, 同意, 赞同, 赞, 讚, 棒, 真棒, 太棒了, 很棒, 厉害, 厲害,
太厉害了, 牛, 牛逼, 给力, 完美, 优秀, 加油, 恭喜, 祝贺, 生日快乐, 新年快乐, 不用了, 不用, 不要, 不了, 算了, 随便, 无所谓, 继续, 繼續, 请继续, 完成, 搞定, 搞定了, 完了,
测试, 測試, 测试一下, 真的, 当然, 當然, 确实, 的确, 有道理`

const trivialJapanese = `
こんにちは, こんにちわ, こんばんは, こんばんわ, おはよう, おはようございます, おやすみ, おやすみなさい, はじめまして, よろしく, よろしくお願いします, よろしくおねがいします,
宜しくお願いします, よろしくお願いいたします, お願いします, おねがいします, やあ, もしもし, どうも, お疲れ様, お疲れ様です, おつかれ, おつかれさま, お疲れさまです, お元気ですか, 元気ですか,
元気,
久しぶり, お久しぶりです, さようなら, さよなら, バイバイ, またね, また明日, じゃあね, じゃあまた, では, では また, いってきます, ただいま,
ありがとう, ありがとうございます, ありがとうございました, ありがとうね, どうもありがとう, どうもありがとうございます, どうもありがとうございました, 本当にありがとう, 有難う, 有り難うございます,
有難うございます, サンキュー, あざす, 感謝, 感謝します, 助かります, 助かりました, 助かる,
どういたしまして, すみません, すいません, ごめん, ごめんね, ごめんなさい, 申し訳ありません, 申し訳ございません, 失礼します, 大丈夫, 大丈夫です, 問題ない, 問題ないです, 問題ありません,
結構です,
はい, はいはい, ええ, うん, うんうん, いいえ, いえ, いや, ううん, そう, そうです, そうですね, そうだね, そうですか, そっか, そうか, そうなんだ, そうなんですね, その通り,
その通りです, なるほど, なるほどね, なるほどです, たしかに, 確かに, もちろん, もちろんです,
了解, 了解です, 了解しました, りょうかい, りょ, 承知しました, 承知いたしました, 承知です, かしこまりました, わかった, わかりました, 分かった, 分かりました, 判りました, わかる, オッケー,
オーケー, おけ, おっけー, おk,
いい, いいね, いいですね, いいよ, いいです, よい, よかった, 良かった, よかったです, 良かったです, すごい, すごいね, すごいです, 凄い, 素晴らしい, 素晴らしいです, 素敵, 素敵です,
最高, 最高です, 完璧, 完璧です, さすが, やった, おめでとう, おめでとうございます, 頑張って, 頑張ります,
へえ, へー, ほう, ふむ, ふーん, あ, ああ, あー, え, えー, えっ, おお, おー, わあ, わー, うーん, えっと, あの, はは, ははは, ふふ, ふふふ, わら, 笑, www, ww, w,
草, 続けて, 続けてください, 続き, どうぞ, テスト, できました, 完了, 完了です, 終わり`

const trivialKorean = `
안녕, 안녕하세요, 안녕하십니까, 안뇽, 하이, 헬로, 여보세요, 좋은 아침, 좋은 아침이에요, 좋은 아침입니다, 잘 자, 잘자, 잘 자요, 안녕히 주무세요, 반가워, 반가워요, 반갑습니다,
만나서 반가워요, 만나서 반갑습니다, 처음 뵙겠습니다, 잘 지내, 잘 지내요, 잘 지내세요, 오랜만이에요, 오랜만,
안녕히 가세요, 안녕히 계세요, 잘 가, 잘가, 또 봐, 또 봐요, 다음에 봐요, 내일 봐요, 바이, 바이바이, 수고, 수고하세요, 수고하셨습니다, 수고했어요, 고생했어요, 고생하셨습니다,
고마워, 고마워요, 고맙습니다, 감사, 감사해요, 감사합니다, 정말 감사합니다, 대단히 감사합니다, 정말 고마워, 정말 고마워요, 정말 고맙습니다, 땡큐, 감사드립니다, 도와줘서 고마워,
도와주셔서 감사합니다, ㄱㅅ, ㄳ, ㅎㅇ, ㅂㅂ, ㅇㅋ, ㅇㅇ, ㄴㄴ, ㅇ, ㄴ, ㅋ, ㅋㅋ, ㅋㅋㅋ, ㅎ, ㅎㅎ, ㅎㅎㅎ, ㅠㅠ, ㅜㅜ, ㅠ, ㅜ, ㄷㄷ, ㅊㅋ,
천만에요, 별말씀을요, 괜찮아, 괜찮아요, 괜찮습니다, 미안, 미안해, 미안해요, 죄송해요, 죄송합니다, 실례합니다, 부탁해, 부탁해요, 부탁드립니다, 잘 부탁드립니다,
네, 넵, 넹, 예, 응, 어, 웅, 엉, 그래, 그래요, 그럼, 그럼요, 물론, 물론이죠, 당연하지, 당연하죠, 아니, 아니요, 아뇨, 아니오, 맞아, 맞아요, 맞습니다, 그렇군요, 그렇구나,
그렇네요, 그러네요, 그렇죠, 그쵸, 알겠어, 알겠어요, 알겠습니다, 알았어, 알았어요, 이해했어, 이해했어요, 이해했습니다, 이해됐어요, 오케이, 오키, 확인, 확인했습니다, 확인했어요,
좋아, 좋아요, 좋습니다, 좋네, 좋네요, 굿, 최고, 최고예요, 최고야, 대박, 멋져, 멋져요, 훌륭해요, 훌륭합니다, 완벽해, 완벽해요, 완벽합니다, 잘했어, 잘했어요, 짱, 와, 우와, 아,
아하, 오, 음, 흠, 하하, 하하하, 헤헤, 호호, 히히, 축하해, 축하해요, 축하합니다, 생일 축하해, 화이팅, 파이팅, 계속, 계속해, 계속해요, 계속해 주세요, 테스트, 됐어, 됐어요,
됐습니다, 다 됐어요, 끝`

const trivialCyrillic = `
привет, приветик, приветствую, здравствуй, здравствуйте, добрый день, доброе утро, добрый вечер, доброй ночи,
спокойной ночи, здорово, хай, хелло, ку, салют, как дела, как ты, как вы, как жизнь, давно не виделись,
пока, пока пока, до свидания, до встречи, до завтра, увидимся, всего доброго, всего хорошего, хорошего дня,
хорошего вечера, удачи,
спасибо, спасибо большое, большое спасибо, огромное спасибо, спасибо тебе, спасибо вам, спасибо за помощь,
спс, благодарю, благодарю вас, пожалуйста, не за что, извини, извините, прости, простите, сорри,
ничего страшного, все в порядке, без проблем,
да, ага, угу, да да, да пожалуйста, нет, неа, не, нет спасибо, ок, окей, океюшки, ладно, ладненько, хорошо,
хорошо спасибо, отлично, прекрасно, замечательно, супер, класс, классно, круто, здорово, молодец, браво,
идеально, чудесно, неплохо, норм, нормально, пойдет, годится, договорились, согласен, согласна, понял,
поняла, понятно, ясно, все ясно, все понятно, принято, точно, верно, правильно, именно, конечно, разумеется,
естественно, готово, сделано,
ой, ох, ах, ого, вау, эх, хм, мда, ну, ну да, ну ладно, ну хорошо, так, ха, хаха, хахаха, хех, хехе, лол,
ахаха, поздравляю, с днем рождения, продолжай, продолжайте, дальше, тест,
привіт, вітаю, добрий день, доброго ранку, добрий вечір, дякую, щиро дякую, будь ласка, так, ні, добре,
гаразд, зрозуміло, чудово, до побачення, бувай, здравей, благодаря, мерси, добре, довиждане, хвала, здраво`

const trivialOthers = `
مرحبا, مرحبا بك, اهلا, اهلا وسهلا, أهلا وسهلا, هلا, هاي, السلام عليكم, السلام عليكم ورحمة الله,
السلام عليكم ورحمة الله وبركاته, وعليكم السلام, سلام, صباح الخير, صباح النور, مساء الخير, مساء النور,
تصبح على خير, كيف حالك, كيف الحال, كيفك, شلونك, ازيك, الحمد لله, الحمدلله,
مع السلامة, الى اللقاء, إلى اللقاء, وداعا, باي, شكرا, شكرا لك, شكرا جزيلا, شكرا كثيرا, شكرا جزيلا لك,
الف شكر, ألف شكر, مشكور, تسلم, يعطيك العافية, جزاك الله خيرا, بارك الله فيك, عفوا, العفو, لا شكر على واجب,
على الرحب والسعة, من فضلك, لو سمحت, آسف, اسف, اعتذر, معلش, لا بأس, لا مشكلة,
نعم, اي, ايوه, أيوا, اجل, أجل, لا, كلا, لا شكرا, حسنا, طيب, تمام, ماشي, اوك, اوكي, أوكي, موافق, مفهوم, فهمت,
صحيح, بالضبط, بالتأكيد, طبعا, اكيد, أكيد, جيد, جيد جدا, ممتاز, رائع, جميل, حلو, عظيم, احسنت, أحسنت, مبروك,
ان شاء الله, إن شاء الله, ما شاء الله, والله, يلا, هههه, ههه, هه, استمر, تم,
שלום, היי, בוקר טוב, ערב טוב, לילה טוב, מה שלומך, מה נשמע, תודה, תודה רבה, המון תודה, בבקשה, סליחה, כן, לא,
לא תודה, בסדר, אוקיי, אוקי, טוב, מעולה, מצוין, נהדר, יופי, אחלה, סבבה, הבנתי, נכון, בדיוק, ביי, להתראות, חחח,
नमस्ते, नमस्कार, हैलो, हाय, सुप्रभात, शुभ रात्रि, शुभ प्रभात, कैसे हो, कैसे हैं, आप कैसे हैं, धन्यवाद,
बहुत धन्यवाद, बहुत बहुत धन्यवाद, शुक्रिया, बहुत शुक्रिया, हाँ, हां, जी, जी हाँ, जी हां, नहीं, जी नहीं, ठीक,
ठीक है, अच्छा, बहुत अच्छा, बढ़िया, बहुत बढ़िया, समझ गया, समझ गई, सही, बिल्कुल, माफ़ करना, अलविदा, फिर मिलेंगे,
สวัสดี, สวัสดีครับ, สวัสดีค่ะ, หวัดดี, ดีครับ, ดีค่ะ, สบายดีไหม, ขอบคุณ, ขอบคุณครับ, ขอบคุณค่ะ, ขอบคุณมาก,
ขอบคุณมากครับ, ขอบคุณมากค่ะ, ขอบใจ, ครับ, ค่ะ, คะ, ใช่, ใช่ครับ, ใช่ค่ะ, ไม่, ไม่เป็นไร, ไม่เป็นไรครับ,
ไม่เป็นไรค่ะ, โอเค, โอเคครับ, โอเคค่ะ, ได้, ได้ครับ, ได้ค่ะ, ตกลง, เข้าใจแล้ว, เข้าใจแล้วครับ, เข้าใจแล้วค่ะ,
ดี, ดีมาก, เยี่ยม, สุดยอด, ขอโทษ, ขอโทษครับ, ขอโทษค่ะ, ลาก่อน, บาย,
γεια, γεια σου, γεια σας, καλημέρα, καλησπέρα, καληνύχτα, τι κάνεις, ευχαριστώ, ευχαριστώ πολύ, παρακαλώ,
συγγνώμη, ναι, όχι, εντάξει, οκ, ωραία, τέλεια, μπράβο, κατάλαβα, αντίο,
سلام علیکم, درود, صبح بخیر, خوبی, چطوری, ممنون, خیلی ممنون, مرسی, متشکرم, سپاس, بله, آره, نه, باشه, خوب,
خوبه, عالی, فهمیدم, خداحافظ,
ω, ツ`
