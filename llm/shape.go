package llm

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// requiredMaxTokens is sent when a request sets no limit and the protocol (Anthropic's, Bedrock's) requires one:
// langchaingo's own, 2,048 or 512, cuts the larger answers, and every model still served takes this one.
const requiredMaxTokens = 4096

// answerName names the schema for the protocol, which requires a name.
const answerName = "answer"

// shape makes a request out of r: the messages, langchaingo's options, and what langchaingo cannot say as a patch of the
// body. What this model's server has declined before is left out.
func (c *chat) shape(r Request) (*call, []llms.MessageContent, []llms.CallOption) {
	call := &call{sent: c.features(r), said: []string{r.System, r.User}, patch: map[string]any{}}
	options := append(c.limit(r, call.sent), llms.WithModel(r.Model), llms.WithTemperature(c.temperature(r, call.sent)))
	if call.sent&temperature == 0 && c.provider.protocol != awsRuntime { // there a 0 is left out, and the body is signed
		call.patch["temperature"] = nil
	}
	system := r.System
	if r.Schema != nil {
		c.bind(call, r.Schema)
		if call.sent&schemaBound == 0 || c.provider.json != bindsSchema {
			system = inWords(system, r.Schema)
		}
	}
	var prompt []llms.MessageContent
	if system != "" {
		prompt = append(prompt, llms.TextParts(llms.ChatMessageTypeSystem, system))
	}
	return call, append(prompt, llms.TextParts(llms.ChatMessageTypeHuman, r.User)), options
}

// limit is the bound of the answer in the form that the server takes.
func (c *chat) limit(r Request, sent feature) []llms.CallOption {
	switch {
	case c.provider.protocol != chatCompletions && r.MaxTokens <= 0:
		return []llms.CallOption{llms.WithMaxTokens(requiredMaxTokens)}
	case c.provider.protocol != chatCompletions, sent&modernLimit != 0:
		return []llms.CallOption{llms.WithMaxTokens(r.MaxTokens)}
	case sent&legacyLimit != 0:
		return []llms.CallOption{llms.WithMaxTokens(r.MaxTokens), openai.WithLegacyMaxTokensField()}
	}
	return nil
}

// temperature is r's, within what the protocol knows: Anthropic's ends at 1.
func (c *chat) temperature(r Request, sent feature) float64 {
	t := max(r.Temperature, 0)
	if sent&temperature == 0 {
		return 0
	}
	if c.provider.protocol != chatCompletions {
		t = min(t, 1)
	}
	return t
}

// bind adds to the body what binds the answer to the schema, as far as call.sent says that it may be sent.
func (c *chat) bind(call *call, schema json.RawMessage) {
	switch {
	case call.sent&schemaBound != 0 && c.provider.protocol == messages:
		call.patch["output_config"] = map[string]any{"format": map[string]any{"type": "json_schema", "schema": schema}}
	case call.sent&schemaBound != 0:
		call.patch["response_format"] = map[string]any{
			"type":        "json_schema",
			"json_schema": map[string]any{"name": answerName, "strict": isStrict(schema), "schema": schema},
		}
	case call.sent&jsonBound != 0:
		call.patch["response_format"] = map[string]any{"type": "json_object"}
	}
}

// inWords asks for the schema in words, after the system text. JSON mode requires the word JSON in the prompt as well.
func inWords(system string, schema json.RawMessage) string {
	if system != "" {
		system += "\n\n"
	}
	return system + "Answer with one JSON object and nothing else: no prose, no code fence. It must follow this JSON schema:\n" + string(schema)
}

// isStrict reports whether a schema has the shape that OpenAI's strict mode demands: every object closed, and all of its
// properties required. One of another shape is sent as guidance; as strict it would be declined.
func isStrict(schema json.RawMessage) bool {
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return false
	}
	return strictAll(root)
}

func strictAll(node any) bool {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			if !strictAll(child) {
				return false
			}
		}
	case map[string]any:
		if properties, ok := node["properties"].(map[string]any); ok && !isClosed(node, properties) {
			return false
		}
		for _, child := range node {
			if !strictAll(child) {
				return false
			}
		}
	}
	return true
}

func isClosed(object, properties map[string]any) bool {
	if object["additionalProperties"] != false {
		return false
	}
	required, _ := object["required"].([]any)
	names := map[any]bool{}
	for _, name := range required {
		names[name] = true
	}
	for name := range properties {
		if !names[name] {
			return false
		}
	}
	return true
}
