package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"reverie/memory"
	"reverie/toolbox"
)

func (s *talkRoom) rememberRoutes() {
	register(s.kernel, route{
		id: "remember", method: http.MethodPost, path: "/api/v1/agents/{agent}/remember", tag: "chat", need: memory.RoleMember,
		summary: "Remember a statement", body: maxSmallBody, errors: []int{http.StatusConflict},
		doc: "Saves it at once and without a model, as the person's own words, under \"## Remembered\" of the owner's MEMORY.md (the shared one where owners are not kept apart). " +
			"What is known already is recognised; a statement that says otherwise takes the place of the old line, whose version stays in the history.",
	}, s.remember)
	register(s.kernel, route{
		id: "forget", method: http.MethodPost, path: "/api/v1/agents/{agent}/forget", tag: "chat", need: memory.RoleMember,
		summary: "Forget what a document says", body: maxSmallBody, errors: []int{http.StatusConflict},
		doc: "Takes the statements on the given lines out of the document, MEMORY.md, PROFILE.md, the archives and the daily notes. No dream, extraction or flush writes them again, in no words; " +
			"the person may. What was said in conversations stays, and so do earlier versions.",
	}, s.forget)
}

type rememberInput struct {
	AgentParam
	RequestKeyParam
	Body struct {
		PersonBody
		Speaker string `json:"speaker,omitempty" maxLength:"128" doc:"Who speaks, where the owner is a group: it is kept in the section of that person, and corrects what they said only." example:"feishu:ou_1"`
		Text    string `json:"text" minLength:"1" maxLength:"4096" pattern:"\\S" patternDescription:"not blank" doc:"What to remember, as a statement or as a request to remember it." example:"My flight is on Friday at 8."`
	}
}

// Resolve checks what a schema cannot.
func (in *rememberInput) Resolve(huma.Context) []error {
	return checkCharacters(map[string]string{"text": in.Body.Text})
}

// rememberedView is what became of a request to remember.
type rememberedView struct {
	Kind    string      `json:"kind" enum:"saved,known,corrected,unclear" doc:"known: a line says it already; corrected: another line said otherwise and gave way; unclear: there is nothing in it to keep."`
	Line    string      `json:"line,omitempty" doc:"The line that stands in the document."`
	Old     string      `json:"old,omitempty" doc:"Of a correction: the line that gave way; its version stays in the history."`
	Path    string      `json:"path,omitempty"`
	Receipt writtenView `json:"receipt" doc:"Of the write, or of the one that saved it first."`
}

func viewRemembered(v toolbox.Saved) rememberedView {
	return rememberedView{v.Kind, v.Line, v.Old, v.Path, viewWritten(v.Receipt)}
}

// writtenView is the receipt of a write that may have changed nothing.
type writtenView struct {
	memory.Receipt
	Replayed bool `json:"replayed" doc:"It was written before, and nothing now."`
}

func viewWritten(r memory.Receipt) writtenView {
	if r.Changes == nil {
		r.Changes = []memory.ChangeReceipt{}
	}
	return writtenView{r, r.Replayed}
}

func (s *talkRoom) remember(ctx context.Context, in *rememberInput) (*reply[rememberedView], error) {
	id, agent, err := s.needOwner(ctx, in.Agent, in.Body.person())
	if err != nil {
		return nil, err
	}
	speaker, err := speakerOf(in.Body.Speaker, "body.speaker")
	if err != nil {
		return nil, err
	}
	key := requestLedgerKey(ctx, in.IdempotencyKey, "remember", id.Agent, string(id.Owner), in.Body.Text)
	saved, err := s.turns.Tools.Remember(ctx, toolbox.Caller{Identity: id, Agent: agent, Key: key, Speaker: speaker}, in.Body.Text)
	if err != nil {
		return nil, err
	}
	s.changed(id, saved.Receipt)
	return ok(viewRemembered(saved)), nil
}

// changed has what was written embedded soon.
func (s *talkRoom) changed(id memory.Identity, receipt memory.Receipt) {
	if receipt.Replayed {
		return
	}
	for _, change := range receipt.Changes {
		if change.Changed {
			s.indexChanged(id, change.Scope)
		}
	}
}

type forgetInput struct {
	AgentParam
	RequestKeyParam
	Body struct {
		PersonBody
		Path      string         `json:"path" minLength:"1" maxLength:"255" doc:"Of the document." example:"MEMORY.md"`
		Scope     memory.Scope   `json:"scope,omitempty" enum:"PERSONAL,TEAM,GLOBAL" doc:"Missing: the one that the path means to the owner, their own first."`
		StartLine int            `json:"startLine,omitempty" minimum:"0" doc:"First line; every statement that stands on the lines is forgotten."`
		EndLine   int            `json:"endLine,omitempty" minimum:"0" doc:"Last line, inclusive; missing: the first one."`
		Entry     memory.EntryID `json:"entry,omitempty" maxLength:"64" doc:"One statement in place of lines, by its id."`
		Shown     string         `json:"shown,omitempty" maxLength:"20000" doc:"The text of the passage as it was shown. Documents change: with it, only statements that are a part of it are forgotten, wherever they have moved to."`
	}
}

// Resolve checks what a schema cannot.
func (in *forgetInput) Resolve(huma.Context) []error {
	return checkCharacters(map[string]string{"path": in.Body.Path, "shown": in.Body.Shown, "entry": string(in.Body.Entry)})
}

// forgottenView is what was forgotten.
type forgottenView struct {
	Statements []statementView `json:"statements"`
	Receipt    writtenView     `json:"receipt" doc:"Which documents changed; the versions before stay in the history."`
}

type statementView struct {
	Entry memory.EntryID `json:"entry"`
	Text  string         `json:"text"`
}

func (s *talkRoom) forget(ctx context.Context, in *forgetInput) (*reply[forgottenView], error) {
	b := in.Body
	id, agent, err := s.needOwner(ctx, in.Agent, b.person())
	if err != nil {
		return nil, err
	}
	if b.EndLine == 0 {
		b.EndLine = b.StartLine
	}
	path, err := memory.ParsePath(b.Path)
	if err != nil {
		return nil, invalidAt("body.path", "%s", err)
	}
	if b.StartLine == 0 && b.Entry == "" || b.EndLine < b.StartLine {
		return nil, invalidAt("body.startLine", "name lines of the document, or an entry")
	}
	key := requestLedgerKey(ctx, in.IdempotencyKey, "forget", id.Agent, string(id.Owner), string(b.Scope), path,
		strconv.Itoa(b.StartLine), strconv.Itoa(b.EndLine), string(b.Entry), b.Shown)
	done, err := s.turns.Tools.Forget(ctx, toolbox.Caller{Identity: id, Agent: agent, Key: key}, toolbox.Forget{
		Path: path, Scope: b.Scope, FromLine: b.StartLine, ToLine: b.EndLine, Entry: b.Entry, Shown: b.Shown,
	})
	if err != nil {
		return nil, err
	}
	s.changed(id, done.Receipt)
	return ok(forgottenView{
		Statements: views(done.Statements, func(f toolbox.Statement) statementView { return statementView(f) }),
		Receipt:    viewWritten(done.Receipt),
	}), nil
}
