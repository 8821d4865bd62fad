package foldersync

import (
	"context"
	"fmt"
	"sync"

	"reverie/memory"
	"reverie/memory/markdown"
)

// server is a Remote that keeps versions, merges stale writes and knows idempotency keys as the real one does.
type server struct {
	mu       sync.Mutex
	versions map[memory.Ref][]string
	deleted  map[memory.Ref]bool
	receipts map[string]Receipt
	refuse   func(Write) error
	redact   func(string) string
	writes   int
	// lose is asked after each effect whether its answer gets lost.
	lose func() bool
	away bool
}

func newServer() *server {
	return &server{
		versions: map[memory.Ref][]string{}, deleted: map[memory.Ref]bool{}, receipts: map[string]Receipt{},
		lose: func() bool { return false },
	}
}

func tagOf(version int, text string) string { return fmt.Sprintf("%d.%s", version, SumOf(text)[:16]) }

func (s *server) head(ref memory.Ref) (string, int, bool) {
	v := s.versions[ref]
	if len(v) == 0 || s.deleted[ref] {
		return "", len(v), false
	}
	return v[len(v)-1], len(v), true
}

func (s *server) entry(ref memory.Ref) Entry {
	text, version, _ := s.head(ref)
	return Entry{Ref: ref, Sum: SumOf(text), ETag: tagOf(version, text), Version: version, Bytes: len(text)}
}

func (s *server) List(context.Context) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return nil, ErrAway
	}
	var out []Entry
	for ref := range s.versions {
		if _, _, there := s.head(ref); there {
			out = append(out, s.entry(ref))
		}
	}
	return out, nil
}

func (s *server) Read(_ context.Context, ref memory.Ref) (Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, _, there := s.head(ref)
	if !there {
		return Document{}, ErrGone
	}
	return Document{Entry: s.entry(ref), Content: text}, nil
}

func (s *server) Write(_ context.Context, w Write) (Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return Receipt{}, ErrAway
	}
	key := w.Key + string(SumOf(w.Content)) + w.Match
	receipt, known := s.receipts[key]
	if !known {
		var err error
		if receipt, err = s.write(w); err != nil {
			return Receipt{}, err
		}
		s.receipts[key] = receipt
	}
	if s.lose() {
		return Receipt{}, ErrAway
	}
	return receipt, nil
}

func (s *server) write(w Write) (Receipt, error) {
	s.writes++
	if s.refuse != nil {
		if err := s.refuse(w); err != nil {
			return Receipt{}, err
		}
	}
	text, redacted := w.Content, false
	if s.redact != nil {
		text = s.redact(text)
		redacted = text != w.Content
	}
	head, version, there := s.head(w.Ref)
	merged := false
	switch {
	case !there && w.Match != "":
		return Receipt{}, ErrStale
	case there && w.Match == "":
		return Receipt{}, ErrStale
	case there && w.Match != tagOf(version, head):
		base, found := "", false
		for i, v := range s.versions[w.Ref] {
			if tagOf(i+1, v) == w.Match {
				base, found = v, true
			}
		}
		both, conflicts := markdown.Merge3(base, text, head)
		if !found || len(conflicts) > 0 {
			return Receipt{}, ErrStale
		}
		text, merged = both, true
	}
	if !there || text != head {
		s.put(w.Ref, text)
	}
	text, version, _ = s.head(w.Ref)
	return Receipt{Sum: SumOf(text), ETag: tagOf(version, text), Version: version, Merged: merged, Redacted: redacted}, nil
}

func (s *server) put(ref memory.Ref, text string) {
	s.versions[ref] = append(s.versions[ref], text)
	s.deleted[ref] = false
}

func (s *server) Delete(_ context.Context, ref memory.Ref, match, _ string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, version, there := s.head(ref)
	switch {
	case !there:
		return nil
	case tagOf(version, text) != match:
		return ErrStale
	}
	s.put(ref, "")
	s.deleted[ref] = true
	if s.lose() {
		return ErrAway
	}
	return nil
}

func (s *server) Wait(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}
