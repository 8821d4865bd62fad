package toolbox

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/scan"
)

// maxFactID is the length of the id of a fact.
const maxFactID = 36

// forgotEverywhere is the result of memory_forget.
type forgotEverywhere struct {
	DryRun    bool              `json:"dry_run"`
	Forgotten []string          `json:"forgotten"`
	Found     []foundInDocument `json:"found"`
	Erased    int               `json:"erased"` // rows of drafts, summaries and records
	Receipt   string            `json:"receipt,omitempty"`
	Message   string            `json:"message"`
}

type foundInDocument struct {
	Filename string       `json:"filename"`
	Scope    memory.Scope `json:"scope"`
	Line     int          `json:"line"`
	Text     string       `json:"text"`
	Left     string       `json:"left,omitempty"` // what stays of its line
}

// forgetEverywhere implements memory_forget. The author is the tool, because a model chose the words. It does not erase what was said:
// people decide that.
func (k *call) forgetEverywhere(ctx context.Context) (any, error) {
	f := Forget{
		Scope: memory.Scope(given(k.args, "scope", "")), Shown: given(k.args, "text", ""),
		Pattern: strings.TrimSpace(given(k.args, "pattern", "")),
	}
	fact := given(k.args, "fact_id", "")
	ways := 0
	for _, way := range []string{fact, f.Shown, f.Pattern} {
		if way != "" {
			ways++
		}
	}
	if ways != 1 {
		return nil, faultf("give one of fact_id, text and pattern")
	}
	f.Preview = given(k.args, "dry_run", f.Pattern != "")
	switch {
	case fact != "":
		id, err := uuid.Parse(fact)
		if err != nil {
			return nil, faultf("fact_id: it is not the id of a fact")
		}
		known, err := k.Store.Fact(ctx, k.Identity, id)
		if err != nil {
			return nil, err
		}
		now := known.Now()
		f.Path, f.Scope, f.Entry, f.Shown = now.Path, now.Scope, now.Entry, now.Text
	case f.Shown != "":
		path, err := memory.ParsePath(given(k.args, "filename", memory.MemoryPath))
		if err != nil {
			return nil, faultf("filename: %s", err)
		}
		f.Path = path
	}
	done, err := k.Box.forget(ctx, k.Caller, f, memory.Author{Kind: memory.AuthorTool, ID: MemoryForget})
	if err != nil {
		return nil, forgetting(f.Path, err)
	}
	out := forgotEverywhere{DryRun: f.Preview, Forgotten: []string{}, Found: []foundInDocument{}, Receipt: done.Receipt.Token, Message: "Forgotten"}
	for _, s := range done.Statements {
		out.Forgotten = append(out.Forgotten, scan.Redacted(s.Text))
	}
	for _, s := range done.Found {
		out.Found = append(out.Found, foundInDocument{s.Path, s.Scope, s.FromLine, scan.Redacted(s.Text), scan.Redacted(s.Left)})
	}
	for _, p := range done.Words.Places {
		out.Erased += p.Rows
	}
	switch {
	case f.Preview && len(out.Found)+len(out.Forgotten) == 0:
		out.Message = "Nothing was found"
	case f.Preview:
		out.Message = "Nothing was changed yet. Show the user what was found; when they agree, call again with dry_run false"
	case done.Receipt.Replayed:
		out.Message = "This was forgotten before; nothing was written"
	}
	out.Message += done.Backend.note()
	if !f.Preview {
		k.result.Written = &done.Receipt
	}
	return out, nil
}
