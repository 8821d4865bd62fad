package llm

import (
	"context"
	"net/http"

	"github.com/tmc/langchaingo/llms"
)

// Chat implements Chatter.
func (c *chat) Chat(ctx context.Context, r ChatRequest, onText func(part string) error) (ChatResponse, error) {
	if r.Model == "" {
		r.Model = c.config.Model
	}
	ctx, span := c.startSpan(ctx, r.asked())
	defer span.End()
	response, err := c.converse(ctx, r, onText)
	describe(span, Response{Model: response.Model, Usage: response.Usage, Truncated: response.Truncated}, err)
	return response, err
}

// asked is what a conversation has in common with a question.
func (r ChatRequest) asked() Request {
	return Request{Model: r.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature}
}

func (c *chat) converse(ctx context.Context, r ChatRequest, onText func(part string) error) (ChatResponse, error) {
	sent := c.chatFeatures(r, onText != nil)
	v, failure := arrange(r, c.ids(), sent)
	if failure != nil {
		return ChatResponse{}, failure
	}
	call, prompt, options := c.shapeChat(r, v, sent)
	if sent&streamed != 0 {
		call.tell = onText
	}
	content, err := c.ask(ctx, r.Model, call, prompt, options)
	response := ChatResponse{
		Model: c.answered(r.Model, call), Usage: c.usage(call), Cached: call.answer.cachedTokens, Finish: call.answer.finish,
	}
	switch {
	case call.stopped != nil:
		return response, call.stopped
	case err != nil:
		return response, err
	}
	for _, toolCall := range call.answer.calls {
		if toolCall.Name == "" { // asked again, it may say which
			return response, &Error{Kind: Unavailable, Status: http.StatusOK, Message: "the answer calls a tool without its name"}
		}
	}
	response.Text, response.Truncated = text(content), isCut(call.answer.finish)
	if !r.NoCalls {
		response.ToolCalls = call.answer.calls
	}
	if onText != nil && !call.told && response.Text != "" {
		return response, onText(response.Text)
	}
	return response, nil
}

// chatFeatures are what to send with r.
func (c *chat) chatFeatures(r ChatRequest, streaming bool) feature {
	want := c.features(r.asked())
	c.mu.Lock()
	declined := c.declined[r.Model]
	c.mu.Unlock()
	if c.provider.protocol == awsRuntime { // its requests are signed, so that langchaingo's words cannot be put right
		return want
	}
	want |= (toolUse | rowsOfUsers) &^ declined
	if c.provider.protocol == messages {
		want |= cacheMarks &^ declined
	}
	if streaming {
		want |= streamed &^ declined
	}
	if want&streamed != 0 && c.provider.protocol == chatCompletions {
		want |= streamUsage &^ declined
	}
	return want
}

// shapeChat makes a request out of a conversation: the messages, langchaingo's options, and what langchaingo cannot say as a
// patch of the body.
func (c *chat) shapeChat(r ChatRequest, v conversation, sent feature) (*call, []llms.MessageContent, []llms.CallOption) {
	call := &call{sent: sent, said: v.said(), patch: map[string]any{}}
	asked := r.asked()
	options := append(c.limit(asked, sent), llms.WithModel(r.Model), llms.WithTemperature(c.temperature(asked, sent)))
	if sent&temperature == 0 && c.provider.protocol != awsRuntime {
		call.patch["temperature"] = nil
	}
	if sent&streamed != 0 {
		call.patch["stream"] = true
	}
	if sent&streamUsage != 0 {
		call.patch["stream_options"] = map[string]any{"include_usage": true}
	}
	if c.provider.protocol == messages {
		messagesBody(call.patch, v, r.NoCalls, sent)
		return call, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "")}, options
	}
	if len(v.tools) > 0 {
		options = append(options, llms.WithTools(functions(v.tools)))
		if r.NoCalls {
			call.patch["tool_choice"] = "none"
		}
	}
	return call, prompt(v), options
}
