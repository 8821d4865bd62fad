package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// MaxForwarded bounds an answer that is passed on, in bytes.
const MaxForwarded = maxStreamBytes

// Forwarder passes requests of OpenAI's chat-completions protocol on to one server as they are.
type Forwarder struct {
	client *Client
	key    string
}

// NewForwarder returns a forwarder to a base URL. An empty key is not sent.
func NewForwarder(base, key string) *Forwarder {
	return &Forwarder{client: NewClient(base, Bearer(key), nil), key: key}
}

// Forward sends a request and returns the answer, whose body the caller reads and closes. The body of an error is complete, at most 64 KiB
// long and without keys; declined is the feature, among those sent, that it declines. Without an answer it returns an *Error, or an error
// that wraps the one of ctx.
func (f *Forwarder) Forward(ctx context.Context, body []byte, sent Feature) (answer *http.Response, declined Feature, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.client.base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	for name, value := range f.client.header {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "reverie")
	req.Header.Set("Accept-Encoding", "identity") // compressed events would arrive late
	response, err := f.client.http.Do(req)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, 0, ctx.Err()
	case err != nil:
		return nil, 0, unreachable(err)
	case response.StatusCode < http.StatusMultipleChoices:
		return response, 0, nil
	}
	defer response.Body.Close()
	if response.StatusCode < http.StatusBadRequest {
		return nil, 0, complain(response, &Call{Key: f.key})
	}
	said, err := io.ReadAll(io.LimitReader(response.Body, maxComplaintBytes))
	if err != nil {
		return nil, 0, brokenOff(err)
	}
	refusal := *response
	said = f.Redact(said)
	refusal.Body, refusal.ContentLength = io.NopCloser(bytes.NewReader(said)), int64(len(said))
	return &refusal, declinedBy(readComplaint(response.Header, said).words(), sent), nil
}

// Redact removes credentials from an error. What was JSON remains JSON.
func (f *Forwarder) Redact(said []byte) []byte {
	text := withoutShapes(withoutKey(string(said), f.key))
	if json.Valid(said) && !json.Valid([]byte(text)) {
		quoted, err := json.Marshal(map[string]any{"error": map[string]string{"message": tidy(readComplaint(nil, said).message, f.key, nil)}})
		if err != nil {
			return nil
		}
		return quoted
	}
	return []byte(text)
}

// Transcript collects a streamed answer of the chat-completions protocol that is passed on.
type Transcript struct {
	stream completionStream
	failed bool
}

// Failed reports whether an event was an error, or none of the protocol.
func (t *Transcript) Failed() bool { return t.failed }

// Take reads the data of one event. usageOnly reports that the event counts tokens and holds no part of the answer.
func (t *Transcript) Take(data []byte) (usageOnly bool) {
	_, _, failure := t.stream.take(nil, data)
	t.failed = t.failed || failure != nil
	if t.failed || string(data) == endOfStream {
		return false
	}
	var event struct {
		Choices []json.RawMessage `json:"choices"`
		Usage   json.RawMessage   `json:"usage"`
	}
	err := json.Unmarshal(data, &event)
	return err == nil && len(event.Choices) == 0 && len(event.Usage) > 0 && string(event.Usage) != "null"
}

// Ended reports whether data ends a stream.
func Ended(data []byte) bool { return string(data) == endOfStream }

// Answer returns what has come so far, and whether it is a complete answer.
func (t *Transcript) Answer() (a Answer, whole bool) {
	a, whole = t.stream.answer()
	return withoutThinking(a), whole && !t.failed
}

// ReadForwarded reads an answer in one piece that is passed on. whole is false for one that is not an answer.
func ReadForwarded(header http.Header, body []byte) (a Answer, whole bool) {
	a, failure := readCompletion(header, body)
	return withoutThinking(a), failure == nil
}

// withoutThinking returns an answer without the model's thoughts.
func withoutThinking(a Answer) Answer {
	a.Text = strings.TrimSpace(WithoutThoughts(a.Text))
	return a
}
