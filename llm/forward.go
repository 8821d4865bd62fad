package llm

import (
	"context"
	"net/http"

	"reverie/llm/provider"
	"reverie/llm/wire"
	"reverie/memory"
)

// Forwarder is a model that also takes requests of OpenAI's chat-completions protocol as they are.
type Forwarder interface {
	Chatter
	// ModelName returns the name of the configured model at its provider.
	ModelName() string
	// Forward sends a request (see CanForward) and returns the answer, whose body the caller reads and closes. The body of an error is complete and shows no
	// key. It fails with an *Error when there is no answer.
	Forward(ctx context.Context, r ForwardRequest) (*http.Response, error)
	// Redact removes credentials from an error that came with a status of success.
	Redact(said []byte) []byte
	// Spent returns the name and the cost of a call that used these tokens.
	Spent(model string, input, output int) (string, memory.Usage)
}

// CanForward returns a model that takes requests as they are, and whether it does: not every provider speaks the protocol.
func CanForward(model Chatter) (Forwarder, bool) {
	if c, is := model.(*chat); is && c.forwarder == nil {
		return nil, false
	}
	f, can := model.(Forwarder)
	return f, can
}

// ForwardRequest is a request to be passed on.
type ForwardRequest struct {
	Model string // that Body asks for
	Body  []byte
	// Plain is sent instead of Body to servers that decline Body's stream_options; nil: Body has none.
	Plain []byte
}

// ModelName implements Forwarder.
func (c *chat) ModelName() string { return c.config.Model }

// Forward implements Forwarder.
func (c *chat) Forward(ctx context.Context, r ForwardRequest) (*http.Response, error) {
	ctx, span := wire.StartSpan(ctx, c.tracer, "chat", c.name, r.Model)
	defer span.End()
	c.mu.Lock()
	plain := c.declined[r.Model]&wire.StreamUsage != 0
	c.mu.Unlock()
	if r.Plain != nil && !plain {
		answer, declined, err := c.forwarder.Forward(ctx, r.Body, wire.StreamUsage)
		if declined == 0 {
			return answer, err
		}
		c.mu.Lock()
		c.declined[r.Model] |= declined
		c.mu.Unlock()
		r.Body = r.Plain
	} else if r.Plain != nil {
		r.Body = r.Plain
	}
	answer, _, err := c.forwarder.Forward(ctx, r.Body, 0)
	return answer, err
}

// Redact implements Forwarder.
func (c *chat) Redact(said []byte) []byte { return c.forwarder.Redact(said) }

// Spent implements Forwarder.
func (c *chat) Spent(model string, input, output int) (string, memory.Usage) {
	return c.name + "/" + wire.ModelName(model), c.priced(input, output)
}

// newForwarder returns a client that passes requests on; nil for a provider that does not take them. Anthropic takes them, with the same
// key, beside its own protocol.
func newForwarder(c Config, p provider.Provider, base string) *wire.Forwarder {
	if p.Protocol == provider.AWSRuntime {
		return nil
	}
	return wire.NewForwarder(base, c.APIKey)
}
