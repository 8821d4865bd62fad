package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"reverie/memory"
	"reverie/remember"
	"reverie/store"
	"reverie/toolbox"
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
	if remember.Kind(saved.Kind) == remember.KindUnclear {
		if t.Model != nil {
			return false, nil
		}
		return true, t.say(say.unclear, builtinRemember)
	}
	t.turn.Remembered = &saved
	return true, t.say(say.savedAs(saved), builtinRemember)
}

// savedAs says what became of a request to remember, with the receipt of the write.
func (p phrases) savedAs(saved toolbox.Saved) string {
	where := saved.Path
	if receipt := cmp.Or(saved.Receipt.Token, saved.Receipt.Key); receipt != "" {
		where = fmt.Sprintf(p.receipt, saved.Path, receipt)
	}
	line, old := saved.Line, saved.Old
	redacted := slices.ContainsFunc(saved.Receipt.Changes, func(c memory.ChangeReceipt) bool { return c.Verdict == memory.VerdictRedact })
	if redacted {
		line, old = memory.Scan(line).Text, memory.Scan(old).Text
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
