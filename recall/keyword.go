package recall

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/scan"
	"reverie/search/keyword"
	"reverie/store/gate"
)

// Limits of keyword search.
const (
	DefaultKeywordLimit = 10
	MaxKeywordLimit     = 30
)

// maxKeywordFiles bounds the documents to examine, of those that contain all words.
const maxKeywordFiles = 50

// KeywordRequest is a search for lines that contain all given words literally. It needs no index.
type KeywordRequest struct {
	Query string        // keyword.MinQuery to keyword.MaxQuery characters
	Scope keyword.Scope // empty: all
	Limit int           // lines; 0: DefaultKeywordLimit
	// Archived includes the archives of documents.
	Archived bool
	Agent    setting.AgentSettings
}

// KeywordHit is a line of a document.
type KeywordHit struct {
	keyword.Hit

	Scope memory.Scope `json:"scope"`
	// Agent is the owner of the document; empty for GLOBAL.
	Agent string `json:"agent,omitempty"`
	// Document is the document containing the line, with its content.
	Document memory.Document `json:"-"`
}

// KeywordResponse is the result of a keyword search, best first.
type KeywordResponse struct {
	Hits     []KeywordHit
	Disabled bool // the agent's memory is switched off, and nothing was searched
}

// Keywords finds lines of the documents that an identity sees. It returns an *InvalidError for an invalid request.
// Its results are not recorded as recalled, because who searches for literal words already knows them.
func (s *Searcher) Keywords(ctx context.Context, id memory.Identity, r KeywordRequest) (KeywordResponse, error) {
	if r.Scope == "" {
		r.Scope = keyword.All
	}
	if r.Limit == 0 {
		r.Limit = DefaultKeywordLimit
	}
	if !s.Defaults.With(r.Agent).Enabled {
		return KeywordResponse{Disabled: true}, nil
	}
	words, err := keyword.Words(r.Query)
	switch {
	case errors.Is(err, keyword.ErrQuery):
		return KeywordResponse{}, invalid("query", "%s", err)
	case err != nil:
		return KeywordResponse{}, err
	case !r.Scope.Known():
		return KeywordResponse{}, invalid("scope", "unknown scope %q: use one of all, memory, profile, persona", clipped(string(r.Scope)))
	case r.Limit < 1 || r.Limit > MaxKeywordLimit:
		return KeywordResponse{}, invalid("limit", "%d must be from 1 to %d", r.Limit, MaxKeywordLimit)
	case len(words) == 0:
		return KeywordResponse{}, nil
	}
	found, err := s.documentsWith(ctx, id, r.Scope, words)
	if err != nil {
		return KeywordResponse{}, err
	}
	theirs, err := s.leaderWith(ctx, id, r, words)
	if err != nil {
		return KeywordResponse{}, err
	}
	found = append(found, theirs...)
	files := make([]keyword.File, len(found))
	byID := map[string]memory.Document{}
	for i, d := range found {
		d.Content = scan.Redacted(d.Content)
		files[i] = keyword.File{Filename: d.Path, Content: d.Content, ID: d.ID.String()}
		if !r.Archived {
			files[i].Content = markdown.BlankArchive(d.Content)
		}
		byID[files[i].ID] = d
	}
	var response KeywordResponse
	for _, hit := range keyword.Hits(words, files, r.Limit) {
		d := byID[hit.ID]
		response.Hits = append(response.Hits, KeywordHit{Hit: hit, Scope: d.Scope, Agent: d.Agent, Document: d})
	}
	return response, nil
}

// documentsWith returns the visible documents of a scope that contain all words.
func (s *Searcher) documentsWith(ctx context.Context, id memory.Identity, scope keyword.Scope,
	words []keyword.Word,
) ([]memory.Document, error) {
	entries, err := s.Store.Documents(ctx, id, gate.DocumentFilter{})
	if err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	for _, entry := range entries {
		if scope.Has(entry.Path) {
			ids = append(ids, entry.ID)
		}
	}
	terms := make([][]string, len(words))
	for i, word := range words {
		terms[i] = word
	}
	return s.Store.DocumentsWith(ctx, id, ids, terms, maxKeywordFiles)
}
