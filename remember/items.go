package remember

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/script"
	"reverie/memory/markdown"
)

// itemMarker begins an item of a list, or quotes or heads a line.
var itemMarker = regexp.MustCompile(`^(?:[-*+•·‣▪–—]|\d{1,3}[.)、．]|[（(]\d{1,3}[)）]|#{1,6}|>)[ \t]*`)

// itemsOf are the statements of what is to be kept: one for each line, without the marks of a list. A line that ends in a
// colon in front of items belongs to each of them.
func itemsOf(kept string) []string {
	lines := slices.Collect(strings.Lines(kept))
	if len(lines) == 1 {
		if s := statement(kept); s != "" {
			return []string{s}
		}
		return nil
	}
	var out []string
	label := ""
	for i, line := range lines {
		said := strings.TrimSpace(line)
		text, listed := unmarked(said)
		if heads(said) && i+1 < len(lines) && isItem(lines[i+1]) {
			label = strings.TrimRight(text, ":： ")
			continue
		}
		if !listed {
			label = ""
		}
		if label != "" && text != "" {
			text = label + ": " + text
		}
		if text = statement(text); text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

func heads(line string) bool { return strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：") }

func isItem(line string) bool {
	_, listed := unmarked(strings.TrimSpace(line))
	return listed
}

// unmarked takes the marks off the beginning of an item. A number that is part of what is said stays: "3.14 is pi".
func unmarked(line string) (text string, listed bool) {
	for {
		mark := itemMarker.FindString(line)
		rest := line[len(mark):]
		if mark == "" || rest != "" && mark[0] >= '0' && mark[0] <= '9' && !strings.HasSuffix(mark, " ") && rest[0] >= '0' && rest[0] <= '9' {
			return line, listed
		}
		line, listed = strings.TrimSpace(rest), true
	}
}

// statement is a text as one line of MEMORY.md, in the words of who said it; empty when it says nothing or cannot be one line.
func statement(text string) string {
	text = strings.Join(strings.Fields(strings.Map(printable, text)), " ")
	for said := ""; said != text; {
		said = text
		text, _ = unmarked(strings.TrimLeft(text, ":：,，;；、。.!！- "))
	}
	if text == "" || strings.Contains(text, "<!--") || strings.Contains(text, "-->") {
		return ""
	}
	text = ended(capitalised(unended(text)))
	if said := markdown.EntriesOf("- " + text + "\n"); len(said) != 1 || said[0].Text != text {
		return "" // it would be something else than a statement: a table, code, an empty box
	}
	return text
}

// printable takes out what cannot be seen, but the joiners that scripts and emoji are written with.
func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

// capitalised begins a sentence, unless its first word is written in a way of its own: iPhone, db_port.
func capitalised(text string) string {
	first, _, _ := strings.Cut(text, " ")
	for _, r := range first {
		if !unicode.IsLower(r) && r != '\'' && r != '’' && r != ',' && r != ':' && r != '-' {
			return text
		}
	}
	runes := []rune(text)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}

// unended takes off what ends a sentence, or a part of one.
func unended(text string) string { return strings.TrimRight(text, " ,，;；、:：.。!！") }

// ended ends a sentence that has no end. What may be an address, a number or a code gets no full stop, so that nobody takes it
// for a part of that.
func ended(text string) string {
	last := text[strings.LastIndex(text, " ")+1:]
	end, _ := utf8.DecodeLastRuneInString(text)
	switch {
	case script.IsHanOrKana(end):
		return text + "。"
	case strings.IndexFunc(last, unlettered) < 0:
		return text + "."
	}
	return text
}

func unlettered(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '-' && r != '\'' && r != '’'
}
