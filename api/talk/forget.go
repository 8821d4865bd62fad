package talk

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store"
	"reverie/store/erase"
	"reverie/store/gate"
	"reverie/toolbox"
)

func (s *Handlers) forgetRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "forget", Method: http.MethodPost, Act: rest.Changes, Path: "/api/v1/agents/{agent}/forget", Tag: "chat", Need: memory.RoleMember,
		Summary: "Forget statements", Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Doc: "Those on lines of a document, or all that contain a pattern. They are removed from every document of the scope, drafts, " +
			"summaries, refused proposals and reports. No dream, extraction, flush, import or tool writes them again, in no words; the person " +
			"may. What was said in conversations and earlier versions stay, unless erase is true. A pattern only shows what it finds, unless dryRun is false.",
	}, s.forget)
	const path = "/facts/{fact}/forget"
	rest.Register(s.Server, rest.Route{
		ID: "forget-fact", Method: http.MethodPost, Act: rest.Changes, Path: "/api/v1/agents/{agent}" + path,
		Original: "/api/v1/memory/{agent}" + path, Tag: "facts", Need: memory.RoleMember,
		Summary: "Forget a fact", Errors: []int{http.StatusConflict, http.StatusGone},
		Doc: "As forget does with its statement. A fact that is no longer in its document can be erased.",
	}, s.forgetFact)
}

// ForgetOptions are the options of forgetting statements.
type ForgetOptions struct {
	Erase  bool  `json:"erase,omitempty" doc:"Also remove the words from earlier versions and messages, permanently."`
	DryRun *bool `json:"dryRun,omitempty" doc:"Only show what would be forgotten. Missing: true with a pattern, else false."`
}

type forgetInput struct {
	rest.AgentParam
	rest.RequestKeyParam
	Body struct {
		rest.PersonBody
		ForgetOptions
		Path      string           `json:"path,omitempty" maxLength:"255" doc:"Of the document." example:"MEMORY.md"`
		Scope     memory.Scope     `json:"scope,omitempty" enum:"PERSONAL,TEAM,GLOBAL" doc:"Missing: the one that the path means to the owner, their own first; with a pattern, that of the owner's memory."`
		StartLine int              `json:"startLine,omitempty" minimum:"0" doc:"First line; all statements in the range are forgotten."`
		EndLine   int              `json:"endLine,omitempty" minimum:"0" doc:"Last line, inclusive; missing: the first one."`
		Entry     markdown.EntryID `json:"entry,omitempty" maxLength:"64" doc:"One statement in place of lines, by its id."`
		Shown     string           `json:"shown,omitempty" maxLength:"20000" doc:"The text of the passage as it was shown. Documents change: with it, only statements that are a part of it are forgotten, wherever they have moved to."`
		Pattern   string           `json:"pattern,omitempty" maxLength:"800" doc:"In place of a path: every statement with these words, in any case." example:"Project Nightjar"`
	}
}

// forgottenView lists what was forgotten.
type forgottenView struct {
	DryRun     bool                     `json:"dryRun" doc:"Nothing was changed."`
	Statements []statementView          `json:"statements"`
	Found      []forgottenStatementView `json:"found" doc:"Where documents had them, in the same or similar words."`
	Erased     []erasedPlaceView        `json:"erased" doc:"Where else words were removed."`
	Kept       []erasedPlaceView        `json:"kept" doc:"With erase: names and ids that contain the words, such as paths. They stay."`
	Backend    *backendForgottenView    `json:"backend,omitempty" doc:"On an external MCP server; missing where it had nothing of it."`
	Receipt    writtenView              `json:"receipt" doc:"Which documents changed; the versions before stay in the history."`
}

type backendForgottenView struct {
	Archived int  `json:"archived" doc:"Statements that were archived there."`
	Kept     int  `json:"kept" doc:"Statements that could not be archived. They are not shown any more."`
	Unread   bool `json:"unread" doc:"The server could not be read."`
}

type statementView struct {
	Entry markdown.EntryID `json:"entry"`
	Text  string           `json:"text"`
}

type forgottenStatementView struct {
	Path      string           `json:"path"`
	Scope     memory.Scope     `json:"scope"`
	StartLine int              `json:"startLine"`
	EndLine   int              `json:"endLine"`
	Entry     markdown.EntryID `json:"entry"`
	Text      string           `json:"text"`
	Left      string           `json:"left,omitempty" doc:"The rest of its line, when it is one sentence of it."`
}

type erasedPlaceView struct {
	Place string `json:"place" doc:"Table and column." example:"messages.content"`
	Rows  int    `json:"rows"`
	Parts int    `json:"parts,omitempty" doc:"Sentences, or other parts of texts."`
}

func viewPlace(p erase.Place) erasedPlaceView {
	return erasedPlaceView{p.Table + "." + p.Column, p.Rows, p.Parts}
}

func (s *Handlers) forget(ctx context.Context, in *forgetInput) (*rest.Reply[forgottenView], error) {
	b := in.Body
	id, agent, err := s.NeedOwner(ctx, in.Agent, b.Person())
	if err != nil {
		return nil, err
	}
	if b.EndLine == 0 {
		b.EndLine = b.StartLine
	}
	f := toolbox.Forget{
		Scope: b.Scope, FromLine: b.StartLine, ToLine: b.EndLine, Entry: b.Entry, Shown: b.Shown, Pattern: b.Pattern, Erase: b.Erase,
		Preview: b.Pattern != "",
	}
	if b.DryRun != nil {
		f.Preview = *b.DryRun
	}
	if b.Pattern == "" {
		if f.Path, err = memory.ParsePath(b.Path); err != nil {
			return nil, fault.InvalidAt("body.path", "%s", err)
		}
		if b.StartLine == 0 && b.Entry == "" || b.EndLine < b.StartLine {
			return nil, fault.InvalidAt("body.startLine", "name lines of the document, or an entry")
		}
	} else if b.Path != "" {
		return nil, fault.InvalidAt("body.pattern", "name either a pattern or a passage of a document")
	}
	caller := toolbox.Caller{Identity: id, Agent: agent, Key: rest.RequestLedgerKey(
		ctx, in.IdempotencyKey, "forget", id.Agent, string(id.Owner), string(b.Scope), f.Path, strconv.Itoa(b.StartLine),
		strconv.Itoa(b.EndLine), string(b.Entry), b.Shown, b.Pattern, strconv.FormatBool(b.Erase),
	)}
	done, err := s.carryOut(ctx, caller, f)
	if err != nil {
		return nil, err
	}
	return rest.OK(viewForgotten(done, f.Preview)), nil
}

// carryOut forgets on behalf of a person, and announces the changes.
func (s *Handlers) carryOut(ctx context.Context, caller toolbox.Caller, f toolbox.Forget) (toolbox.Forgotten, error) {
	done, err := s.Tools.Forget(ctx, caller, f)
	if err == nil && !f.Preview {
		s.Written(caller.Identity, done.Receipt)
	}
	return done, err
}

func viewForgotten(done toolbox.Forgotten, dryRun bool) forgottenView {
	var outside *backendForgottenView
	if b := backendForgottenView(done.Backend); b != (backendForgottenView{}) {
		outside = &b
	}
	return forgottenView{
		DryRun: dryRun, Backend: outside,
		Statements: rest.Views(done.Statements, func(f toolbox.Statement) statementView { return statementView(f) }),
		Found: rest.Views(done.Found, func(f toolbox.FoundStatement) forgottenStatementView {
			return forgottenStatementView{f.Path, f.Scope, f.FromLine, f.ToLine, f.ID, f.Text, f.Left}
		}),
		Erased:  rest.Views(done.Words.Places, viewPlace),
		Kept:    rest.Views(done.Words.Kept, viewPlace),
		Receipt: viewWritten(done.Receipt),
	}
}

type forgetFactInput struct {
	rest.AgentParam
	Fact string `path:"fact" format:"uuid" doc:"Id of the fact."`
	rest.PersonParams
	rest.RequestKeyParam
	Erase  bool `query:"erase" doc:"Also remove the words from earlier versions and messages, permanently."`
	DryRun bool `query:"dryRun" doc:"Only show what would be forgotten."`
}

func (s *Handlers) forgetFact(ctx context.Context, in *forgetFactInput) (*rest.Reply[forgottenView], error) {
	fact, err := uuid.Parse(in.Fact)
	if err != nil {
		return nil, fault.InvalidAt("path.fact", "it is not a UUID")
	}
	id, agent, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	done, err := s.ForgetFact(ctx, id, agent, fact, in.Erase, in.DryRun, rest.RequestLedgerKey(
		ctx, in.IdempotencyKey, "forget-fact", in.Fact, strconv.FormatBool(in.Erase),
	))
	if err != nil {
		return nil, err
	}
	return rest.OK(viewForgotten(done, in.DryRun)), nil
}

// ForgetFact forgets a fact on behalf of a person; with erase, also in earlier versions and messages. A dry run changes nothing. A fact
// that is no longer in its document can only be erased.
func (s *Handlers) ForgetFact(
	ctx context.Context, id memory.Identity, agent gate.Agent, fact uuid.UUID, erase, dryRun bool, key string,
) (toolbox.Forgotten, error) {
	known, err := s.Store.Fact(ctx, id, fact)
	if err != nil {
		return toolbox.Forgotten{}, err
	}
	now := known.Now()
	if !now.Ended.IsZero() && !erase {
		return toolbox.Forgotten{}, fmt.Errorf("fact %s is no longer in its document: %w", fact, store.ErrNotFound)
	}
	f := toolbox.Forget{Path: now.Path, Scope: now.Scope, Entry: now.Entry, Shown: now.Text, Erase: erase, Preview: dryRun}
	if !now.Ended.IsZero() {
		f.Entry = ""
	}
	return s.carryOut(ctx, toolbox.Caller{Identity: id, Agent: agent, Key: key}, f)
}
