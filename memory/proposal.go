package memory

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// MaxAnswerBytes bounds an engine's answer. Two full documents and a daily entry take a fraction of it.
const MaxAnswerBytes = 1 << 20

// ProposalError says why an answer is no proposal, in words that its author can act on. It repeats nothing of the answer.
type ProposalError struct{ Problem string }

// Error says what was wrong and what to do.
func (e *ProposalError) Error() string { return e.Problem }

func unreadable(format string, args ...any) error {
	return &ProposalError{Problem: fmt.Sprintf(format, args...)}
}

// What is wrong with an answer as a whole.
var (
	errNoObject = unreadable("the answer holds no JSON object with should_update: answer with exactly one JSON object and nothing else")
	errCut      = unreadable("the JSON cannot be read, it ends in the middle or a quote inside a text is not escaped: answer again with one " +
		`complete JSON object, quotes inside texts written as \" and line breaks as \n; write less if the answer was cut off for its length`)
	errTwo    = unreadable("the answer holds several different JSON objects: answer with exactly one")
	errTooBig = unreadable("the answer is longer than %d bytes: answer with one JSON object and nothing else", MaxAnswerBytes)
)

// ParseProposal reads a proposal out of an engine's answer. It tolerates what models do around JSON (fences, prose, thinking,
// a string or an array or another object around the object) and within it (Python literals, single quotes, raw line breaks,
// trailing commas, missing commas).
//
// It repairs how a text is written, never what it says: MEMORY.md and PROFILE.md are replaced as a whole, so that an answer
// that was cut off, or whose repair would lose or move words, is an error and not a shorter document. The error is a
// *ProposalError.
func ParseProposal(raw string) (Proposal, error) {
	if len(raw) > MaxAnswerBytes {
		return Proposal{}, errTooBig
	}
	fields, err := proposalForm.find(unwrapped(raw))
	if err != nil {
		return Proposal{}, err
	}
	return fields.proposal()
}

// answerForm is what kind of object an answer is. All kinds have a should_update.
type answerForm struct {
	fields []string       // that the contract knows
	start  *regexp.Regexp // finds that an object begins like one of this kind
}

func formOf(fields ...string) answerForm {
	return answerForm{fields, regexp.MustCompile(`^\{\s*["'“]?(?:` + strings.Join(fields, "|") + `)\b`)}
}

var proposalForm = formOf("should_update", "reason", "daily_entry", "memory_update", "profile_update", "retired", "evidence")

var thinking = regexp.MustCompile(`(?is)^\s*<think(?:ing)?>.*?</think(?:ing)?>`)

// unwrapped takes off what stands around the whole answer: a model's thinking, and quotes when the JSON was written as a
// JSON string.
func unwrapped(raw string) string {
	raw = thinking.ReplaceAllString(raw, "")
	var text string
	if json.Unmarshal([]byte(raw), &text) == nil {
		return text
	}
	return raw
}

// find finds the one object in text that has a should_update.
func (f answerForm) find(text string) (object, error) {
	var found object
	tried := 0
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '{')
		if next < 0 || tried == maxObjects {
			break
		}
		at += next
		tried++
		length, complete := objectLength(text[at:])
		if !complete {
			if f.start.MatchString(text[at:]) {
				return nil, errCut
			}
			continue
		}
		o, err := f.read(text[at:at+length], text[at+length:])
		switch {
		case err != nil:
			return nil, err
		case o == nil: // something else; the proposal may stand inside it
			continue
		case found != nil && !found.equal(o):
			return nil, errTwo
		}
		found = o
		at += length - 1
	}
	if found == nil {
		return nil, errNoObject
	}
	return found, nil
}

const (
	// maxObjects bounds how many objects of an answer are looked at.
	maxObjects = 64
	// maxNesting bounds their depth; a proposal has three levels.
	maxNesting = 16
)

// objectLength is the length of the object that text begins with. It is not complete when text ends before the object does.
// Texts may stand in the single quotes of Python, where a text can begin.
func objectLength(text string) (length int, complete bool) {
	var (
		depth  int
		quote  byte // that is open
		before byte // the last character that is no space
	)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'' && strings.IndexByte("{[,:", before) >= 0:
			quote = c
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return 0, false
			}
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
		if strings.IndexByte(" \t\r\n", c) < 0 {
			before = c
		}
	}
	return 0, false
}
