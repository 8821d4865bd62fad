package memory

// Strategy is how a text that somebody hands in becomes part of a document that may exist already. The words are those that
// business workflows write in their configuration.
type Strategy string

const (
	// StrategyAppend adds the text to the end, after exactly one blank line; beside an empty side the other stays verbatim.
	StrategyAppend Strategy = "append"
	// StrategySection replaces, for each section of the text, the section of the same heading and level; one that is not there
	// is added to the end.
	StrategySection Strategy = "replace_section"
	// StrategyUpsert sets keys ("key: value") and leaves every other line alone.
	StrategyUpsert Strategy = "upsert_kv"
	// StrategyOverwrite takes the text verbatim, even an empty one; the version before stays in the history.
	StrategyOverwrite Strategy = "overwrite"
)

// Valid reports whether s is one of the four strategies.
func (s Strategy) Valid() bool {
	return s == StrategyAppend || s == StrategySection || s == StrategyUpsert || s == StrategyOverwrite
}
