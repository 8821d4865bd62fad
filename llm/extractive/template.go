package extractive

// fact is a statement of the user about themself that a template proves.
type fact struct {
	attribute string // name, age, home, work, language, style
	value     string // in the user's words
	line      string // as written to PROFILE.md
}

// Attributes of facts.
const (
	attributeName  = "name"
	attributeAge   = "age"
	attributeHome  = "home"
	attributeWork  = "work"
	attributeStyle = "style"
)

// factsOf returns the facts that the sentences of a unit state.
func factsOf(*unit) []fact { return nil }
