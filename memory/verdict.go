package memory

// Verdict is what the scan decided about a text.
type Verdict string

const (
	// VerdictAllow writes the text as it is.
	VerdictAllow Verdict = "allow"
	// VerdictRedact writes the text with its secrets replaced by placeholders.
	VerdictRedact Verdict = "redact"
	// VerdictQuarantine does not write the text.
	VerdictQuarantine Verdict = "quarantine"
)
