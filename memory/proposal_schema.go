package memory

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

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
