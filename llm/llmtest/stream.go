package llmtest

import (
	"encoding/json"
	"net/http"
	"time"
)

// event is one server-sent event.
type event struct {
	name string // "": the protocol does not name its events
	data any    // JSON, or a string that is sent unchanged
}

// streamProtocol is a protocol whose answers can be streamed.
type streamProtocol interface {
	protocol
	// events returns the events of a successful answer.
	events(r Request, t Turn, end End, output int) []event
	// broken returns the event of an error in the middle.
	broken(p problem) event
}

// stream sends an answer event by event, with the reply's disturbance in the middle.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, p streamProtocol, request Request, turn Turn, reply Reply) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	events := p.events(request, turn, reply.End, reply.outputTokens)
	out := http.NewResponseController(w)
	for i, e := range events {
		if i == len(events)/2 && !s.disturb(w, r, p, reply) {
			return
		}
		if i > 0 && !s.wait(r.Context(), max(s.options.Pace, reply.Pace)) {
			panic(http.ErrAbortHandler)
		}
		if writeEvent(w, e) != nil || out.Flush() != nil {
			return // the client has gone away
		}
	}
}

// disturb applies a reply's disturbance of a stream, and reports whether the stream continues.
func (s *Server) disturb(w http.ResponseWriter, r *http.Request, p streamProtocol, reply Reply) bool {
	flush := func() { _ = http.NewResponseController(w).Flush() }
	switch {
	case reply.HangUp == MidBody:
		flush()
		panic(http.ErrAbortHandler)
	case reply.Stall > 0:
		flush()
		if !s.wait(r.Context(), reply.Stall) {
			panic(http.ErrAbortHandler)
		}
	case reply.Garbage != "":
		_, _ = w.Write([]byte(reply.Garbage))
	case reply.broken != nil:
		_ = writeEvent(w, p.broken(*reply.broken))
		return false
	case reply.Ends:
		return false
	}
	return true
}

func writeEvent(w http.ResponseWriter, e event) error {
	line, ok := e.data.(string)
	if !ok {
		b, err := json.Marshal(e.data)
		if err != nil {
			return err
		}
		line = string(b)
	}
	line = "data: " + line
	if e.name != "" {
		line = "event: " + e.name + "\n" + line
	}
	_, err := w.Write([]byte(line + "\n\n"))
	return err
}

// Paced returns a valid answer with a pause before each event except the first.
func Paced(pause time.Duration) Reply { return Reply{Name: "paced", Pace: pause} }

// StallMidStream pauses in the middle of a streamed answer.
func StallMidStream(d time.Duration) Reply { return Reply{Name: "stall mid-stream", Stall: d} }

// GarbageMidStream puts an event that is not JSON into the middle of a streamed answer.
func GarbageMidStream() Reply {
	return Reply{Name: "garbage mid-stream", Garbage: "data: {\"choices\":[{\"delta\":{\"con\n\n"}
}

// ErrorMidStream ends a streamed answer in the middle with an error as the provider reports it.
func ErrorMidStream(status int) Reply {
	return Reply{Name: "error mid-stream", broken: &problem{status: status}}
}

// EndMidStream ends a streamed answer in the middle, without an error.
func EndMidStream() Reply { return Reply{Name: "end mid-stream", Ends: true} }
