package llm

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"reverie/memory"
)

// maxStreamBytes are of a streamed answer that is read: each token comes with about 300 bytes around it.
const maxStreamBytes = 64 << 20

// assembler puts an answer together from the events of a stream.
type assembler interface {
	// take reads an event's data and returns the part of the text that it brings. done says that nothing can follow.
	take(header http.Header, data []byte) (part string, done bool, failure *Error)
	// answer is what has come so far, and whether the server has said that it is all.
	answer() (a answer, whole bool)
	// plain is the body of an answer, for langchaingo. It fails where the answer is a refusal.
	plain(a answer) ([]byte, *Error)
}

// isStream reports whether a response is one of events; servers that cannot stream answer in one piece.
func isStream(header http.Header) bool {
	return strings.HasPrefix(header.Get("Content-Type"), "text/event-stream")
}

// readStream reads a streamed answer and tells its text while it comes in. An answer that is not whole is a failure, next to
// which stands what has come of it: it was paid for.
func readStream(response *http.Response, s assembler, call *call) (answer, []byte, *Error) {
	var thoughts thoughtFilter
	failure := readEvents(response, s, func(part string) *Error { return call.say(thoughts.pass(part)) })
	a, whole := s.answer()
	if failure == nil && !whole {
		failure = brokenOff(io.ErrUnexpectedEOF)
	}
	var plain []byte
	if failure == nil {
		plain, failure = s.plain(a)
	}
	if failure == nil {
		failure = call.say(thoughts.rest())
	}
	if failure != nil {
		failure.words = "" // what was begun was not declined
		a.outputTokens = max(a.outputTokens, memory.EstimateTokens(a.text))
	}
	return a, plain, failure
}

// readEvents hands the events of a stream to s, and the parts of the text that they bring to tell.
func readEvents(response *http.Response, s assembler, tell func(part string) *Error) *Error {
	stream := newEvents(io.LimitReader(response.Body, maxStreamBytes))
	for {
		data, err := stream.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return brokenOff(err)
		}
		part, done, failure := s.take(response.Header, data)
		if failure == nil {
			failure = tell(part)
		}
		if failure != nil || done {
			return failure
		}
	}
}

// say tells a part of the text to whoever listens.
func (c *call) say(part string) *Error {
	if part == "" || c.tell == nil {
		return nil
	}
	c.told = true
	if c.stopped = c.tell(part); c.stopped != nil {
		return &Error{Kind: Unavailable, Message: "nobody listens any longer"}
	}
	return nil
}
