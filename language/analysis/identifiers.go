package analysis

import (
	"strings"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/script"
)

// name adds the words of folded.text[start:end], which contains no spaces: one plain word, or an identifier as a whole
// and in its parts.
func (s *scan) name(start, end int) {
	if s.special(&start, &end) {
		return
	}
	text := strings.TrimSuffix(s.folded.Text[start:end], "'s")
	end = start + len(text)
	var letters, digits, connectors int
	for i := range len(text) {
		switch c := text[i]; {
		case isDigit(c):
			digits++
		case 'a' <= c && c <= 'z', c >= utf8.RuneSelf, c == '\'':
			letters++
		default:
			connectors++
		}
	}
	humps := s.hasHumps(start, end)
	if connectors == 0 && !humps {
		switch {
		case digits == 0:
			s.plainWord(start, end)
			s.position++
			return
		case letters == 0:
			s.number(start, end)
			s.position++
			return
		}
	}
	if letters == 0 && isFormattedNumber(text) {
		s.number(start, end)
		s.position++
		return
	}
	s.identifier(start, end, humps)
}

// special adds names that end or begin with a sign: C++, C#, .env. It reports whether the name is complete.
func (s *scan) special(start, end *int) bool {
	text := s.folded.Text
	rest := text[*end:]
	word := text[*start:*end]
	switch {
	case strings.HasPrefix(rest, "++") && isLetters(word) && endsName(rest[2:]):
		s.add(*start, *end+2, Identifier)
	case strings.HasPrefix(rest, "#") && len(word) <= 2 && isLetters(word) && endsName(rest[1:]):
		s.add(*start, *end+1, Identifier)
	case *start > 0 && text[*start-1] == '.' && (*start == 1 || strings.IndexByte(" \t\n(\"'`/", text[*start-2]) >= 0) &&
		!isDigit(text[*start]):
		s.add(*start-1, *end, Identifier)
		return false // it may have parts
	default:
		return false
	}
	s.add(*start, *end, Word)
	s.position++
	return true
}

// isLetters reports whether word consists of the letters a to z.
func isLetters(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return word != ""
}

// endsName reports whether no letter or digit follows.
func endsName(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || script.Of(r) != script.Spaced
}

// hasHumps reports whether a name is written likeThis or LikeThis.
func (s *scan) hasHumps(start, end int) bool {
	from, to := s.folded.Origin(start, end)
	original := s.source[from:to]
	if original == s.folded.Text[start:end] || !isAligned(original, s.folded.Text[start:end]) {
		return false
	}
	for i := 1; i < len(original); i++ {
		if isHump(original, i) {
			return true
		}
	}
	return false
}

// isAligned reports whether the ASCII letters of a name keep their positions when it is folded: folding changes the
// length of some other letters.
func isAligned(name, folded string) bool {
	if len(name) != len(folded) {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if isUpper(c) {
			c += 'a' - 'A'
		}
		if c != folded[i] && (c < utf8.RuneSelf || folded[i] < utf8.RuneSelf) {
			return false
		}
	}
	return true
}

// isHump reports whether the letter at byte i begins a new part of a name: Name in fileName, Server in HTTPServer; not
// the plural in URLs.
func isHump(name string, i int) bool {
	if !isUpper(name[i]) || i+1 >= len(name) {
		return false
	}
	if isLower(name[i-1]) {
		return true
	}
	return isUpper(name[i-1]) && i+2 < len(name) && isLower(name[i+1]) && isLower(name[i+2])
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// identifier adds a name of several parts: the whole, then the sections between its signs, then their parts. The whole
// shares the position of its first part.
func (s *scan) identifier(start, end int, humps bool) {
	text := s.folded.Text
	before := len(s.words)
	first := s.position
	s.inIdentifier = true
	defer func() { s.inIdentifier = false }()
	s.add(start, end, Identifier)
	s.words[before].other[0] = joined(text[start:end])
	wholeNeeded := false
	sectionStart := start
	for i := start; i <= end; i++ {
		if i < end && !isMajorConnector(text[i]) {
			continue
		}
		if sectionStart < i {
			if sectionStart > start || i < end {
				wholeNeeded = true
			}
			if s.section(sectionStart, i, humps, sectionStart > start || i < end) {
				wholeNeeded = true
			}
		}
		sectionStart = i + 1
	}
	if !wholeNeeded { // only one part
		s.words = append(s.words[:before], s.words[before+1:]...)
	} else {
		s.words[before].of = inversion(s.words[before+1:])
	}
	if s.position == first {
		s.position++
	}
}

// inversion returns French if the parts of a name are a French verb and its pronoun, as in "a-t-elle": these are
// function words, not a name.
func inversion(parts []word) language.Set {
	of := ^language.Set(0)
	for i := range parts {
		if parts[i].folded != "t" {
			of &= parts[i].of
		}
	}
	if of.Has(language.English) || !of.Has(language.French) {
		return 0
	}
	return 1 << language.French
}

// isMajorConnector reports whether c separates names that may contain connectors themselves.
func isMajorConnector(c byte) bool {
	switch c {
	case '@', '/', '\\', ':', '?', '=', '&', '#', '%', ';':
		return true
	}
	return false
}

// section adds the parts of text[start:end], which has no major connector, and the whole if it has several parts and is
// not the whole name already. It reports whether it has several parts.
func (s *scan) section(start, end int, humps, addWhole bool) bool {
	text := s.folded.Text
	before := len(s.words)
	parts := 0
	partStart := start
	flush := func(to int) {
		if partStart < to && s.part(partStart, to, partStart > start || to < end) {
			parts++
		}
		partStart = to
	}
	var original string
	if humps {
		from, to := s.folded.Origin(start, end)
		original = s.source[from:to]
	}
	whole := false
	for i := start; i < end; i++ {
		c := text[i]
		switch {
		case isSignByte(c) && c != '\'':
			if (c == '.' || c == ',') && i > partStart && i+1 < end && isDigit(text[i-1]) && isDigit(text[i+1]) &&
				isDigit(text[partStart]) {
				continue // a decimal, or a version
			}
			flush(i)
			partStart = i + 1
			whole = true
		case i == partStart:
		case isDigit(c) != isDigit(text[i-1]) && c != '\'' && text[i-1] != '\'' && text[i-1] != '.' && text[i-1] != ',' &&
			utf8.RuneStart(c) && script.MarksAt(text[i:]) == 0:
			flush(i)
			whole = true
		case humps && isHump(original, i-start):
			flush(i)
			whole = true
		}
	}
	flush(end)
	if whole && addWhole && parts > 0 {
		s.words = append(s.words, word{})
		copy(s.words[before+1:], s.words[before:])
		s.words[before] = word{
			folded: text[start:end], other: [2]string{joined(text[start:end])}, start: start, end: end,
			position: s.position - parts, kind: Identifier,
		}
	}
	return whole
}

// part adds one part of a name and advances. Single letters next to digits carry no meaning on their own.
func (s *scan) part(start, end int, isPart bool) bool {
	text := s.folded.Text
	c := text[start]
	if isPart && end-start == 1 && !isDigit(c) && (end < len(text) && isDigit(text[end]) || start > 0 && isDigit(text[start-1])) {
		return false
	}
	if isDigit(c) {
		s.number(start, end)
	} else {
		s.plainWord(start, end)
	}
	s.position++
	return true
}

// joined returns a name without hyphens and underscores, an alternative spelling: "dbport" for "db_port", "email" for
// "e-mail"; "" if it has none, or other signs.
func joined(name string) string {
	found := false
	for i := range len(name) {
		switch c := name[i]; {
		case c == '-' || c == '_':
			found = true
		case isSignByte(c):
			return ""
		}
	}
	if !found {
		return ""
	}
	return withoutJoints.Replace(name)
}

var withoutJoints = strings.NewReplacer("-", "", "_", "")

// number adds digits with or without separators.
func (s *scan) number(start, end int) {
	n := s.add(start, end, Number)
	text := n.folded
	if plain := withoutGroups(text); plain != text {
		n.other[0] = plain
	} else if len(text) <= 4 && text[0] == '0' {
		n.other[0] = strings.TrimLeft(text[:len(text)-1], "0") + text[len(text)-1:]
	}
}

// isFormattedNumber reports whether text consists of digits, points, commas and apostrophes only.
func isFormattedNumber(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isDigit(c) && c != '.' && c != ',' && c != '\'' {
			return false
		}
	}
	return true
}

// withoutGroups returns a number without thousands separators: 1,000 and 1.000 and 1'000 become 1000, 1,234.56 becomes
// 1234.56. Anything else is unchanged.
func withoutGroups(number string) string {
	i := strings.IndexAny(number, ",.'")
	if i < 1 || i > 3 || number[0] == '0' {
		return number
	}
	separator := number[i]
	whole := append(make([]byte, 0, len(number)), number[:i]...)
	rest := number[i:]
	for len(rest) >= 4 && rest[0] == separator && isDigit(rest[1]) && isDigit(rest[2]) && isDigit(rest[3]) {
		whole = append(whole, rest[1:4]...)
		rest = rest[4:]
		if len(rest) > 0 && isDigit(rest[0]) {
			return number
		}
	}
	switch {
	case len(whole) == i:
		return number // not a group
	case rest == "":
		return string(whole)
	case rest[0] != separator && !strings.ContainsAny(rest[1:], ",.'") && len(rest) > 1:
		return string(whole) + "." + rest[1:]
	}
	return number
}

// plainWord adds a word of letters, without parts joined by an apostrophe: the possessive and short forms of English
// verbs, and elided articles of French and Italian.
func (s *scan) plainWord(start, end int) {
	text := s.folded.Text[start:end]
	for {
		i := strings.LastIndexByte(text, '\'')
		if i < 1 || !isShortForm(text[i+1:]) {
			break
		}
		text = text[:i]
	}
	end = start + len(text)
	i := strings.IndexByte(text, '\'')
	if i < 0 {
		s.letters(start, end)
		return
	}
	left, right := text[:i], text[i+1:]
	switch {
	case left == "" || right == "":
		if right != "" {
			s.letters(start+1, end)
		} else if left != "" {
			s.letters(start, end-1)
		}
	case isElided(left) && strings.IndexByte(right, '\'') < 0:
		s.letters(start+i+1, end)
	default:
		w := s.letters(start, end)
		w.other[0] = strings.ReplaceAll(text, "'", "")
		if len(left) >= 3 && len(right) <= 4 { // İstanbul'da
			w.other[1] = left
		}
	}
}

func isShortForm(word string) bool {
	switch word {
	case "s", "ll", "re", "ve", "d", "m":
		return true
	}
	return false
}

func isElided(word string) bool {
	switch word {
	case "l", "d", "j", "m", "t", "s", "c", "n", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "dell", "all", "nell", "sull",
		"dall", "un", "quest", "quell", "gl", "com", "dov", "cos":
		return true
	}
	return false
}

// letters adds a word that may be a function word and may have a stem.
func (s *scan) letters(start, end int) *word {
	w := s.add(start, end, Word)
	w.plain = true
	w.of = language.FunctionWords[w.folded]
	if !s.inIdentifier && isLatin(w.folded) {
		s.evidence.Word(w.folded, w.of)
	}
	return w
}

// isLatin reports whether a folded word begins with a letter of Latin script.
func isLatin(word string) bool {
	if word[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(word)
	return r < 0x250 || 0x1E00 <= r && r <= 0x1EFF
}
