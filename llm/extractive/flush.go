package extractive

import (
	"context"

	"reverie/memory"
)

// Flush proposes an entry for today's note, and nothing else, of all that is worth keeping of a transcript: what Propose would
// write into MEMORY.md and PROFILE.md as well. What the files and the note say already is left out.
func (Engine) Flush(ctx context.Context, in memory.ExtractionInput) (memory.Answer, error) {
	return memory.Answer{}, nil
}

// Summarise brings a summary of earlier turns up to date by rules, within a number of tokens: what the user wanted, what was
// stated and decided, what is open, and what was talked about last.
func (Engine) Summarise(ctx context.Context, in memory.SummaryInput) (memory.Answer, error) {
	return memory.Answer{}, nil
}
