package proxy

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"reverie/api/fault"
	"reverie/api/proxy/completion"
	"reverie/api/rest"
	"reverie/llm"
	"reverie/llm/wire"
	"reverie/memory"
	"reverie/memory/tokencount"
)

// passed are the headers of an answer that clients read: those named, and those that begin with a name that ends with a dash.
var passed = []string{"Content-Type", "Retry-After", "Retry-After-Ms", retryHeader, "X-Ratelimit-", "Openai-"}

// forward passes the request on, and the answer back.
func (t *turn) forward(ctx context.Context, model llm.Forwarder) error {
	add := completion.Addition{Model: t.model, Instructions: t.added.Instructions, Block: t.added.Block}
	request := llm.ForwardRequest{Model: t.model, Body: t.request.With(add, true)}
	if t.request.Stream && !t.request.Usage {
		request.Plain = t.request.With(add, false)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answer, err := model.Forward(ctx, request)
	if answer != nil {
		defer func() { _ = answer.Body.Close() }()
	}
	if err := cmp.Or(t.kept(), err); err != nil {
		return err
	}
	w, beat := rest.StreamWriter(t.hc)
	header := w.Header()
	for name, values := range answer.Header {
		for _, known := range passed {
			if name == known || strings.HasSuffix(known, "-") && strings.HasPrefix(name, known) {
				header[name] = values
			}
		}
	}
	t.describe(header)
	f := &forwarding{turn: t, model: model, from: answer, w: w}
	switch {
	case answer.StatusCode >= http.StatusBadRequest:
		return f.refused()
	case strings.HasPrefix(answer.Header.Get("Content-Type"), rest.EventStream):
		return f.stream(ctx, cancel, beat)
	}
	return f.whole(ctx)
}

// forwarding is an answer on its way to the client.
type forwarding struct {
	*turn

	model llm.Forwarder
	from  *http.Response
	w     http.ResponseWriter
}

// refused passes an error on. That the provider refuses the server's own key is not an error of the client's key.
func (f *forwarding) refused() error {
	body, err := io.ReadAll(f.from.Body) // it is short and complete
	if err != nil {
		return err
	}
	if f.from.StatusCode == http.StatusUnauthorized {
		return &llm.Error{Kind: llm.Unauthorized, Status: f.from.StatusCode}
	}
	f.w.WriteHeader(f.from.StatusCode)
	if _, err := f.w.Write(body); err != nil {
		return fmt.Errorf("%w: %w", errBegun, err)
	}
	kind := llm.BadRequest
	switch {
	case f.from.StatusCode == http.StatusTooManyRequests:
		kind = llm.RateLimited
	case f.from.StatusCode >= http.StatusInternalServerError:
		kind = llm.Unavailable
	}
	return fmt.Errorf("%w: %w", errBegun, &llm.Error{Kind: kind, Status: f.from.StatusCode})
}

// whole passes an answer in one piece on.
func (f *forwarding) whole(ctx context.Context) error {
	body, err := io.ReadAll(io.LimitReader(f.from.Body, wire.MaxForwarded+1))
	if err == nil && len(body) > wire.MaxForwarded {
		err = fmt.Errorf("it is longer than %d MiB", wire.MaxForwarded>>20)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return brokenOff(err)
	}
	answer, whole := wire.ReadForwarded(f.from.Header, body)
	if !whole && !json.Valid(body) {
		return f.noModel(ctx)
	}
	extract := f.took(ctx, answer, whole)
	if !whole {
		body = f.model.Redact(body)
	}
	if f.include {
		body = completion.Added(body, includeField, f.view())
	}
	f.w.WriteHeader(f.from.StatusCode)
	if _, err := f.w.Write(body); err != nil {
		return fmt.Errorf("%w: %w", errBegun, err)
	}
	extract()
	return nil
}

// noModel returns the error of a success that is no JSON, such as a page of a proxy, which clients cannot read.
func (f *forwarding) noModel(ctx context.Context) error {
	f.Log.WarnContext(ctx, "What answers at the model's address is no model: its answer is no JSON", "status", f.from.StatusCode,
		"type", f.from.Header.Get("Content-Type"), "request", rest.RequestID(ctx))
	return fault.New(fault.ModelFailed, "What answers at the model's address is no model (its answer is no JSON): an administrator checks "+
		"REVERIE_LLM_BASE_URL and proxies before it")
}

// took stores an answer and what it cost. Of an answer that is not whole, nothing is stored.
func (f *forwarding) took(ctx context.Context, a wire.Answer, whole bool) (extract func()) {
	if a.InputTokens == 0 && a.OutputTokens == 0 { // so that budgets hold where tokens are not counted
		a.InputTokens = f.added.Tokens
		for _, m := range f.request.Messages {
			a.InputTokens += memory.MessageTokens(m.Content, m.ToolCalls, tokencount.Estimate)
		}
		a.OutputTokens = memory.MessageTokens(a.Text, a.Calls, tokencount.Estimate)
	}
	model, used := f.model.Spent(cmp.Or(a.Model, f.turn.model), a.InputTokens, a.OutputTokens)
	said := memory.Message{Content: a.Text, ToolCalls: a.Calls, FinishReason: a.Finish}
	if !whole {
		said = memory.Message{}
	}
	return f.ended(ctx, said, model, used)
}

// brokenOff returns the error of an answer that did not arrive.
func brokenOff(err error) *llm.Error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errors.New("the connection was closed before the answer was complete")
	}
	return &llm.Error{Kind: llm.Unavailable, Message: err.Error()}
}

// maxPending bounds what is held back to be written at once, in bytes.
const maxPending = 32 << 10

// streaming is a stream on its way to the client, line by line.
type streaming struct {
	*forwarding

	said    wire.Transcript
	lines   *bufio.Reader
	pending bytes.Buffer // whole lines that are not written yet
	skipped bool         // the last event was left out: so is the empty line after it
	told    bool         // what memory added is in the stream
	ended   bool         // the event that ends a stream has come

	writing sync.Mutex
}

// stream passes events on as they arrive. The turn is stored before the event that ends the stream, so that the next request finds it.
func (f *forwarding) stream(ctx context.Context, cancel func(), beat func() error) error {
	f.w.Header().Set("X-Accel-Buffering", "no") // proxies pass it on at once
	f.w.WriteHeader(f.from.StatusCode)
	s := &streaming{forwarding: f, lines: bufio.NewReader(io.LimitReader(f.from.Body, wire.MaxForwarded)), told: !f.include}
	var alive sync.WaitGroup
	alive.Go(func() { s.keepAlive(ctx, cancel, beat) })
	defer alive.Wait()
	defer cancel()
	failed := s.pass(ctx)
	answer, whole := s.said.Answer()
	if !whole && failed == nil {
		failed = brokenOff(io.ErrUnexpectedEOF)
	}
	extract := f.took(ctx, answer, whole)
	switch {
	case whole && s.flush() == nil:
		extract()
		return nil
	case ctx.Err() == nil && !s.ended && !s.said.Failed():
		s.pending.WriteByte('\n')
		s.pending.Write(completion.Event(wireFault(s.Problem(ctx, failed))))
	}
	return fmt.Errorf("%w: %w", errBegun, errors.Join(failed, s.flush()))
}

// pass passes lines on until the stream ends. What is then pending belongs to its end.
func (s *streaming) pass(ctx context.Context) error {
	for {
		line, err := s.lines.ReadBytes('\n')
		if len(line) > 0 {
			s.take(line)
		}
		switch {
		case s.ended, errors.Is(err, io.EOF):
			return nil
		case err != nil:
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return brokenOff(err)
		case s.lines.Buffered() == 0 || s.pending.Len() > maxPending:
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
}

// take takes one line.
func (s *streaming) take(line []byte) {
	data, is := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:"))
	if !is {
		if s.skipped && len(bytes.TrimSpace(line)) == 0 {
			s.skipped = false
			return
		}
		s.pending.Write(line)
		return
	}
	data = bytes.TrimSpace(data)
	failed := s.said.Failed()
	counts := s.said.Take(data)
	switch {
	case s.said.Failed() && !failed:
		line = append(append([]byte("data: "), s.model.Redact(data)...), '\n')
	case wire.Ended(data):
		s.ended = true
		s.pending.WriteString(completion.End)
		return
	case counts && !s.request.Usage:
		s.skipped = true
		return
	case !s.told:
		s.told = true
		line = append(append([]byte("data: "), completion.Added(data, includeField, s.view())...), '\n')
	}
	s.pending.Write(line)
}

// flush writes what is pending.
func (s *streaming) flush() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.pending.Len() == 0 {
		return nil
	}
	defer s.pending.Reset()
	if _, err := s.w.Write(s.pending.Bytes()); err != nil {
		return err
	}
	return http.NewResponseController(s.w).Flush()
}

// keepAlive writes a comment now and then, so that nobody in between takes the connection for dead, and ends the request of a client that has
// hung up, or whose key is revoked.
func (s *streaming) keepAlive(ctx context.Context, cancel func(), beat func() error) {
	tick, check := time.NewTicker(s.Heartbeat), time.NewTicker(rest.KeyCheck)
	defer tick.Stop()
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-check.C:
			if s.Revoked(s.hc) {
				cancel()
				return
			}
			continue
		case <-tick.C:
		}
		s.writing.Lock()
		err := beat()
		s.writing.Unlock()
		if err != nil {
			cancel()
			return
		}
	}
}
