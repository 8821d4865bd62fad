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

// statement is one thing that was said, as the line that it becomes.
type statement struct {
	place    place
	text     string // third person, one line, with its full stop
	strength strength
	speaker  string // empty: the owner; else the name that the line begins with
	seqs     []int64
	sentence int // in which it was said, counted through the conversation
	// replaces is a value that the user says is wrong ("5433" in "5434, not 5433"); the line that has it is corrected.
	replaces string
	// with is the right value for replaces.
	with string
	// ends says that something no longer holds ("no longer vegetarian"); the line that said it goes.
	ends bool
	// ifDone says that it matters only if it takes a task off the list ("I renewed my passport").
	ifDone bool
	// supersedes are the words of what a decision takes the place of ("from MongoDB to Postgres": MongoDB).
	supersedes string
	// ofUser says that the line begins with what the user is or does, so that a name may stand in front of it.
	ofUser bool
	// ofPerson says that it begins with somebody of the user's life.
	ofPerson bool
	// topic are the words by which the line that ends is found.
	topic string
}
