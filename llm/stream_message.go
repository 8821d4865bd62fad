package llm

import (
	"encoding/json"
	"net/http"
	"strings"
)

// messageStream assembles an answer of the messages protocol.
type messageStream struct {
	message

	blocks map[int]*streamedBlock
	order  []*streamedBlock
	ended  bool // the server has said that this is all
}

// streamedBlock is a block of which parts have come.
type streamedBlock struct {
	messageBlock

	text  strings.Builder
	input strings.Builder
}

// messageEvent is one event; which of its fields are set depends on its type.
type messageEvent struct {
	Type         string       `json:"type"`
	Message      message      `json:"message"`
	Index        *int         `json:"index"`
	ContentBlock messageBlock `json:"content_block"`
	Delta        struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage messageUsage    `json:"usage"`
	Error json.RawMessage `json:"error"`
}

func newMessageStream() assembler { return &messageStream{blocks: map[int]*streamedBlock{}} }

func (s *messageStream) take(header http.Header, data []byte) (part string, done bool, failure *Error) {
	var e messageEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return "", false, notAnAnswer(header)
	}
	if isSet(e.Error) {
		return "", false, embedded(header, e.Error)
	}
	switch e.Type {
	case "message_start":
		s.Model, s.Usage = e.Message.Model, e.Message.Usage
	case "content_block_start":
		s.begin(e)
		return e.ContentBlock.spoken(), false, nil
	case "content_block_delta":
		return s.add(e), false, nil
	case "message_delta":
		if e.Delta.StopReason != "" {
			s.StopReason = e.Delta.StopReason
		}
		s.Usage = s.Usage.with(e.Usage)
	case "message_stop":
		s.ended = true
		return "", true, nil
	}
	return "", false, nil // a ping, the end of a block, or something newer
}

func (s *messageStream) begin(e messageEvent) {
	b := &streamedBlock{messageBlock: e.ContentBlock}
	b.text.WriteString(e.ContentBlock.Text)
	index := len(s.order)
	if e.Index != nil {
		index = *e.Index
	}
	s.blocks[index] = b
	s.order = append(s.order, b)
}

// add takes in a part of a block and returns the text that it brings. A part without an index is of the last block.
func (s *messageStream) add(e messageEvent) string {
	var b *streamedBlock
	switch {
	case e.Index != nil:
		b = s.blocks[*e.Index]
	case len(s.order) > 0:
		b = s.order[len(s.order)-1]
	}
	if b == nil {
		return ""
	}
	b.input.WriteString(e.Delta.PartialJSON)
	if b.Type != "text" || e.Delta.Type != "text_delta" {
		return ""
	}
	b.text.WriteString(e.Delta.Text)
	return e.Delta.Text
}

func (s *messageStream) answer() (a answer, whole bool) {
	m := s.message
	for _, b := range s.order {
		block := b.messageBlock
		block.Text = b.text.String()
		if input := b.input.String(); strings.TrimSpace(input) != "" {
			block.Input = arguments(input)
		}
		m.Content = append(m.Content, block)
	}
	return m.answer(), s.ended || s.StopReason != ""
}

func (s *messageStream) plain(a answer) ([]byte, *Error) { return plainMessage(a) }
