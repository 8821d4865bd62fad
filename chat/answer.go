package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/remember"
	"reverie/scan"
	"reverie/store"
	"reverie/toolbox"
	"reverie/window"
)

// providerVariable configures a model. The notice that there is none contains it in every language.
const providerVariable = "REVERIE_LLM_PROVIDER"

// answerFromMemory answers without a model, in the user's language. It quotes the statements of memory that answer the
// message, or says that there are none; greets; lists what is known about the user; and says what it cannot do. The
// first of these answers in a conversation says how to configure a model.
func (t *turning) answerFromMemory(ctx context.Context) error {
	// Nothing is sent to a model. Quoted statements count as used, and a window that cannot be made does not fail the
	// turn.
	t.recorded, t.assembly.request.NoWait = true, true
	if err := t.remake(ctx); err != nil && !isFull(err) {
		return err
	}
	wanted, lang := intentOf(t.request.Message, t.spokenLanguage())
	say := phrasesFor(lang)
	text, err := t.answerTo(ctx, wanted, lang, say)
	if err != nil {
		return err
	}
	disagree, err := t.disagreements(ctx, say, text)
	if err != nil {
		return err
	}
	text += disagree
	if !t.hasNotice() {
		text += "\n" + say.noModel
	}
	return t.say(text, builtinRecall)
}

// maxDisagreements is the maximum number of pairs that an answer names.
const maxDisagreements = 4

// disagreements says which of the statements that an answer quotes cannot both hold; empty if none do.
func (t *turning) disagreements(ctx context.Context, say phrases, answer string) (string, error) {
	texts := []string{answer}
	for _, q := range t.turn.Quoted {
		texts = append(texts, q.Hit.Text)
	}
	all, err := t.Store.Disagreements(ctx, t.id, texts...)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, d := range all[:min(len(all), maxDisagreements)] {
		format := say.disagree
		if d.Superseded {
			format = say.superseded
		}
		older, newer := quote(scan.Redacted(markdown.WithoutComments(d.Older))), quote(scan.Redacted(markdown.WithoutComments(d.Newer)))
		b.WriteString("\n" + fmt.Sprintf(format, fmt.Sprintf(say.quote, older), fmt.Sprintf(say.quote, newer)))
	}
	return b.String(), nil
}

// answerTo returns the answer to a message with an intent.
func (t *turning) answerTo(ctx context.Context, wanted intent, lang string, say phrases) (string, error) {
	switch wanted {
	case wantsGreeting:
		return say.greeting(t.userName()), nil
	case wantsThanks:
		return say.thanks, nil
	case wantsBye:
		return say.bye, nil
	case wantsNothing:
		return say.okay, nil
	}
	if !t.settings.MemoryEnabled {
		return say.off, nil
	}
	switch wanted {
	case wantsProfile:
		return t.aboutUser(ctx, say)
	case wantsSelf:
		return say.join(fmt.Sprintf(say.self, window.Readable(t.agent.Name)), say.ask), nil
	case wantsWork:
		return say.cannot, nil
	case tellsFact:
		return say.told, nil
	}
	if name := t.userName(); wanted == wantsName && name != "" {
		return say.you + "\n- " + name + " (" + memory.ProfilePath + ")", nil
	}
	text, err := t.quoted(ctx, say)
	if text == "" && err == nil {
		if text = say.nothing; mayState(t.request.Message, lang) {
			text = say.told
		}
	}
	return text, err
}

// quoted answers with quotations from memory. It returns "" if there is nothing to quote.
func (t *turning) quoted(ctx context.Context, say phrases) (string, error) {
	query, _ := t.query()
	limit := recallResults
	r := recall.Request{
		Query: query, MaxResults: &limit, Unrecorded: true, Undisclosed: true, Synthetic: t.synthetic, Agent: t.agent.Settings, Zone: t.now.Location(),
		StatementsFirst: true, Conversation: t.request.Conversation,
	}
	outside := t.fromOutside(ctx, query)
	quoted, err := t.claimed(ctx, askedFor(t.request.Message), outside)
	if err == nil && len(quoted) == 0 {
		quoted, err = t.found(ctx, r, outside)
	}
	if err != nil {
		return "", err
	}
	if len(quoted) == 0 {
		return "", nil
	}
	t.Search.Used(ctx, t.id, r, hitsOf(quoted))
	var b strings.Builder
	b.WriteString(say.found)
	if !quoted[0].answers {
		b.Reset()
		b.WriteString(say.closest)
	}
	for _, q := range quoted {
		t.turn.Quoted = append(t.turn.Quoted, Recalled{Hit: q.shown, Line: q.shown.FromLine, Person: q.by})
		b.WriteString("\n- " + say.cite(q.quotable) + " (" + q.source + ")")
		if newer := q.hit.SupersededBy; newer != "" {
			b.WriteString(", " + fmt.Sprintf(say.newer, window.Readable(newer)))
		}
	}
	return b.String(), nil
}

// fromOutside returns what an external memory has for a query, or its latest statements without one. It waits no longer than a search.
func (t *turning) fromOutside(ctx context.Context, query string) (hits []recall.Hit) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(t.RecallPatience, recallPatience))
	defer cancel()
	for _, p := range t.outside(ctx, query) {
		hits = append(hits, p.hit)
	}
	return hits
}

// found returns the statements that a search finds, after those of an external memory, with their corrections.
func (t *turning) found(ctx context.Context, r recall.Request, outside []recall.Hit) ([]quotation, error) {
	found, err := t.Search.Search(ctx, t.id, r)
	if err != nil {
		return nil, err
	}
	hits := t.useful(ctx, found.Results)
	people, err := t.sectionsOf(ctx, hits)
	if err != nil {
		return nil, err
	}
	return t.withCorrections(t.quotations(r.Query, slices.Concat(outside, hits), people)), nil
}

// hasNotice reports whether an earlier answer of the conversation says how to configure a model.
func (t *turning) hasNotice() bool {
	return slices.ContainsFunc(t.history(), func(m memory.Message) bool {
		return m.Name == builtinRecall && strings.Contains(m.Content, providerVariable)
	})
}

// isFull reports whether err means that the context is full.
func isFull(err error) bool {
	_, tooLarge := errors.AsType[*window.TooLargeError](err)
	return tooLarge || errors.Is(err, ErrUnreachable) || errors.Is(err, ErrStillRunning)
}

// remember saves what the user asked to remember and answers with the receipt. It returns false if there is nothing
// to save and a model can ask back.
func (t *turning) remember(ctx context.Context, asked remember.Request) (answered bool, err error) {
	say := phrasesFor(asked.Language)
	if !t.settings.MemoryEnabled {
		return true, t.say(say.off, builtinRemember)
	}
	saved, err := t.Tools.RememberAsked(ctx, t.caller("remember"), asked)
	if _, refused := errors.AsType[*store.QuarantineError](err); refused {
		return true, t.say(say.refused, builtinRemember)
	}
	if err != nil {
		return false, fmt.Errorf("remember: %w", err)
	}
	if remember.Kind(saved.Kind) == remember.KindHeld { // a person decides about it
		return true, t.say(say.refused, builtinRemember)
	}
	if remember.Kind(saved.Kind) == remember.KindUnclear {
		if t.Model != nil {
			return false, nil
		}
		return true, t.say(say.unclear, builtinRemember)
	}
	t.turn.Remembered = &saved
	return true, t.say(say.savedAs(saved), builtinRemember)
}

// savedAs describes the result of a request to remember, with the receipt of the write.
func (p phrases) savedAs(saved toolbox.Saved) string {
	where := saved.Path
	if receipt := cmp.Or(saved.Receipt.Token, saved.Receipt.Key); receipt != "" {
		where = fmt.Sprintf(p.receipt, saved.Path, receipt)
	}
	line, old := saved.Line, saved.Old
	redacted := slices.ContainsFunc(saved.Receipt.Changes, func(c memory.ChangeReceipt) bool { return c.Verdict == scan.VerdictRedact })
	if redacted {
		line, old = scan.Scan(line).Text, scan.Scan(old).Text
	}
	var text string
	switch remember.Kind(saved.Kind) {
	case remember.KindKnown:
		text = fmt.Sprintf(p.known, line, where)
	case remember.KindCorrected:
		text = fmt.Sprintf(p.corrected, line, old, where)
	default:
		text = fmt.Sprintf(p.saved, line, where)
	}
	if redacted {
		text += "\n" + p.redacted
	}
	return text
}
