package talk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/chat"
	"reverie/memory"
)

func (s *Handlers) chatStreamRoutes(doc string) {
	rest.Register(s.Server, rest.Route{
		ID: "chat-stream", Method: http.MethodPost, Path: chatPath + "/stream", Produces: rest.EventStream, Tag: "chat", Need: memory.RoleMember,
		Act: rest.Changes, Summary: "Answer a message as a stream",
		Body: maxContextBody, Timeout: streamTime,
		Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadGateway},
		Doc: doc + " Server-sent events: context (what the model is sent, without the messages), text (a part of the answer, in order), reset " +
			"(the text so far is void), tool_call, tool_result, and at the end done (as POST /api/v1/chat answers) or error (as any error). What " +
			"fails before the first event is an ordinary error answer. When the client hangs up, the model is stopped, nothing of an answer is " +
			"stored, and the message stays.",
	}, s.chatStream)
}

// Names of the events of a turn.
const (
	eventContext    = "context"
	eventText       = "text"
	eventReset      = "reset"
	eventToolCall   = "tool_call"
	eventToolResult = "tool_result"
	eventDone       = "done"
	eventError      = "error"
)

// textPart is the data of a text event.
type textPart struct {
	Text string `json:"text"`
}

func (s *Handlers) chatStream(ctx context.Context, in *chatInput) (*rest.Streamed, error) {
	a, err := s.asked(ctx, in)
	if err != nil {
		return nil, err
	}
	release, err := s.TakeTurn()
	if err != nil {
		return nil, err
	}
	return &rest.Streamed{Body: func(hc huma.Context) {
		defer release()
		s.stream(hc, a)
	}}, nil
}

// stream makes a turn and writes its events as they happen.
func (s *Handlers) stream(hc huma.Context, a asked) {
	ctx, cancel := context.WithCancel(hc.Context())
	out := &eventWriter{hc: hc}
	silent := make(chan struct{})
	go func() {
		defer close(silent)
		s.keepAlive(ctx, cancel, out)
	}()
	stop := func() { cancel(); <-silent }
	defer stop() // also when the turn panics
	turn, err := s.turns.Turn(ctx, a.id, a.agent, a.request, out.emit)
	stop()
	s.endStream(hc.Context(), out, turn, err)
}

// keepAlive writes something now and then, so that nobody in between takes the connection for dead, and ends the turn of a client
// that has hung up.
func (s *Handlers) keepAlive(ctx context.Context, cancel func(), out *eventWriter) {
	beat := time.NewTicker(s.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
			if err := out.write(": still here\n\n"); err != nil {
				cancel()
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// endStream sends the end of a turn. A failure before the first event is an ordinary error.
func (s *Handlers) endStream(ctx context.Context, out *eventWriter, turn chat.Turn, failed error) {
	var err error
	switch {
	case failed == nil:
		err = out.event(eventDone, viewTurn(turn))
	case !out.begun:
		s.Refuse(out.hc, failed)
	default:
		p, is := errors.AsType[*fault.Problem](s.Explain(ctx, failed))
		if !is {
			p = fault.New(fault.Internal, "Internal error")
		}
		err = out.event(eventError, p)
	}
	if err != nil {
		s.Log.DebugContext(ctx, "The client did not take the end of a turn", "error", err, "request", rest.RequestID(ctx))
	}
}

// eventWriter writes server-sent events. The answer begins with the first one.
type eventWriter struct {
	hc huma.Context

	mu    sync.Mutex
	begun bool
	w     http.ResponseWriter
	out   *http.ResponseController
}

// emit writes one event of a turn.
func (e *eventWriter) emit(event chat.Event) error {
	switch {
	case event.Context != nil:
		return e.event(eventContext, viewMade(*event.Context))
	case event.Reset:
		return e.event(eventReset, struct{}{})
	case event.Call != nil:
		return e.event(eventToolCall, rest.ToolCallView(*event.Call))
	case event.Result != nil:
		return e.event(eventToolResult, viewToolUse(*event.Result))
	}
	return e.event(eventText, textPart{event.Text})
}

func (e *eventWriter) event(name string, data any) error {
	encoded, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return e.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, encoded))
}

// write sends a text at once.
func (e *eventWriter) write(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.begun {
		_, e.w = humago.Unwrap(e.hc)
		e.out = http.NewResponseController(e.w)
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.w.Header().Set("X-Accel-Buffering", "no") // proxies pass events on at once
		e.w.WriteHeader(http.StatusOK)
		e.begun = true
	}
	if err := e.out.SetWriteDeadline(time.Now().Add(rest.FollowWrite)); err != nil {
		return err
	}
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.out.Flush()
}
