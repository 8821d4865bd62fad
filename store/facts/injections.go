package facts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/search"
	"reverie/store/pg"
)

// Injection lists references to the candidates for the context of a turn, included or not.
type Injection struct {
	ID           uuid.UUID // a UUIDv7
	At           time.Time
	Owner        memory.Owner // set when it is read
	Conversation string       // the client's id; empty: none
	// ConversationUID is our id of the conversation, set when it is read, and if it still exists.
	ConversationUID uuid.UUID
	Seq             int64  // number of the message that was to be answered; 0: it was not stored
	Skipped         string // why nothing was looked for; empty: it was
	Budget          int    // tokens
	Tokens          int
	Candidates      int
	Selected        int
	Omitted         int // for lack of room
	Choices         []Choice
}

// Choice is the outcome for one candidate.
type Choice struct {
	Layer   string        `json:"layer"`
	Corpus  search.Corpus `json:"corpus"`
	Source  uuid.UUID     `json:"source"`            // document or conversation
	Version int           `json:"version,omitempty"` // of the document, in which the lines are counted
	Path    string        `json:"path"`
	Scope   memory.Scope  `json:"scope"`
	Agent   string        `json:"agent,omitempty"` // whose memory it is; empty for GLOBAL
	From    int           `json:"from"`            // line, or number of the message
	To      int           `json:"to"`
	Shown   []Lines       `json:"shown,omitempty"` // parts of those lines that the context contains, or would; none: all
	Fact    uuid.UUID     `json:"fact,omitzero"`
	Score   float64       `json:"score"` // trust of a fact
	Tokens  int           `json:"tokens,omitempty"`
	Omitted string        `json:"omitted,omitempty"` // why it is not in the context; empty: it is
}

// Lines are the numbers of the first and the last of some lines.
type Lines struct {
	From int `json:"from"`
	To   int `json:"to"`
}

const (
	sqlInjected = `
insert into injections (workspace_id, agent_id, owner_key, injection_id, at, conversation_id, seq, skipped, budget, tokens, candidates,
    selected, omitted, choices)
values (@workspace, @agent, @owner, @injection, @at, @conversation, @seq, @skipped, @budget, @tokens, @candidates, @selected, @omitted,
    @choices)
on conflict (workspace_id, agent_id, owner_key, injection_id) do update
set skipped = excluded.skipped, tokens = excluded.tokens, candidates = excluded.candidates, selected = excluded.selected,
    omitted = excluded.omitted, choices = excluded.choices`

	injectionRows = `
select injection_id, at, owner_key, conversation_id, seq, skipped, budget, tokens, candidates, selected, omitted, choices, (
        select c.conversation_uid
        from conversations c
        where c.workspace_id = i.workspace_id and c.agent_id = i.agent_id and c.conversation_id = i.conversation_id
            and c.owner_key = i.owner_key)
from injections i
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner `

	sqlInjection  = injectionRows + `and injection_id = @injection`
	sqlInjections = injectionRows + `and injection_id < @before and (@conversation = '' or conversation_id = @conversation)
order by injection_id desc
limit @limit`

	sqlInjectionsExpire = `select reverie_expire_injections(@before)`
)

// Injected is an injection into a context of an identity.
type Injected struct {
	Injection

	Identity memory.Identity
}

// RecordInjections stores injections into contexts of any identities, in one transaction and one round trip. An injection that is recorded
// again replaces the earlier record.
func (s *Facts) RecordInjections(ctx context.Context, all []Injected) error {
	if len(all) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	for _, in := range all {
		if err := pg.RequireAgent(in.Identity); err != nil {
			return err
		}
		set, err := pg.SettingsOf(in.Identity)
		if err != nil {
			return err
		}
		choices, err := json.Marshal(append([]Choice{}, in.Choices...)) // not null, if there are none
		if err != nil {
			return fmt.Errorf("injection: %w", err)
		}
		b.Queue(pg.SQLIdentity, set.Args()...) // each row is written by its identity
		b.Queue(sqlInjected, (&pg.Tx{Settings: set}).Args(pgx.NamedArgs{
			"injection": in.ID, "at": in.At, "conversation": in.Conversation, "seq": in.Seq, "skipped": in.Skipped, "budget": in.Budget,
			"tokens": in.Tokens, "candidates": in.Candidates, "selected": in.Selected, "omitted": in.Omitted, "choices": choices,
		}))
	}
	_, err := pg.InTx(ctx, s.db, all[0].Identity, func(t *pg.Tx) (none struct{}, err error) {
		return none, t.Finish(ctx, &pgx.Batch{QueuedQueries: slices.Clone(b.QueuedQueries)})
	})
	return err
}

// Injections lists the injections into contexts of the identity's owner, newest first, optionally of one conversation.
func (s *Facts) Injections(ctx context.Context, id memory.Identity, conversation string, p pg.Page) (pg.Listed[Injection], error) {
	if err := memory.ValidText("conversation", conversation, maxQuery); err != nil {
		return pg.Listed[Injection]{}, err
	}
	return pg.ReadPage(ctx, s.db, id, p, func(_ *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		return sqlInjections, pgx.NamedArgs{"before": from.ID, "conversation": conversation}
	}, scanInjection, func(in Injection) pg.Cursor { return pg.Cursor{At: in.At, ID: in.ID} })
}

// Injection returns one injection, or ErrNotFound.
func (s *Facts) Injection(ctx context.Context, id memory.Identity, injection uuid.UUID) (Injection, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Injection{}, err
	}
	return pg.ReadOne(ctx, s.db, id, sqlInjection, pgx.NamedArgs{"injection": injection}, scanInjection,
		fmt.Errorf("injection %s: %w", injection, pg.ErrNotFound))
}

func scanInjection(row pgx.CollectableRow) (in Injection, err error) {
	var uid uuid.NullUUID
	err = row.Scan(&in.ID, &in.At, &in.Owner, &in.Conversation, &in.Seq, &in.Skipped, &in.Budget, &in.Tokens, &in.Candidates, &in.Selected,
		&in.Omitted, &in.Choices, &uid)
	in.ConversationUID = uid.UUID
	return in, err
}

// ExpireInjections deletes records from before a time, of all workspaces, at most 10,000 of them and none of the latest day. It takes no
// identity because the sweep works for the deployment.
func (s *Facts) ExpireInjections(ctx context.Context, before time.Time) (n int, err error) {
	return pg.Run(ctx, s.db, &pg.Tx{Mode: pg.SQLBegin}, func(t *pg.Tx) (n int, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlInjectionsExpire, t.Args(pgx.NamedArgs{"before": before})).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
		err = t.Finish(ctx, b)
		return n, err
	})
}
