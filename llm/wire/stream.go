package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"reverie/memory/tokencount"
)

// maxStreamBytes bounds a streamed answer: each token comes with about 300 bytes around it.
const maxStreamBytes = 64 << 20

// assembler builds an answer from the events of a stream.
type assembler interface {
	// take reads an event's data and returns the text that it adds. done means that nothing can follow.
	take(header http.Header, data []byte) (part string, done bool, failure *Error)
	// answer returns what has come so far, and whether the server has marked its end.
	answer() (a Answer, whole bool)
}

// isStream reports whether a response consists of events.
func isStream(header http.Header) bool {
	return strings.HasPrefix(header.Get("Content-Type"), "text/event-stream")
}

// readStream reads a streamed answer and passes its text to the call's listener as it arrives. An answer without its end is a
// failure; the part that came is returned next to it, because it was paid for.
func readStream(response *http.Response, s assembler, call *Call) (Answer, *Error) {
	stream := events{lines: bufio.NewReader(io.LimitReader(response.Body, maxStreamBytes))}
	var thoughts thoughtFilter
	var failure *Error
	for done := false; failure == nil && !done; {
		data, err := stream.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			failure = brokenOff(err)
			break
		}
		var part string
		if part, done, failure = s.take(response.Header, data); failure == nil {
			failure = call.say(thoughts.pass(part))
		}
	}
	a, whole := s.answer()
	if failure == nil && !whole {
		failure = brokenOff(io.ErrUnexpectedEOF)
	}
	if failure == nil {
		failure = refusal(a)
	}
	if failure == nil {
		failure = call.say(thoughts.rest())
	}
	if failure != nil {
		failure.words = "" // the request was accepted, so no feature was declined
		a.OutputTokens = max(a.OutputTokens, tokencount.Estimate(a.Text))
	}
	return a, failure
}

// endOfStream is the data of the last event of a chat-completions stream.
const endOfStream = "[DONE]"

// events reads the data of server-sent events. Names, ids and comments are skipped: in both protocols the data is complete.
type events struct {
	lines *bufio.Reader
	data  []byte // of an event that is not complete yet
}

// next returns the data of the next event, and io.EOF after the last one. An event ends with an empty line, but some servers
// leave it out: a line that is valid JSON on its own is an event too.
func (e *events) next() ([]byte, error) {
	for {
		line, err := e.lines.ReadBytes('\n')
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return nil, err
		}
		line = bytes.TrimPrefix(bytes.TrimRight(line, "\r\n"), []byte("\ufeff"))
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = bytes.TrimPrefix(data, []byte(" "))
			if len(e.data) == 0 && isEvent(data) {
				return data, nil
			}
			e.data = append(append(e.data, data...), '\n')
		}
		if data := bytes.TrimSpace(e.data); len(data) > 0 && (len(line) == 0 || ended) {
			e.data = nil
			return data, nil
		}
		if ended {
			return nil, io.EOF
		}
	}
}

func isEvent(data []byte) bool {
	return string(bytes.TrimSpace(data)) == endOfStream || json.Valid(data)
}
