package wire

import (
	"net/http"
	"testing"
	"time"
)

// Errors as providers word them, taken from their documentation and from reports of their users.
var worded = []struct {
	provider string
	status   int
	header   string // "Name: value"
	body     string
	kind     Kind
	after    time.Duration
}{
	// Context too long, in many words.
	{
		"openai", 400, "", `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9120 ` +
			`tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages",` +
			`"code":"context_length_exceeded"}}`,
		ContextTooLong, 0,
	},
	{"openai", 400, "", `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.",` +
		`"type":"invalid_request_error","param":"input","code":null}}`, ContextTooLong, 0},
	{"openai", 400, "", `{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300012 ` +
		`tokens. Please reduce the length of the messages.","type":"invalid_request_error","code":null}}`, ContextTooLong, 0},
	{"openai", 429, "", `{"error":{"message":"Request too large for gpt-4o in organization org-x on tokens per min (TPM): ` +
		`Limit 30000, Requested 45200. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,` +
		`"code":"rate_limit_exceeded"}}`, ContextTooLong, 0},
	{"openai", 400, "", `{"error":{"message":"Invalid 'messages[1].content': string too long. Expected a string with ` +
		`maximum length 1048576, ` +
		`but got a string with length 1048600 instead.","type":"invalid_request_error","code":"string_above_max_length"}}`, ContextTooLong, 0},
	{"azure", 400, "", `{"error":{"message":"This model's maximum context length is 16385 tokens, however you requested 20000 tokens",` +
		`"type":"invalid_request_error","code":"context_length_exceeded"}}`, ContextTooLong, 0},
	{"anthropic", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > ` +
		`200000 maximum"}}`, ContextTooLong, 0},
	{"anthropic", 400, "", "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` " +
		"exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again\"}}", ContextTooLong, 0},
	{
		"anthropic", 413, "", `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`,
		ContextTooLong, 0,
	},
	{"googleai", 400, "", `[{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed ` +
		`(1048575).","status":"INVALID_ARGUMENT"}}]`, ContextTooLong, 0},
	{"vllm", 400, "", `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens ` +
		`in the messages, Please reduce the length of the messages.","type":"BadRequestError","param":null,"code":400}`, ContextTooLong, 0},
	{"vllm", 400, "", `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length ` +
		`is 4096 tokens and your request has 10 input tokens (5000 > 4096 - 10).","type":"BadRequestError","code":400}}`, ContextTooLong, 0},
	{"vllm", 400, "", `{"object":"error","message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.",` +
		`"type":"BadRequestError","code":400}`, ContextTooLong, 0},
	{
		"ollama", 400, "", `{"error":{"message":"prompt too long; exceeded max context length by 4 tokens","type":"invalid_request_error"}}`,
		ContextTooLong, 0,
	},
	{"ollama", 500, "", `{"error":"the input length exceeds the context length"}`, ContextTooLong, 0},
	{"llamacpp", 400, "", `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it",` +
		`"type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, ContextTooLong, 0},
	{"lmstudio", 400, "", `{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load ` +
		`the model with a larger context length"}`, ContextTooLong, 0},
	{"lmstudio", 400, "", `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with ` +
		`context length of only 4096 tokens"}`, ContextTooLong, 0},
	{"mistral", 400, "", `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 ` +
		`maximum context length","type":"invalid_request_error","code":"3051"}`, ContextTooLong, 0},
	{
		"groq", 413,
		"",
		"{\"error\":{\"message\":\"Request too large for model `llama-3.1-8b` in organization `org` on tokens per minute (TPM): Limit 6000, " +
			"Requested 8000, please reduce your message size and try again.\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}",
		ContextTooLong,
		0,
	},
	{"groq", 400, "", `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error",` +
		`"param":"messages","code":"context_length_exceeded"}}`, ContextTooLong, 0},
	{"xai", 400, "", `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request ` +
		`contains 537812 tokens."}`, ContextTooLong, 0},
	{
		"moonshot", 400, "",
		`{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}`, ContextTooLong,
		0,
	},
	{"dashscope", 400, "", `{"error":{"code":"invalid_parameter_error","message":"Range of input length should be [1, 30720]",` +
		`"type":"invalid_request_error"}}`, ContextTooLong, 0},
	{"openrouter", 400, "", `{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about ` +
		`200000 tokens.","code":400}}`, ContextTooLong, 0},
	{"openrouter", 400, "", `{"error":{"message":"Provider returned error","code":400,` +
		`"metadata":{"raw":"{\"error\":{\"message\":\"prompt is ` +
		`too long: 210000 tokens > 200000 maximum\"}}","provider_name":"Anthropic"}}}`, ContextTooLong, 0},
	{"together", 422, "", "{\"error\":{\"message\":\"Input validation error: `inputs` must have less than 4096 tokens. Given: " +
		"5000\",\"type\":\"invalid_request_error\"}}", ContextTooLong, 0},
	{
		"bedrock", 400, "X-Amzn-Errortype: ValidationException:http://internal.amazon.com/",
		`{"message":"Input is too long for requested model."}`, ContextTooLong, 0,
	},
	// Texts to embed.
	{"openai", 400, "", `{"error":{"message":"Invalid 'input[0]': maximum input length is 8192 tokens.","type":"invalid_request_error",` +
		`"param":null,"code":null}}`, ContextTooLong, 0},
	{"openai", 400, "", `{"error":{"message":"Requested 438932 tokens, max 300000 tokens per request","type":"max_tokens_per_request",` +
		`"param":null,"code":"max_tokens_per_request"}}`, ContextTooLong, 0},
	{"voyage", 400, "", `{"detail":"Request to model 'voyage-3' failed. The example at index 0 in your batch has too many tokens ` +
		`and does not fit into the model's context window of 32000 tokens. Please lower the number of tokens in the listed example(s) or use ` +
		`truncation."}`, ContextTooLong, 0},
	{"voyage", 400, "", `{"detail":"Request to model 'voyage-3-large' failed. The max allowed tokens per submitted batch is 120000. Your ` +
		`batch has 147000 tokens after truncation. Please lower the number of tokens in the batch."}`, ContextTooLong, 0},
	{"mistral", 400, "", `{"object":"error","message":"Too many tokens overall, split into more batches.","type":"invalid_request_prompt",` +
		`"param":null,"code":"3210"}`, ContextTooLong, 0},
	{"jina", 400, "", `{"detail":"Single text cannot exceed 8194 tokens. 9000 tokens given."}`, ContextTooLong, 0},
	{"tei", 413, "", "{\"error\":\"Input validation error: `inputs` must have less than 512 tokens. Given: " +
		"600\",\"error_type\":\"Validation\"}", ContextTooLong, 0},
	{"llamacpp", 500, "", `{"error":{"code":500,"message":"input is too large to process. increase the physical batch size",` +
		`"type":"server_error"}}`, ContextTooLong, 0},
	{
		"bedrock", 400, "X-Amzn-Errortype: ValidationException",
		`{"message":"400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9000"}`, ContextTooLong, 0,
	},
	{"bedrock", 400, "X-Amzn-Errortype: ValidationException", `{"message":"Malformed input request: expected maxLength: 2048, actual: 3000, ` +
		`please reformat your input and try again."}`, ContextTooLong, 0},
	{
		"bedrock", 429, "X-Amzn-Errortype: ThrottlingException", `{"message":"Too many tokens, please wait before trying again."}`, RateLimited,
		0,
	},
	{"jina", 403, "", `{"detail":"Insufficient account balance"}`, Quota, 0},

	// The money is spent.
	{"openai", 429, "", `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.",` +
		`"type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, Quota, 0},
	{
		"openai", 400, "",
		`{"error":{"message":"Billing hard limit has been reached","type":"invalid_request_error","code":"billing_hard_limit_reached"}}`, Quota,
		0,
	},
	{"openai", 429, "", `{"error":{"message":"Your account is not active, please check your billing details on our website.",` +
		`"type":"billing_not_active","code":"billing_not_active"}}`, Quota, 0},
	{"anthropic", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the ` +
		`Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}`, Quota, 0},
	{"deepseek", 402, "", `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, Quota, 0},
	{"openrouter", 402, "", `{"error":{"message":"Insufficient credits. Add more using https://openrouter.ai/credits","code":402}}`, Quota, 0},
	{
		"dashscope", 400, "", `{"error":{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}}`,
		Quota, 0,
	},

	// Too fast.
	{"openai", 429, "", `{"error":{"message":"Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit ` +
		`30000, Used 28000, Requested 5600. Please try again in 7.2s. Visit https://platform.openai.com/account/rate-limits to learn more.",` +
		`"type":"tokens","code":"rate_limit_exceeded"}}`, RateLimited, 7200 * time.Millisecond},
	{
		"openai", 429, "Retry-After-Ms: 1234",
		`{"error":{"message":"Rate limit reached. Please try again in 9s.","code":"rate_limit_exceeded"}}`, RateLimited, 1234 * time.Millisecond,
	},
	{"azure", 429, "", `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation have exceeded call rate limit of ` +
		`your current pricing tier. Please retry after 6 seconds."}}`, RateLimited, 6 * time.Second},
	{"anthropic", 429, "Retry-After: 41", `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed the rate ` +
		`limit for your organization of 40,000 input tokens per minute."}}`, RateLimited, 41 * time.Second},
	{"googleai", 429, "", `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and ` +
		`billing details. Please retry in 39.2s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo",` +
		`"retryDelay":"39s"}]}}]`, RateLimited, 39 * time.Second},
	{"mistral", 429, "", `{"message":"Requests rate limit exceeded"}`, RateLimited, 0},
	{
		"bedrock", 429, "X-Amzn-Errortype: ThrottlingException", `{"message":"Too many tokens, please wait before trying again."}`, RateLimited,
		0,
	},
	{"bedrock", 400, "X-Amzn-Errortype: ThrottlingException:", `{"message":"Too many requests"}`, RateLimited, 0},
	{"cloudflare", 429, "Retry-After: 10", `error code: 1015`, RateLimited, 10 * time.Second},

	// The key.
	{"openai", 401, "", `{"error":{"message":"Incorrect API key provided: sk-abc***xyz.","type":"invalid_request_error",` +
		`"code":"invalid_api_key"}}`, Unauthorized, 0},
	{"openai", 403, "", `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported",` +
		`"type":"request_forbidden"}}`, Unauthorized, 0},
	{"anthropic", 403, "", `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the ` +
		`specified resource."}}`, Unauthorized, 0},
	{"googleai", 400, "", `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT",` +
		`"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}]`, Unauthorized, 0},
	{
		"bedrock", 403, "X-Amzn-Errortype: ExpiredTokenException", `{"message":"The security token included in the request is expired"}`,
		Unauthorized, 0,
	},

	// Declined by a filter.
	{
		"azure", 400, "", `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management ` +
			`policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`,
		Refused, 0,
	},
	{
		"anthropic", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`,
		Refused, 0,
	},
	{"openai", 400, "", `{"error":{"message":"Your request was flagged as potentially violating our usage policy.",` +
		`"code":"content_policy_violation","type":"invalid_request_error"}}`, Refused, 0},
	{"openrouter", 403, "", `{"error":{"code":403,"message":"Your input was flagged","metadata":{"reasons":["violence"]}}}`, Refused, 0},
	{
		"dashscope", 400, "", `{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}`, Refused, 0,
	},

	// The provider's own trouble.
	{
		"openai", 500, "",
		`{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error"}}`, Unavailable, 0,
	},
	{
		"openai", 503, "Retry-After: 5",
		`{"error":{"message":"The engine is currently overloaded, please try again later","type":"server_error"}}`, Overloaded, 5 * time.Second,
	},
	{"anthropic", 529, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Overloaded, 0},
	{"anthropic", 500, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Overloaded, 0},
	{"anthropic", 500, "", `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, Unavailable, 0},
	{
		"googleai", 503, "", `[{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]`,
		Overloaded, 0,
	},
	{"groq", 498, "", `{"error":{"message":"Flex tier capacity exceeded","type":"capacity_exceeded"}}`, Overloaded, 0},
	{"bedrock", 429, "X-Amzn-Errortype: ModelNotReadyException", `{"message":"The model is not ready for inference."}`, Overloaded, 0},
	{
		"bedrock", 424, "X-Amzn-Errortype: ModelErrorException", `{"message":"The request failed due to an error while processing the model."}`,
		Unavailable, 0,
	},
	{"bedrock", 408, "X-Amzn-Errortype: ModelTimeoutException", `{"message":"The request took too long to process."}`, Timeout, 0},
	{"cloudflare", 522, "Content-Type: text/html", `<html><title>522: Connection timed out</title></html>`, Unavailable, 0},
	{"nginx", 504, "Content-Type: text/html", `<html><h1>504 Gateway Time-out</h1></html>`, Timeout, 0},
	{"envoy", 503, "", `upstream connect error or disconnect/reset before headers`, Overloaded, 0},

	// Wrong requests and configurations.
	{"openai", 404, "", "{\"error\":{\"message\":\"The model `gpt-9` does not exist or you do not have access to " +
		"it.\",\"type\":\"invalid_request_error\",\"code\":\"model_not_found\"}}", BadRequest, 0},
	{"openai", 400, "", `{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas ` +
		`you provided 100000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`, BadRequest, 0},
	{"ollama", 404, "", `{"error":"model \"llama9\" not found, try pulling it first"}`, BadRequest, 0},
	{"fastapi", 422, "", `{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not ` +
		`permitted","input":"something private"}]}`, BadRequest, 0},
	{"anything", 400, "", ``, BadRequest, 0},
	{"anything", 302, "", ``, BadRequest, 0},
}

func TestProvidersErrorsAreClassified(t *testing.T) {
	t.Parallel()
	for _, test := range worded {
		header := http.Header{}
		if test.header != "" {
			name, value, _ := cutHeader(test.header)
			header.Set(name, value)
		}
		got := readComplaint(header, []byte(test.body)).failure(test.status, header)
		if got.Kind != test.kind || got.RetryAfter != test.after {
			t.Errorf("%s %d %s\n\tgot %s after %s, want %s after %s", test.provider, test.status, test.body, got.Kind, got.RetryAfter,
				test.kind, test.after)
		}
	}
}

func TestFastAPIErrorsNameTheFieldAndNotItsValue(t *testing.T) {
	t.Parallel()
	c := readComplaint(nil,
		[]byte(`{"detail":[{"loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":"something private"}]}`))
	if want := "body.max_completion_tokens: Extra inputs are not permitted"; c.message != want {
		t.Errorf("message %q, want %q", c.message, want)
	}
}

func TestKindsThatAreWorthAnotherTry(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind]bool{
		RateLimited: true, Overloaded: true, Unavailable: true, Timeout: true,
		ContextTooLong: false, Unauthorized: false, Quota: false, Refused: false, BadRequest: false, Truncated: false, "else": false,
	} {
		if got := kind.Retryable(); got != want {
			t.Errorf("%s: %t, want %t", kind, got, want)
		}
	}
}
