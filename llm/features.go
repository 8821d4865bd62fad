package llm

import "regexp"

// feature is a part of a request that not every server takes, or not for every model. There is no list to look it up in
// that would stay right, so each is sent until it is declined: that call fails as Unavailable, which is worth another try,
// and the next one goes without. One call stays one request.
type feature uint16

const (
	schemaBound feature = 1 << iota // the answer is bound to the schema
	jsonBound                       // the answer is bound to JSON, when it is not bound to the schema
	temperature                     // newer reasoning models choose it themselves
	modernLimit                     // the limit of the answer, as max_completion_tokens
	legacyLimit                     // the same, as max_tokens
	chosenSize                      // how many dimensions a vector has
	kindOfText                      // whether a text that is embedded is a question
	streamed                        // the answer comes in parts
	streamUsage                     // with its counts, at OpenAI's protocol
	toolUse                         // tools are offered
	rowsOfUsers                     // messages of the user stand one behind the other
	cacheMarks                      // marks up to where the prompt is worth caching, at Anthropic's protocol
)

var featureNames = map[feature]string{
	schemaBound: "answers bound to a JSON schema", jsonBound: "JSON mode", temperature: "temperature",
	modernLimit: "max_completion_tokens", legacyLimit: "max_tokens",
	chosenSize: "the number of dimensions", kindOfText: "the kind of text",
	streamed: "streaming", streamUsage: "stream_options", toolUse: "tools", rowsOfUsers: "several user messages in a row",
	cacheMarks: "cache_control",
}

// features are what to send with r.
func (c *chat) features(r Request) feature {
	c.mu.Lock()
	declined := c.declined[r.Model]
	c.mu.Unlock()

	var want feature
	if r.Schema != nil && c.provider.json <= takesSchema {
		want |= schemaBound &^ declined
	}
	if r.Schema != nil && c.provider.json <= takesJSON && c.provider.protocol == chatCompletions && want&schemaBound == 0 {
		want |= jsonBound &^ declined
	}
	if r.Temperature >= 0 {
		want |= temperature &^ declined
	}
	if r.MaxTokens > 0 && c.provider.protocol == chatCompletions {
		want |= limitForm(c.provider.modernLimit, declined)
	}
	return want
}

// limitForm is the provider's form of the limit, else the other one, else none.
func limitForm(modern bool, declined feature) feature {
	first, second := legacyLimit, modernLimit
	if modern {
		first, second = second, first
	}
	if first&^declined != 0 {
		return first
	}
	return second &^ declined
}

var (
	aboutFormat      = regexp.MustCompile(`(?i)response_format|json_object|output_config|output_format|structured output|json mode|schema|grammar`)
	aboutTemperature = regexp.MustCompile(`(?i)\btemperature\b`)
	aboutLimit       = regexp.MustCompile(`(?i)\bmax_(?:completion_)?tokens\b`)
	aboutSize        = regexp.MustCompile(`(?i)dimension|matryoshka`)
	aboutKind        = regexp.MustCompile(`(?i)\binput_type\b|\btask\b`)
	aboutStreamUsage = regexp.MustCompile(`(?i)stream_options|include_usage`)
	aboutStreaming   = regexp.MustCompile(`(?i)verified to stream|stream(?:ing)?\b['"]?(?: is| are)? (?:not (?:yet )?supported|unsupported)|not support (?:['"]?stream|streaming)`)
	aboutTools       = regexp.MustCompile(`(?i)not support (?:tool|function)|support tool use|tools?(?: use| calling)?['"]?,? (?:is|are) not supported|tool[-_]choice|tool-call-parser|unrecognized request argument supplied: tools`)
	aboutRows        = regexp.MustCompile(`(?i)roles must alternate|must alternate between`)
	aboutCacheMarks  = regexp.MustCompile(`(?i)cache_control`)
	declining        = regexp.MustCompile(`(?i)unsupported|not support|unrecognized|unknown|unexpected|extra|not permitted|not allowed|deprecated|too large|at most`)
)

// conversationParts are features of conversations, each with the words that decline it, in the order of their precision.
var conversationParts = []struct {
	feature feature
	about   *regexp.Regexp
}{
	{streamUsage, aboutStreamUsage}, {streamed, aboutStreaming}, {cacheMarks, aboutCacheMarks}, {rowsOfUsers, aboutRows}, {toolUse, aboutTools},
}

// declinedBy finds the feature, among those sent, that a provider's words complain about; 0: none.
func declinedBy(words string, sent feature) feature {
	for _, part := range conversationParts {
		if sent&part.feature != 0 && part.about.MatchString(words) {
			return part.feature
		}
	}
	switch {
	case aboutFormat.MatchString(words) && sent&(schemaBound|jsonBound) != 0:
		return sent & (schemaBound | jsonBound)
	case aboutTemperature.MatchString(words) && sent&temperature != 0:
		return temperature
	case aboutLimit.MatchString(words) && declining.MatchString(words):
		return sent & (modernLimit | legacyLimit)
	case aboutSize.MatchString(words) && sent&chosenSize != 0:
		return chosenSize
	case aboutKind.MatchString(words) && sent&kindOfText != 0:
		return kindOfText
	}
	return 0
}

// learn returns the failure of a call. One that declines a feature becomes worth another try, and the feature is left out
// from then on.
func (c *chat) learn(model string, call *call) *Error {
	if call.declined == 0 {
		return call.failure
	}
	c.mu.Lock()
	c.declined[model] |= call.declined
	c.mu.Unlock()
	e := *call.failure
	e.Kind = Unavailable
	e.Message = cut("declined: " + featureNames[call.declined] + "; left out from the next call on (" + e.Message + ")")
	return &e
}
