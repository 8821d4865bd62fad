package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// drainFor bounds the wait for answers after the input has ended.
const drainFor = 2 * time.Minute

// listening is the method of requests that are answered when somebody ends them.
const listening = "subscriptions/listen"

// drain holds back the end of the input until every request that was read has an answer: programs that write requests and close their end
// of a pipe get all answers. It answers lines that are not messages itself, since the SDK ends the session at the first one.
type drain struct {
	in   *bufio.Reader
	from io.Closer
	out  io.Writer // of answers
	line []byte    // that is being read

	mu      sync.Mutex
	pending map[string]bool // requests without an answer, by their ids as JSON
	none    chan struct{}   // closed when the input has ended and nothing is pending
	ended   bool
	closing chan struct{}
	once    sync.Once
}

func newDrain(in io.ReadCloser) *drain {
	return &drain{
		in: bufio.NewReader(in), from: in, pending: map[string]bool{}, none: make(chan struct{}), closing: make(chan struct{}),
	}
}

// message holds the fields of a message by which requests differ from answers.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// Read reads messages, and after the last one waits for the answers.
func (d *drain) Read(p []byte) (int, error) {
	for len(d.line) == 0 {
		line, err := d.in.ReadBytes('\n')
		if len(line) == 0 {
			if errors.Is(err, io.EOF) {
				d.wait()
			}
			return 0, err
		}
		if refusal := refusalOfLine(line); refusal != nil {
			if _, err := d.out.Write(refusal); err != nil {
				return 0, err
			}
			continue
		}
		d.line = line
		d.note(line)
	}
	n := copy(p, d.line)
	d.line = d.line[n:]
	return n, nil
}

// refusalOfLine returns the answer to a line that is not a message; nil if it is one. The SDK judges batches, which some versions of the
// protocol have, and skips blank lines.
func refusalOfLine(line []byte) []byte {
	line = bytes.TrimSpace(line)
	code, problem := jsonrpc.CodeParseError, "this line is not JSON: send one message on each line"
	if json.Valid(line) {
		if _, err := jsonrpc.DecodeMessage(line); err == nil || line[0] == '[' {
			return nil
		}
		code, problem = jsonrpc.CodeInvalidRequest, "this line is not a JSON-RPC 2.0 message"
	} else if len(line) == 0 {
		return nil
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, problem)
}

// note records a request as pending. One that is cancelled need not be answered.
func (d *drain) note(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil { // the session says what is wrong with it
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case m.Method == "notifications/cancelled":
		delete(d.pending, idOf(m.Params.RequestID))
	case len(m.ID) > 0 && m.Method != "" && m.Method != listening:
		d.pending[idOf(m.ID)] = true
	}
}

// idOf returns an id without the spaces that JSON allows.
func idOf(raw json.RawMessage) string { return string(bytes.TrimSpace(raw)) }

// answered records an answer.
func (d *drain) answered(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil || m.Method != "" || len(m.ID) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.pending, idOf(m.ID))
	d.signal()
}

// signal ends the wait when nothing is pending. The caller holds the lock.
func (d *drain) signal() {
	if d.ended && len(d.pending) == 0 {
		d.once.Do(func() { close(d.none) })
	}
}

func (d *drain) wait() {
	d.mu.Lock()
	d.ended = true
	d.signal()
	d.mu.Unlock()
	timer := time.NewTimer(drainFor)
	defer timer.Stop()
	select {
	case <-d.none:
	case <-d.closing:
	case <-timer.C:
	}
}

// Close ends the input.
func (d *drain) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.closing:
	default:
		close(d.closing)
	}
	return d.from.Close()
}

// noting passes answers on and records them, each a line in one write.
type noting struct {
	io.WriteCloser

	drain *drain
	mu    sync.Mutex // the session and the drain write answers
}

// Write writes an answer. When they are no longer read, the wait for others ends.
func (n *noting) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	written, err := n.WriteCloser.Write(p)
	if err != nil {
		_ = n.drain.Close()
		return written, err
	}
	n.drain.answered(p)
	return written, nil
}
