package memory

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// PersonHeading begins the headings of sections that hold what one person of a group said: "## Person: feishu:ou_1".
const PersonHeading = "Person: "

const personLevel = 2

// ParsePerson checks the id of a person in a group: an owner key (see ParseOwner) of letters, digits and "._:@+=/~-" only, so
// that it can stand in a heading and be no other heading. The error wraps ErrInvalidOwner.
func ParsePerson(id string) (Owner, error) {
	person, err := ParseOwner(id)
	if err != nil {
		return "", err
	}
	if person == SystemOwner {
		return "", fmt.Errorf("%w: the system is no person of a group", ErrInvalidOwner)
	}
	if strings.IndexFunc(id, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("._:@+=/~-", r)
	}) >= 0 {
		return "", fmt.Errorf("%w: the id of a person has letters, digits and ._:@+=/~- only", ErrInvalidOwner)
	}
	return person, nil
}

// PersonSection is the text under a person's heading, without blank lines around it, and the lines of the document on which it
// stands, its heading included (1-based, To inclusive). found is false when there is no such section.
func PersonSection(document string, person Owner) (text string, from, to int, found bool) {
	start, end, ok := personSpan(document, person)
	if !ok {
		return "", 0, 0, false
	}
	_, body, _ := strings.Cut(document[start:end], "\n")
	from = strings.Count(document[:start], "\n") + 1
	to = from + strings.Count(strings.TrimRight(document[start:end], " \t\r\n"), "\n")
	return strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n")), from, to, true
}

// personSpan is where the first section of a person stands, in bytes.
func personSpan(document string, person Owner) (start, end int, found bool) {
	headed := titles(document)
	at := slices.IndexFunc(headed, func(t titled) bool { return t.name == personName(person) })
	if at < 0 {
		return 0, 0, false
	}
	span := spans(document, headed)[at]
	return span[0], span[1], true
}

// PersonAt is the person in whose section a line of a document stands (1-based, the heading included), and NoOwner where it stands
// in nobody's.
func PersonAt(document string, line int) Owner {
	at := 0 // byte at which the line begins
	for range line - 1 {
		next := strings.IndexByte(document[at:], '\n')
		if next < 0 {
			return NoOwner
		}
		at += next + 1
	}
	headed := titles(document)
	for i, span := range spans(document, headed) {
		if id, is := strings.CutPrefix(headed[i].key, PersonHeading); is && headed[i].level == personLevel && span[0] <= at && at < span[1] {
			person, err := ParsePerson(id)
			if err != nil {
				return NoOwner
			}
			return person
		}
	}
	return NoOwner
}

func personName(person Owner) name {
	return titles("## " + PersonHeading + string(person) + "\n")[0].name
}

// SectionError says why a text cannot stand in a section of one person.
type SectionError struct{ Problem string }

func (e *SectionError) Error() string { return e.Problem }

// WithPersonSection puts text in place of what stands under a person's heading; a section that is not there is added to the end.
// Every other byte of the document stays, and so does what each of its headings means: a *SectionError refuses a text that
// would end the section, begin another one, or swallow what follows (headings of level 1 and 2, open code and comments).
func WithPersonSection(document string, person Owner, text string) (string, error) {
	if err := staysInSection(text); err != nil {
		return "", err
	}
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	section := strings.Repeat("#", personLevel) + " " + PersonHeading + string(person) + "\n"
	if strings.TrimSpace(text) != "" {
		section += "\n" + text + "\n"
	}
	start, end, found := personSpan(document, person)
	var out string
	switch {
	case found && end < len(document):
		out = document[:start] + section + "\n" + document[end:]
	case found:
		out = document[:start] + section
	case strings.TrimSpace(document) == "":
		out = section
	default:
		out = withoutBlankEnd(document) + "\n\n" + section
	}
	if !sameOutline(document, out, person) {
		return "", &SectionError{"the document has open code or an open comment, in which a section cannot stand: close it first"}
	}
	return out, nil
}

// staysInSection refuses what would not stay within a section.
func staysInSection(text string) error {
	const sentinel = "\n\n## End\n"
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.Contains(text, "\r") {
		return &SectionError{"a section has no single carriage returns: end lines with a line break"}
	}
	under := "x\n\n" + text // front matter is none there
	headed := titles(under + sentinel)
	if n := len(headed); n == 0 || headed[n-1].at != len(under)+2 {
		return &SectionError{"code or a comment in it is not closed"}
	}
	for _, t := range headed[:len(headed)-1] {
		if t.level <= personLevel {
			return &SectionError{"in a group, what is written stands in the section of the person who speaks: use headings of level 3 and below, and no line of === or --- under text"}
		}
	}
	ours := Sections(under + sentinel)
	if n := len(ours); n == 0 || ours[n-1].Heading != "End" {
		return &SectionError{"code in it is not closed"}
	}
	if slices.ContainsFunc(ours[:len(ours)-1], func(s Section) bool { return s.Level > 0 && s.Level <= personLevel }) {
		return &SectionError{"in a group, what is written stands in the section of the person who speaks: use headings of level 3 and below"}
	}
	return nil
}

// sameOutline reports whether a document has the same sections as before, those within a person's own aside.
func sameOutline(before, after string, person Owner) bool {
	return slices.Equal(outlineWithout(before, person), outlineWithout(after, person)) && hasOne(after, person)
}

func hasOne(document string, person Owner) bool {
	_, _, found := personSpan(document, person)
	return found
}

// outlineWithout are the headings outside of a person's section.
func outlineWithout(document string, person Owner) []name {
	start, end, found := personSpan(document, person)
	var out []name
	for _, t := range titles(document) {
		if !found || t.at < start || t.at >= end {
			out = append(out, t.name)
		}
	}
	return out
}

// maxSpeakerName bounds the name in SpeakerName, in characters, so that the whole fits where names of speakers do.
const maxSpeakerName = 64

// SpeakerName is the name with which a message of a group is stored: the person's id, and in front of it how they are called,
// as in "Ada <feishu:ou_1>". Without a speaker it is the name as it is.
func SpeakerName(called string, speaker Owner) string {
	if speaker == NoOwner {
		return called
	}
	called = strings.Join(strings.FieldsFunc(called, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '<' || r == '>'
	}), " ")
	if called == "" {
		return string(speaker)
	}
	called, _ = cutAfter(called, maxSpeakerName)
	return called + " <" + string(speaker) + ">"
}

// SpeakerOf reads the person from such a name. A name that no person of a group has is nobody's.
func SpeakerOf(name string) Owner {
	if at := strings.LastIndexByte(name, '<'); at >= 0 && strings.HasSuffix(name, ">") {
		name = name[at+1 : len(name)-1]
	}
	person, err := ParsePerson(name)
	if err != nil {
		return NoOwner
	}
	return person
}
