package store

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
)

// EntryChange is what a person does with one candidate of a dream.
type EntryChange struct {
	// Dream whose candidate it is; zero: the last one that weighed it.
	Dream uuid.UUID
	Entry memory.EntryID
	Text  string // of EditEntry: the words to put in its place
	Key   string // idempotency key
}

// EntryReceipt tells what came of it.
type EntryReceipt struct {
	State dream.State
	// Replacement is the state of the words that EditEntry put in its place; nil: they are the same statement, or there are none.
	Replacement *dream.State
	Receipt     memory.Receipt // documents that changed; empty when none did
}

// MaxEntryChars bounds the words that a person puts in a statement's place, in characters.
const MaxEntryChars = 500

// ConfirmEntry says that a candidate is right. Where it stands in MEMORY.md, its line becomes the person's own: what a dream
// had noted behind it goes, or a mark comes, in a version by the identity, so that it is among the lines that a person wrote.
// What is not in MEMORY.md is put there, under "## Confirmed".
//
// It returns ErrNotFound when neither the dream nor any state knows the statement; so do EditEntry and ForgetEntry.
func (s *Store) ConfirmEntry(ctx context.Context, id memory.Identity, c EntryChange) (EntryReceipt, error) {
	return s.changeEntry(ctx, id, c, (*entryWork).confirm)
}

// EditEntry puts other words in the place of a candidate's line in MEMORY.md, as the person's own; of one that is not there
// they are put under "## Confirmed". The statement does not come back (edited), the new words are confirmed. c.Text is one
// line of at most MaxEntryChars characters, without marks of Markdown that would make it something else than a statement.
func (s *Store) EditEntry(ctx context.Context, id memory.Identity, c EntryChange) (EntryReceipt, error) {
	text, err := entryText(c.Text)
	if err != nil {
		return EntryReceipt{}, err
	}
	c.Text = text
	return s.changeEntry(ctx, id, c, (*entryWork).edit)
}

// ForgetEntry takes a candidate out of MEMORY.md, its archives (memory/archive/) and the daily notes in which it stands, and
// sees to it that no dream brings it back. It takes exactly the lines of the statement, in every wording that is known to be
// the same. What stands under it in a list goes with it, because it says nothing without it; what it stands under stays.
// Reports and the diary, which tell what happened, and earlier versions are left as they are.
func (s *Store) ForgetEntry(ctx context.Context, id memory.Identity, c EntryChange) (EntryReceipt, error) {
	return s.changeEntry(ctx, id, c, (*entryWork).forget)
}

// entryText checks what is to stand in a statement's place, and takes secrets out of it as the gate would.
func entryText(text string) (string, error) {
	text = strings.TrimSpace(text)
	invalid := func(problem string) (string, error) { return "", &InvalidError{Field: "text", Problem: problem} }
	switch {
	case text == "":
		return invalid("give the words to put in its place; to take it out, forget it")
	case utf8.RuneCountInString(text) > MaxEntryChars:
		return invalid(fmt.Sprintf("it has %d characters, at most %d are allowed", utf8.RuneCountInString(text), MaxEntryChars))
	case strings.ContainsAny(text, "\r\n\v\f\u0085\u2028\u2029"):
		return invalid("write it on one line")
	case strings.Contains(text, "<!--") || strings.Contains(text, "-->"):
		return invalid("it contains a comment; leave it out")
	}
	if err := validContent("text", text); err != nil {
		return "", err
	}
	if result := memory.Scan(text); result.Verdict == memory.VerdictRedact {
		text = result.Text
	}
	said := memory.EntriesOf("- " + text + "\n")
	if len(said) != 1 || said[0].Text != text || memory.ListPrefix(text) != "" || strings.HasPrefix(strings.TrimLeft(text, "#"), " ") {
		return invalid("write a sentence, without the marks of a list, a quotation, a table or code in front of it")
	}
	return text, nil
}

// changeEntry looks at what is known about a statement, has act decide what is to be done with it, and does it, in one
// transaction.
func (s *Store) changeEntry(ctx context.Context, id memory.Identity, c EntryChange, act func(*entryWork, context.Context) error) (EntryReceipt, error) {
	if err := requireOwner(id); err != nil {
		return EntryReceipt{}, err
	}
	scope := dreamScope(id.Owner)
	if err := mayWrite(id, scope); err != nil {
		return EntryReceipt{}, err
	}
	if err := validText("idempotency key", c.Key, maxKey); err != nil {
		return EntryReceipt{}, err
	}
	if c.Entry == "" {
		return EntryReceipt{}, &InvalidError{Field: "entry", Problem: "name the statement"}
	}
	result, err := contended(ctx, s, id, func(t *tx) (EntryReceipt, error) {
		w := &entryWork{t: t, change: c, scope: scope, names: memory.EntrySet{}}
		return w.run(ctx, act)
	})
	return result, s.refused(ctx, id, err)
}
