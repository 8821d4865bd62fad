package e2e

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"reverie/test/deployment"
)

// traceCollector receives spans as an OTLP backend does.
type traceCollector struct {
	*httptest.Server
	mu     sync.Mutex
	traces map[string]map[string]bool // names of spans, and the services they came from, by trace
	raw    []byte                     // everything that was received
}

func newTraceCollector(t *testing.T) *traceCollector {
	t.Helper()
	c := &traceCollector{traces: map[string]map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read spans: %v", err)
			return
		}
		var request collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &request); err != nil {
			t.Errorf("decode spans: %v", err)
			return
		}
		c.take(&request, body)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *traceCollector) take(request *collector.ExportTraceServiceRequest, raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, raw...)
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				trace := string(span.GetTraceId())
				if c.traces[trace] == nil {
					c.traces[trace] = map[string]bool{}
				}
				c.traces[trace][span.GetName()] = true
			}
		}
	}
}

// whole reports whether one trace has a span for each of the given beginnings of names.
func (c *traceCollector) whole(beginnings ...string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, names := range c.traces {
		found := 0
		for _, beginning := range beginnings {
			for name := range names {
				if strings.HasPrefix(name, beginning) {
					found++
					break
				}
			}
		}
		if found == len(beginnings) {
			return true
		}
	}
	return false
}

func (c *traceCollector) has(word string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Contains(string(c.raw), word)
}

func TestOneTraceLeadsFromTheRequestToTheStatement(t *testing.T) {
	ctx := t.Context()
	traces := newTraceCollector(t)
	metrics, err := deployment.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{
		"REVERIE_OTLP_ENDPOINT=" + traces.URL, "REVERIE_WORKER_METRICS_ADDR=" + metrics,
		"REVERIE_ENCRYPTION_KEYS=k1:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))),
	}})
	post(ctx, t, s, "traced", chat("42", 1, "Hi, I am Grace and I work as a nurse in Hamburg.",
		"Please remember that I am allergic to peanuts."))
	until(t, "an extraction", func() bool {
		found := outcomes(ctx, t, s, "42", "traced")
		return len(found) == 1 && found[0].Outcome == "written"
	})
	until(t, "a whole trace", func() bool {
		return traces.whole("POST /api/v1/agents/:agent/conversations/:conversation/messages", "SignalWithStartWorkflow:Inbox",
			"RunWorkflow:Inbox", "RunWorkflow:Extract", "RunActivity:Propose", "RunActivity:Apply", "INSERT", "COMMIT")
	})
	if traces.has("peanuts") || traces.has("Hamburg") {
		t.Error("the traces hold what was said")
	}
	t.Run("the worker counts outcomes", func(t *testing.T) {
		answer, err := get(ctx, "http://"+metrics+"/metrics")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`reverie_extractions_total{outcome="written"`, "temporal_workflow_completed",
			"temporal_activity_execution_latency",
		} {
			if !strings.Contains(answer, want) {
				t.Errorf("the metrics lack %s", want)
			}
		}
	})
	t.Run("with a key, histories cannot be read", func(t *testing.T) {
		if found := s.HistoriesMention(ctx, t, "maxTranscript", "reasonCode"); len(found) > 0 {
			t.Errorf("these histories are in clear: %v", found)
		}
	})
}

func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}
