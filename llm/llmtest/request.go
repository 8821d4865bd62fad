package llmtest

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Request is a request as the server read it.
type Request struct {
	Number  int // in order of arrival, from 1
	Key     string
	Attempt int // how many requests with this key have come, this one included
	At      time.Time

	Path   string
	Header http.Header
	Body   []byte // as it came

	Model       string
	System      string
	User        string
	MaxTokens   int
	Temperature *float64 // nil: not sent
	// Format is how the answer is bound: "json_schema", "json_object" or "" for not at all.
	Format      string
	InputTokens int // as the answer counts them

	// Of a request for embeddings; User has its texts as lines.
	Texts      []string
	Dimensions int    // asked for; 0: not said
	InputType  string // the provider's word for questions or documents; "": not said

	longest int // tokens of the longest text that has to fit into the context by itself
}

// Tokens is how many tokens a text counts for: one per four bytes, begun ones whole.
func Tokens(s string) int { return (len(s) + 3) / 4 }

// KeyPattern finds keys for Options.Key: the first group of the pattern's first match, or the match if it has no group.
// A text without a match has the key "".
func KeyPattern(pattern string) func(prompt string) string {
	re := regexp.MustCompile(pattern)
	return func(prompt string) string {
		found := re.FindStringSubmatch(prompt)
		if found == nil {
			return ""
		}
		return found[min(1, len(found)-1)]
	}
}

// wireMessage is one message of either protocol; its content is a text or a list of blocks.
type wireMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

func (m wireMessage) text() string {
	switch content := m.Content.(type) {
	case string:
		return content
	case []any:
		var texts []string
		for _, block := range content {
			if b, ok := block.(map[string]any); ok {
				if text, ok := b["text"].(string); ok {
					texts = append(texts, text)
				}
			}
		}
		return strings.Join(texts, "")
	}
	return ""
}

// unknownField is the first field of a body that is not among the known ones; "" if there is none.
func unknownField(body map[string]any, known ...string) string {
	for field := range body {
		found := false
		for _, k := range known {
			found = found || k == field
		}
		if !found {
			return field
		}
	}
	return ""
}

// declined reports whether the server does not take something.
func (o Options) declined(what string) bool {
	return slices.Contains(o.Declines, what)
}

func itoa(n int) string { return strconv.Itoa(n) }
