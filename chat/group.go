package chat

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
)

// spoken are messages as the model is sent them: where several people talk, each of theirs begins with who said it.
func (a *assembly) spoken(messages []memory.Message) []memory.Message {
	if a.request.Speaker == memory.NoOwner {
		return messages
	}
	out := make([]memory.Message, len(messages))
	for i, m := range messages {
		out[i] = a.named(m)
	}
	return out
}

func (a *assembly) named(m memory.Message) memory.Message {
	if a.request.Speaker != memory.NoOwner && m.Role == memory.RoleOfUser && m.Name != "" && strings.TrimSpace(m.Content) != "" {
		m.Content = strings.Join(strings.Fields(m.Name), " ") + ": " + m.Content
	}
	return m
}

// sections are documents that have a section for each person of a group, as they were when they were found.
type sections map[sectioned]string

type sectioned struct {
	document uuid.UUID
	version  int
}

// sectionsOf reads the documents of results in which people of a group may have sections of their own.
func (a *assembly) sectionsOf(ctx context.Context, hits []recall.Hit) (sections, error) {
	all := sections{}
	for _, hit := range hits {
		source := hit.Source
		key := sectioned{source.ID, source.Version}
		if _, known := all[key]; known || hit.Corpus != search.Memory || hit.Path != memory.MemoryPath || source.Scope != memory.ScopePersonal {
			continue
		}
		version, err := a.Store.VersionOf(ctx, a.id.For(source.Agent, source.Owner), memory.Ref{Scope: source.Scope, Path: hit.Path}, source.Version)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // what was erased meanwhile is nobody's
			return nil, err
		}
		all[key] = version.Content
	}
	return all, nil
}

// by is who of a group said what stands on a line of a result: the person of the section, or who sent the message.
func (s sections) by(hit recall.Hit, line int) memory.Owner {
	switch {
	case hit.Corpus == search.Memory:
		return memory.PersonAt(s[sectioned{hit.Source.ID, hit.Source.Version}], line)
	case hit.Message.Role == memory.RoleOfUser:
		return memory.SpeakerOf(hit.Message.Name)
	}
	return memory.NoOwner
}

// saidBy is a text with who said it in front; the same text where nobody is known to have.
func saidBy(person memory.Owner, text string) string {
	if person == memory.NoOwner {
		return text
	}
	return string(person) + ": " + text
}
