package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/test/bench/services"
	"reverie/test/deployment"
)

// latency is the latency of contexts of one conversation.
type latency struct {
	Messages int              `json:"messages"`
	Sent     int              `json:"sentMessages"` // verbatim messages in one context
	Tokens   int              `json:"tokens"`       // of one context
	Context  services.Latency `json:"context"`
	// Read is a plain read of only the messages in a context, over one connection, including their JSON encoding.
	Read  services.Latency `json:"read"`
	Ratio float64          `json:"ratio"` // of the medians
}

const (
	agentOfLatency = "harbour"
	batchSize      = 20 // messages per post
)

// latency measures contexts of a conversation of n messages that has been compacted as far as necessary.
func (b *bench) latency(ctx context.Context, n int) (latency, error) {
	api, agent, conversation := b.world.rules, fmt.Sprintf("%s-%d", agentOfLatency, n), fmt.Sprintf("talk-%d", n)
	if err := newAgent(ctx, api, agent); err != nil {
		return latency{}, err
	}
	t := newTalk(b.seed)
	if err := t.fill(ctx, api, agent, conversation, n); err != nil {
		return latency{}, err
	}
	// The first context flushes and summarises.
	first, err := ask(ctx, api, agent, contextRequest{Conversation: conversation, Owner: owner, Message: t.question()})
	if err != nil {
		return latency{}, err
	}
	l := latency{Messages: n, Sent: first.Ledger.Messages, Tokens: first.Ledger.Used}
	reader, err := pgx.Connect(ctx, b.world.url)
	if err != nil {
		return latency{}, err
	}
	defer reader.Close(context.WithoutCancel(ctx))
	if err := settle(ctx, reader, agent); err != nil {
		return latency{}, err
	}
	var contexts, reads []time.Duration
	for range b.asks {
		began := time.Now()
		if _, err := ask(ctx, api, agent, contextRequest{Conversation: conversation, Owner: owner, Message: t.question()}); err != nil {
			return latency{}, err
		}
		contexts = append(contexts, time.Since(began))
		began = time.Now()
		if err := read(ctx, reader, conversation, first.Ledger.Messages); err != nil {
			return latency{}, err
		}
		reads = append(reads, time.Since(began))
	}
	l.Context, l.Read = services.LatencyOf(contexts), services.LatencyOf(reads)
	l.Ratio = l.Context.P50 / l.Read.P50
	return l, nil
}

const (
	freshRows = 64 // of an index, above which they are merged
	patience  = 2 * time.Minute
)

// settle waits until the index of an agent has merged what was written at once, which in a real conversation takes
// days.
func settle(ctx context.Context, c *pgx.Conn, agent string) error {
	for began := time.Now(); time.Since(began) < patience; time.Sleep(100 * time.Millisecond) {
		var fresh int
		if err := c.QueryRow(ctx, "select count(*) from index_fresh where agent_id = $1", agent).Scan(&fresh); err != nil {
			return err
		}
		if fresh <= freshRows {
			return nil
		}
	}
	return fmt.Errorf("the index of %s is not merged after %s", agent, patience)
}

// fill stores n messages, turn by turn.
func (t *talk) fill(ctx context.Context, api *deployment.Client, agent, conversation string, n int) error {
	for stored := 0; stored < n; {
		batch := deployment.Batch{EndUserID: "bench", TriggerSource: "api", TurnComplete: true}
		for len(batch.Messages) < min(batchSize, n-stored) {
			batch.Messages = append(batch.Messages, t.turn()...)
		}
		stored += len(batch.Messages)
		if err := api.Call(ctx, http.MethodPost, messagesPath(agent, conversation), batch, nil); err != nil {
			return err
		}
	}
	return nil
}

func messagesPath(agent, conversation string) string {
	return "/api/v1/agents/" + agent + "/conversations/" + url.PathEscape(conversation) + "/messages"
}

// contextRequest is the body of a context request.
type contextRequest struct {
	Conversation string `json:"conversation"`
	Owner        string `json:"owner"`
	Message      string `json:"message"`
	MaxTokens    int    `json:"maxInputTokens,omitempty"`
}

// contextAnswer is the part of the response that is used.
type contextAnswer struct {
	Messages []contextMessage `json:"messages"`
	Ledger   struct {
		Used     int `json:"used"`
		Trigger  int `json:"trigger"`
		Messages int `json:"messages"`
		Recall   int `json:"recall"`
		Goal     int `json:"goal"`
	} `json:"ledger"`
}

type contextMessage struct {
	Kind    string `json:"kind"`
	Role    string `json:"role"`
	Content string `json:"content"`
	Tokens  int    `json:"tokens"`
}

func ask(ctx context.Context, api *deployment.Client, agent string, r contextRequest) (out contextAnswer, err error) {
	return out, api.Call(ctx, http.MethodPost, "/api/v1/agents/"+agent+"/context", r, &out)
}

// read reads the last messages of a conversation and encodes them as JSON.
func read(ctx context.Context, c *pgx.Conn, conversation string, last int) error {
	rows, err := c.Query(ctx, `
select m.role, m.content
from messages m
join conversations c using (workspace_id, agent_id, conversation_uid)
where c.conversation_id = $1
order by m.seq desc
limit $2`, conversation, last)
	if err != nil {
		return err
	}
	messages, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m contextMessage, err error) {
		err = row.Scan(&m.Role, &m.Content)
		return m, err
	})
	if err != nil {
		return err
	}
	_, err = json.Marshal(messages)
	return err
}
