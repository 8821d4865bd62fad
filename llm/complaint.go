package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// complaint is a provider's error, whatever shape it came in.
type complaint struct {
	message string
	codes   []string // the machine's words for it: type, code, status, error type; lower case
	param   string   // the part of the request that it is about
	status  int      // an HTTP status written into the body, as gateways do; 0: none
	delay   string   // how long to wait, when the body says it in a field
}

// words are all of the complaint in one string, for patterns that look into it.
func (c complaint) words() string {
	return c.param + " " + strings.Join(c.codes, " ") + " " + c.message
}

// has reports whether one of the codes is one of want.
func (c complaint) has(want ...string) bool {
	for _, code := range c.codes {
		if slices.Contains(want, code) {
			return true
		}
	}
	return false
}

// readComplaint reads the body of an error. Providers wrap the same few facts in different ways:
//
//	{"error": {"message", "type", "code", "param"}}                       OpenAI and most others; code may be a number
//	{"type": "error", "error": {"type", "message"}}                       Anthropic
//	[{"error": {"code", "message", "status", "details"}}]                 Gemini
//	{"error": "…"}  {"message": "…"}  {"object": "error", "message": "…"} Ollama, AWS, Mistral and vLLM
//	{"detail": [{"loc", "msg"}]}  {"detail": "…"}                         servers made with FastAPI
func readComplaint(header http.Header, body []byte) complaint {
	var c complaint
	if kind, _, _ := strings.Cut(header.Get("X-Amzn-Errortype"), ":"); kind != "" {
		c.codes = append(c.codes, strings.ToLower(kind))
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var root any
	if err := decoder.Decode(&root); err != nil {
		c.message = plainText(header, body)
		return c
	}
	c.read(root)
	return c
}

func (c *complaint) read(node any) {
	switch node := node.(type) {
	case string:
		c.say(node)
	case []any:
		for _, item := range node {
			c.read(item)
		}
	case map[string]any:
		c.readObject(node)
	}
}

func (c *complaint) readObject(o map[string]any) {
	for _, key := range []string{"type", "code", "status", "reason", "__type"} {
		c.readCode(o[key])
	}
	if param, ok := o["param"].(string); ok {
		c.param = param
	}
	if delay, ok := o["retryDelay"].(string); ok {
		c.delay = delay
	}
	if loc, ok := o["loc"].([]any); ok { // FastAPI: where, then what; its "input" repeats the request and is left alone
		where := make([]string, len(loc))
		for i, step := range loc {
			where[i] = fmt.Sprint(step)
		}
		c.say(strings.Join(where, "."))
	}
	for _, key := range []string{"error", "errors", "message", "Message", "msg", "detail", "details", "innererror"} {
		c.read(o[key])
	}
	if metadata, ok := o["metadata"].(map[string]any); ok { // OpenRouter: the words of the provider behind it
		c.read(metadata["raw"])
	}
}

func (c *complaint) readCode(v any) {
	switch v := v.(type) {
	case string:
		if v != "" && v != "error" {
			c.codes = append(c.codes, strings.ToLower(v))
		}
	case json.Number:
		c.codes = append(c.codes, v.String())
	default:
		return
	}
	if n, err := strconv.Atoi(fmt.Sprint(v)); err == nil && n >= http.StatusBadRequest && n < 600 {
		c.status = n
	}
}

// say adds to the message; a JSON error inside a string, as gateways pass it on, is read like one.
func (c *complaint) say(words string) {
	words = strings.TrimSpace(words)
	if strings.HasPrefix(words, "{") {
		var inner map[string]any
		if json.Unmarshal([]byte(words), &inner) == nil {
			c.readObject(inner)
			return
		}
	}
	if words == "" || strings.Contains(c.message, words) {
		return
	}
	if c.message != "" {
		c.message += ": "
	}
	c.message += words
}

// plainText is what a body says that is not JSON: its text, or nothing for a page and for JSON that was cut, in which
// what it repeats of the request could not be found any more.
func plainText(header http.Header, body []byte) string {
	text := strings.TrimSpace(string(body))
	if text == "" || strings.Contains(header.Get("Content-Type"), "html") || strings.ContainsRune("<{[", rune(text[0])) {
		return ""
	}
	return text
}
