package rest

import (
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/labstack/echo/v4"
)

const (
	// MaxFollowers is how many requests may follow dreams at once on one server: each holds a connection.
	MaxFollowers = 256
	// FollowTime is how long one request follows at most: a client comes back with Last-Event-ID.
	FollowTime = time.Hour
	// followPause is how often is looked for changes, once for all who follow the same.
	followPause = time.Second
	// heartbeat is how often something is written when nothing happens, so that nobody in between takes the connection for dead.
	heartbeat = 15 * time.Second
	// FollowWrite is how long a client may take to receive what is written.
	FollowWrite = 30 * time.Second
	// ReconnectAfter is how long a client waits before it comes back.
	ReconnectAfter = 2 * time.Second
)

// Media types of answers that are written bit by bit.
const (
	LinesOfJSON = "application/x-ndjson"
	EventStream = "text/event-stream"
)

// Streamed is an answer that is written bit by bit.
type Streamed struct {
	Body func(huma.Context)
}

// OpenStream begins an answer that is written bit by bit.
func OpenStream(hc huma.Context, contentType string) (write func(text string) error) {
	_, w := humago.Unwrap(hc)
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Accel-Buffering", "no") // proxies pass it on at once
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	return func(text string) error {
		if err := out.SetWriteDeadline(time.Now().Add(FollowWrite)); err != nil {
			return err
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
		return out.Flush()
	}
}

// eventsAsLines takes who asks for events as lines of JSON to the download.
func eventsAsLines(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		agent, isAgent := strings.CutPrefix(r.URL.Path, "/api/v1/agents/")
		_, rest, _ := strings.Cut(agent, "/")
		if isAgent && rest == "events" && r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), LinesOfJSON) {
			r.URL.Path += ".jsonl"
			if r.URL.RawPath != "" {
				r.URL.RawPath += ".jsonl"
			}
		}
		return next(c)
	}
}
