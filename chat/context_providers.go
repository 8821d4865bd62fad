package chat

import (
	"context"

	"reverie/providers"
	"reverie/recall"
	"reverie/toolbox"
	"reverie/window"
)

// own returns what the agent's built-in sources recall of what was read.
func (a *assembly) own(read providers.Recollection) providers.Recollection {
	return providers.Own(a.agent.Settings.DisabledProviders, read)
}

// prefetch asks the agent's providers of other programs for the turn. The returned function waits for their answers, which come within
// a bounded time; without such providers it costs nothing.
func (a *assembly) prefetch(ctx context.Context) (answers func() []providers.Recalled) {
	if !a.settings.MemoryEnabled || !a.settings.AutoInject || a.settings.ProviderMaxTokens <= 0 || !a.request.AsOf.IsZero() ||
		window.Trivial(a.current.Content) || !a.Providers.Recalls(a.agent.ID, a.agent.Settings) {
		return func() []providers.Recalled { return nil }
	}
	query, _ := a.query()
	asked := make(chan []providers.Recalled, 1)
	go func() {
		asked <- a.Providers.Recall(ctx, a.id, a.agent.Settings, providers.Turn{Conversation: a.request.Conversation, Message: query})
	}()
	return func() []providers.Recalled { return <-asked }
}

// provided returns what other programs have recalled as passages, those that do not depend on the message first.
func (a *assembly) provided(answers []providers.Recalled) (passages []passage) {
	add := func(hits []recall.Hit) {
		for _, hit := range hits {
			passages = append(passages, passage{
				hit: hit, statements: []statement{{text: hit.Text}}, layer: window.Provided,
			})
		}
	}
	for _, one := range answers {
		add(one.Block)
	}
	for _, one := range answers {
		add(one.Hits)
	}
	return passages
}

// memoryTools returns the memory tools of the agent's models, and those of its providers of other programs.
func (a *assembly) memoryTools(ctx context.Context) []toolbox.Definition {
	own := providers.Tools(a.agent.Settings.DisabledProviders)
	return append(own, a.Providers.Tools(ctx, a.agent.ID, a.agent.Settings)...)
}
