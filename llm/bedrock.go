package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/bedrock"
)

// families are the makers of models whose wire format langchaingo knows at Bedrock; a model's id names its maker.
var families = []string{"anthropic.", "amazon.", "meta.", "cohere.", "ai21."}

// connectBedrock makes a client for AWS Bedrock.
func connectBedrock(c Config, base string) (llms.Model, error) {
	if !slices.ContainsFunc(families, func(family string) bool { return strings.Contains(c.Model, family) }) {
		return nil, fmt.Errorf("models of %s… are supported, not %q; others can be reached as provider %s with the base URL https://bedrock-runtime.<region>.amazonaws.com/openai/v1",
			strings.Join(families, "…, "), c.Model, compatible)
	}
	client, err := bedrockClient(c.APIKey, base, readBedrock)
	if err != nil {
		return nil, err
	}
	model, err := bedrock.New(bedrock.WithModel(c.Model), bedrock.WithClient(client))
	if err != nil {
		return nil, err
	}
	return bedrockModel{model}, nil
}

// bedrockClient makes a client that sends each request once. Region and credentials come from AWS's own chain (environment,
// profile, role); a key is a Bedrock API key and is sent instead of a signature.
func bedrockClient(key, base string, read reader) (*bedrockruntime.Client, error) {
	settings, err := awsconfig.LoadDefaultConfig(context.Background())
	if err != nil {
		return nil, fmt.Errorf("AWS configuration: %w", err)
	}
	if settings.Region == "" {
		return nil, errors.New("AWS configuration: set AWS_REGION, or a region in the profile")
	}
	return bedrockruntime.NewFromConfig(settings, func(o *bedrockruntime.Options) {
		o.Retryer = aws.NopRetryer{} // the caller owns the retries
		if base != "" {
			o.BaseEndpoint = aws.String(base)
		}
		d := newDoer(key, read)
		d.authorize = nil // signed
		if key != "" {
			o.Credentials = aws.AnonymousCredentials{}
			d.authorize = func(h http.Header) { h.Set("Authorization", "Bearer "+key) }
		}
		o.HTTPClient = d
	}), nil
}

// bedrockModel puts right what langchaingo's client does with a request before it is sent.
type bedrockModel struct{ llms.Model }

// zeroTemperature is what 0 is sent as: langchaingo leaves a 0 out, and the default is the least repeatable.
const zeroTemperature = 1e-6

// GenerateContent implements llms.Model.
func (m bedrockModel) GenerateContent(ctx context.Context, prompt []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	call, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return nil, errOutsideCall
	}
	if call.sent&temperature != 0 {
		options = append(options, func(o *llms.CallOptions) { o.Temperature = max(o.Temperature, zeroTemperature) })
	}
	content, err := m.Model.GenerateContent(ctx, prompt, options...)
	call.findCredentials(ctx, err)
	return content, err
}

// findCredentials tells the failure of a request that could not be signed.
func (c *call) findCredentials(ctx context.Context, err error) {
	if err != nil && c.failure == nil && !c.answered && ctx.Err() == nil && strings.Contains(err.Error(), "get identity") {
		c.failure = &Error{Kind: Unauthorized, Message: "no AWS credentials were found (environment, profile or role)"}
	}
}

// invocation is what an answer of any Bedrock model family says about its end.
type invocation struct {
	StopReason      string `json:"stop_reason"` // Claude, Llama
	StopReasonCamel string `json:"stopReason"`  // Nova
	Results         []struct {
		CompletionReason string `json:"completionReason"` // Titan
	} `json:"results"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"` // Claude
}

// readBedrock reads an answer of InvokeModel: counts from the header, the reason of its end from the body. langchaingo
// takes a Claude answer that was cut for an error, so it is told that it ended well.
func readBedrock(header http.Header, body []byte) (answer, []byte, *Error) {
	var i invocation
	if err := json.Unmarshal(body, &i); err != nil {
		return answer{}, nil, notAnAnswer(header)
	}
	a := answer{
		finish:      i.StopReason + i.StopReasonCamel,
		inputTokens: headerCount(header, "X-Amzn-Bedrock-Input-Token-Count"), outputTokens: headerCount(header, "X-Amzn-Bedrock-Output-Token-Count"),
	}
	if len(i.Results) > 0 {
		a.finish += i.Results[0].CompletionReason
	}
	for _, block := range i.Content {
		a.text += block.Text
	}
	if failure := refusal(a); failure != nil {
		return a, nil, failure
	}
	if a.text == "" || !isCut(a.finish) {
		return a, body, nil
	}
	plain, err := json.Marshal(map[string]any{
		"type": "message", "role": "assistant", "stop_reason": bedrockEnd,
		"content": []any{map[string]any{"type": "text", "text": a.text}},
		"usage":   map[string]any{"input_tokens": a.inputTokens, "output_tokens": a.outputTokens},
	})
	return a, plain, unwritable(err)
}

// bedrockEnd is the stop reason of a Claude answer that is whole.
const bedrockEnd = "end_turn"

func headerCount(header http.Header, name string) int {
	n, err := strconv.Atoi(header.Get(name))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
