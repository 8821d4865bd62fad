package remember

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/memory/markdown"
)

// itemMarker matches the mark of a list item, quotation or heading.
var itemMarker = lazyregexp.New(`^(?:[-*+•·‣▪–—]|\d{1,3}[.)、．]|[（(]\d{1,3}[)）]|#{1,6}|>)[ \t]*`)

// itemsOf splits the text to keep into statements: one for each line, without list marks. A line that ends in a colon in
// front of items is a prefix of each of them.
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

// unmarked removes marks at the beginning of an item. A number that is part of the statement stays: "3.14 is pi".
func unmarked(line string) (text string, listed bool) {
	for {
		mark := itemMarker.FindString(line)
		rest := line[len(mark):]
		if mark == "" ||
			rest != "" && mark[0] >= '0' && mark[0] <= '9' && !strings.HasSuffix(mark, " ") && rest[0] >= '0' && rest[0] <= '9' {
			return line, listed
		}
		line, listed = strings.TrimSpace(rest), true
	}
}

// statement formats a text as one line of MEMORY.md, in the author's words; empty when it has no content or cannot be one
// line.
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
		return "" // not read as a statement: a table, code, an empty box
	}
	return text
}

// printable drops invisible characters, except the joiners of scripts and emoji.
func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

// capitalised makes the first letter a capital, unless the first word has a special spelling: iPhone, db_port.
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

// unended removes the punctuation at the end of a sentence or clause.
func unended(text string) string { return strings.TrimRight(text, " ,，;；、:：.。!！") }

// ended adds a full stop when it is missing. Text that may end in an address, a number or a code gets none, as the full stop
// could be taken for a part of it.
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
