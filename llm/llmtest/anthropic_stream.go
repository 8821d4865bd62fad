package llmtest

import "maps"

// events are those of an answer: its begin with the counts of the input, each block with its parts, the reason of the end with
// the counts of the output, and the end.
func (anthropic) events(r Request, t Turn, end End, output int) []event {
	var out []event
	add := func(kind string, fields map[string]any) {
		fields["type"] = kind
		out = append(out, event{name: kind, data: fields})
	}
	begin := envelope(r, []any{}, t, 1)
	begin["stop_reason"] = nil
	add("message_start", map[string]any{"message": begin})
	add("ping", map[string]any{})
	block := 0
	say := func(begin, delta map[string]any, part, whole string) {
		add("content_block_start", map[string]any{"index": block, "content_block": begin})
		for _, piece := range pieces(whole) {
			delta := maps.Clone(delta)
			delta[part] = piece
			add("content_block_delta", map[string]any{"index": block, "delta": delta})
		}
		add("content_block_stop", map[string]any{"index": block})
		block++
	}
	if t.Text != "" {
		say(map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta"}, "text", t.Text)
	}
	for _, c := range t.Calls {
		say(map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}},
			map[string]any{"type": "input_json_delta"}, "partial_json", c.Arguments)
	}
	add("message_delta", map[string]any{"delta": map[string]any{"stop_reason": anthropicStop(t, end), "stop_sequence": nil}, "usage": map[string]any{"output_tokens": output}})
	add("message_stop", map[string]any{})
	return out
}

func (anthropic) broken(p problem) event {
	_, _, body := anthropic{}.fault(p)
	return event{name: "error", data: body}
}
