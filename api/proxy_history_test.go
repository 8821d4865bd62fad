package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reverie/api"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// counting is a model whose answers are numbered.
func counting(t *testing.T) *llmtest.Server {
	t.Helper()
	var mu sync.Mutex
	n := 0
	return llmtest.New(t, llmtest.Options{Respond: func(r llmtest.Request) llmtest.Turn {
		mu.Lock()
		defer mu.Unlock()
		n++
		return llmtest.Say(fmt.Sprintf("Answer %d.", n))
	}})
}

// chatting is a client that sends the whole history with every message.
type chatting struct {
	h        *harness
	messages []map[string]any
	header   []string
}

func (c *chatting) add(role, text string) {
	c.messages = append(c.messages, map[string]any{"role": role, "content": text})
}

// ask sends a message, and returns the answer and the conversation that the server names.
func (c *chatting) ask(text string) (answer, conversation string) {
	c.h.t.Helper()
	c.add("user", text)
	return c.again()
}

// again sends what there is, and keeps the answer.
func (c *chatting) again() (answer, conversation string) {
	c.h.t.Helper()
	now := map[string]any{"role": "system", "content": "It is " + time.Now().String()}
	sent := append([]map[string]any{now}, c.messages...)
	got, header := c.h.complete(map[string]any{"model": "ada", "user": "42", "messages": sent}, c.header...)
	c.add("assistant", got.text())
	return got.text(), header.Get("X-Reverie-Conversation")
}

// Only what is new is stored: history, retries, regenerated answers, edits and branches are recognised.
func TestCompletionHistory(t *testing.T) {
	h := start(t, withModel(t, counting(t)))
	h.agent("ada")
	c := &chatting{h: h}
	_, conversation := c.ask("First question?")
	want := []string{"user: First question?", "assistant: Answer 1."}
	step := func(name string, added ...string) {
		t.Helper()
		want = append(want, added...)
		if got := h.kept(conversation); !slices.Equal(got, want) {
			t.Fatalf("%s: kept\n%q, want\n%q", name, got, want)
		}
	}
	step("first")
	c.ask("Second question?")
	step("the history is known", "user: Second question?", "assistant: Answer 2.")

	c.messages = c.messages[:3]
	c.again()
	step("another answer to the same message", "assistant: Answer 3.")
	c.ask("Third question?")
	step("behind the other answer", "user: Third question?", "assistant: Answer 4.")

	c.messages[4]["content"] = "Third question, edited?"
	c.messages = c.messages[:5]
	c.again()
	step("an edited message", "user: Third question, edited?", "assistant: Answer 5.")

	c.messages = append(slices.Clone(c.messages[:2:2]), map[string]any{"role": "user", "content": "A branch?"})
	c.again()
	step("a branch from the first turn", "user: A branch?", "assistant: Answer 6.")

	// Clients change the form of what they send again.
	c.messages[1]["content"] = []any{map[string]any{"type": "text", "text": " Answer 1.\n"}}
	c.messages[2]["name"] = "Grace"
	c.ask("Fourth question?")
	step("other forms of the same", "user: Fourth question?", "assistant: Answer 7.")

	// A client that drops the oldest messages.
	for i := range 4 {
		c.messages = c.messages[max(0, len(c.messages)-3):]
		text := fmt.Sprintf("Window question %d?", i)
		if _, same := c.ask(text); same != conversation {
			t.Errorf("%d: %s", i, same)
		}
		step("the end of the history only", "user: "+text, fmt.Sprintf("assistant: Answer %d.", 8+i))
	}
	list := as[struct {
		Items []struct{ CompleteSeq, LastSeq int }
	}](h, h.want(h.get("/api/v1/agents/ada/conversations?endUserId=42"), 200))
	if len(list.Items) != 1 || list.Items[0].CompleteSeq != len(want) {
		t.Errorf("%+v", list)
	}
}

// Chats that begin with the same words are conversations of their own once they go on.
func TestCompletionsThatBeginAlike(t *testing.T) {
	var later atomic.Int64 // hours
	same := llmtest.New(t, llmtest.Options{Respond: func(r llmtest.Request) llmtest.Turn {
		return llmtest.Say(strings.Repeat("Hello! ", len(r.Messages)/2))
	}})
	h := start(t, withModel(t, same), func(o *api.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load()) * time.Hour) }
	})
	h.agent("ada")
	first, second, third := &chatting{h: h}, &chatting{h: h}, &chatting{h: h}
	_, one := first.ask("Hi")
	if _, again := (&chatting{h: h}).ask("Hi"); again != one {
		t.Errorf("a request that is sent again has the conversation %s, not %s", again, one)
	}
	first.ask("I have a boat.")
	_, two := second.ask("Hi")
	if two == one || !strings.HasPrefix(two, one+"-") {
		t.Errorf("%s, %s", one, two)
	}
	if _, again := (&chatting{h: h}).ask("Hi"); again != two {
		t.Errorf("the second begins again as %s, not %s", again, two)
	}
	second.ask("I have a car.")
	later.Add(2)
	_, three := third.ask("Hi")
	third.ask("I have a bike.")
	for _, c := range []struct {
		chat *chatting
		name string
		said string
	}{{first, one, "boat"}, {second, two, "car"}, {third, three, "bike"}} {
		if _, name := c.chat.ask("Where is it?"); name != c.name {
			t.Errorf("%s goes on as %s", c.name, name)
		}
		if kept := h.kept(c.name); len(kept) != 6 || !strings.Contains(kept[2], c.said) || kept[0] != "user: Hi" {
			t.Errorf("%s: %q", c.name, kept)
		}
	}
	later.Add(2)
	old := &chatting{h: h}
	_, four := old.ask("Good night")
	later.Add(2)
	if _, five := (&chatting{h: h}).ask("Good night"); five == four {
		t.Error("the same words hours later are the same conversation")
	}
	// A client that names its conversations decides.
	for range 2 {
		if _, named := (&chatting{h: h, header: []string{"X-Reverie-Conversation", "mine"}}).ask("Hi"); named != "mine" {
			t.Errorf("%s", named)
		}
	}
	h.wantKept("mine", "user: Hi", "assistant: Hello!")
}

// The same request, made many times at once, is stored once; only the answers differ.
func TestCompletionsAtOnce(t *testing.T) {
	h := start(t, withModel(t, counting(t)))
	h.agent("ada")
	history := exchange("One", "Two", "Three", "Four", "Five")
	var working sync.WaitGroup
	for range 10 {
		working.Go(func() {
			a := h.do(request{
				method: "POST", path: completionsPath, key: h.admin, body: map[string]any{"model": "ada", "user": "42", "messages": history},
			})
			if a.status != 200 {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	working.Wait()
	list := as[struct{ Items []struct{ ID string } }](h, h.want(h.get("/api/v1/agents/ada/conversations?endUserId=42"), 200))
	if len(list.Items) != 1 {
		t.Fatalf("%+v", list)
	}
	kept := h.kept(list.Items[0].ID)
	if want := []string{"user: One", "assistant: Two", "user: Three", "assistant: Four", "user: Five"}; len(kept) != 15 || !slices.Equal(kept[:5], want) {
		t.Errorf("%q", kept)
	}
}

// Tool calls and their results, images, and messages beyond the limits of the store are stored as far as they can be.
func TestCompletionMessages(t *testing.T) {
	h := start(t, withModel(t, llmtest.New(t, llmtest.Options{Respond: func(r llmtest.Request) llmtest.Turn {
		if len(r.Tools) > 0 && r.Messages[len(r.Messages)-1].Role != memory.RoleOfTool {
			return llmtest.Use(llmtest.Call("look", map[string]any{"at": "map"}), llmtest.Call("look", map[string]any{"at": "clock"}))
		}
		return llmtest.Say("<think>Hm.</think>Done.")
	}})))
	h.agent("ada")
	tools := []any{map[string]any{"type": "function", "function": map[string]any{"name": "look", "parameters": map[string]any{"type": "object"}}}}
	long := strings.Repeat("wide sea ", 50_000)
	messages := []any{
		map[string]any{"role": "developer", "content": "Be quick."},
		map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "text", "text": "Look:"},
			map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,AAAA"}},
		}},
	}
	ask := func() (completed, string) {
		got, header := h.complete(map[string]any{"model": "ada", "user": "42", "messages": messages, "tools": tools})
		return got, header.Get("X-Reverie-Conversation")
	}
	got, conversation := ask()
	calls := got.Choices[0].Message.ToolCalls
	if len(calls) != 2 || got.Choices[0].FinishReason != "tool_calls" {
		t.Fatalf("%+v", got)
	}
	if c, err := h.store.Conversation(t.Context(), memory.Identity{Workspace: workspace, Agent: "ada", Owner: "api:42", Role: memory.RoleMember},
		conversation); err != nil || c.Complete != 0 || c.Last != 2 {
		t.Errorf("a turn with open calls is complete: %+v %v", c, err)
	}
	call := func(id, arguments string) any {
		return map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "look", "arguments": arguments}}
	}
	messages = append(messages,
		map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call(calls[0].ID, `{"at": "map"}`), call(calls[1].ID, `{"at":"clock"}`)}},
		map[string]any{"role": "tool", "tool_call_id": calls[0].ID, "content": long},
		map[string]any{"role": "tool", "tool_call_id": calls[1].ID, "content": "12:30"})
	if got, again := ask(); again != conversation || got.text() != "<think>Hm.</think>Done." {
		t.Errorf("%s %+v", again, got)
	}
	kept := h.kept(conversation)
	if len(kept) != 5 || kept[0] != "user: Look:\n[image]" || !strings.HasSuffix(kept[2], fmt.Sprintf("[… %d bytes in all]", len(long))) ||
		kept[3] != "tool: 12:30" || kept[4] != "assistant: Done." {
		t.Errorf("%.200q", kept)
	}
	// Another image is another message.
	messages = messages[:2]
	messages[1].(map[string]any)["content"].([]any)[1].(map[string]any)["image_url"] = map[string]any{"url": "data:image/png;base64,BBBB"}
	if _, other := ask(); other == conversation {
		t.Error("another image is the same message")
	}
}

// A client that hangs up stops the model. Its message stays, and nothing of the answer.
func TestCompletionAborted(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{
		Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say(strings.Repeat("word ", 500)) }, Pace: 20 * time.Millisecond,
	})
	h := start(t, withModel(t, played))
	h.agent("ada")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	body := with(completionOf("ada", "42", "Tell me a story"), "stream", true)
	_, events, header := h.streamed(ctx, body)
	if len(events) == 0 || events[len(events)-1] == "[DONE]" {
		t.Errorf("%d events", len(events))
	}
	deadline := time.Now().Add(30 * time.Second)
	for played.Stats().InFlight > 0 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if n := played.Stats().InFlight; n > 0 {
		t.Errorf("%d calls go on", n)
	}
	h.wantKept(header.Get("X-Reverie-Conversation"), "user: Tell me a story")
}

// Servers that decline stream_options are asked without.
func TestCompletionWithoutStreamOptions(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{
		Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say("Yes.") }, Declines: []string{"stream_options"},
	})
	h := start(t, withModel(t, played))
	h.agent("ada")
	for i := range 2 {
		text, _, _ := h.streamed(t.Context(), with(completionOf("ada", "42", fmt.Sprintf("Is it %d o'clock?", i)), "stream", true))
		if text != "Yes." {
			t.Errorf("%q", text)
		}
	}
	if n := played.Count(); n != 3 {
		t.Errorf("%d calls", n)
	}
	used, err := h.store.SpentToday(t.Context(), memory.Identity{Workspace: workspace, Role: memory.RoleAdmin}, time.Now())
	if err != nil || used.Calls != 2 || used.InputTokens == 0 || used.OutputTokens == 0 {
		t.Errorf("not counted: %+v %v", used, err)
	}
}

// What one person's chats hold never reaches another's, whatever the requests name.
func TestCompletionsOfOwners(t *testing.T) {
	played := echoing(t, nil)
	h := start(t, withModel(t, played))
	h.agent("ada")
	h.agent("bob")
	secrets := map[string]string{}
	keys := map[string]string{}
	for _, owner := range []string{"41", "42", "43"} {
		secrets[owner] = "Heron" + owner
		keys[owner] = h.key("of "+owner, memory.RoleMember, "api:"+owner)
		h.want(h.put("MEMORY.md?owner=api:"+owner, "# Memory\n\n- The boat in the harbour is called "+secrets[owner]+"\n", nil), 201)
	}
	questions := []string{"What is the boat in the harbour called?", "Hi", "The name of the boat in the harbour, please."}
	for _, agent := range []string{"ada", "bob"} {
		for _, owner := range []string{"41", "42", "43"} {
			for _, named := range []string{"", owner, "42"} {
				for _, question := range questions {
					for _, header := range [][]string{nil, {"X-Reverie-Conversation", "shared", "X-Reverie-Include", "memory"}} {
						before := played.Count()
						r := request{method: "POST", path: completionsPath, key: keys[owner], body: completionOf(agent, named, question), header: map[string]string{}}
						for i := 0; i+1 < len(header); i += 2 {
							r.header[header[i]] = header[i+1]
						}
						a := h.do(r)
						allowed := named == "" || named == owner
						if allowed != (a.status == 200) || allowed != (played.Count() > before) {
							t.Errorf("%s as %q: %d", owner, named, a.status)
						}
						text := string(a.body)
						for _, sent := range played.Requests()[before:] {
							text += string(sent.Body)
						}
						for other, secret := range secrets {
							if other != owner && strings.Contains(text, secret) {
								t.Errorf("%s sees the memory of %s: %.300s", owner, other, text)
							}
						}
						if allowed && agent == "ada" && question != "Hi" && !strings.Contains(text, secrets[owner]) {
							t.Errorf("%s does not see own memory: %.300s", owner, text)
						}
						if allowed && agent == "bob" && strings.Contains(text, secrets[owner]) {
							t.Errorf("another agent has the memory of %s", owner)
						}
					}
				}
			}
		}
	}
}

// A stream that pauses shows signs of life, and ends when its key is revoked.
func TestCompletionStreamsLive(t *testing.T) {
	pause := 500 * time.Millisecond
	h := start(t, withModel(t, echoing(t, func(r llmtest.Request) llmtest.Reply {
		if strings.Contains(r.User, "forever") {
			return llmtest.StallMidStream(time.Minute)
		}
		return llmtest.StallMidStream(pause)
	})))
	h.agent("ada")
	h.api.Heartbeat = pause / 10
	ask := func(key, text string) string {
		return string(h.doPlain(request{
			method: "POST", path: completionsPath, key: key, body: with(completionOf("ada", "42", text), "stream", true),
		}).body)
	}
	if got := ask(h.admin, "Wait a moment"); !strings.Contains(got, ": still here\n\n") || !strings.HasSuffix(got, "data: [DONE]\n\n") {
		t.Errorf("%s", got)
	}
	key := h.key("brief", memory.RoleMember, "")
	ended := make(chan string, 1)
	go func() { ended <- ask(key, "Wait forever") }()
	deadline := time.Now().Add(20 * time.Second)
	for len(h.kept(h.latest())) != 1 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	h.want(h.do(request{method: "DELETE", path: "/api/v1/keys/" + h.keys["brief"].String(), key: h.admin}), 200)
	select {
	case got := <-ended:
		if strings.Contains(got, "[DONE]") {
			t.Errorf("%s", got)
		}
	case <-time.After(20 * time.Second):
		t.Error("the stream of a revoked key goes on")
	}
	h.wantKept(h.latest(), "user: Wait forever")
}

// latest returns the conversation of api:42 with the latest message.
func (h *harness) latest() string {
	h.t.Helper()
	list := as[struct{ Items []struct{ ID string } }](h, h.want(h.get("/api/v1/agents/ada/conversations?endUserId=42"), 200))
	return list.Items[0].ID
}
