package toolbox

import (
	"context"
	"errors"
	"strings"

	"reverie/memory"
	"reverie/remember"
	"reverie/store"
)

// ofPerson reports whether a caller writes a document in the section of who speaks only, so that in a group nobody's words take
// the place of another's.
func (c Caller) ofPerson(path string) bool { return c.Speaker != "" && path == memory.MemoryPath }

// own is the part of a document that a caller may change: the section of who speaks, or all of it.
func (c Caller) own(path, content string) string {
	if !c.ofPerson(path) {
		return content
	}
	text, _, _, found := memory.PersonSection(content, c.Speaker)
	if !found {
		return ""
	}
	return text + "\n"
}

// above is how many lines of a document stand above that part.
func (c Caller) above(path, content string) int {
	if !c.ofPerson(path) {
		return 0
	}
	_, from, to, found := memory.PersonSection(content, c.Speaker)
	if !found {
		return 0
	}
	lines := strings.Split(content, "\n")
	for from < to && strings.TrimSpace(lines[from]) == "" { // below the heading, whose line is the one before
		from++
	}
	return from
}

// withOwn is a document with that part replaced.
func (c Caller) withOwn(path, content, own string) (string, error) {
	if !c.ofPerson(path) {
		return own, nil
	}
	return memory.WithPersonSection(content, c.Speaker, own)
}

// ownRounds is how often the section of a person is written anew while others write theirs.
const ownRounds = 12

// writeOwn makes a text the section of who speaks.
func (k *call) writeOwn(ctx context.Context, id memory.Identity, ref memory.Ref, text string) (memory.Receipt, error) {
	for round := 1; ; round++ {
		d, _, err := k.current(ctx, id, ref)
		if err != nil {
			return memory.Receipt{}, err
		}
		content, err := k.withOwn(ref.Path, d.Content, text)
		if err != nil {
			return memory.Receipt{}, err
		}
		receipt, err := k.Store.Apply(ctx, id, k.key, []memory.Change{{
			Ref: ref, Op: memory.OpReplace, Content: content, Base: d.Version, Reason: "written by the agent", Sources: k.sources(),
		}})
		if _, stale := errors.AsType[*store.StaleBaseError](err); !stale || round == ownRounds {
			return receipt, err
		}
		if err := pause(ctx, round); err != nil {
			return memory.Receipt{}, err
		}
	}
}

// underRemembered is what stands above a person's statements while a request is worked into them: its heading is the one under
// which new statements go.
const underRemembered = "## " + remember.Section + "\n"

// decideOn works a request into a document, or into the section of who speaks.
func (r *remembering) decideOn(content string, protected ...string) (remember.Decision, error) {
	if !r.ofPerson(r.ref.Path) {
		return remember.Decide(r.request, content, protected...), nil
	}
	decided := remember.Decide(r.request, underRemembered+"\n"+r.own(r.ref.Path, content), protected...)
	if decided.Content == "" {
		return decided, nil
	}
	var err error
	decided.Content, err = r.withOwn(r.ref.Path, content, decided.Content[len(underRemembered):])
	return decided, err
}

// lines are those of a document on which the caller's own statements stand.
func (r *remembering) lines(content string) (from, to int) {
	if !r.ofPerson(r.ref.Path) {
		return 1, len(content) + 1
	}
	_, from, to, _ = memory.PersonSection(content, r.Speaker)
	return from, to
}
