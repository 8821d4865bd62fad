package toolbox

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"reverie/backend"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/remember"
	"reverie/store"
)

const (
	sourceOfUser = "user"
	sourceOfTool = "tool"
	// maxOutside is the number of statements that a request to remember or to forget is compared with.
	maxOutside = 500
)

// outside saves the request on the external server. done is false if the built-in memory has to: also when the server fails after it
// took some of the statements, which are then in both.
func (r *remembering) outside(ctx context.Context) (saved Saved, done bool, err error) {
	o, err := r.Box.outside(ctx, r.Caller, true)
	person := r.id.Author.Kind == memory.AuthorUser
	all, _ := r.Approvals.With(r.Agent.Settings).Holds(r.ref)
	if o == nil || err != nil || len(r.request.Secrets) > 0 || !o.plain(r.request.Text) || all && !person {
		return Saved{}, false, err
	}
	known, server, err := o.query(ctx, backend.Query{Op: backend.List, Limit: maxOutside})
	if err != nil {
		return Saved{}, false, unlessFellBack(err)
	}
	text, lines := underRemembered+"\n", map[string]int64{}
	var protected []string // a tool corrects only what a tool wrote
	for _, k := range known {
		line := "- " + k.Content
		text += line + "\n"
		if lines[k.Content] = k.ID; !person && k.Source != sourceOfTool {
			protected = append(protected, line)
		}
	}
	decided := remember.Decide(r.request, text, protected...)
	for i, item := range decided.Items {
		change := backend.Change{
			Op: backend.Insert, Content: item.Line, Category: categoryKnowledge, Source: sourceOfTool, Confidence: confidenceOfTool,
			Key: keyOf("remember/"+strconv.Itoa(i), r.key, item.Line),
		}
		if person {
			change.Source, change.Confidence = sourceOfUser, confidenceOfWish
		}
		if !wrote(item) {
			continue
		}
		if old, found := lines[item.Old]; found && item.Kind == remember.KindCorrected {
			change.Op, change.ID, change.Reason = backend.Supersede, old, "corrected"
		}
		if _, _, err := o.Apply(ctx, o.who, change); err != nil {
			return Saved{}, false, unlessFellBack(err)
		}
	}
	saved = r.saved(decided)
	saved.Path = OutsideFolder + server
	return saved, true, nil
}

func unlessFellBack(err error) error {
	if fellBack(err) {
		return nil
	}
	return err
}

// forgetOutside archives on the external server what was forgotten here, or what is only there. The result has its statements, too.
func (b *Box) forgetOutside(
	ctx context.Context, c Caller, o *outside, f Forget, author memory.Author, here Forgotten, failed error,
) (Forgotten, error) {
	_, invalid := errors.AsType[*store.InvalidError](failed)
	if failed != nil && !invalid && !errors.Is(failed, store.ErrNotFound) {
		return here, failed
	}
	// Unfiltered: the forgotten statements are matched here.
	rows, _, err := o.Query(ctx, o.who, backend.Query{Op: backend.List, Limit: maxOutside})
	if err != nil {
		here.Backend.Unread = failed == nil
		return here, errors.Join(failed, unlessFellBack(err))
	}
	said := slices.Concat(f.Said, strings.Split(f.Shown, "\n"))
	for _, s := range here.Statements {
		said = append(said, s.Text)
	}
	var found []backend.Statement
	for _, r := range rows {
		if !r.Archived && f.names(r.Content, said) {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return here, failed
	}
	if failed != nil && !f.Preview { // it failed there only: here it is recorded as forgotten
		var heard []string
		for _, r := range found {
			heard = append(heard, r.Content)
		}
		if here, err = b.forgetHere(ctx, c, Forget{Said: heard, Heard: heard, Erase: f.Erase}, author); err != nil {
			return here, err
		}
	}
	for _, r := range found {
		if !slices.ContainsFunc(here.Statements, func(s Statement) bool { return memory.ItemID(s.Text) == memory.ItemID(r.Content) }) {
			here.Statements = append(here.Statements, Statement{Text: r.Content})
		}
		if f.Preview {
			continue
		}
		if _, _, err := o.Apply(ctx, o.who, backend.Change{Op: backend.Archive, ID: r.ID}); err != nil {
			if !fellBack(err) {
				return here, err
			}
			here.Backend.Kept++
			continue
		}
		here.Backend.Archived++
	}
	return here, nil
}

// note describes to a model what happened to statements outside; empty: only what it requested.
func (b BackendForgotten) note() string {
	if b.Unread || b.Kept > 0 {
		return ". The memory backend could not be reached: what it has of this is not shown any more, and stays there. Say so"
	}
	return ""
}

// names reports whether a request to forget means a statement: one of the wordings, or the words of the pattern.
func (f Forget) names(content string, said []string) bool {
	if f.Pattern != "" {
		return strings.Contains(strings.ToLower(content), strings.ToLower(strings.Join(strings.Fields(f.Pattern), " ")))
	}
	compared := claim.Compare(content)
	return slices.ContainsFunc(said, func(text string) bool {
		return strings.TrimSpace(text) != "" && claim.OriginalOf(strings.TrimPrefix(strings.TrimSpace(text), "- "), nil).Same(compared)
	})
}
