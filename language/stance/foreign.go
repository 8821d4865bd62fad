package stance

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
	"reverie/language/script"
)

// foreignLines reports for each line of a message whether it is not the speaker's own: code, a log, a quotation by line, a
// letter, a chat of others, or text after an announcement ("here is the email:").
func (r *Reader) foreignLines(message, lang string) []bool {
	lines := strings.Split(message, "\n")
	out := make([]bool, len(lines))
	markFences(lines, out)
	code := make([]bool, len(lines))
	for i, line := range lines {
		code[i] = isCode(line)
		if code[i] || isQuotedLine(line) || isHeader(line) {
			out[i] = true
		}
		code[i] = code[i] || comment.MatchString(line)
	}
	if len(lines) == 1 {
		return out
	}
	markCode(lines, code, out)
	markChats(lines, out)
	r.markLetters(lines, out, lang)
	r.markPastes(lines, out, lang)
	r.markReviewed(lines, out, lang)
	r.markShown(lines, out, lang)
	return out
}

func markFences(lines []string, out []bool) {
	open := ""
	for i, line := range lines {
		t := strings.TrimSpace(line)
		switch {
		case open == "" && (strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~")):
			open = t[:3]
			out[i] = true
			if len(t) > 3 && strings.Contains(t[3:], open) {
				open = ""
			}
		case open != "":
			out[i] = true
			if strings.HasPrefix(t, open) || strings.HasSuffix(t, open) {
				open = ""
			}
		}
	}
}

func isQuotedLine(line string) bool {
	t := strings.TrimSpace(line)
	return strings.HasPrefix(t, ">") || strings.HasPrefix(t, "|") && strings.Count(t, "|") > 2
}

// Parts of code and logs. A line with two different ones is code; the strong ones suffice alone.
var (
	codeStrong = lazyregexp.New(`^\s*(?:(?:import|package)\s+[\w."'{*/-]+(?:\s+(?:from|as|\})\s.*)?;?\s*$|from\s+[\w.]+\s+import\s|` +
		`(?:func|def|class|interface|struct)\s+[\w(].*[({:]|(?:const|let|var)\s+[\w{\[]+[^.!?]*=|import\s*[({]|` +
		`import\s+\w+(?:,\s*\w+)+$|` +
		`return\s+(?:(?:nil|None|null|[Tt]rue|[Ff]alse)\b|[a-z_]\w*;?\s*$|[^!?]*(?:\w\(|[;\[\]{}"'+*/<>=_]| - ))|` +
		`(?:public|private)\s+(?:static|final|class|void|async|\w+\s+\w+\s*[({=;])|(?:SELECT|INSERT|UPDATE|CREATE|FROM)\b|` +
		`(?:#include|#!|@\w+\(|<\w+[ >/]|</\w+>|//|/\*|--\s|\$\s|npm |pip |git |docker |sudo |curl |at \w+[.(]|` +
		`Traceback|File "|\w+Error:|\w+Exception\b)|[\]})]+[;,]?\s*$|` +
		`\w+\s*[:=]\s*[\[{]\s*$|"\w+":\s|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\[?(?:FATAL|ERROR|WARN|INFO|DEBUG|TRACE)\b|[\w.-]+\s+\| )`)
	codeSigns = lazyregexp.New(`[;{}]\s*$|\w\(.*\)|=>|:=|==|!=|->|::|&&|\|\||^\s{4,}\S|^\s*#\s*\S|\w+_\w+|\w+\.\w+\(|=\s*["'\d\w]`)
)

// codeMarks are the signs one of which any match of codeSigns has.
const codeMarks = "{}();=-:&|#_.\t"

func isCode(line string) bool {
	if strings.TrimSpace(line) == "" {
		return false
	}
	return codeStrong.MatchString(line) || strings.ContainsAny(line, codeMarks) && !hasSentence(line) && len(codeSigns.FindAllString(line, 3)) > 1
}

// hasSentence reports whether a line reads like prose: four words without signs, or a script without spaces.
func hasSentence(line string) bool {
	words := 0
	for w := range strings.FieldsSeq(line) {
		if strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune(",.'!?-", r) }) < 0 {
			words++
		}
	}
	return words >= 5
}

// markCode marks all lines of a block, a run of lines without an empty one, when half of them are code or comments.
func markCode(lines []string, code, out []bool) {
	for i := 0; i < len(lines); i++ {
		end, found := i, 0
		for end < len(lines) && strings.TrimSpace(lines[end]) != "" {
			if code[end] {
				found++
			}
			end++
		}
		if size := end - i; size >= 2 && found >= 2 && found*2 >= size {
			first := i
			if !code[i] {
				first++ // the line that announces it
			}
			for k := first; k < end; k++ {
				out[k] = true
			}
		}
		i = end
	}
}

// comment matches a line that is a comment in a program or configuration.
var comment = lazyregexp.New(`^\s*(?:#|//|--|/\*|\*|;|%|<!--|REM )\s*\S`)

// header matches a line of the head of an e-mail.
var header = lazyregexp.New(`(?i)^\s*(?:from|to|subject|date|cc|sent|re|fwd?|von|an|betreff|datum|gesendet|de|para|asunto|fecha|` +
	`objet|à|date|envoyé|` +
	`assunto|data|oggetto|da|a|inviato|от|кому|тема|дата|من|إلى|الموضوع|التاريخ|发件人|收件人|主题|日期|差出人|宛先|件名|日時|보낸 ?사람|받는 ?사람|제목|날짜|từ|đến|` +
	`chủ đề|ngày)\s*[:：]\s*\S`)

func isHeader(line string) bool { return hasColon(line) && header.MatchString(line) }

func hasColon(line string) bool { return strings.Contains(line, ":") || strings.Contains(line, "：") }

// chatLine matches a line of somebody in a chat: "Bob: …", "[10:32] Bob: …".
var chatLine = lazyregexp.New(`^\s*(?:\[?\d{1,2}[:.]\d{2}[^\]\p{L}]*\]?\s*)?([\p{L}][\p{L} .'-]{0,24})(?:\s*\([^)]{0,20}\))?\s*[:：]\s*\S`)

// timed matches the time at the beginning of a line of a chat or log.
var timed = lazyregexp.New(`^\s*\[?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?[^\]\p{L}]*\]\s*\p{L}`)

// markChats marks the lines of a chat: at least two lines of two people, or of one with times.
func markChats(lines []string, out []bool) {
	speakers := map[string]int{}
	var at []int
	for i, line := range lines {
		if out[i] || !hasColon(line) {
			continue
		}
		if m := chatLine.FindStringSubmatch(line); m != nil && len(strings.Fields(m[1])) <= 3 {
			speakers[m[1]]++
			at = append(at, i)
		}
	}
	repeated := false
	for _, n := range speakers {
		repeated = repeated || n > 1
	}
	for _, i := range at {
		if timed.MatchString(lines[i]) {
			out[i] = true
		}
	}
	if len(at) >= 3 && len(speakers) >= 2 && repeated {
		for i := at[0]; i <= at[len(at)-1]; i++ {
			out[i] = true
		}
	}
}

// letterLine is the greatest length of the opening and the closing of a letter, in characters.
const letterLine = 48

// greeting matches an opening that people also use towards the assistant; inside a message it opens a letter.
var greeting = lazyregexp.New(`(?i)^(?:hi|hello|hey|hallo|hola|salut|bonjour|ciao|buongiorno|oi|olá|ola|привет|здравствуйте|` +
	`добрый день|مرحبا|أهلا|` +
	`السلام عليكم|chào|xin chào)(?:[ ,!:،]|$)`)

// markLetters marks everything between the opening and the closing of a letter. A letter that a line before it announces need
// not have a closing.
func (r *Reader) markLetters(lines []string, out []bool, lang string) {
	open, announced := -1, false
	mark := func(last int) {
		for k := open; k <= last; k++ {
			out[k] = true
		}
		open = -1
	}
	for i, line := range lines {
		t := strings.TrimSpace(line)
		if t == "" {
			continue
		}
		marks := r.find(t, lang)
		short := utf8.RuneCountInString(t) <= letterLine
		switch {
		case open < 0 && short && i+2 < len(lines) && endsOpening(t) && (frames(marks, cue.Salute, t, lang) || i > 0 && greeting.MatchString(t)):
			open = i
		case open < 0:
			announced = announced || marks.Set().Any(cue.Paste, cue.Request, cue.Fiction, cue.Ask) || strings.ContainsAny(t, "?？؟")
		case short && i > open+1 && frames(marks, cue.Close, t, lang):
			last := min(i+2, len(lines)-1) // the name of the writer
			for k := i + 1; k <= last; k++ {
				if utf8.RuneCountInString(lines[k]) > letterLine || strings.ContainsAny(lines[k], "?？؟") {
					last = k - 1
				}
			}
			mark(last)
		}
	}
	if open > 0 && announced {
		mark(r.lastForeign(lines, open, lang))
	}
}

// frames reports whether a line begins with a cue, or ends with it where languages put it there: "王经理：", "田中様", "이수연 드림".
func frames(marks cue.Marks, k cue.Kind, line, lang string) bool {
	for _, m := range marks {
		if m.Kind == k && (m.Start == 0 || endMarked(lang) && m.End >= lastLetter(line)) {
			return true
		}
	}
	return false
}

func endsOpening(t string) bool {
	r, _ := utf8.DecodeLastRuneInString(t)
	return strings.ContainsRune(",，:：!！、،", r) || len(strings.Fields(t)) <= 3
}

// lastForeign returns the last line of a foreign text that begins after line first: the last line of the message, or the one
// before the last paragraph if that asks the assistant for something.
func (r *Reader) lastForeign(lines []string, first int, lang string) int {
	k := len(lines) - 1
	for k > first && strings.TrimSpace(lines[k]) == "" {
		k--
	}
	foreign := 0 // lines before the last paragraph
	for i := first + 1; i < k; i++ {
		if strings.TrimSpace(lines[i]) != "" {
			foreign++
		}
	}
	if foreign == 0 || strings.TrimSpace(lines[k-1]) != "" || listMark.MatchString(lines[k]) {
		return len(lines) - 1
	}
	marks := r.find(lines[k], lang)
	if strings.ContainsAny(lines[k], "?？؟") || marks.Set().Has(cue.Review) || slices.ContainsFunc(marks, func(m cue.Mark) bool {
		return m.Start < opening && (m.Kind == cue.Request || m.Kind == cue.Ask || m.Kind == cue.Paste)
	}) {
		return k - 1
	}
	return len(lines) - 1
}

// opening is the length in bytes of the beginning of a paragraph in which a request counts.
const opening = 40

// markPastes marks the text after an announcement that ends in a colon. The last paragraph is the speaker's again if it asks
// the assistant for something.
func (r *Reader) markPastes(lines []string, out []bool, lang string) {
	for i, line := range lines {
		if out[i] {
			continue
		}
		t := strings.TrimSpace(line)
		colon, _ := utf8.DecodeLastRuneInString(t)
		if !strings.ContainsRune(":：", colon) || i+1 == len(lines) {
			continue
		}
		set := r.find(t, lang).Set()
		if !set.Any(cue.Paste, cue.Fiction, cue.Game) && (!set.Has(cue.Request) || set.Has(cue.Remember) || isList(lines[i+1:])) {
			continue
		}
		end := r.lastForeign(lines, i, lang) + 1
		for k := i + 1; k < end; k++ {
			out[k] = true
		}
	}
}

// isList reports whether the first line with text is an item of a list.
func isList(lines []string) bool {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			return listMark.MatchString(line)
		}
	}
	return false
}

// foreignRest returns the offset in a sentence after which it repeats foreign words: "he wrote: …", "translate: …". It is
// len(text) if there are none.
func (r *Reader) foreignRest(text string, marks cue.Marks) int {
	at := strings.IndexAny(text, ":：")
	if at < 0 || at+1 >= len(text) {
		return len(text)
	}
	rest := text[at:]
	if !strings.ContainsRune(rest, ' ') && !script.HasHan(rest) {
		return len(text)
	}
	before := marks.Within(0, at).Set()
	switch {
	case before.Has(cue.Remember):
	case before.Any(cue.Paste, cue.Fiction), before.Has(cue.Review) && before.Has(cue.Text),
		r.works && (before.Any(cue.Request, cue.Text, cue.Review) || marks.Within(at, len(text)).Set().Has(cue.Self)),
		before.Any(cue.Request, cue.Review) && r.Lang != "" && len(rest) > minForeign && cue.LanguageOf(rest) != r.Lang:
		return at
	}
	return len(text)
}

// minForeign is the length in bytes of a text whose language is distinguished from that of the conversation.
const minForeign = 24

// markReviewed marks the paragraphs after one that asks for a look at a text, and, once that was asked, the paragraphs after
// a colon.
func (r *Reader) markReviewed(lines []string, out []bool, lang string) {
	for i := 0; i+2 < len(lines); i++ {
		lead := strings.TrimSpace(lines[i])
		if lead == "" || out[i] || strings.TrimSpace(lines[i+1]) != "" || isList(lines[i+2:]) {
			continue
		}
		set := r.find(lead, lang).Set()
		colon, _ := utf8.DecodeLastRuneInString(lead)
		if set.Has(cue.Review) && set.Has(cue.Text) || r.works && strings.ContainsRune(":：", colon) && !set.Has(cue.Remember) {
			for k := i + 1; k <= r.lastForeign(lines, i, lang); k++ {
				out[k] = true
			}
			return
		}
	}
}

// markShown marks the text below a line that shows it and asks about it, "I found this, is it true?", and the text below any line
// that greets other people.
func (r *Reader) markShown(lines []string, out []bool, lang string) {
	for i := 0; i+1 < len(lines); i++ {
		if out[i] || strings.TrimSpace(lines[i]) == "" {
			continue
		}
		next := i + 1
		for next < len(lines) && strings.TrimSpace(lines[next]) == "" {
			next++
		}
		if next == len(lines) {
			return
		}
		if out[next] || utf8.RuneCountInString(lines[i]) > maxLead || !isLong(lines[next:]) {
			continue
		}
		set := r.find(lines[i], lang).Set()
		asked := strings.ContainsAny(lines[i], "?？؟") || set.Any(cue.Ask, cue.Request, cue.Review, cue.Fiction)
		shown := asked && set.Any(cue.This, cue.Paste) || set.Has(cue.This) && set.Has(cue.Paste)
		first := strings.TrimSpace(lines[next])
		greets := greeting.MatchString(first) || frames(r.find(head(first), lang), cue.Salute, first, lang)
		if greets || shown && !set.Has(cue.Remember) && !isList(lines[next:]) {
			for k := next; k <= r.lastForeign(lines, i, lang); k++ {
				out[k] = true
			}
			return
		}
	}
}

// Lengths in characters; those of scripts without spaces count three times in a text that is shown.
const (
	maxLead  = 240 // of the line above a text that is shown
	minShown = 50
)

func head(s string) string { return strings.ToValidUTF8(s[:min(len(s), opening)], "") }

// isLong reports whether lines have the length of a text that is shown.
func isLong(lines []string) bool {
	n := 0
	for i := 0; i < len(lines) && n < minShown; i++ {
		n += utf8.RuneCountInString(lines[i]) + 2*unspacedRunes(lines[i])
	}
	return n >= minShown
}
