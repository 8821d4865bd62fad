package llmtest

// events are the chunks of an answer: the role, the text token by token, each call with its name and then its arguments in
// pieces, the reason of the end, the counts where they are asked for, and the end.
func (openAI) events(r Request, t Turn, end End, output int) []event {
	chunk := func(delta map[string]any, finish any) event {
		return event{data: map[string]any{
			"id": "chatcmpl-" + itoa(r.Number), "object": "chat.completion.chunk", "created": r.At.Unix(), "model": r.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}},
			"usage":   nil,
		}}
	}
	out := []event{chunk(map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil)}
	said := "content"
	if end == Declined {
		said = "refusal"
	}
	for _, piece := range pieces(t.Text) {
		out = append(out, chunk(map[string]any{said: piece}, nil))
	}
	for i, c := range t.Calls {
		call := func(part map[string]any) {
			part["index"] = i
			out = append(out, chunk(map[string]any{"tool_calls": []any{part}}, nil))
		}
		call(map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}})
		for _, piece := range pieces(c.Arguments) {
			call(map[string]any{"function": map[string]any{"arguments": piece}})
		}
	}
	out = append(out, chunk(map[string]any{}, openAIFinish(t, end)))
	if r.usage {
		out = append(out, event{data: map[string]any{
			"id": "chatcmpl-" + itoa(r.Number), "object": "chat.completion.chunk", "created": r.At.Unix(), "model": r.Model,
			"choices": []any{}, "usage": openAIUsage(r, t, output),
		}})
	}
	return append(out, event{data: "[DONE]"})
}

func (openAI) broken(p problem) event {
	_, _, body := openAI{}.fault(p)
	return event{data: body}
}
