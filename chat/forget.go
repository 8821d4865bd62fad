package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/language/analysis"
	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/language/sentence"
	"reverie/language/stance"
	"reverie/memory"
	"reverie/recall"
	"reverie/remember"
	"reverie/scan"
	"reverie/search"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/toolbox"
)

// shownForgotten is the number of statements that an answer lists.
const shownForgotten = 10

// forget forgets what the user asked to forget, and answers with the receipt. A statement of memory, in any wording, is forgotten at once.
// Everything about a topic, and statements that say more than the request names, are shown first, and forgotten when the user sends the
// message again. It returns false if there is nothing to forget and a model can ask back.
func (t *turning) forget(ctx context.Context, asked remember.Forget) (answered bool, err error) {
	say := phrasesFor(asked.Language)
	if !t.settings.MemoryEnabled {
		return true, t.say(say.off, builtinForget)
	}
	if asked.All {
		return true, t.say(say.all, builtinForget)
	}
	if n := utf8.RuneCountInString(named(asked.Text)); asked.Topic && dreams.MinPattern <= n && n <= dreams.MaxPattern {
		answered, err = t.forgetTopic(ctx, asked.Text, say)
	} else {
		answered, err = t.forgetStatement(ctx, asked, say)
	}
	if err != nil || answered {
		return answered, err
	}
	if t.Model != nil {
		return false, nil
	}
	return true, t.say(say.nothing, builtinForget)
}

func (t *turning) forgetStatement(ctx context.Context, asked remember.Forget, say phrases) (bool, error) {
	found, err := t.search(ctx, asked.Text)
	if err != nil {
		return false, err
	}
	var exact, more toolbox.Forget
	for _, s := range t.sentences(found) {
		f, part := &more, clauseOf(s.text, asked.Text)
		switch {
		case !asked.Thing && makes(part, asked.Text):
			f, s.text = &exact, part
		case !mentions(s.text, asked):
			continue
		}
		f.Said = append(f.Said, s.text)
		if s.heard {
			f.Heard = append(f.Heard, s.text)
		}
	}
	if asked.Thing {
		named, err := t.claimed(ctx, attributeNamed(asked.Text), nil)
		if err != nil {
			return false, err
		}
		for _, q := range named {
			more.Said = append(more.Said, q.text)
		}
	}
	if !asked.Thing {
		exact.Said = append(exact.Said, asked.Text)
		done, err := t.Tools.Forget(ctx, t.caller("forget"), exact)
		if err == nil {
			t.turn.Forgotten = &done
			return true, t.say(say.forgottenAs(done), builtinForget)
		}
		if !errors.Is(err, store.ErrNotFound) {
			return false, fmt.Errorf("forget: %w", err)
		}
	}
	if len(more.Said) > 0 {
		if answered, err := t.forgetMore(ctx, more, say); answered || err != nil {
			return answered, err
		}
	}
	var closest []string
	for _, q := range t.quotations(asked.Text, found, nil) {
		closest = append(closest, q.text)
	}
	if len(closest) == 0 {
		return false, nil
	}
	return true, t.say(say.which+listOf(closest), builtinForget)
}

// attributeNamed returns the claims about an attribute of the user by its name, in any of the twelve languages: "address", "Wohnort".
func attributeNamed(name string) claims {
	attribute, _ := claim.KeyOf(name + ": x")
	if attribute == "" {
		return nil
	}
	if attribute == claim.Place {
		attribute = claim.Home
	}
	return claims{attribute + "\x00" + claim.User}
}

// forgetMore shows statements that have what the request names, and forgets them if the user has sent it again.
func (t *turning) forgetMore(ctx context.Context, f toolbox.Forget, say phrases) (answered bool, err error) {
	again, err := t.again(ctx, say)
	if err != nil {
		return false, err
	}
	f.Preview = !again
	done, err := t.Tools.Forget(ctx, t.caller("forget"), f)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("forget: %w", err)
	case again:
		t.turn.Forgotten = &done
		return true, t.say(say.forgottenAs(done), builtinForget)
	}
	lines := foundBy(done, f.Heard)
	slices.Sort(lines)
	if len(lines) == 0 {
		return false, nil
	}
	return true, t.say(say.again+listOf(slices.Compact(lines)), builtinForget)
}

// foundBy returns what a preview has found in documents and in an external memory, and what was only heard.
func foundBy(done toolbox.Forgotten, heard []string) (lines []string) {
	for _, s := range done.Found {
		lines = append(lines, scan.Redacted(s.Text))
	}
	for _, s := range done.Statements {
		if s.Entry == "" { // no document has it
			lines = append(lines, scan.Redacted(s.Text))
		}
	}
	for _, text := range heard {
		lines = append(lines, scan.Redacted(text))
	}
	return lines
}

// maxMore is the number of words of content by which a statement may say more than the request to forget it: "my boss hates meetings"
// names "My boss Karen hates meetings".
const maxMore = 1

// clauseOf returns the main clause of a sentence that makes a statement, if the rest of the sentence holds without it; else the sentence.
func clauseOf(said, asked string) string {
	for _, clause := range sentence.Clauses(said) {
		if _, ok := sentence.WithoutClause(said, clause); ok && makes(clause, asked) {
			return clause
		}
	}
	return said
}

// makes reports whether a sentence says what the user asks to forget, of the same subject, and little more.
func makes(said, asked string) bool {
	what, content := claim.ContentOf(asked), claim.ContentOf(said)
	return len(what) > 0 && what.Within(content) && len(content) <= len(what)+maxMore && (len(content) == len(what) || !joins.MatchString(said)) &&
		claim.WordsOf(said).Turns == claim.WordsOf(asked).Turns && (len(what) == 1 || claim.OriginalOf(asked, nil).ToldBy(claim.Compare(said)))
}

// joins matches words that join what a sentence says with something else.
var joins = lazyregexp.New(`(?i)(?:^|[\s,])(?:and|or|und|oder|y|e|o|et|ou|и|или|و|và|hoặc)\s|[和与跟及、]|と|하고|그리고`)

// mentions reports whether a sentence has all words of what the user asks to forget, or claims it in other words, and is not clearly about
// somebody else.
func mentions(said string, asked remember.Forget) bool {
	of, subject := claim.WordsOf(said).Subject(), claim.WordsOf(asked.Text).Subject()
	if asked.Thing {
		subject = cmp.Or(subject, claim.User)
	}
	return (of == "" || subject == "" || of == subject) && analysis.Repeats(said, asked.Text) ||
		claim.Claimed{}.With(asked.Text, false).AnyMadeBy(said)
}

// saidSentence is a sentence of a document or of a message.
type saidSentence struct {
	text  string
	heard bool // in a message
}

// sentences returns the sentences of personal documents and of the user's messages before the current one, without questions and requests
// to remember or to forget.
func (t *turning) sentences(hits []recall.Hit) (out []saidSentence) {
	for _, hit := range hits {
		heard := hit.Corpus == search.Sessions
		if hit.Source.Scope != memory.ScopePersonal || t.isCurrent(hit) ||
			heard && (hit.Message.Role != memory.RoleOfUser || hit.Message.Name != t.user.Name) {
			continue
		}
		for _, text := range sentence.Split(hit.Text) {
			if !heard {
				text = strings.Trim(strings.TrimPrefix(text, memory.ListPrefix(text)), `"“”`)
			}
			s := saidSentence{text, heard}
			_, remembers := remember.Parse(text)
			_, forgets := remember.ParseForget(text)
			if !remembers && !forgets && !stance.OnlyAsks(text) && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// possessive matches a possessive word before the name of a topic.
var possessive = lazyregexp.New(`(?i)^(?:my|our|mein\pL*|unser\pL*|mis?|nuestr\pL+|mon|ma|mes|notre|nos|meus?|minhas?|mi[oae]i?|мо\pL+|наш\pL*)\s+`)

func (t *turning) forgetTopic(ctx context.Context, topic string, say phrases) (bool, error) {
	topic = named(topic)
	f := toolbox.Forget{Pattern: topic}
	again, err := t.again(ctx, say)
	if err != nil {
		return false, err
	}
	found, err := t.search(ctx, topic)
	if err != nil {
		return false, err
	}
	var heard []string
	for _, s := range t.sentences(found) {
		if s.heard && claim.ContentOf(topic).Within(claim.ContentOf(s.text)) {
			heard = append(heard, s.text)
		}
	}
	f.Preview = true
	done, err := t.Tools.Forget(ctx, t.caller("forget"), f)
	if err != nil {
		return false, fmt.Errorf("forget: %w", err)
	}
	lines := foundBy(done, heard)
	switch {
	case len(lines) > 0 && !again:
		return true, t.say(say.again+listOf(lines), builtinForget)
	case len(lines) > 0:
		f.Preview = false
		if done, err = t.Tools.Forget(ctx, t.caller("forget"), f); err != nil {
			return false, fmt.Errorf("forget: %w", err)
		}
		t.turn.Forgotten = &done
		return true, t.say(say.forgottenAs(done, heard...), builtinForget)
	}
	// The words may be inflected, as "о моей сестре" is.
	return t.forgetStatement(ctx, remember.Forget{Text: possessive.ReplaceAllString(topic, ""), Thing: true}, say)
}

// named returns a topic without the words before its name: "the marathon" is named "marathon".
func named(topic string) string {
	all := strings.Fields(topic)
	for len(all) > 1 && len(claim.ContentOf(all[0])) == 0 {
		all = all[1:]
	}
	return strings.Join(all, " ")
}

// search returns what is remembered and was said about something.
func (t *turning) search(ctx context.Context, what string) ([]recall.Hit, error) {
	found, err := t.Search.Search(ctx, t.id, recall.Request{
		Query: what, MaxResults: new(recall.MaxResults), MinScore: new(0.0), Archived: true, Unrecorded: true, Synthetic: t.synthetic,
		Agent: t.agent.Settings, Zone: t.now.Location(),
	})
	if err != nil {
		return nil, fmt.Errorf("forget: %w", err)
	}
	return found.Results, nil
}

// again reports whether the user repeats the message before, to which the answer was what would be forgotten.
func (t *turning) again(ctx context.Context, say phrases) (bool, error) {
	before, err := t.Store.Messages(ctx, t.id, t.request.Conversation, max(t.user.Seq-3, 0), 2) //nolint:mnd // the message and its answer
	if err != nil || len(before) < 2 || before[1].Seq != t.user.Seq-1 {
		return false, err
	}
	asked, answer := before[0], before[1]
	return asked.Role == memory.RoleOfUser && asked.Name == t.user.Name && words(asked.Content) == words(t.user.Content) &&
		answer.Name == builtinForget && strings.HasPrefix(answer.Content, say.again), nil
}

// forgottenAs describes what was forgotten, in documents and in messages, with the receipt of the write.
func (p phrases) forgottenAs(done toolbox.Forgotten, heard ...string) string {
	var lines, where []string
	for _, s := range done.Statements {
		lines = append(lines, scan.Redacted(s.Text))
	}
	for _, text := range heard {
		lines = append(lines, scan.Redacted(text))
	}
	for _, c := range done.Receipt.Changes {
		where = append(where, c.Path)
	}
	if len(where) == 0 { // it was only said
		return p.forgotten + listOf(lines)
	}
	places := strings.Join(where, ", ")
	if done.Receipt.Token != "" {
		places = fmt.Sprintf(p.receipt, places, done.Receipt.Token)
	}
	return p.forgotten + listOf(lines) + "\n(" + places + ")"
}

// listOf lists lines, as many as an answer shows.
func listOf(lines []string) string {
	var b strings.Builder
	for _, line := range lines[:min(len(lines), shownForgotten)] {
		b.WriteString("\n- " + strings.Join(strings.Fields(line), " "))
	}
	if n := len(lines) - shownForgotten; n > 0 {
		fmt.Fprintf(&b, "\n- … +%d", n)
	}
	return b.String()
}
