package api_test

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"reverie/api"
	"reverie/devenv/devtest"
)

// An agent's schedule is made, follows its settings and goes, soon after the answers and without a worker.
func TestNightsFollowAgents(t *testing.T) {
	t.Parallel()
	c, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	h := start(t, func(o *api.Options) { o.Temporal = c })
	agent := "night-" + uuid.NewString()[:8]
	handle := c.ScheduleClient().GetHandle(t.Context(), "dream/"+workspace+"."+agent)
	until := func(want string) {
		t.Helper()
		var got string
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			description, err := handle.Describe(t.Context())
			var missing *serviceerror.NotFound
			switch {
			case errors.As(err, &missing):
				got = "none"
			case err != nil:
				t.Fatal(err)
			default:
				got, _, _ = strings.Cut(description.Schedule.Spec.Calendars[0].Comment, " [")
			}
			if got == want {
				return
			}
		}
		t.Fatalf("the schedule is %q, want %q", got, want)
	}
	patch := func(body string) {
		t.Helper()
		h.want(h.do(request{method: http.MethodPatch, path: "/api/v1/agents/" + agent, key: h.admin, body: body}), http.StatusOK)
	}
	h.want(
		h.do(
			request{
				method: http.MethodPost,
				path:   "/api/v1/agents",
				key:    h.admin,
				body:   map[string]any{"id": agent, "timeZone": "Europe/Berlin"},
			},
		),
		http.StatusCreated,
	)
	until("0 2 * * * in Europe/Berlin")
	patch(`{"settings":{"dreamCron":"15 3 * * 1-5"}}`)
	patch(`{"timeZone":"Asia/Tokyo"}`) // together
	until("15 3 * * 1-5 in Asia/Tokyo")
	patch(`{"settings":{"dreamingEnabled":false}}`)
	until("none")
	patch(`{"settings":{"dreamingEnabled":null,"dreamCron":null}}`)
	until("0 2 * * * in Asia/Tokyo")
	patch(`{"settings":{"memoryEnabled":false}}`)
	until("none")
}
