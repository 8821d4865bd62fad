package api_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	temporallog "go.temporal.io/sdk/log"

	"reverie/activities"
	"reverie/api"
	"reverie/devenv/devtest"
	"reverie/llm"
	"reverie/llm/extractive"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/worker"
)

// observed is a server and a worker in one, with everything of them written down that an operator can see.
type observed struct {
	*harness
	temporal client.Client
	spans    *tracetest.SpanRecorder
}

func startObserved(t *testing.T, played *llmtest.Server) observed {
	t.Helper()
	o := observed{spans: tracetest.NewSpanRecorder()}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(o.spans))
	model, err := llm.Open(llm.Config{
		Provider: "openai-compatible", Model: "test", BaseURL: played.URL + "/v1", Timeout: 20 * time.Second, Tracers: tracers,
	})
	if err != nil {
		t.Fatal(err)
	}
	log := &logBuffer{}
	logger := slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.temporal, err = client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: temporallog.NewStructuredLogger(logger)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.temporal.Close)
	timing := setting.Timing{Quiet: time.Hour, Cooldown: time.Hour}
	o.harness = start(t, func(s *api.Options) {
		s.Temporal, s.Timing, s.Log, s.Tracers = o.temporal, timing, logger, tracers
		s.Chat.Model, s.Chat.MaxTokens, s.Chat.Settings = model, 500, setting.DefaultWindowSettings()
		s.Chat.Settings.MaxTokens, s.Chat.Settings.Paid = 6000, true
		s.Chat.Settings.FlushDeadline, s.Chat.Settings.SummaryDeadline = 2*time.Second, 2*time.Second
	})
	o.log = log
	prompted := activities.Prompted{Model: model, MaxTokens: 1000}
	steps, err := activities.New(activities.Options{
		Store: o.store, Proposer: prompted, Paid: true, Flusher: prompted, Summariser: prompted, Rules: extractive.New(),
		Defaults: setting.DefaultExtractSettings(), Timing: timing, Now: time.Now, Log: logger, DreamDefaults: setting.DefaultDreamSettings(),
	})
	if err != nil {
		t.Fatal(err)
	}
	w := worker.New(o.temporal, steps, worker.Options{ModelConcurrency: 2, SweepInterval: time.Hour, Log: logger})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return o
}

// histories returns all events of workflows, in words.
func (o observed) histories(ids ...string) (all []string) {
	o.t.Helper()
	for _, id := range ids {
		for events := o.temporal.GetWorkflowHistory(o.t.Context(), id, "", false,
			enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
			event, err := events.Next()
			if err != nil {
				o.t.Fatal(err)
			}
			all = append(all, event.String())
		}
	}
	return all
}

// Words that are said, noted, summarised, remembered, forgotten, searched for, written by tools or said by a model are in no log at
// any level, no trace and no history of a workflow; also when a model fails and repeats them.
func TestContentsAreSeenByNoOperator(t *testing.T) {
	const marker = "quokkatastic"
	fails := false
	played := llmtest.New(t, llmtest.Options{
		Script: func(r llmtest.Request) llmtest.Reply {
			if fails {
				return llmtest.StatusWith(500, "cannot say "+r.User)
			}
			return llmtest.Honest()
		},
		Answer: func(prompt string) string {
			if strings.Contains(prompt, "Answer with the new summary.") {
				return "Goal: the " + marker + " shelf.\nDone: nothing."
			}
			return fmt.Sprintf(
				`{"should_update":true,"reason":"a %s one","daily_entry":"## 10:00 Shelf\n\n- The shelf is %s."}`,
				marker,
				marker,
			)
		},
		Respond: func(r llmtest.Request) llmtest.Turn {
			if last := r.Messages[len(r.Messages)-1]; last.Role == memory.RoleOfTool {
				return llmtest.Say("It is " + marker + ".")
			}
			return llmtest.Use(
				llmtest.Call("memory_search", map[string]any{"query": marker + " shelf"}),
				llmtest.Call(
					"write_workspace_memory_file",
					map[string]any{"filename": "notes/shelf.md", "content": "The shelf is " + marker},
				),
				llmtest.Call("remember", map[string]any{"text": "The shelf is " + marker + "."}),
				llmtest.Call("read_workspace_memory_file", map[string]any{"filename": marker}),
			)
		},
	})
	o := startObserved(t, played)
	o.agent("ada")
	var messages []map[string]any
	for i := range 60 {
		messages = append(
			messages,
			map[string]any{
				"id":      fmt.Sprint("u", i),
				"role":    "user",
				"content": strings.Repeat(fmt.Sprintf("My shelf number %d is %s. ", i, marker), 6),
			},
			map[string]any{"id": fmt.Sprint("a", i), "role": "assistant", "content": "The " + marker + " one is noted."},
		)
	}
	o.want(o.post("c1", map[string]any{"endUserId": "42", "messages": messages}), 202)
	if got := o.assemble(map[string]any{
		"endUserId": "42", "conversation": "c1", "message": "Which shelf is " + marker + "?",
	}); got.Summary == nil {
		t.Fatalf("%+v", got.madeContext)
	}
	answered := as[turn](o.harness, o.want(o.postTo(o.admin, chatPath, asks("c1", "m1", "Which shelf is "+marker+"?")), 200))
	if len(answered.ToolCalls) != 4 || !strings.Contains(answered.Answer, marker) {
		t.Fatalf("%+v", answered)
	}
	events, _ := o.listen(t.Context(), asks("c1", "m2", "And why is it "+marker+"?"))
	heard(t, events)
	o.want(o.postTo(o.admin, chatPath, asks("c1", "m3", "Remember that my door is "+marker+".")), 200)
	o.want(o.postTo(o.admin, rememberPath, map[string]any{"endUserId": "42", "text": "My lamp is " + marker + "."}), 200)
	o.want(
		o.postTo(
			o.admin,
			forgetPath,
			map[string]any{"endUserId": "42", "path": "MEMORY.md", "startLine": 1, "endLine": 1000, "shown": "My lamp is " + marker + "."},
		),
		200,
	)
	fails = true
	o.postTo(o.admin, chatPath, asks("c1", "m4", "Is it "+marker+" still?"))
	events, _ = o.listen(t.Context(), asks("c1", "m5", "Is it "+marker+" at all?"))
	heard(t, events)
	o.want(o.post("c2", map[string]any{"endUserId": "42", "messages": messages}), 202) // a flush and a summary that a model fails to make
	o.want(o.postTo(o.admin, "/api/v1/agents/ada/conversations/c2/compact?endUserId=42", nil), 200)

	var workflows []string
	for _, c := range []string{"c1", "c2"} {
		path := "/api/v1/agents/ada/conversations/" + c
		for _, f := range as[struct{ Items []flush }](o.harness, o.want(o.get(path+"/flushes?endUserId=42"), 200)).Items {
			workflows = append(workflows, f.WorkflowID)
		}
		for _, made := range as[struct{ Items []compaction }](o.harness, o.want(o.get(path+"/compactions?endUserId=42"), 200)).Items {
			if c == "c1" && !strings.Contains(made.Summary, marker) {
				t.Errorf("the summary is %q", made.Summary)
			}
			workflows = append(workflows, made.WorkflowID)
		}
	}
	slices.Sort(workflows)
	histories := o.histories(slices.Compact(workflows)...)
	for _, event := range histories {
		if strings.Contains(event, marker) {
			t.Errorf("a history says %.400s", event)
		}
	}
	spans := o.spans.Ended()
	for _, span := range spans {
		if text := fmt.Sprint(span.Name(), span.Attributes(), span.Events(), span.Status()); strings.Contains(text, marker) {
			t.Errorf("a trace says %.400s", text)
		}
	}
	lines := strings.Split(o.log.String(), "\n")
	for _, line := range lines {
		if strings.Contains(line, marker) {
			t.Errorf("the log says %.400s", line)
		}
	}
	t.Logf("%d lines of the log, %d spans, %d events of %d workflows", len(lines), len(spans), len(histories), len(workflows))
	if len(lines) < 20 || len(spans) < 10 || len(histories) < 20 {
		t.Error("hardly anything was observed")
	}
}
