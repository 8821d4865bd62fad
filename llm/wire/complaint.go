package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// complaint is a provider's error, whatever its format.
type complaint struct {
	message string
	codes   []string // machine-readable: type, code, status, error type; in lower case
	param   string   // the field of the request that it is about
	status  int      // an HTTP status in the body, as gateways send it; 0: none
	delay   string   // the delay in a field of the body
}

// words returns the whole complaint in one string, for patterns.
func (c complaint) words() string {
	return c.param + " " + strings.Join(c.codes, " ") + " " + c.message
}

// readComplaint reads the body of an error. Providers format the same few facts in different ways:
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
	if loc, ok := o["loc"].([]any); ok { // FastAPI: where, then what; its "input" repeats the request and is skipped
		where := make([]string, len(loc))
		for i, step := range loc {
			where[i] = fmt.Sprint(step)
		}
		c.say(strings.Join(where, "."))
	}
	for _, key := range []string{"error", "errors", "message", "Message", "msg", "detail", "details", "innererror"} {
		c.read(o[key])
	}
	if metadata, ok := o["metadata"].(map[string]any); ok { // OpenRouter: the error of the provider behind it
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

// say appends to the message. A JSON error inside a string, as gateways pass it on, is read as one.
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

// plainText returns the text of a body that is not JSON. It is empty for a page, and for JSON that was cut, in which text of the
// request could no longer be found.
func plainText(header http.Header, body []byte) string {
	text := strings.TrimSpace(string(body))
	if text == "" || strings.Contains(header.Get("Content-Type"), "html") || strings.ContainsRune("<{[", rune(text[0])) {
		return ""
	}
	return text
}

// Phrases for what status codes do not distinguish, each quoted from a provider.
var (
	// OpenAI, OpenRouter, vLLM, DeepSeek: "maximum context length is 8192 tokens"; Anthropic: "prompt is too long: 213462
	// tokens > 200000 maximum", "input length and `max_tokens` exceed context limit"; Gemini: "The input token count (1196265)
	// exceeds the maximum number of tokens allowed"; OpenAI: "Input tokens exceed the configured limit", "exceeds the context
	// window"; Bedrock: "Input is too long for requested model"; xAI: "maximum prompt length is 131072"; Groq, Cerebras:
	// "reduce the length of the messages"; vLLM: "longer than the maximum model length"; llama.cpp: "exceeds the available
	// context size"; LM Studio: "greater than the context length", "when context the overflows"; Ollama: "prompt too long;
	// exceeded max context length"; Mistral: "too large for model with 32768 maximum context length"; Moonshot: "exceeded
	// model token limit"; DashScope: "Range of input length should be"; TGI: "`inputs` must have less than"; MiniMax:
	// "context window exceeds limit". Of embeddings: OpenAI's "max 300000 tokens per request"; Voyage's "too many tokens and does
	// not fit", "max allowed tokens per submitted batch"; Mistral's "Too many tokens overall"; Jina's "cannot exceed 8194 tokens";
	// llama.cpp's "input is too large to process"; Titan's "Too many input tokens"; Cohere's at Bedrock, "expected maxLength: 2048".
	tooLong = regexp.MustCompile(`(?i)` +
		`max(?:imum)? (?:allowed )?(?:context|prompt|model|input) (?:length|size|window)|maximum number of (?:input )?tokens|` +
		`exceed\w* (?:the )?(?:available |max(?:imum)? |model'?s? |model's maximum )?(?:context|model token limit|configured limit)|` +
		`context (?:window|length|size) (?:exceed|is exceeded|limit)|greater than the context length|context the overflows|` +
		`(?:prompt|input|message|conversation) (?:is )?too (?:long|large)|request (?:is )?too large|` +
		`too many (?:input tokens|tokens (?:overall|and does not fit))|max \d+ tokens per request|tokens per submitted batch|cannot ` +
		`exceed \d+ tokens|expected maxlength: \d|` +
		`reduce the length of the (?:messages|prompt|input)|longer than the model|range of input length|must have less than \d+ tokens`)
	// OpenAI and Groq answer 429 to a request that alone exceeds the tokens per minute: waiting does not help, a shorter one does.
	tooLargeEver = regexp.MustCompile(`(?i)request too large|must be reduced in order to run|reduce your message size`)

	spent = regexp.MustCompile(`(?i)credit balance is too low|insufficient (?:account )?balance|insufficient credits|billing ` +
		`hard limit|account is not active|exceeded your monthly|spending limit|payment required`)
	quotaSpent = regexp.MustCompile(`(?i)exceeded your current quota`)
	filtered   = regexp.MustCompile(`(?i)content (?:filtering|management|usage) policy|content[_ ]filter|content policy|flagged|` +
		`moderation|safety system|prohibited[_ ]content|inappropriate content|usage policies`)
	badKey = regexp.MustCompile(`(?i)api[-_ ]?key (?:is )?(?:not valid|invalid|expired|not found)|(?:invalid|incorrect) ` +
		`(?:x-)?api[-_ ]?key|invalid (?:authentication|bearer)|unauthorized`)
	busy = regexp.MustCompile(`(?i)overloaded|capacity|server (?:is )?busy|engine is busy|slow down`)
)

// failure returns the error of a complaint with this status and header. Its message is not redacted yet.
func (c complaint) failure(status int, header http.Header) *Error {
	return &Error{
		Kind:   classes[slices.IndexFunc(classes, func(k class) bool { return k.matches(status, c) })].kind, // the last one always does
		Status: status, Message: c.message,
		RetryAfter: retryAfter(header, c, time.Now()), words: c.words(),
	}
}

// class is a row of classes: a complaint matches if it has one of the codes, or if its status and its message both match.
type class struct {
	kind   Kind
	codes  string // separated by spaces
	status func(int) bool
	words  *regexp.Regexp
}

// classes are the kinds of errors; the first row that matches wins. Gemini says that a quota is exceeded, with the code
// RESOURCE_EXHAUSTED, for its limits per minute.
var classes = []class{
	{ContextTooLong, "context_length_exceeded exceed_context_size_error request_too_large string_above_max_length", is(413), nil},
	{ContextTooLong, "", is(http.StatusTooManyRequests), tooLargeEver},
	{ContextTooLong, "", isNot(401, 403, 404, 429), tooLong},
	{Quota, "insufficient_quota billing_hard_limit_reached billing_not_active insufficient_balance billing_error arrearage " +
		"servicequotaexceededexception", is(http.StatusPaymentRequired), nil},
	{Quota, "", isNot(), spent},
	{RateLimited, "resource_exhausted", nil, nil},
	{Quota, "", isNot(), quotaSpent},
	{Refused, "content_filter content_policy_violation responsibleaipolicyviolation data_inspection_failed", is(400, 403), filtered},
	{RateLimited, "throttlingexception rate_limit_error rate_limit_exceeded too_many_requests", nil, nil},
	{Overloaded, "overloaded_error modelnotreadyexception", nil, nil},
	{Unauthorized, "", is(401, 403, http.StatusProxyAuthRequired), nil},
	{RateLimited, "", is(http.StatusTooManyRequests), nil},
	{Timeout, "", is(http.StatusRequestTimeout, http.StatusGatewayTimeout), nil},
	{Overloaded, "", is(http.StatusServiceUnavailable, 498, 529), nil},                                // 498 is Groq's status for it, 529 Anthropic's
	{Unavailable, "", is(http.StatusConflict, http.StatusFailedDependency, http.StatusTooEarly), nil}, // of one request
	{Overloaded, "", isServers, busy},
	{Unavailable, "", isServers, nil},
	{Unauthorized, "api_key_invalid authentication_error invalid_api_key unrecognizedclientexception expiredtokenexception", isNot(), badKey},
	{BadRequest, "", isNot(), nil},
}

func is(statuses ...int) func(int) bool {
	return func(status int) bool { return slices.Contains(statuses, status) }
}

func isNot(statuses ...int) func(int) bool {
	return func(status int) bool { return !slices.Contains(statuses, status) }
}

func isServers(status int) bool { return status >= http.StatusInternalServerError }

// matches reports whether a complaint with this HTTP status is of the class.
func (k class) matches(status int, c complaint) bool {
	for code := range strings.FieldsSeq(k.codes) {
		if slices.Contains(c.codes, code) {
			return true
		}
	}
	return k.status != nil && k.status(status) && (k.words == nil || k.words.MatchString(c.message))
}
