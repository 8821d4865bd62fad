package talk

import (
	"context"

	"reverie/chat"
	"reverie/memory"
	"reverie/store"
	"reverie/toolbox"
)

// chatService is how turns are made, on the server's own parts.
func (s *talkRoom) chatService() *chat.Service {
	o := s.Chat
	if o.Settings == (memory.WindowSettings{}) {
		o.Settings = memory.DefaultWindowSettings()
	}
	if o.Extract == (memory.ExtractSettings{}) {
		o.Extract = memory.DefaultExtractSettings()
	}
	o.Store, o.Search, o.Now, o.Log = s.Store, s.Search, s.Now, s.Log
	o.Tools = &toolbox.Box{Store: s.Store, Search: s.Search}
	o.Compactor = compactor{s.Workflows, s.Stopping}
	o.Stored = s.turnStored
	return &chat.Service{Options: o}
}

// turnStored has a turn extracted and indexed, as messages that come in are.
func (s *talkRoom) turnStored(ctx context.Context, id memory.Identity, agent store.Agent, conversation string, stored store.Stored) {
	if stored.Token != "" {
		s.IndexChanged(id, memory.ScopePersonal)
	}
	s.Schedule(ctx, id, agent, conversation, stored)
}

// compactSettings are those of a compaction of an agent's conversations.
func (s *talkRoom) compactSettings(agent store.Agent) memory.CompactSettings {
	return s.turns.Settings.With(agent.Settings).Compact(s.turns.Extract.With(agent.Settings))
}
