package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/analysis"
	"reverie/language/script"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/remember"
	"reverie/scan"
	"reverie/search"
	"reverie/search/rank"
	"reverie/store"
	"reverie/toolbox"
	"reverie/window"
)

const (
	// maxQuoted is the maximum number of statements in an answer.
	maxQuoted = 4
	// maxQuote bounds each of them, in characters.
	maxQuote = 300
)

// quotation is a statement of memory and its location.
type quotation struct {
	text, source string
	by           memory.Owner // who said it, in a group
	words        int          // shared with the question
	hit          recall.Hit
	shown        recall.Hit // hit reduced to the statement
}

// answerFromMemory answers without a model: it quotes the statements of memory that match the question best, with
// their locations, or says that there are none. In a group it names who said them.
func (t *turning) answerFromMemory(ctx context.Context) error {
	// Nothing is sent to a model. Quoted statements count as used, and a window that cannot be made does not fail the
	// turn.
	t.recorded, t.assembly.request.NoWait = true, true
	if err := t.remake(ctx); err != nil && !isFull(err) {
		return err
	}
	say := phrasesFor(languageOf(t.request.Message))
	query, _ := t.query()
	switch {
	case !t.settings.MemoryEnabled:
		return t.say(say.off+"\n"+say.noModel, builtinRecall)
	case window.Trivial(query):
		return t.say(say.hello+"\n"+say.noModel, builtinRecall)
	}
	r := recall.Request{Query: query, Unrecorded: true, Synthetic: t.synthetic, Agent: t.agent.Settings, Zone: t.now.Location()}
	found, err := t.Search.Search(ctx, t.id, r)
	if err != nil {
		return err
	}
	hits := t.useful(ctx, found.Results)
	people, err := t.sectionsOf(ctx, hits)
	if err != nil {
		return err
	}
	quoted := t.quotations(query, hits, people)
	if len(quoted) == 0 {
		return t.say(say.nothing+"\n"+say.noModel, builtinRecall)
	}
	t.Search.Used(ctx, t.id, r, hitsOf(quoted))
	for _, q := range quoted {
		t.turn.Quoted = append(t.turn.Quoted, Recalled{Hit: q.shown, Line: q.shown.FromLine, Person: q.by})
	}
	var b strings.Builder
	b.WriteString(say.found)
	if quoted[0].hit.Score < found.Settings.MinScore {
		b.Reset()
		b.WriteString(say.closest)
	}
	for _, q := range quoted {
		b.WriteString("\n- " + saidBy(q.by, q.text) + " (" + q.source + ")")
	}
	b.WriteString("\n" + say.noModel)
	return t.say(b.String(), builtinRecall)
}

// isFull reports whether err means that the context has no room left.
func isFull(err error) bool {
	_, tooLarge := errors.AsType[*window.TooLargeError](err)
	return tooLarge || errors.Is(err, ErrUnreachable) || errors.Is(err, ErrStillRunning)
}

// quotations returns the statements of the hits that share most words with the question; ties keep the order of the
// hits. Statements that are questions are left out.
func (t *turning) quotations(query string, hits []recall.Hit, people sections) []quotation {
	asked := analysis.NewQuery(query, t.now)
	var all []quotation
	most := 0
	for _, hit := range hits {
		here := hit.Source.Conversation == t.request.Conversation && int64(hit.FromLine) >= t.user.Seq
		if here {
			continue
		}
		for _, q := range statements(asked, hit) {
			q.by = people.by(hit, q.shown.FromLine)
			if !slices.ContainsFunc(all, func(other quotation) bool { return other.by == q.by && contains(other.text, q.text) }) {
				all = append(all, q)
				most = max(most, q.words)
			}
		}
	}
	// A statement that shares one word, where others share three, was found only because of its neighbours.
	all = slices.DeleteFunc(all, func(q quotation) bool { return 2*q.words < most })
	return all[:min(len(all), maxQuoted)]
}

// statements returns the statements of a hit that share most words with the question. A hit found by its meaning
// needs no shared word.
func statements(asked analysis.Query, hit recall.Hit) (best []quotation) {
	entries := []markdown.Entry{{Text: hit.Text, FromLine: 1}}
	if hit.Corpus == search.Memory {
		entries = markdown.EntriesOf(hit.Text)
	}
	most := 1
	for _, entry := range entries {
		scanned := scan.Scan(entry.Text)
		text := quote(scanned.Text)
		if scanned.Verdict == scan.VerdictQuarantine || text == "" || isQuestion(text) {
			continue
		}
		words := len(rank.Matches(asked, entry.Text))
		if hit.VectorScore > hit.TextScore {
			words = max(words, 1)
		}
		if words > most {
			best, most = nil, words
		}
		if words == most {
			shown := hit
			shown.Text, shown.Snippet = entry.Text, scanned.Text
			if hit.Corpus == search.Memory {
				shown.FromLine, shown.ToLine = hit.FromLine+entry.FromLine-1, hit.FromLine+entry.ToLine-1
			}
			best = append(best, quotation{text: text, source: window.Escape(sourceOf(hit, shown.FromLine)), words: words, hit: hit, shown: shown})
		}
	}
	return best
}

// quote returns the text on one line, escaped, and cut if it is long.
func quote(text string) string {
	text = window.Escape(strings.Join(strings.Fields(text), " "))
	if utf8.RuneCountInString(text) > maxQuote {
		text = string([]rune(text)[:maxQuote]) + "…"
	}
	return text
}

func isQuestion(text string) bool {
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}

// hitsOf returns the distinct hits that statements come from.
func hitsOf(quoted []quotation) (hits []recall.Hit) {
	for _, q := range quoted {
		same := func(h recall.Hit) bool { return h.Path == q.hit.Path && h.FromLine == q.hit.FromLine }
		if !slices.ContainsFunc(hits, same) {
			hits = append(hits, q.hit)
		}
	}
	return hits
}

// remember saves what the user asked to remember and answers with the receipt. It returns false if there is nothing
// to save and a model can ask back.
func (t *turning) remember(ctx context.Context, asked remember.Request) (answered bool, err error) {
	say := phrasesFor(asked.Language)
	if !t.settings.MemoryEnabled {
		return true, t.say(say.off, builtinRemember)
	}
	saved, err := t.Tools.Remember(ctx, t.caller("remember"), asked.Text)
	if _, refused := errors.AsType[*store.QuarantineError](err); refused {
		return true, t.say(say.refused, builtinRemember)
	}
	if err != nil {
		return false, fmt.Errorf("remember: %w", err)
	}
	if remember.Kind(saved.Kind) == remember.KindUnclear {
		if t.Model != nil {
			return false, nil
		}
		return true, t.say(say.unclear, builtinRemember)
	}
	t.turn.Remembered = &saved
	return true, t.say(say.savedAs(saved), builtinRemember)
}

// savedAs describes the result of a request to remember, with the receipt of the write.
func (p phrases) savedAs(saved toolbox.Saved) string {
	where := saved.Path
	if receipt := cmp.Or(saved.Receipt.Token, saved.Receipt.Key); receipt != "" {
		where = fmt.Sprintf(p.receipt, saved.Path, receipt)
	}
	line, old := saved.Line, saved.Old
	redacted := slices.ContainsFunc(saved.Receipt.Changes, func(c memory.ChangeReceipt) bool { return c.Verdict == scan.VerdictRedact })
	if redacted {
		line, old = scan.Scan(line).Text, scan.Scan(old).Text
	}
	var text string
	switch remember.Kind(saved.Kind) {
	case remember.KindKnown:
		text = fmt.Sprintf(p.known, line, where)
	case remember.KindCorrected:
		text = fmt.Sprintf(p.corrected, line, old, where)
	default:
		text = fmt.Sprintf(p.saved, line, where)
	}
	if redacted {
		text += "\n" + p.redacted
	}
	return text
}

// languageOf returns the language for ready-made sentences to the author of a text: en, zh, ja, vi, es or de; en if
// unclear.
func languageOf(text string) string {
	han := false
	for _, r := range text {
		if script.IsKana(r) {
			return "ja"
		}
		han = han || script.IsHan(r)
	}
	if han {
		return "zh"
	}
	switch language.Likeliest(text, language.English, language.Vietnamese, language.Spanish, language.German) {
	case language.Vietnamese:
		return "vi"
	case language.Spanish:
		return "es"
	case language.German:
		return "de"
	}
	return "en"
}

// phrases are ready-made sentences in one language, with fmt verbs for the variable parts.
type phrases struct {
	found   string // precedes what is remembered
	closest string // precedes weak matches
	nothing string // nothing is remembered
	noModel string // no model is configured
	hello   string // answer to a message that asks nothing: a greeting, thanks
	off     string // memory is switched off

	saved     string // line, where
	known     string // line, where (already known)
	corrected string // new line, old line, where
	receipt   string // path, receipt: where
	redacted  string // a secret was left out of the saved text
	unclear   string // there is nothing to save
	refused   string // must not be saved
}

var phrasebook = map[string]phrases{
	"en": {
		found: "From memory:", closest: "Nothing in memory answers that for certain. What comes closest:",
		nothing: "I found nothing about that in memory.",
		noModel: "(No language model is configured, so I only quote what I remember.)",
		hello:   "Ask me about something that you have told me, or tell me what to remember.",
		off:     "Memory is switched off for this agent, so I can neither look anything up nor save it.",
		saved:   "Saved: %s\n(%s)", known: "I have that already: %s\n(%s)",
		receipt: "%s, receipt %s", redacted: "What looks like a secret is left out.",
		corrected: "Corrected: %s\nBefore: %s\n(%s; the old version stays in the history)",
		unclear:   "What should I remember? Please say it as one specific fact.",
		refused:   "I do not save that: it looks like a secret or like an order to me rather than a fact.",
	},
	"zh": {
		found: "根据记忆：", closest: "记忆中没有确切的答案，最接近的是：",
		nothing: "记忆中没有找到相关内容。",
		noModel: "（未配置语言模型，因此我只引用已记住的内容。）",
		hello:   "可以问我你曾告诉过我的事，或者告诉我需要记住什么。",
		off:     "此智能体的记忆已关闭，我无法查找或保存任何内容。",
		saved:   "已保存：%s\n（%s）", known: "我已经记住了：%s\n（%s）",
		receipt: "%s，回执 %s", redacted: "看起来像机密的内容未保存。",
		corrected: "已更正：%s\n之前：%s\n（%s；旧版本保留在历史记录中）",
		unclear:   "需要我记住什么？请说出一个具体的事实。",
		refused:   "我不会保存这条内容：它看起来像机密信息或对我的指令，而不是事实。",
	},
	"ja": {
		found: "記憶より：", closest: "確実な答えは記憶にありません。最も近いもの：",
		nothing: "それについての記憶は見つかりませんでした。",
		noModel: "（言語モデルが設定されていないため、記憶していることを引用するだけです。）",
		hello:   "以前に話してくれたことを聞くか、覚えてほしいことを教えてください。",
		off:     "このエージェントの記憶はオフになっているため、検索も保存もできません。",
		saved:   "保存しました：%s\n（%s）", known: "すでに覚えています：%s\n（%s）",
		receipt: "%s、受付番号 %s", redacted: "秘密情報と思われる部分は保存していません。",
		corrected: "訂正しました：%s\n以前：%s\n（%s。古い版は履歴に残ります）",
		unclear:   "何を覚えればよいですか。具体的な事実を一つ教えてください。",
		refused:   "これは保存しません。事実ではなく、秘密情報または私への指示のように見えます。",
	},
	"vi": {
		found: "Theo trí nhớ:", closest: "Không có câu trả lời chắc chắn trong trí nhớ. Gần nhất là:",
		nothing: "Tôi không tìm thấy gì về điều đó trong trí nhớ.",
		noModel: "(Chưa cấu hình mô hình ngôn ngữ, nên tôi chỉ trích dẫn những gì tôi nhớ.)",
		hello:   "Hãy hỏi tôi về điều bạn đã kể, hoặc cho tôi biết cần nhớ gì.",
		off:     "Trí nhớ của tác nhân này đang tắt, nên tôi không thể tra cứu hay lưu gì.",
		saved:   "Đã lưu: %s\n(%s)", known: "Tôi đã nhớ điều đó: %s\n(%s)",
		receipt: "%s, biên nhận %s", redacted: "Phần giống như bí mật đã được bỏ đi.",
		corrected: "Đã sửa: %s\nTrước đây: %s\n(%s; phiên bản cũ vẫn còn trong lịch sử)",
		unclear:   "Tôi cần nhớ điều gì? Hãy nói một sự việc cụ thể.",
		refused:   "Tôi không lưu điều đó: nó giống một bí mật hoặc một mệnh lệnh hơn là một sự việc.",
	},
	"es": {
		found: "De memoria:", closest: "Nada en la memoria lo responde con certeza. Lo más cercano:",
		nothing: "No he encontrado nada sobre eso en la memoria.",
		noModel: "(No hay ningún modelo de lenguaje configurado, así que solo cito lo que recuerdo.)",
		hello:   "Pregúntame por algo que me hayas contado o dime qué debo recordar.",
		off:     "La memoria de este agente está desactivada: no puedo buscar ni guardar nada.",
		saved:   "Guardado: %s\n(%s)", known: "Ya lo tengo: %s\n(%s)",
		receipt: "%s, recibo %s", redacted: "Lo que parece un secreto no se ha guardado.",
		corrected: "Corregido: %s\nAntes: %s\n(%s; la versión anterior queda en el historial)",
		unclear:   "¿Qué debo recordar? Dímelo como un hecho concreto.",
		refused:   "No lo guardo: parece un secreto o una orden para mí más que un hecho.",
	},
	"de": {
		found: "Aus dem Gedächtnis:", closest: "Nichts im Gedächtnis beantwortet das sicher. Am nächsten kommt:",
		nothing: "Dazu habe ich im Gedächtnis nichts gefunden.",
		noModel: "(Es ist kein Sprachmodell eingerichtet, daher zitiere ich nur, was ich mir gemerkt habe.)",
		hello:   "Frag mich nach etwas, das du mir erzählt hast, oder sag mir, was ich mir merken soll.",
		off:     "Das Gedächtnis dieses Agenten ist ausgeschaltet; ich kann nichts nachschlagen und nichts speichern.",
		saved:   "Gespeichert: %s\n(%s)", known: "Das weiß ich schon: %s\n(%s)",
		receipt: "%s, Beleg %s", redacted: "Was wie ein Geheimnis aussieht, ist weggelassen.",
		corrected: "Berichtigt: %s\nVorher: %s\n(%s; die alte Fassung bleibt im Verlauf)",
		unclear:   "Was soll ich mir merken? Bitte sag es als eine bestimmte Tatsache.",
		refused:   "Das speichere ich nicht: Es sieht eher nach einem Geheimnis oder einer Anweisung an mich aus als nach einer Tatsache.",
	},
}

// phrasesFor returns the phrases of a language, or the English ones.
func phrasesFor(language string) phrases {
	if p, known := phrasebook[language]; known {
		return p
	}
	return phrasebook["en"]
}
