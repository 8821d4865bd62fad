package toolbox

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"reverie/memory"
	"reverie/store/gate"
)

// personal returns the tools for clients that act for a person on their own, such as desktop assistants: a chat has its own way to
// forget. A tool for facts belongs into tools(), from where every client gets it.
func personal() []tool {
	return []tool{
		{
			name:  ForgetTool,
			title: "Forget", result: forgot{},
			description: "Forget a statement of a memory file for good, when the user asks for it: it is taken out of the memory files " +
				"in every wording, and nothing but the user brings it back. Earlier versions stay in the history, and messages of conversations stay. " +
				"To correct a statement, use " + Remember + " or " + EditFile + ".",
			params: []param{
				{
					name: "text", kind: text, required: true, min: 2, max: maxRemembered,
					doc: "The statement as the file has it, copied from a result; several on separate lines.",
				},
				{name: "filename", kind: text, max: maxPathChars, doc: "Path of the file, as in a result. Default: MEMORY.md."},
				scopeParam,
			},
			writes: true, replaces: true, repeats: true,
			run: (*call).forgetShown,
		},
		{
			name:  MemoryQuery,
			title: "Query statements", result: memories{},
			description: "Read single statements of memory with numeric ids, for programs that use this server as their memory backend. " +
				"op: list (all), context (for a prompt; with query, what fits it), search (by query, best first), get (by id). " +
				"For questions, use " + MemorySearch + ".",
			params: []param{
				{name: "op", kind: text, required: true, values: []string{opList, opContext, opSearch, opGet}, doc: "What to read."},
				chatParam,
				idParam,
				{name: "query", kind: text, max: maxQuery, doc: "Of search and context. Empty: the latest statements."},
				{name: "limit", kind: integer, min: 1, max: maxRows, doc: "Maximum number of statements. Default: 50; of list 500."},
				{name: "include_archived", kind: boolean, doc: "Accepted; archived statements are in the history of their file."},
				{name: "broad_recall", kind: boolean, doc: "Accepted; a search is always broad."},
			},
			run: (*call).query,
		},
		{
			name:  MemoryUpsert,
			title: "Change statements", result: upserted{},
			description: "Change single statements of memory by numeric id, for programs that use this server as their memory backend. " +
				"op: insert, update, supersede (replace by what is true now), archive (take out), touch (confirm). " +
				"An id belongs to a text: update and supersede answer with the new one. To keep a fact, use " + Remember + ".",
			params: []param{
				{
					name: "op", kind: text, required: true,
					values: []string{opInsert, opUpdate, opArchive, opTouch, opSupersede}, doc: "What to do.",
				},
				chatParam,
				idParam,
				{name: "from_memory_id", kind: integer, max: maxRowID, doc: "Of supersede: the statement that is true no more."},
				{name: "content", kind: text, max: maxRemembered, doc: "The statement. Of insert, update and supersede."},
				{name: "category", kind: text, values: categories, doc: "Default: KNOWLEDGE; of a change: as before."},
				{name: "confidence", kind: number, max: 1, doc: "Accepted; a memory file holds what is believed."},
				{name: "confidence_floor", kind: number, max: 1, doc: "Accepted, as confidence."},
				{name: "source", kind: text, max: maxNamed, doc: "Where the statement comes from, for the history of the file."},
				{name: "reason", kind: text, max: maxReason, doc: "Why it is superseded, for the history of the file."},
			},
			writes: true, replaces: true,
			run: (*call).upsert,
		},
	}
}

// resultSchema returns the JSON schema of a tool's result.
func resultSchema(result any) json.RawMessage {
	schema, err := jsonschema.ForType(reflect.TypeOf(result), &jsonschema.ForOptions{})
	if err == nil {
		var encoded []byte
		if encoded, err = json.Marshal(schema); err == nil {
			return encoded
		}
	}
	panic(fmt.Sprintf("toolbox: schema of %T: %v", result, err)) // of a type above: TestOffers
}

// forgot is the result of forget.
type forgot struct {
	Filename  string       `json:"filename"`
	Scope     memory.Scope `json:"scope,omitempty"`
	Forgotten []string     `json:"forgotten"`
	Receipt   string       `json:"receipt,omitempty"`
	Message   string       `json:"message"`
}

// forgetShown implements forget. The author is the tool, because a model chose the words.
func (k *call) forgetShown(ctx context.Context) (any, error) {
	path, err := memory.ParsePath(given(k.args, "filename", memory.MemoryPath))
	if err != nil {
		return nil, faultf("filename: %s", err)
	}
	done, err := k.Box.forget(ctx, k.Caller, Forget{
		Path: path, Scope: memory.Scope(given(k.args, "scope", "")), Shown: given(k.args, "text", ""),
	}, memory.Author{Kind: memory.AuthorTool, ID: ForgetTool})
	if err != nil {
		return nil, forgetting(path, err)
	}
	k.result.Written = &done.Receipt
	out := forgot{Filename: path, Forgotten: []string{}, Receipt: done.Receipt.Token, Message: "Forgotten"}
	for _, s := range done.Statements {
		out.Forgotten = append(out.Forgotten, s.Text)
	}
	if len(done.Receipt.Changes) > 0 {
		out.Scope = done.Receipt.Changes[0].Scope
	}
	if done.Receipt.Replayed {
		out.Message = "This was forgotten before; nothing was written"
	}
	out.Message += done.Backend.note()
	return out, nil
}

// ownDocuments lists the documents that hold a caller's statements for memory_query and memory_upsert.
func (k *call) ownDocuments(ctx context.Context, prefix string) ([]gate.DocumentEntry, error) {
	return k.Store.Documents(ctx, k.Identity, gate.DocumentFilter{Prefix: prefix, Scope: k.scope(k.Caller)})
}
