package memory

// Replacement is the full new text of a document with what it is held to.
type Replacement struct {
	Field     string // what messages call the text
	Path      string // of the document
	Before    string // as it is
	After     string // as it is to be
	Moved     string // text that leaves for another document, each part with its line break: its lines are not gone
	Protected []string
	Retired   []Retired
	// MaxDropShare is the share of the lines of Before that may be gone; one line may be in any case. A line that is retired is
	// gone, and so is one that no line of After says in other words.
	MaxDropShare float64
	MaxChars     int
	Proof        string // what may show that a line no longer holds: "the notes"
}

// GuardReplacement checks the full new text of one document as Guard checks those of a proposal. It returns the text tidied,
// empty when it changes nothing, or what is wrong with it.
func GuardReplacement(r Replacement) (text string, violations []Violation) {
	g := guard{
		retired: retirable(r.Retired), protected: lineSet(r.Protected), share: r.MaxDropShare, free: 1, moved: r.Moved,
		strict: true, proof: r.Proof, leave: "answer with should_update false", elsewhere: "add less",
	}
	text = g.replacement(r.Field, r.Path, r.Before, r.After, r.MaxChars)
	if len(g.violations) > 0 {
		return "", g.violations
	}
	return text, nil
}

// SameLine is what a line says: without indentation, list marker and surplus spaces. Two lines that say the same are the same
// line to the guards.
func SameLine(line string) string { return bare(line) }

// SaysSomething reports whether a line holds more than punctuation, as a rule or the fence of code does not.
func SaysSomething(line string) bool { return saysSomething(line) }
