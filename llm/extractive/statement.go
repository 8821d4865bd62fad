package extractive

// place is the target of a statement: a section of PROFILE.md or MEMORY.md, or only today's note.
type place int

const (
	noteOnly    place = iota // volatile or uncertain: only today's note
	identity                 // PROFILE.md: who the user is
	background               // PROFILE.md: what they do, can, have and must avoid
	people                   // PROFILE.md: family, friends, colleagues, pets
	preferences              // PROFILE.md: likes, dislikes, how to talk to them
	decisions                // MEMORY.md
	facts                    // MEMORY.md
	tasks                    // MEMORY.md: to-dos and plans
	dates                    // MEMORY.md: appointments and deadlines
	remembered               // MEMORY.md: asked to be remembered, and fitting nowhere more precise
)

// inProfile reports whether p is a section of PROFILE.md.
func (p place) inProfile() bool { return p >= identity && p <= preferences }

// strength is the certainty of a statement.
type strength int

const (
	unsure strength = iota // "maybe", "I think": today's note at most
	stated
	asked // "remember …": never dropped
)

// statement is one statement of the conversation, with its line.
type statement struct {
	place    place
	text     string // third person, one line, with its full stop
	strength strength
	speaker  string // empty: the owner; else the name that the line begins with
	seqs     []int64
	sentence int // in which it was said, counted through the conversation
	// replaces is a value that the user corrects ("5433" in "5434, not 5433"); the line with it is corrected.
	replaces string
	// with is the right value for replaces.
	with string
	// ends is true if something no longer holds ("no longer vegetarian"); its line is removed.
	ends bool
	// ifDone is true if the statement only matters when it completes a task ("I renewed my passport").
	ifDone bool
	// supersedes holds the words of the choice that a decision replaces ("from MongoDB to Postgres": MongoDB).
	supersedes string
	// ofUser is true if the line begins with a predicate about the user, so that a name can be put in front.
	ofUser bool
	// ofPerson is true if the line begins with a person in the user's life.
	ofPerson bool
	// topic are the words by which the line that ends is found.
	topic string
}
