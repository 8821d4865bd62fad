package activities

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"reverie/hooks"
	"reverie/memory"
	"reverie/providers"
	"reverie/scan"
	"reverie/store"
	"reverie/store/gate"
	"reverie/store/talk"
)

const (
	// maxFollowed bounds the words of one event, in bytes; the rest is omitted.
	maxFollowed = 256 << 10
	// aliveAttempts are the attempts at one event with a program that answers, but not with success. The next events are of other people.
	aliveAttempts = 4
)

// attempts returns how often an event is tried again after an outcome.
func (x *delivering) attempts(sent hooks.Outcome) int {
	switch {
	case x.Program == "":
	case sent.Reason == reasonRefused:
		return 0
	case sent.Reason != hooks.ReasonStatus, slices.Contains(awayStatuses, sent.Status):
	default:
		return min(aliveAttempts, len(x.Webhooks.Retries))
	}
	return len(x.Webhooks.Retries)
}

// awayStatuses are answers of a program that is not there, or has too much to do.
var awayStatuses = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// reasonRefused means that a program will not take an event, however often it gets it.
const reasonRefused hooks.Reason = "refused"

// follow sends a program an event with its contents, which are read with the rights of the person the event is about. If the agent has
// disabled the program, or the contents no longer exist, nothing is sent and the event counts as delivered.
func (x *delivering) follow(ctx context.Context, e gate.Event) (hooks.Outcome, error) {
	agent, err := x.Store.Agent(ctx, x.id)
	if err != nil {
		return hooks.Outcome{}, err
	}
	if !slices.Contains(x.Activities.Providers.Follows(x.Program, x.id.Agent, agent.Settings), e.Kind) {
		return hooks.Outcome{}, nil
	}
	told, err := x.withContents(ctx, e)
	if errors.Is(err, store.ErrNotFound) {
		return hooks.Outcome{}, nil
	}
	if err != nil {
		return hooks.Outcome{}, err
	}
	began := x.Now()
	err = x.Activities.Providers.Follow(ctx, x.Program, told)
	sent := hooks.Outcome{Took: x.Now().Sub(began)}
	if failed, is := errors.AsType[*providers.Error](err); is {
		sent.Status, sent.Reason, err = failed.Status, hooks.Reason(failed.Failure), nil
		if failed.Refused {
			sent.Reason = reasonRefused
		}
	}
	return sent, err
}

// withContents returns an event with its contents.
func (x *delivering) withContents(ctx context.Context, e gate.Event) (providers.Event, error) {
	id := x.id.For(x.id.Agent, e.Owner)
	id.AnyOwner = false
	told := providers.Event{
		Who: providers.Who{Workspace: id.Workspace, Agent: id.Agent}, ID: e.Cursor().String(), Kind: e.Kind, At: e.At, Scope: e.Scope,
		Path: e.Path, Version: e.Version,
	}
	if e.Owner != memory.NoOwner {
		owner, err := x.Store.OwnerID(ctx, id)
		if err != nil {
			return told, err
		}
		told.Owner, told.Key = owner.String(), e.Owner
	}
	switch e.Kind {
	case gate.EventTurnStarted, gate.EventTurnCompleted, gate.EventFlushAcknowledged:
		return told, x.tellMessages(ctx, id, e, &told)
	case gate.EventDocumentWritten, gate.EventDocumentUndeleted:
		ref := memory.Ref{Scope: e.Scope, Path: e.Path}
		v, err := x.Store.VersionOf(ctx, id, ref, e.Version)
		if err != nil {
			return told, err
		}
		before := memory.Version{}
		if e.Version > 1 {
			if before, err = x.Store.VersionOf(ctx, id, ref, e.Version-1); err != nil && !errors.Is(err, store.ErrNotFound) {
				return told, err
			}
		}
		told.Text = strings.ToValidUTF8(v.Content[:min(len(v.Content), maxFollowed)], "")
		told.Cut = len(v.Content) > maxFollowed
		told.Learned = e.Author.Kind == memory.AuthorWorkflow && strings.HasPrefix(e.Author.WorkflowID, extractionPrefix)
		for _, added := range memory.AddedEntries(before.Content, told.Text) {
			told.Added = append(told.Added, added.Text)
		}
	}
	return told, nil
}

// extractionPrefix is that of workflows.ExtractID.
const extractionPrefix = "extract/"

// tellMessages adds the messages of the user and the assistant in the range of an event.
func (x *delivering) tellMessages(ctx context.Context, id memory.Identity, e gate.Event, told *providers.Event) error {
	var of talk.TurnDetail // flushes name their range alike
	if err := json.Unmarshal(e.Detail, &of); err != nil {
		return err
	}
	told.Conversation, told.Trigger, told.From, told.To = of.Conversation, of.Trigger, of.From, of.To
	for after, size := of.From-1, 0; after < of.To; {
		page, err := x.Store.Messages(ctx, id, of.Conversation, after, 100)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, m := range page {
			after = m.Seq
			if m.Seq > of.To {
				return nil
			}
			if m.Role != memory.RoleOfUser && m.Role != memory.RoleOfAssistant || m.Content == "" {
				continue
			}
			text := scan.Redacted(m.Content)
			if size += len(text); size > maxFollowed {
				told.Cut = true
				return nil
			}
			told.Messages = append(told.Messages, providers.Said{Seq: m.Seq, Role: m.Role, Name: m.Name, Text: text, At: m.CreatedAt})
		}
	}
	return nil
}
