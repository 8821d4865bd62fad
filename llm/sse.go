package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// endOfStream is the data of the last event of a chat-completions stream.
const endOfStream = "[DONE]"

// events reads the data of server-sent events. Names, ids and comments are left out: both protocols say all in the data.
type events struct {
	lines *bufio.Reader
	data  []byte // of an event whose lines are not all read yet
}

func newEvents(r io.Reader) *events { return &events{lines: bufio.NewReader(r)} }

// next is the data of the next event; io.EOF after the last one. An event ends with an empty line, but some servers leave it
// out: a line that is whole JSON by itself is an event too.
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
