package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"reverie/memory"
	"reverie/search"
)

// searchRequest is the body of a search. The benchmark wants all that is found, so there is no floor.
type searchRequest struct {
	Owner      memory.Owner    `json:"owner"`
	Query      string          `json:"query"`
	Corpus     search.Corpus   `json:"corpus"`
	MaxResults int             `json:"maxResults"`
	MinScore   float64         `json:"minScore"`
	Options    json.RawMessage `json:"options,omitempty"` // of an ablation
}

// searchAnswer is what the benchmark reads of an answer.
type searchAnswer struct {
	Results []struct {
		MessageIDs []string `json:"messageIds"`
	} `json:"results"`
}

// ask searches an agent's conversations and returns the ids of the messages found, best first, and how long the answer
// took. A message that is found in several parts is there several times. options is empty or a JSON object.
func (b *bench) ask(ctx context.Context, agent, query string, limit int, options json.RawMessage) ([]string, time.Duration, error) {
	var answer searchAnswer
	began := time.Now()
	err := b.api.Call(ctx, http.MethodPost, "/api/v1/agents/"+agent+"/memory/search", searchRequest{
		Owner: owner, Query: query, Corpus: search.Sessions, MaxResults: limit, Options: options,
	}, &answer)
	took := time.Since(began)
	if err != nil {
		return nil, 0, fmt.Errorf("search: %w", err)
	}
	var ids []string
	for _, result := range answer.Results {
		ids = append(ids, result.MessageIDs...)
	}
	return ids, took, nil
}
