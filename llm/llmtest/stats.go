package llmtest

import (
	"maps"
	"slices"
)

// Stats are what a server has seen so far.
type Stats struct {
	Requests     int            `json:"requests"`
	Replies      map[string]int `json:"replies"` // finished ones by Reply.Name; honest ones are "honest"
	Keys         map[string]int `json:"keys"`    // requests by key
	InFlight     int            `json:"inFlight"`
	MaxInFlight  int            `json:"maxInFlight"`
	InputTokens  int            `json:"inputTokens"` // of all requests
	OutputTokens int            `json:"outputTokens"`
	Texts        int            `json:"texts"` // to embed, of all requests
}

// Stats are the counts so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Replies, stats.Keys = maps.Clone(stats.Replies), maps.Clone(stats.Keys)
	return stats
}

// Count is how many requests have come.
func (s *Server) Count() int { return s.Stats().Requests }

// Requests are the last requests, oldest first, at most Options.Keep.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// record counts a request that came in and numbers it. The function that it returns counts its reply.
func (s *Server) record(r *Request) func(Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Requests++
	s.stats.Keys[r.Key]++
	s.stats.InputTokens += r.InputTokens
	s.stats.Texts += len(r.Texts)
	s.stats.InFlight++
	s.stats.MaxInFlight = max(s.stats.MaxInFlight, s.stats.InFlight)
	r.Number, r.Attempt = s.stats.Requests, s.stats.Keys[r.Key]
	if len(s.requests) >= s.options.Keep {
		s.requests = slices.Delete(s.requests, 0, len(s.requests)-s.options.Keep+1)
	}
	s.requests = append(s.requests, *r)
	return s.finish
}

func (s *Server) finish(reply Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := reply.Name
	if name == "" {
		name = "honest"
	}
	s.stats.Replies[name]++
	s.stats.OutputTokens += reply.outputTokens
	s.stats.InFlight--
}
