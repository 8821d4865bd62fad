package memory

// Violation is one reason why a proposal was refused. Message tells the engine what to do about it.
type Violation struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Guarded is what of a proposal may be written; an empty text leaves its document as it is.
type Guarded struct {
	Daily   string // appended to the day's note
	Memory  string // the full new MEMORY.md
	Profile string // the full new PROFILE.md
}
