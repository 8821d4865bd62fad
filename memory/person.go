package memory

import (
	"fmt"
	"strings"
	"unicode"

	"reverie/memory/markdown"
)

// PersonHeading begins the heading of a person's section in a group's document: "## Person: feishu:ou_1".
const PersonHeading = "Person: "

// ParsePerson validates the id of a person in a group: an owner key (see ParseOwner) of letters, digits and "._:@+=/~-"
// only, so that it is safe in a heading. The error wraps ErrInvalidOwner.
func ParsePerson(id string) (Owner, error) {
	person, err := ParseOwner(id)
	if err != nil {
		return "", err
	}
	if person == SystemOwner {
		return "", fmt.Errorf("%w: the system is not a person of a group", ErrInvalidOwner)
	}
	if strings.IndexFunc(id, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("._:@+=/~-", r)
	}) >= 0 {
		return "", fmt.Errorf("%w: use only letters, digits and ._:@+=/~- in the id of a person", ErrInvalidOwner)
	}
	return person, nil
}

// PersonSection returns the text of a person's section, without blank lines around it, and the 1-based lines that the
// section covers, heading included and to inclusive. found is false if there is no such section.
func PersonSection(document string, person Owner) (text string, from, to int, found bool) {
	return markdown.TopSection(document, PersonHeading+string(person))
}

// PersonAt returns the person in whose section a line of a document is, counted from 1; NoOwner outside of such sections.
func PersonAt(document string, line int) Owner {
	id, found := strings.CutPrefix(markdown.TopHeadingAt(document, line), PersonHeading)
	if !found {
		return NoOwner
	}
	person, err := ParsePerson(id)
	if err != nil {
		return NoOwner
	}
	return person
}

// WithPersonSection replaces the text of a person's section, or appends the section if it is missing. Every other byte of
// the document stays. It returns a *SectionError for a text that would not stay within the section.
func WithPersonSection(document string, person Owner, text string) (string, error) {
	return markdown.WithTopSection(document, PersonHeading+string(person), text)
}

// maxSpeakerName bounds the display name in SpeakerName, in characters.
const maxSpeakerName = 64

// SpeakerName returns the name stored with a message of a group: the display name and the person's id, as in "Ada
// <feishu:ou_1>". Without a speaker it returns the display name unchanged.
func SpeakerName(name string, speaker Owner) string {
	if speaker == NoOwner {
		return name
	}
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '<' || r == '>'
	}), " ")
	if name == "" {
		return string(speaker)
	}
	name, _ = markdown.Head(name, maxSpeakerName)
	return name + " <" + string(speaker) + ">"
}

// DisplayName returns the name by which others know a speaker: "Ada" of "Ada <feishu:ou_1>", and other names unchanged.
func DisplayName(name string) string {
	if at := strings.LastIndexByte(name, '<'); at > 0 && SpeakerOf(name) != NoOwner {
		return strings.TrimSpace(name[:at])
	}
	return name
}

// QuotedName returns the name that precedes a quotation of a speaker: the display name on one line, without signs that would
// read as markup.
func QuotedName(name string) string {
	return strings.Join(strings.FieldsFunc(DisplayName(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".'-_", r)
	}), " ")
}

// SpeakerOf reads the person from a name made by SpeakerName. It returns NoOwner for any other name.
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
