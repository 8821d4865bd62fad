package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

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
