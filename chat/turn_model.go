package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"reverie/llm"
	"reverie/memory"
	"reverie/toolbox"
	"reverie/window"
)

const (
	// maxEmergencies bounds the attempts to shorten a context that the model has refused as too long.
	maxEmergencies = 2
	// anyTemperature leaves the sampling temperature to the provider.
	anyTemperature = -1
)

// converse asks the model until it has answered, and runs the tools that it calls.
func (t *turning) converse(ctx context.Context) error {
	if err := t.CheckBudget(ctx, t.id); err != nil {
		return err
	}
	mayCall := t.settings.MaxToolRounds > 0 && t.settings.MemoryEnabled
	if mayCall {
		t.tools = t.memoryTools(ctx)
		t.assembly.request.Tools = windowTools(t.tools)
	}
	if err := t.remake(ctx); err != nil {
		return err
	}
	for round := 0; ; round++ {
		offer := mayCall && round < t.settings.MaxToolRounds
		response, err := t.ask(ctx, mayCall, offer)
		if err != nil {
			return err
		}
		text := storable(response.Text)
		if calls := wholeCalls(response); len(calls) > 0 && offer {
			if err := t.use(ctx, text, calls); err != nil {
				return err
			}
			if err := t.makeRoom(ctx); err != nil {
				return err
			}
			continue
		}
		if strings.TrimSpace(text) == "" {
			return nothingSaid(response)
		}
		t.turn.Answer, t.turn.Finish = text, finishStop
		switch {
		case response.Truncated:
			t.turn.Finish = finishLength
		case mayCall && !offer:
			t.turn.Finish = finishToolLimit
		}
		t.said = append(t.said, saying{Message: memory.Message{Role: memory.RoleOfAssistant, Content: text, FinishReason: t.turn.Finish}})
		return nil
	}
}

// wholeCalls returns the complete tool calls of an answer. If the token limit cut the answer, the last call is
// dropped: its arguments may be valid JSON and still incomplete.
func wholeCalls(r llm.ChatResponse) []memory.ToolCall {
	if r.Truncated && len(r.ToolCalls) > 0 {
		return r.ToolCalls[:len(r.ToolCalls)-1]
	}
	return r.ToolCalls
}

// nothingSaid returns the error for an empty answer.
func nothingSaid(r llm.ChatResponse) error {
	if r.Truncated {
		return &llm.Error{Kind: llm.Truncated, Message: "the token limit ended the answer before its first word"}
	}
	return &llm.Error{Kind: llm.Unavailable, Message: "the model returned an empty answer"}
}

// remake builds the context and reports it.
func (t *turning) remake(ctx context.Context) error {
	t.assembly.request.Emergency = t.emergency
	made, err := t.make(ctx)
	if err != nil {
		return err
	}
	t.turn.Context = made
	return t.emit(Event{Context: &made})
}

// maxDeclined is the number of optional parts of a request that a server may decline one after the other within a turn.
const maxDeclined = 4

// ask asks the model once, with the tools that it may see and call. When the context is too long, it asks again with
// a shorter one, and when the server declines an optional part of the request, without that.
func (t *turning) ask(ctx context.Context, show, offer bool) (llm.ChatResponse, error) {
	for declined := 0; ; {
		r := llm.ChatRequest{
			Model: t.model(), Messages: t.messages(), NoCalls: show && !offer, MaxTokens: t.MaxTokens, Temperature: anyTemperature,
		}
		if show {
			r.Tools = chatTools(t.tools)
		}
		var told error
		response, err := t.Model.Chat(ctx, r, func(part string) error {
			told = t.emit(Event{Text: part})
			return told
		})
		t.turn.Rounds++
		t.spent(ctx, response)
		if err == nil {
			t.turn.Model = response.Model
			return response, nil
		}
		if told != nil {
			return response, told
		}
		failed, is := errors.AsType[*llm.Error](err)
		if is && failed.Declined && declined < maxDeclined {
			declined++
			continue
		}
		if !is || failed.Kind != llm.ContextTooLong || t.emergency == maxEmergencies {
			return response, fmt.Errorf("turn: %w", err)
		}
		t.refused, t.compacted = t.turn.Context.Ledger.Used+t.tokensSaid(), false
		if t.emergency++; t.emergency == maxEmergencies {
			t.shortenAll()
		}
		t.reserved = t.tokensSaid()
		if err := t.emit(Event{Reset: true}); err != nil {
			return response, err
		}
		if err := t.remake(ctx); err != nil {
			return response, err
		}
	}
}

// model returns the model name to request; empty: the configured model.
func (t *turning) model() string {
	if t.request.Model != "" {
		return t.request.Model
	}
	return t.agent.Settings.Model
}

// messages returns the window, followed by the messages of this turn.
func (t *turning) messages() []llm.ChatMessage {
	sent := t.turn.Context.Messages
	messages := make([]llm.ChatMessage, 0, len(sent)+len(t.said))
	for _, m := range sent {
		messages = append(messages, chatMessage(m.Role, m.Name, m.Content, m.ToolCalls, m.ToolCallID))
	}
	for _, s := range t.said {
		messages = append(messages, chatMessage(s.Role, s.Name, s.shown, s.ToolCalls, s.ToolCallID))
	}
	return messages
}

func chatMessage(role, name, content string, calls []memory.ToolCall, callID string) llm.ChatMessage {
	m := llm.ChatMessage{Role: role, Content: content, ToolCalls: calls, ToolCallID: callID}
	if role == memory.RoleOfTool {
		m.Name = name
	}
	return m
}

func windowTools(definitions []toolbox.Definition) []window.Tool {
	tools := make([]window.Tool, len(definitions))
	for i, d := range definitions {
		tools[i] = window.Tool{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
	}
	return tools
}

func chatTools(definitions []toolbox.Definition) []llm.ChatTool {
	tools := make([]llm.ChatTool, len(definitions))
	for i, d := range definitions {
		tools[i] = llm.ChatTool{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
	}
	return tools
}
