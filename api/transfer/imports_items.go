package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/imports"
	"reverie/memory"
	"reverie/store"
)

// importItem is a document or a conversation of the other system; exactly one of the two.
type importItem struct {
	Key          string              `json:"key" minLength:"1" maxLength:"300" doc:"Tells it from every other item of the source, and stays the same when the source is read again."`
	Document     *importDocument     `json:"document,omitempty"`
	Conversation *importConversation `json:"conversation,omitempty"`
}

type importDocument struct {
	Path    string       `json:"path" maxLength:"255" doc:"Where it is to stand." example:"memory/2026-01-31.md"`
	Source  string       `json:"source,omitempty" maxLength:"1000" doc:"Where it stood."`
	Scope   memory.Scope `json:"scope" enum:"PERSONAL,TEAM"`
	Owner   string       `json:"owner,omitempty" maxLength:"128" doc:"Of a personal one; missing: whom the import is about."`
	Content string       `json:"content" doc:"Markdown, at most 1 MiB; a longer one fails."`
	At      *time.Time   `json:"at,omitempty" doc:"When it was last changed, if that is known."`
}

type importConversation struct {
	ID       string          `json:"id" minLength:"1" maxLength:"255" doc:"Of the conversation here: the other system's, behind its name." example:"chatgpt:6f1c"`
	Owner    string          `json:"owner,omitempty" maxLength:"128" doc:"Missing: whom the import is about."`
	Title    string          `json:"title,omitempty" maxLength:"1000"`
	Messages []importMessage `json:"messages" minItems:"1" maxItems:"10000" nullable:"false" doc:"In the order in which they were said, each with createdAt."`
}

// importMessage is a MessageInput whose contents are looked at when it is staged: what is wrong with one concerns its conversation
// alone.
type importMessage struct {
	ID           string              `json:"id" minLength:"1" maxLength:"128" doc:"The other system's, unique within the conversation."`
	Role         string              `json:"role" enum:"user,assistant,tool,system"`
	Name         string              `json:"name,omitempty" maxLength:"200" doc:"Of the speaker or tool."`
	Speaker      string              `json:"speaker,omitempty" maxLength:"128" doc:"Of a user message in a group: the id of who said it."`
	Content      string              `json:"content" doc:"UTF-8, at most 256 KiB; a conversation with a longer one fails."`
	FinishReason string              `json:"finishReason,omitempty" maxLength:"64" doc:"Of an assistant message, as the provider says it."`
	CreatedAt    *time.Time          `json:"createdAt,omitempty" doc:"When it was said; missing: now."`
	ToolCalls    []rest.ToolCallView `json:"toolCalls,omitempty" maxItems:"64" nullable:"false" doc:"Of an assistant message: what it asks of tools."`
	ToolCallID   string              `json:"toolCallId,omitempty" maxLength:"128" doc:"Of a tool message: the id of the call that it answers."`
}

type addImportItemsInput struct {
	rest.AgentParam
	ImportParam
	Body struct {
		Items []importItem `json:"items" minItems:"1" maxItems:"1000" nullable:"false"`
	}
}

type stagedView struct {
	Staged int `json:"staged" doc:"Wait to be moved in."`
	Known  int `json:"known" doc:"Were uploaded before."`
	Failed int `json:"failed" doc:"Cannot be moved in: the list of items says why."`
}

func (s *transferRoom) addImportItems(ctx context.Context, in *addImportItemsInput) (*rest.Reply[stagedView], error) {
	id, _, err := s.onImport(ctx, importInput{in.AgentParam, in.ImportParam})
	if err != nil {
		return nil, err
	}
	items := make([]store.ImportItem, len(in.Body.Items))
	for i, item := range in.Body.Items {
		if items[i], err = s.stage(id, item); err != nil {
			return nil, fault.InvalidAt(fmt.Sprintf("body.items[%d]", i), "%s", err)
		}
	}
	staged, err := s.Store.StageImport(ctx, id, in.Import, items)
	if err != nil {
		return nil, err
	}
	return rest.OK(stagedView(staged)), nil
}

// stage is an item as it is stored until it is moved in. The error is about what no other item can do without.
func (s *transferRoom) stage(id memory.Identity, in importItem) (store.ImportItem, error) {
	staged := store.ImportItem{Key: in.Key}
	item := imports.Item{Key: in.Key}
	switch {
	case (in.Document == nil) == (in.Conversation == nil):
		return staged, errors.New("give either a document or a conversation")
	case in.Document != nil:
		d := *in.Document
		if len(d.Content) > memory.MaxDocumentBytes {
			staged.ReasonCode = store.ReasonImportTooLarge
		}
		document := imports.Document{Path: d.Path, Source: d.Source, Scope: d.Scope, Content: d.Content}
		if d.At != nil {
			document.At = *d.At
		}
		if d.Scope == memory.ScopePersonal {
			whose, err := whoseImport(id, d.Owner)
			if err != nil {
				return staged, err
			}
			document.Owner = whose
		}
		item.Document = &document
		staged.Whose, staged.At, staged.Target = document.Owner, document.At, document.Path
	default:
		c := *in.Conversation
		whose, err := whoseImport(id, c.Owner)
		if err != nil {
			return staged, err
		}
		said := make([]rest.MessageInput, len(c.Messages))
		for i, m := range c.Messages {
			if _, err := rest.SpeakerOf(m.Speaker, ""); err != nil {
				staged.ReasonCode = store.ReasonImportInvalid
			}
			if len(m.Content) > memory.MaxMessageBytes {
				staged.ReasonCode = store.ReasonImportTooLarge
			}
			said[i] = rest.MessageInput(m)
		}
		conversation := imports.Conversation{ID: c.ID, Owner: whose, Title: c.Title, Messages: s.Messages(said)}
		item.Conversation = &conversation
		staged.Conversation, staged.Whose, staged.Target, staged.Messages = true, whose, c.ID, len(c.Messages)
		for _, m := range conversation.Messages {
			if m.CreatedAt.After(staged.At) {
				staged.At = m.CreatedAt
			}
		}
	}
	payload, err := json.Marshal(item)
	staged.Payload = payload
	return staged, err
}

// whoseImport is the owner of an item.
func whoseImport(id memory.Identity, named string) (memory.Owner, error) {
	if named == "" {
		return id.Owner, nil
	}
	owner, err := memory.ParseOwner(named)
	if err == nil && owner == memory.SystemOwner && !id.Role.Includes(memory.RoleAdmin) {
		return owner, errors.New("only an admin key speaks for the system")
	}
	return owner, err
}

type listImportItemsInput struct {
	rest.AgentParam
	ImportParam
	rest.PageParams
	Outcome string `query:"outcome" enum:"waiting,written,unchanged,merged,nothing,skipped,quarantined,failed" doc:"Only those that ended so."`
}

// importedItemView is an item of an import, without its contents.
type importedItemView struct {
	Key        string            `json:"key"`
	Kind       string            `json:"kind" enum:"document,conversation"`
	Owner      memory.Owner      `json:"owner,omitempty" doc:"Missing: it is shared."`
	Target     string            `json:"target" doc:"Path of the document, or id of the conversation."`
	At         *time.Time        `json:"at,omitempty" doc:"When it was last written or said."`
	Messages   int               `json:"messages,omitempty"`
	Outcome    memory.Outcome    `json:"outcome" enum:"waiting,written,unchanged,merged,nothing,skipped,quarantined,failed"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	SettledAt  *time.Time        `json:"settledAt,omitempty"`
}

func viewImportedItem(x store.ImportItemState) importedItemView {
	v := importedItemView{
		Key: x.Key, Kind: "document", Owner: x.Whose, Target: x.Target, Messages: x.Messages,
		Outcome: x.Outcome, ReasonCode: x.ReasonCode, SettledAt: x.SettledAt,
	}
	if x.Conversation {
		v.Kind = "conversation"
	}
	if !x.At.IsZero() {
		v.At = &x.At
	}
	if x.Outcome == "" {
		v.Outcome = memory.OutcomeWaiting
	}
	return v
}

func (s *transferRoom) listImportItems(ctx context.Context, in *listImportItemsInput) (*rest.Reply[rest.Page[importedItemView]], error) {
	id, _, err := s.onImport(ctx, importInput{in.AgentParam, in.ImportParam})
	if err != nil {
		return nil, err
	}
	filter := store.ImportFilter{Any: in.Outcome == "", Outcome: memory.Outcome(in.Outcome)}
	if filter.Outcome == memory.OutcomeWaiting {
		filter.Outcome = ""
	}
	listed, err := s.Store.ImportItems(ctx, id, in.Import, filter, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[importedItemView]{Items: rest.Views(listed.Items, viewImportedItem), Next: listed.Next}), nil
}
