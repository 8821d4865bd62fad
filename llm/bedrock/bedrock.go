// Package bedrock asks models at AWS Bedrock, through AWS's client and, for chat, langchaingo's.
package bedrock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/bedrock"

	"reverie/llm/provider"
	"reverie/llm/wire"
)

// families are the makers of models whose formats langchaingo knows; a model's id names its maker.
var families = []string{"anthropic.", "amazon.", "meta.", "cohere.", "ai21."}

// NewClient returns a client that sends each request once, and reads answers with read. Region and credentials come from AWS's
// own chain (environment, profile, role); a key is a Bedrock API key and replaces the signature.
func NewClient(key, base string, read wire.Reader) (*bedrockruntime.Client, error) {
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
		if key != "" {
			o.Credentials = aws.AnonymousCredentials{}
		}
		o.HTTPClient = wire.NewClient("", wire.Bearer(key), read)
	}), nil
}

// Model chats with one model through langchaingo's client.
type Model struct{ llms.Model }

// New returns a client for a model.
func New(name, key, base string) (Model, error) {
	if !slices.ContainsFunc(families, func(family string) bool { return strings.Contains(name, family) }) {
		return Model{}, fmt.Errorf("models of %s… are supported, not %q; others can be reached as provider %s with the base URL "+
			"https://bedrock-runtime.<region>.amazonaws.com/openai/v1", strings.Join(families, "…, "), name, provider.Compatible)
	}
	client, err := NewClient(key, base, readAnswer)
	if err != nil {
		return Model{}, err
	}
	model, err := bedrock.New(bedrock.WithModel(name), bedrock.WithClient(client))
	if err != nil {
		return Model{}, err
	}
	return Model{model}, nil
}

const (
	// zeroTemperature is sent for 0: langchaingo leaves a 0 out, and the default is the least repeatable.
	zeroTemperature = 1e-6
	maxTemperature  = 1.0
)

// GenerateContent implements llms.Model. ctx must come from wire.Call.Run.
func (m Model) GenerateContent(
	ctx context.Context, prompt []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	call, err := wire.From(ctx)
	if err != nil {
		return nil, err
	}
	if call.Sent&wire.Temperature != 0 {
		options = append(options, func(o *llms.CallOptions) { o.Temperature = min(max(o.Temperature, zeroTemperature), maxTemperature) })
	}
	content, err := m.Model.GenerateContent(ctx, prompt, options...)
	if err != nil && call.Answered && call.Failure == nil && call.Answer.Text != "" && call.Answer.Cut() {
		// langchaingo fails on a Claude answer that the token limit cut.
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: call.Answer.Text, StopReason: call.Answer.Finish}}}, nil
	}
	FindCredentials(ctx, call, err)
	return content, err
}

// FindCredentials sets the failure of a call that could not be signed.
func FindCredentials(ctx context.Context, call *wire.Call, err error) {
	if err != nil && call.Failure == nil && !call.Answered && ctx.Err() == nil && strings.Contains(err.Error(), "get identity") {
		call.Failure = &wire.Error{Kind: wire.Unauthorized, Message: "no AWS credentials were found (environment, profile or role)"}
	}
}

// invocation holds what any model family reports about the end of an answer.
type invocation struct {
	StopReason      string `json:"stop_reason"` // Claude, Llama
	StopReasonCamel string `json:"stopReason"`  // Nova
	Results         []struct {
		CompletionReason string `json:"completionReason"` // Titan
	} `json:"results"`
	Content []struct {
		Text string `json:"text"`
	} `json:"content"` // Claude
}

// readAnswer reads the counts of an answer from its header and the reason of its end from its body. The text is left to
// langchaingo, which knows the families' formats, except for Claude's.
func readAnswer(header http.Header, body []byte) (wire.Answer, *wire.Error) {
	var i invocation
	if err := json.Unmarshal(body, &i); err != nil {
		return wire.Answer{}, wire.NotAnAnswer(header)
	}
	a := wire.Answer{
		Finish:       i.StopReason + i.StopReasonCamel,
		InputTokens:  wire.HeaderCount(header, "X-Amzn-Bedrock-Input-Token-Count"),
		OutputTokens: wire.HeaderCount(header, "X-Amzn-Bedrock-Output-Token-Count"),
	}
	if len(i.Results) > 0 {
		a.Finish += i.Results[0].CompletionReason
	}
	for _, block := range i.Content {
		a.Text += block.Text
	}
	return a, nil
}
