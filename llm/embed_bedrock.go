package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
)

// The embedding models whose wire format is known at Bedrock, by a part of their ids.
const (
	titanEmbed    = "amazon.titan-embed"
	cohereBedrock = "cohere.embed"
)

// bedrockEmbedding is what differs between the makers of embedding models at Bedrock.
func bedrockEmbedding(model string) (embedding, error) {
	switch {
	case strings.Contains(model, titanEmbed):
		return embedding{protocol: awsInvoke, dimensions: "dimensions", maxTexts: 1}, nil
	case strings.Contains(model, cohereBedrock):
		p := embedders["cohere"]
		p.provider, p.protocol = provider{}, awsInvoke
		return p, nil
	}
	return embedding{}, fmt.Errorf("models of %s… and %s… are supported, not %q", titanEmbed, cohereBedrock, model)
}

// connectBedrockEmbedder makes a backend on AWS's own client: langchaingo's embeddings for Bedrock can neither choose the
// dimensions nor count tokens, and know no inference profiles ("eu.cohere.embed-…").
func connectBedrockEmbedder(c EmbedderConfig, base string) (embedBackend, error) {
	client, err := bedrockClient(c.APIKey, base, readInvokedVectors)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, texts []string) error {
		call, ok := ctx.Value(callKey{}).(*call)
		if !ok {
			return errOutsideCall
		}
		body := maps.Clone(call.patch)
		call.patch = nil // the body is signed
		if strings.Contains(c.Model, titanEmbed) {
			body["inputText"] = texts[0]
		} else {
			body["texts"] = texts
		}
		sent, err := json.Marshal(body)
		if err != nil {
			return err
		}
		_, err = client.InvokeModel(ctx, &bedrockruntime.InvokeModelInput{
			ModelId: aws.String(c.Model), ContentType: aws.String("application/json"), Accept: aws.String("application/json"), Body: sent,
		})
		call.findCredentials(ctx, err)
		return err
	}, nil
}
