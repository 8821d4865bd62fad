package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
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

// proposal decodes the fields of the contract; others are ignored.
func (o object) proposal() (Proposal, error) {
	var (
		p   Proposal
		err error
	)
	if p.ShouldUpdate, err = o.yesNo("should_update"); err != nil {
		return Proposal{}, err
	}
	for _, field := range []struct {
		name string
		to   *string
	}{
		{"reason", &p.Reason},
		{"daily_entry", &p.DailyEntry},
		{"memory_update", &p.MemoryUpdate},
		{"profile_update", &p.ProfileUpdate},
	} {
		if *field.to, err = o.text(field.name); err != nil {
			return Proposal{}, err
		}
	}
	if p.Retired, err = o.retired(); err != nil {
		return Proposal{}, err
	}
	if p.Evidence, err = o.evidence(); err != nil {
		return Proposal{}, err
	}
	if !p.ShouldUpdate {
		return Proposal{Reason: p.Reason}, nil
	}
	return p, nil
}

// yesNo reads a boolean, also one that was written as a text.
func (o object) yesNo(name string) (bool, error) {
	value := string(o[name])
	if text, err := strconv.Unquote(value); err == nil {
		value = strings.ToLower(strings.TrimSpace(text))
	}
	switch value {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, unreadable("%s must be true or false, it is %s", name, kindOf(o[name]))
}

// text reads a string; null and a missing field are empty.
func (o object) text(name string) (string, error) {
	value, given := o[name]
	if !given || string(value) == "null" {
		return "", nil
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "", unreadable("%s must be one JSON string, it is %s", name, kindOf(value))
	}
	return text, nil
}

// list reads an array; null and a missing field are empty.
func (o object) list(name string) ([]json.RawMessage, error) {
	value, given := o[name]
	if !given || string(value) == "null" {
		return nil, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		return nil, unreadable("%s must be an array, it is %s", name, kindOf(value))
	}
	return list, nil
}

func (o object) retired() ([]Retired, error) {
	list, err := o.list("retired")
	if err != nil {
		return nil, err
	}
	var out []Retired
	for i, item := range list {
		var fields object
		if json.Unmarshal(item, &fields) != nil || fields == nil {
			return nil, unreadable(`retired[%d] must be an object such as {"line": "…", "reason": "…"}, it is %s`, i, kindOf(item))
		}
		line, err := fields.text("line")
		if err != nil {
			return nil, itemError("retired", i, err)
		}
		reason, err := fields.text("reason")
		if err != nil {
			return nil, itemError("retired", i, err)
		}
		out = append(out, Retired{Line: line, Reason: reason})
	}
	return out, nil
}

func (o object) evidence() ([]LineSource, error) {
	list, err := o.list("evidence")
	if err != nil {
		return nil, err
	}
	var out []LineSource
	for i, item := range list {
		var source LineSource
		if json.Unmarshal(item, &source) != nil {
			return nil, unreadable(`evidence[%d] must be an object such as {"line": "…", "messages": [1, 2]}`, i)
		}
		if source.Line != "" && len(source.Messages) > 0 {
			slices.Sort(source.Messages)
			source.Messages = slices.Compact(source.Messages)
			out = append(out, source)
		}
	}
	return out, nil
}

func itemError(list string, i int, err error) error {
	return unreadable("in %s[%d], %s", list, i, err.Error())
}

// kindOf names the kind of a JSON value, without repeating it.
func kindOf(value json.RawMessage) string {
	if len(value) == 0 {
		return "missing"
	}
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return fmt.Sprintf("%s, a boolean", value)
	case 'n':
		return "null"
	}
	return "a number"
}

// contract is what a model is asked for. It is Proposal without the evidence, which is derived, and with every field
// required: providers with strict schemas know no optional ones.
type contract struct {
	ShouldUpdate  bool             `json:"should_update" jsonschema:"whether anything new and durable was said"`
	Reason        string           `json:"reason" jsonschema:"one sentence: why memory is updated, or why not"`
	DailyEntry    string           `json:"daily_entry" jsonschema:"Markdown to append to today's note; empty for nothing"`
	MemoryUpdate  string           `json:"memory_update" jsonschema:"the full new text of MEMORY.md; empty to leave it as it is"`
	ProfileUpdate string           `json:"profile_update" jsonschema:"the full new text of PROFILE.md; empty to leave it as it is"`
	Retired       []contractRetire `json:"retired" jsonschema:"lines written by a person that no longer hold and are left out of a full text above; usually empty"`
}

type contractRetire struct {
	Line   string `json:"line" jsonschema:"the line, exactly as it stands"`
	Reason string `json:"reason" jsonschema:"what the conversation says that ends it"`
}

var proposalSchema = strictSchema[contract]()

// strictSchema is the schema of T, which has a list named retired.
func strictSchema[T any]() json.RawMessage {
	schema, err := jsonschema.For[T](nil)
	if err == nil {
		list := schema.Properties["retired"]
		list.Type, list.Types = "array", nil // a slice is inferred as array or null
		var out []byte
		if out, err = json.Marshal(schema); err == nil {
			return out
		}
	}
	panic(fmt.Sprintf("the schema of an answer: %v", err)) // the type above has none
}

// ProposalSchema is the JSON schema of the answer that a model is asked for, strict: every field is required and no other
// one is allowed. ParseProposal accepts more than it.
func ProposalSchema() json.RawMessage { return bytes.Clone(proposalSchema) }

// NoReply is how an engine says that nothing is to be stored, in place of an object or of an entry.
const NoReply = "NO_REPLY"

// flushForm are the fields of a flush's answer. An answer to the question of an extraction is one as well: what it says
// about other documents is left out.
var flushForm = formOf("should_update", "reason", "daily_entry")

// ParseFlush reads the answer to the question of a flush, {should_update, reason, daily_entry}, as tolerant as ParseProposal.
// Nothing but an entry for today's note is taken from it, with its evidence. That nothing is to be stored may be said by should_update, by an
// empty entry, or by NoReply alone. The error is a *ProposalError.
func ParseFlush(raw string) (Proposal, error) {
	if len(raw) > MaxAnswerBytes {
		return Proposal{}, errTooBig
	}
	text := unwrapped(raw)
	if isNoReply(text) {
		return Proposal{}, nil
	}
	fields, err := flushForm.find(text)
	if err != nil {
		return Proposal{}, err
	}
	all, err := fields.proposal()
	switch {
	case err != nil:
		return Proposal{}, err
	case strings.TrimSpace(all.DailyEntry) == "" || isNoReply(all.DailyEntry):
		return Proposal{Reason: all.Reason}, nil
	}
	return Proposal{ShouldUpdate: all.ShouldUpdate, Reason: all.Reason, DailyEntry: all.DailyEntry, Evidence: all.Evidence}, nil
}

// isNoReply reports whether a text is NoReply and nothing else, whatever marks stand around it.
func isNoReply(text string) bool {
	return strings.EqualFold(strings.Trim(text, " \t\r\n`*\"'.()[]"), NoReply)
}

// flushContract is what a model is asked for; providers with strict schemas know no optional fields.
type flushContract struct {
	ShouldUpdate bool   `json:"should_update" jsonschema:"whether anything worth keeping was said that no file and no note says"`
	Reason       string `json:"reason" jsonschema:"one sentence: what is kept, or why nothing is"`
	DailyEntry   string `json:"daily_entry" jsonschema:"Markdown to append to today's note; empty for nothing"`
}

var flushSchema = func() json.RawMessage {
	schema, err := jsonschema.For[flushContract](nil)
	if err == nil {
		var out []byte
		if out, err = json.Marshal(schema); err == nil {
			return out
		}
	}
	panic(fmt.Sprintf("the schema of an answer: %v", err)) // the type above has none
}()

// FlushSchema is the JSON schema of the answer that a model is asked for in a flush, strict: every field is required and no
// other one is allowed. ParseFlush accepts more than it.
func FlushSchema() json.RawMessage { return bytes.Clone(flushSchema) }

// ConsolidationInput is all that a model sees that rewrites MEMORY.md. Everything in it is data, never instruction.
type ConsolidationInput struct {
	Agent      string    // display name
	Today      time.Time // in the owner's zone
	Topic      string    // of a focused dream; else empty
	Memory     string    // MEMORY.md as it is; may be empty
	Shared     string    // the shared MEMORY.md when Memory is personal: known already, not to be repeated
	Notes      []ConsolidationNote
	Candidates []ConsolidationCandidate // that passed the gates, best first
	Protected  []string                 // lines of Memory that a person wrote or confirmed
	Forgotten  []string                 // statements that must not come back
	// Contradictions are pairs of statements of which none may be chosen silently.
	Contradictions [][2]string
	MemoryMaxChars int
	Violations     []string // on the one repair round: what was wrong with Previous
	Previous       string   // raw output of the first round
	Model          string   // overrides the server's model; empty for the default
}

// ConsolidationNote is a daily note.
type ConsolidationNote struct {
	Path string
	Text string
	Cut  bool // not all of it
}

// ConsolidationCandidate is a statement that is worth keeping for good.
type ConsolidationCandidate struct {
	Text  string
	Score float64
	Days  int // on which it was said or noted
	Asked bool
}

// Consolidation is a model's answer: {should_update, reason, memory_content}, and what it retires. It is a proposal.
type Consolidation struct {
	ShouldUpdate  bool      `json:"should_update"`
	Reason        string    `json:"reason"`
	MemoryContent string    `json:"memory_content,omitempty"` // the full new MEMORY.md
	Retired       []Retired `json:"retired,omitempty"`
}

// ParseConsolidation reads a consolidation out of a model's answer, as tolerant as ParseProposal and as strict: it repairs how
// a text is written, never what it says. The error is a *ProposalError.
//
// An answer that wants an update without saying what MEMORY.md is to be is refused: nobody can tell whether its text was lost
// or the file was to be emptied.
func ParseConsolidation(raw string) (Consolidation, error) {
	if len(raw) > MaxAnswerBytes {
		return Consolidation{}, errTooBig
	}
	fields, err := consolidationForm.find(unwrapped(raw))
	if err != nil {
		return Consolidation{}, err
	}
	return fields.consolidation()
}

var consolidationForm = formOf("should_update", "reason", "memory_content", "retired")

// consolidation decodes the fields of the contract; others are ignored.
func (o object) consolidation() (Consolidation, error) {
	var (
		c   Consolidation
		err error
	)
	if c.ShouldUpdate, err = o.yesNo("should_update"); err != nil {
		return Consolidation{}, err
	}
	if c.Reason, err = o.text("reason"); err != nil {
		return Consolidation{}, err
	}
	if c.MemoryContent, err = o.text("memory_content"); err != nil {
		return Consolidation{}, err
	}
	if c.Retired, err = o.retired(); err != nil {
		return Consolidation{}, err
	}
	switch {
	case !c.ShouldUpdate:
		return Consolidation{Reason: c.Reason}, nil
	case strings.TrimSpace(c.MemoryContent) == "":
		return Consolidation{}, errNoContent
	}
	return c, nil
}

var errNoContent = unreadable("should_update is true and memory_content is empty: give the full new text of MEMORY.md, or answer with should_update false")

// consolidationContract is what a model is asked for: Consolidation with every field required.
type consolidationContract struct {
	ShouldUpdate  bool             `json:"should_update" jsonschema:"whether MEMORY.md changes"`
	Reason        string           `json:"reason" jsonschema:"one sentence: why MEMORY.md changes, or why not"`
	MemoryContent string           `json:"memory_content" jsonschema:"the full new text of MEMORY.md; empty when it stays as it is"`
	Retired       []retireContract `json:"retired" jsonschema:"lines written by a person that no longer hold and are left out of the full text above; usually empty"`
}

type retireContract struct {
	Line   string `json:"line" jsonschema:"the line, exactly as it stands"`
	Reason string `json:"reason" jsonschema:"what the notes say that ends it"`
}

var consolidationSchema = strictSchema[consolidationContract]()

// ConsolidationSchema is the JSON schema of the answer that a model is asked for, strict: every field is required and no other
// one is allowed. ParseConsolidation accepts more than it.
func ConsolidationSchema() json.RawMessage { return bytes.Clone(consolidationSchema) }
