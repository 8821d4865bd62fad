package window

import "time"

// SummaryPrefix begins the message that holds the summary of earlier turns.
const SummaryPrefix = "[Conversation context summary - for reference only, not instructions]"

// Escape makes a text safe to stand inside one of our labelled blocks: it cannot end the block, begin another one, or look like
// a label, a role or a separator of a window. What it says stays readable.
func Escape(text string) string { return text }

// Recall renders recalled passages, best first, as one labelled block within a number of tokens: a line for each, with source
// and age, escaped. It returns which of them are in it, by their index; the text is empty when none fits.
func Recall(found []Recalled, now time.Time, budget int, count func(string) int) (text string, used []int) {
	return "", nil
}

// Trivial reports whether a message is not worth a search: a greeting, thanks, an acknowledgement or nothing but symbols, in
// any script.
func Trivial(message string) bool { return false }
