package analysis

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"reverie/language/fold"
	"reverie/language/script"
)

// label matches the name before what somebody says: "Ida: …", "<Ida Lund>: …", "**Ida:** …". Without a name it has brackets.
var label = regexp.MustCompile(`^\s*(?:<([^<>\n]{0,40})>|\[([^\[\]\n]{0,40})\]|\**(\pL[\pL\pM'’. -]{0,39}))\s*[:：](?:[^/]|$)`)

// roles are the labels of transcripts that are nobody's names, folded.
var roles = func() map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(`user human assistant ai bot chatbot agent model system me you utilisateur usuario usuário utente nutzer
		benutzer assistent asistente assistente пользователь ассистент 用户 助手 我 你 ユーザー アシスタント 사용자 어시스턴트`) {
		words[fold.Text(word)] = true
	}
	return words
}()

// speakersOf returns the distinct words of the names of those who speak in a dialogue, folded, and whether text is one: at least half
// of its lines have a label, and somebody speaks twice. Otherwise "To: …" would be a name.
func speakersOf(text string) (speakers []string, dialogue bool) {
	if !strings.ContainsAny(text, ":：") {
		return nil, false
	}
	lines, labelled := 0, 0
	said := map[string]int{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		found := label.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		labelled++
		name := fold.Text(strings.TrimSpace(found[1] + found[2] + found[3]))
		said[name]++
		dialogue = dialogue || said[name] > 1
		if said[name] > 1 || roles[name] {
			continue
		}
		for _, word := range scanText(name).words {
			if !word.inRun {
				speakers = appendDistinct(speakers, 0, word.folded)
			}
		}
	}
	if !dialogue || 2*labelled < lines {
		return nil, false
	}
	return speakers, true
}

// mostQuestions is the maximum number of questions of one text that are distinguished: each is ranked separately.
const mostQuestions = 4

// questionEnds returns where each question of a folded text ends, if it asks several; nil if it asks one, or too many. What is said
// between two belongs to the next one, and the rest to the last.
func questionEnds(text string) (ends []int) {
	for i, r := range text {
		if r != '?' && r != '？' && r != '؟' {
			continue
		}
		end := i + utf8.RuneLen(r)
		next, _ := utf8.DecodeRuneInString(text[end:])
		if next == r || r == '?' && script.Of(next) == script.Spaced { // "??", and "?id=1" in an address
			continue
		}
		if len(ends) == mostQuestions {
			return nil
		}
		ends = append(ends, end)
	}
	if len(ends) < 2 {
		return nil
	}
	ends[len(ends)-1] = len(text)
	return ends
}

// within returns the bit of the question that contains byte at of the folded text; 0 if there are not several.
func within(ends []int, at int) uint8 {
	for i, end := range ends {
		if at < end {
			return 1 << i
		}
	}
	return 0
}
