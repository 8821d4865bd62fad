package wire

import "regexp"

// Feature is a set of optional parts of a request, which not every server or model accepts. No list of them would stay right,
// so each part is sent until a server declines it: that call fails as Unavailable, and the next one leaves the part out.
type Feature uint16

// The features.
const (
	SchemaBound Feature = 1 << iota // the answer is bound to the schema
	JSONBound                       // the answer is bound to JSON; instead of SchemaBound
	Temperature                     // newer reasoning models choose it themselves
	ModernLimit                     // the limit of the answer, as max_completion_tokens
	LegacyLimit                     // the limit of the answer, as max_tokens
	ChosenSize                      // the number of dimensions of a vector
	KindOfText                      // whether an embedded text is a question
	Streamed                        // the answer arrives in parts
	StreamUsage                     // token counts of a streamed answer, in OpenAI's protocol
	ToolUse                         // tools are offered
	UserRows                        // consecutive messages of the user
	CacheMarks                      // marks of the prefix worth caching, in Anthropic's protocol
)

// features are all features, each with its name and the words of errors that decline it. The first match wins, so the most
// specific words come first.
var features = []struct {
	feature   Feature
	name      string
	about     *regexp.Regexp
	declining bool // the error must also match declining: the words alone occur in other errors too
}{
	{StreamUsage, "stream_options", regexp.MustCompile(`(?i)stream_options|include_usage`), false},
	{Streamed, "streaming", regexp.MustCompile(`(?i)verified to stream|stream(?:ing)?\b['"]?(?: is| are)? (?:not (?:yet )?supported|` +
		`unsupported)|` +
		`not support (?:['"]?stream|streaming)`), false},
	{CacheMarks, "cache_control", regexp.MustCompile(`(?i)cache_control`), false},
	{UserRows, "several user messages in a row", regexp.MustCompile(`(?i)roles must alternate|must alternate between`), false},
	{ToolUse, "tools", regexp.MustCompile(`(?i)not support (?:tool|function)|support tool use|` +
		`tools?(?: use| calling)?['"]?,? (?:is|are) not supported|tool[-_]choice|tool-call-parser|unrecognized request argument ` +
		`supplied: tools`), false},
	{SchemaBound, "answers bound to a JSON schema", aboutFormat, false},
	{JSONBound, "JSON mode", aboutFormat, false},
	{Temperature, "temperature", regexp.MustCompile(`(?i)\btemperature\b`), false},
	{ModernLimit, "max_completion_tokens", aboutLimit, true},
	{LegacyLimit, "max_tokens", aboutLimit, true},
	{ChosenSize, "the number of dimensions", regexp.MustCompile(`(?i)dimension|matryoshka`), false},
	{KindOfText, "the kind of text", regexp.MustCompile(`(?i)\binput_type\b|\btask\b`), false},
}

var (
	aboutFormat = regexp.MustCompile(`(?i)response_format|json_object|output_config|output_format|structured output|json mode|` +
		`schema|grammar`)
	aboutLimit = regexp.MustCompile(`(?i)\bmax_(?:completion_)?tokens\b`)
	declining  = regexp.MustCompile(`(?i)unsupported|not support|unrecognized|unknown|unexpected|extra|not permitted|not allowed|` +
		`deprecated|too large|at most`)
)

// declinedBy returns the feature, among those sent, that an error declines; 0: none.
func declinedBy(words string, sent Feature) Feature {
	for _, f := range features {
		if sent&f.feature != 0 && f.about.MatchString(words) && (!f.declining || declining.MatchString(words)) {
			return f.feature
		}
	}
	return 0
}

// String returns the name of a single feature.
func (f Feature) String() string {
	for _, known := range features {
		if known.feature == f {
			return known.name
		}
	}
	return ""
}
