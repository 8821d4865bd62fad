package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
)

// vector is a vector as servers write it. What is no number in it becomes NaN or infinite, for the check that follows, and
// null, which some write for a vector with such numbers, is an empty one.
type vector []float32

// UnmarshalJSON reads the numbers.
func (v *vector) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if string(b) == "null" {
		*v = vector{}
		return nil
	}
	if len(b) < 2 || b[0] != '[' {
		return errors.New("a vector is a list of numbers")
	}
	b = bytes.TrimSpace(b[1 : len(b)-1])
	if len(b) == 0 {
		*v = vector{}
		return nil
	}
	numbers := make(vector, 0, bytes.Count(b, []byte{','})+1)
	for number := range bytes.SplitSeq(b, []byte{','}) {
		n, err := strconv.ParseFloat(string(bytes.TrimSpace(number)), 32)
		switch {
		case err == nil, errors.Is(err, strconv.ErrRange): // then it is infinite
		case string(bytes.TrimSpace(number)) == "null":
			n = math.NaN()
		default:
			return errors.New("a vector is a list of numbers")
		}
		numbers = append(numbers, float32(n))
	}
	*v = numbers
	return nil
}

// notJSON finds the words that Python's servers write into their JSON for what is no number.
var notJSON = regexp.MustCompile(`([\[,]\s*)(?:-?Infinity|NaN)\b`)

// unmarshalVectors is json.Unmarshal for answers with vectors.
func unmarshalVectors(body []byte, to any) error {
	err := json.Unmarshal(body, to)
	syntax := new(json.SyntaxError)
	if errors.As(err, &syntax) && notJSON.Match(body) {
		// a vector follows its predecessor's comma: two words in a row share one, so the second needs a second round
		body = notJSON.ReplaceAll(notJSON.ReplaceAll(body, []byte("${1}null")), []byte("${1}null"))
		return json.Unmarshal(body, to)
	}
	return err
}

// vectorList is an answer of OpenAI's embeddings.
type vectorList struct {
	Model string `json:"model"`
	Data  []struct {
		Index     *int   `json:"index"`
		Embedding vector `json:"embedding"`
	} `json:"data"`
	Usage struct {
		Prompt tokens `json:"prompt_tokens"`
		Total  tokens `json:"total_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// readEmbeddings reads an answer of OpenAI's embeddings.
func readEmbeddings(header http.Header, body []byte) (answer, []byte, *Error) {
	var l vectorList
	if err := unmarshalVectors(body, &l); err != nil {
		return answer{}, nil, notAnAnswer(header)
	}
	a := answer{model: modelName(l.Model), inputTokens: int(max(l.Usage.Prompt, l.Usage.Total))}
	if isSet(l.Error) {
		return a, nil, embedded(header, l.Error)
	}
	var failure *Error
	if a.vectors, failure = l.inOrder(); failure != nil {
		return a, nil, failure
	}
	return a, placeholders(len(a.vectors)), nil
}

// inOrder are the vectors in the order of the texts, by their index. Gemini leaves the index out where it is 0.
func (l vectorList) inOrder() ([][]float32, *Error) {
	vectors, unnumbered := make([][]float32, len(l.Data)), 0
	for _, item := range l.Data {
		at := 0
		if item.Index != nil {
			at = *item.Index
		} else {
			unnumbered++
		}
		switch {
		case unnumbered > 1:
			return nil, &Error{Kind: BadRequest, Status: http.StatusOK, Message: "the vectors are not numbered, so that nobody knows which text is whose; set the batch size (REVERIE_EMBEDDING_BATCH) to 1"}
		case at < 0 || at >= len(vectors):
			return nil, &Error{Kind: Unavailable, Status: http.StatusOK, Message: fmt.Sprintf("the answer has %d vectors and among them number %d", len(vectors), at)}
		case vectors[at] != nil:
			return nil, &Error{Kind: Unavailable, Status: http.StatusOK, Message: fmt.Sprintf("the answer has two vectors with number %d", at)}
		}
		if vectors[at] = item.Embedding; item.Embedding == nil {
			vectors[at] = []float32{} // left out: as unusable as null
		}
	}
	return vectors, nil
}

// invokedVectors is an answer of Cohere's own API, or of a Bedrock model.
type invokedVectors struct {
	Embedding  vector          `json:"embedding"`  // Titan
	Embeddings json.RawMessage `json:"embeddings"` // Cohere: by type, or in its third version a list
	Tokens     tokens          `json:"inputTextTokenCount"`
	Meta       struct {
		Billed struct {
			Input tokens `json:"input_tokens"`
		} `json:"billed_units"`
	} `json:"meta"`
}

// readInvokedVectors reads an answer of Cohere's own API, or of a Bedrock model. Its vectors have no numbers: they are in the order
// of the texts.
func readInvokedVectors(header http.Header, body []byte) (answer, []byte, *Error) {
	var i invokedVectors
	if err := unmarshalVectors(body, &i); err != nil {
		return answer{}, nil, notAnAnswer(header)
	}
	a := answer{inputTokens: max(int(i.Tokens), int(i.Meta.Billed.Input), headerCount(header, "X-Amzn-Bedrock-Input-Token-Count"))}
	vectors := []vector{i.Embedding}
	if i.Embedding == nil {
		var byType struct {
			Float []vector `json:"float"`
		}
		if json.Unmarshal(i.Embeddings, &byType) != nil && json.Unmarshal(i.Embeddings, &byType.Float) != nil {
			return a, nil, notAnAnswer(header)
		}
		vectors = byType.Float
	}
	for _, v := range vectors {
		a.vectors = append(a.vectors, v)
	}
	return a, placeholders(len(a.vectors)), nil
}

// placeholders is an answer for langchaingo with as many vectors as have been read already.
func placeholders(n int) []byte {
	body := []byte(`{"data":[`)
	for i := range n {
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"index":%d,"embedding":[]}`, i)
	}
	return append(body, "]}"...)
}
