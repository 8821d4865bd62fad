package llm

import (
	"net/http"
	"regexp"
	"time"
)

// The words that providers use for what their status codes do not tell apart. Each phrase is quoted from a provider.
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
		`too many (?:input tokens|tokens (?:overall|and does not fit))|max \d+ tokens per request|tokens per submitted batch|cannot exceed \d+ tokens|expected maxlength: \d|` +
		`reduce the length of the (?:messages|prompt|input)|longer than the model|range of input length|must have less than \d+ tokens`)
	// OpenAI and Groq answer 429 to a request that alone exceeds the tokens per minute: waiting does not help, shortening does.
	tooLargeEver = regexp.MustCompile(`(?i)request too large|must be reduced in order to run|reduce your message size`)

	spent      = regexp.MustCompile(`(?i)credit balance is too low|insufficient (?:account )?balance|insufficient credits|billing hard limit|account is not active|exceeded your monthly|spending limit|payment required`)
	quotaSpent = regexp.MustCompile(`(?i)exceeded your current quota`)
	filtered   = regexp.MustCompile(`(?i)content (?:filtering|management|usage) policy|content[_ ]filter|content policy|flagged|moderation|safety system|prohibited[_ ]content|inappropriate content|usage policies`)
	badKey     = regexp.MustCompile(`(?i)api[-_ ]?key (?:is )?(?:not valid|invalid|expired|not found)|(?:invalid|incorrect) (?:x-)?api[-_ ]?key|invalid (?:authentication|bearer)|unauthorized`)
	busy       = regexp.MustCompile(`(?i)overloaded|capacity|server (?:is )?busy|engine is busy|slow down`)
)

// failure is the error of a complaint that came with this status and header; its message is not tidied yet.
func (c complaint) failure(status int, header http.Header) *Error {
	return &Error{
		Kind: classify(status, c), Status: status, Message: c.message,
		RetryAfter: retryAfter(header, c, time.Now()), words: c.words(),
	}
}

// classify says what an error with this HTTP status and these words is.
func classify(status int, c complaint) Kind {
	switch {
	case isTooLong(status, c):
		return ContextTooLong
	case isSpent(status, c):
		return Quota
	case isFiltered(status, c):
		return Refused
	case c.has("throttlingexception", "rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "too_many_requests"):
		return RateLimited
	case c.has("overloaded_error", "modelnotreadyexception"):
		return Overloaded
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return Unauthorized
	case http.StatusTooManyRequests:
		return RateLimited
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return Timeout
	case http.StatusServiceUnavailable, 498, 529: // 498 is Groq's word for it, 529 Anthropic's
		return Overloaded
	case http.StatusConflict, http.StatusFailedDependency, http.StatusTooEarly: // the provider's own trouble with one request
		return Unavailable
	}
	switch {
	case status >= http.StatusInternalServerError && busy.MatchString(c.message):
		return Overloaded
	case status >= http.StatusInternalServerError:
		return Unavailable
	case badKey.MatchString(c.message), c.has("api_key_invalid", "authentication_error", "invalid_api_key", "unrecognizedclientexception", "expiredtokenexception"):
		return Unauthorized
	}
	return BadRequest
}

// isTooLong reports that the request is too large for the model.
func isTooLong(status int, c complaint) bool {
	switch {
	case c.has("context_length_exceeded", "exceed_context_size_error", "request_too_large", "string_above_max_length"),
		status == http.StatusRequestEntityTooLarge:
		return true
	case status == http.StatusTooManyRequests:
		return tooLargeEver.MatchString(c.message)
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound:
		return false
	}
	return tooLong.MatchString(c.message)
}

// isSpent reports that a person has to pay or to raise a limit. Gemini says the same words, with the status
// RESOURCE_EXHAUSTED, about its limits per minute.
func isSpent(status int, c complaint) bool {
	return status == http.StatusPaymentRequired ||
		c.has("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance", "billing_error", "arrearage", "servicequotaexceededexception") ||
		spent.MatchString(c.message) ||
		quotaSpent.MatchString(c.message) && !c.has("resource_exhausted")
}

// isFiltered reports that a filter declined the prompt.
func isFiltered(status int, c complaint) bool {
	return c.has("content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed") ||
		(status == http.StatusBadRequest || status == http.StatusForbidden) && filtered.MatchString(c.message)
}
