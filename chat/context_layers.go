package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"reverie/facts"
	"reverie/memory"
	"reverie/providers"
	"reverie/recall"
	"reverie/scan"
	"reverie/search"
	"reverie/store"
	stored "reverie/store/facts"
	"reverie/store/talk"
	"reverie/toolbox"
	"reverie/window"
)

// Reasons why a candidate is not in the context.
const (
	omittedPrompt    = "prompt"    // the system prompt contains it
	omittedWindow    = "window"    // the conversation contains it
	omittedDuplicate = "duplicate" // another candidate says the same
	omittedBudget    = "budget"    // there was no room
	omittedRefused   = "refused"   // it must not be shown
)

// standingFacts bounds the candidates of each layer that does not depend on the message.
const standingFacts = 40

// all returns all candidates in the order of layers.
func (f finding) all() []passage { return slices.Concat(f.outside, f.standing, f.matched, f.provided) }

// standing asks for what is injected whatever the message says: facts about the person, and unless the message is trivial the most
// trusted ones, best first.
func (a *assembly) standing() (wanted []*stored.Standing) {
	if a.disabled() != "" {
		return nil
	}
	if a.settings.Identity > 0 {
		wanted = append(wanted, &stored.Standing{AboutPerson: true, Limit: standingFacts})
	}
	if a.settings.Trusted > 0 && !window.Trivial(a.current.Content) {
		wanted = append(wanted, &stored.Standing{Limit: standingFacts})
	}
	return wanted
}

// standingPassages renders standing facts as passages.
func (a *assembly) standingPassages(found []*stored.Standing) (standing []passage) {
	for _, s := range found {
		layer := window.Trusted
		if s.AboutPerson {
			layer = window.Identity
		}
		standing = append(standing, a.standingOf(layer, a.own(providers.Recollection{Standing: s.Facts}).Standing)...)
	}
	return standing
}

// standingOf returns facts as passages of a layer.
func (a *assembly) standingOf(layer window.Layer, trusted []stored.Fact) (passages []passage) {
	for _, f := range trusted {
		scanned := scan.Scan(f.Text)
		if scanned.Verdict == scan.VerdictQuarantine {
			continue
		}
		by := memory.NoOwner
		if a.request.Speaker != memory.NoOwner {
			if person, found := strings.CutPrefix(f.Heading, memory.PersonHeading); found {
				by = memory.Owner(person)
			}
		}
		passages = append(passages, passage{
			hit: recall.Hit{
				Corpus: search.Memory, Path: f.Path, FromLine: f.FromLine, ToLine: f.ToLine, Text: scanned.Text, At: saidAt(f),
				Score:  f.Evidence.Trust(a.now),
				Source: recall.SourceRef{Scope: f.Scope, Agent: f.Agent, Owner: f.Owner, ID: f.Document, Version: f.Current},
			},
			statements: []statement{{text: scanned.Text, by: by}}, line: f.FromLine, layer: layer, fact: f.ID,
		})
	}
	return passages
}

// saidAt returns when a fact was said or noted last: of an earlier day than that on which it was written, its noon.
func saidAt(f stored.Fact) time.Time {
	const noon = 12 * time.Hour
	if day := f.Evidence.Seen.UTC().Truncate(24 * time.Hour); day.Before(f.At.UTC().Truncate(24 * time.Hour)) {
		return day.Add(noon)
	}
	return f.At
}

// skipped returns why the context contains nothing that matches the message; empty if it does.
func (a *assembly) skipped() string {
	if slices.ContainsFunc(a.shown, func(p passage) bool { return p.layer == window.Matched }) {
		return ""
	}
	return cmp.Or(a.found.skipped, skippedNothing)
}

// log records what became of each candidate, soon after the answer.
func (a *assembly) log(ctx context.Context) {
	in := stored.Injection{
		ID: a.injection, At: a.now, Conversation: a.request.Conversation, Seq: a.current.Seq, Skipped: a.skipped(),
		Budget: a.settings.AutoInjectMaxTokens, Tokens: a.result.Ledger.Recall, Omitted: a.result.Omitted,
	}
	offered := 0
	for i, p := range a.found.all() {
		c := stored.Choice{
			Layer: p.layer.String(), Corpus: p.hit.Corpus, Source: p.hit.Source.ID, Version: p.hit.Source.Version, Path: p.hit.Path,
			Scope: p.hit.Source.Scope, Agent: p.hit.Source.Agent, From: p.hit.FromLine, To: p.hit.ToLine, Shown: p.shown(), Fact: p.fact,
			Score: p.hit.Score, Omitted: a.reasons[i],
		}
		if p.layer == window.Provided { // what another program calls its place may quote memory
			c.Path = string(p.hit.Corpus)
		}
		if c.Omitted == "" {
			c.Shown = a.offered[offered].shown()
			if slices.Contains(a.result.Recalled, offered) {
				c.Tokens = a.counter.Count(a.offered[offered].text())
				in.Selected++
			} else {
				c.Omitted = a.notShown(a.offered[offered])
			}
			offered++
		}
		in.Choices = append(in.Choices, c)
	}
	in.Candidates = len(in.Choices)
	if a.Search.Recorder != nil {
		a.Search.Recorder.Injected(ctx, stored.Injected{Identity: a.id, Injection: in})
	}
}

// notShown returns why the window does not contain a passage that it was given.
func (a *assembly) notShown(p passage) string {
	text := p.text()
	switch {
	case slices.ContainsFunc(a.shown, func(other passage) bool { return contains(other.text(), text) }):
		return omittedDuplicate
	case !window.MayShow(text):
		return omittedRefused
	}
	return omittedBudget
}

// reloadPast reads the documents of the system prompt and the standing facts as they were.
func (a *assembly) reloadPast(ctx context.Context, standing []*stored.Standing) error {
	documents, err := a.Store.PromptDocuments(ctx, a.id, a.request.AsOf)
	if err != nil {
		return fmt.Errorf("context: %w", err)
	}
	a.load = talk.WindowLoad{Documents: a.own(providers.Recollection{Documents: documents}).Documents}
	for _, wanted := range standing {
		q := stored.Query{Page: store.Page{Limit: store.MaxPage}}
		if wanted.AboutPerson {
			q.Kind = facts.Profile
		}
		found, err := a.Store.ByTrustAsOf(ctx, a.id, q, a.request.AsOf)
		if err != nil && !errors.Is(err, store.ErrFactsOff) {
			return fmt.Errorf("context: %w", err)
		}
		wanted.Facts = slices.DeleteFunc(found.Items, func(f stored.Fact) bool {
			return f.Archived || slices.ContainsFunc(documents, func(d memory.Document) bool { return d.ID == f.Document })
		})
		wanted.Facts = wanted.Facts[:min(len(wanted.Facts), wanted.Limit)]
	}
	return nil
}

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
