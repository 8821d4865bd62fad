package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"reverie/remember"
	"reverie/store"
)

// remember saves what the user asked to remember, and says so with the receipt. It reports false when there is nothing to save
// and a model can ask what is meant.
func (t *turning) remember(ctx context.Context, asked remember.Request) (answered bool, err error) {
	say := phrasesFor(asked.Language)
	if !t.settings.MemoryEnabled {
		return true, t.say(say.off, builtinRemember)
	}
	saved, err := t.Tools.Remember(ctx, t.caller("remember"), asked.Text)
	if _, refused := errors.AsType[*store.QuarantineError](err); refused {
		return true, t.say(say.refused, builtinRemember)
	}
	if err != nil {
		return false, fmt.Errorf("remember: %w", err)
	}
	receipt := cmp.Or(saved.Receipt.Token, saved.Receipt.Key)
	switch remember.Kind(saved.Kind) {
	case remember.KindKnown:
		t.turn.Remembered = &saved
		return true, t.say(fmt.Sprintf(say.known, saved.Line, saved.Path), builtinRemember)
	case remember.KindCorrected:
		t.turn.Remembered = &saved
		return true, t.say(fmt.Sprintf(say.corrected, saved.Line, saved.Old, saved.Path, receipt), builtinRemember)
	case remember.KindUnclear:
		if t.Model != nil {
			return false, nil
		}
		return true, t.say(say.unclear, builtinRemember)
	case remember.KindNew:
	}
	t.turn.Remembered = &saved
	return true, t.say(fmt.Sprintf(say.saved, saved.Line, saved.Path, receipt), builtinRemember)
}
