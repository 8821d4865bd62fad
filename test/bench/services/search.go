package services

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"reverie/memory"
	"reverie/search"
	"reverie/test/deployment"
)

// Search is the body of a search, as far as benchmarks use it. It is no synthetic one: that it was used is recorded, as an
// agent's search would be.
type Search struct {
	Owner      memory.Owner    `json:"owner"`
	Query      string          `json:"query"`
	Corpus     search.Corpus   `json:"corpus"`
	MaxResults int             `json:"maxResults"`
	MinScore   float64         `json:"minScore"` // 0: no floor
	Options    json.RawMessage `json:"options,omitempty"`
}

// Found is what benchmarks read of an answer.
type Found struct {
	Results []struct {
		MessageIDs []string `json:"messageIds"`
	} `json:"results"`
}

// MessageIDs are the ids of the messages found, best first. A message that is found in several parts is there several
// times.
func (f Found) MessageIDs() []string {
	var ids []string
	for _, result := range f.Results {
		ids = append(ids, result.MessageIDs...)
	}
	return ids
}

// Ask searches an agent and says how long the answer took, from the request to the last byte read and decoded.
func Ask(ctx context.Context, api *deployment.Client, agent string, s Search) (Found, time.Duration, error) {
	var found Found
	began := time.Now()
	err := api.Call(ctx, http.MethodPost, "/api/v1/agents/"+agent+"/memory/search", s, &found)
	took := time.Since(began)
	if err != nil {
		return Found{}, 0, fmt.Errorf("search: %w", err)
	}
	return found, took, nil
}
