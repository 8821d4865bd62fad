package embed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"

	"reverie/llm/wire"
)

// vector is a vector as servers write it. Anything in it that is not a number becomes NaN or infinite, for the check that
// follows; null, which some servers write for such a vector, becomes an empty one.
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

// notJSON matches the words that servers written in Python write for values that are not numbers.
var notJSON = regexp.MustCompile(`([\[,]\s*)(?:-?Infinity|NaN)\b`)

// unmarshalVectors unmarshals an answer with vectors.
func unmarshalVectors(body []byte, to any) error {
	err := json.Unmarshal(body, to)
	syntax := new(json.SyntaxError)
	if errors.As(err, &syntax) && notJSON.Match(body) {
		// Two words in a row share a comma, so the second one needs a second round.
		body = notJSON.ReplaceAll(notJSON.ReplaceAll(body, []byte("${1}null")), []byte("${1}null"))
		return json.Unmarshal(body, to)
	}
	return err
}

// vectorList is an answer of OpenAI's embeddings API.
type vectorList struct {
	Model string `json:"model"`
	Data  []struct {
		Index     *int   `json:"index"`
		Embedding vector `json:"embedding"`
	} `json:"data"`
	Usage struct {
		Prompt wire.Tokens `json:"prompt_tokens"`
		Total  wire.Tokens `json:"total_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// readEmbeddings reads an answer of OpenAI's embeddings API.
func readEmbeddings(header http.Header, body []byte) (wire.Answer, *wire.Error) {
	var l vectorList
	if err := unmarshalVectors(body, &l); err != nil {
		return wire.Answer{}, wire.NotAnAnswer(header)
	}
	a := wire.Answer{Model: wire.ModelName(l.Model), InputTokens: int(max(l.Usage.Prompt, l.Usage.Total))}
	if failure := wire.Embedded(header, l.Error); failure != nil {
		return a, failure
	}
	var failure *wire.Error
	a.Vectors, failure = l.inOrder()
	return a, failure
}

// inOrder returns the vectors in the order of the texts, by their index. Gemini leaves out the index 0.
func (l vectorList) inOrder() ([][]float32, *wire.Error) {
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
			return nil, &wire.Error{Kind: wire.BadRequest, Status: http.StatusOK, Message: "the vectors are not numbered, so they " +
				"cannot be matched to the texts; set the batch size (REVERIE_EMBEDDING_BATCH) to 1"}
		case at < 0 || at >= len(vectors):
			return nil, &wire.Error{Kind: wire.Unavailable, Status: http.StatusOK, Message: fmt.Sprintf("the answer has %d vectors "+
				"and among them number %d", len(vectors), at)}
		case vectors[at] != nil:
			return nil, &wire.Error{Kind: wire.Unavailable, Status: http.StatusOK, Message: fmt.Sprintf("the answer has two vectors "+
				"with number %d", at)}
		}
		if vectors[at] = item.Embedding; item.Embedding == nil {
			vectors[at] = []float32{} // missing: as unusable as null
		}
	}
	return vectors, nil
}

// invokedVectors is an answer of Cohere's own API, or of a Bedrock model.
type invokedVectors struct {
	Embedding  vector          `json:"embedding"`  // Titan
	Embeddings json.RawMessage `json:"embeddings"` // Cohere: by type, or in its third version a list
	Tokens     wire.Tokens     `json:"inputTextTokenCount"`
	Meta       struct {
		Billed struct {
			Input wire.Tokens `json:"input_tokens"`
		} `json:"billed_units"`
	} `json:"meta"`
}

// readInvokedVectors reads an answer of Cohere's own API, or of a Bedrock model. Its vectors are in the order of the texts.
func readInvokedVectors(header http.Header, body []byte) (wire.Answer, *wire.Error) {
	var i invokedVectors
	if err := unmarshalVectors(body, &i); err != nil {
		return wire.Answer{}, wire.NotAnAnswer(header)
	}
	a := wire.Answer{InputTokens: max(
		int(i.Tokens), int(i.Meta.Billed.Input), wire.HeaderCount(header, "X-Amzn-Bedrock-Input-Token-Count"),
	)}
	vectors := []vector{i.Embedding}
	if i.Embedding == nil {
		var byType struct {
			Float []vector `json:"float"`
		}
		if json.Unmarshal(i.Embeddings, &byType) != nil && json.Unmarshal(i.Embeddings, &byType.Float) != nil {
			return a, wire.NotAnAnswer(header)
		}
		vectors = byType.Float
	}
	for _, v := range vectors {
		a.Vectors = append(a.Vectors, v)
	}
	return a, nil
}

// unit scales a vector to length 1, in place. It fails for a vector without a direction, which would match everything or
// nothing.
func unit(v []float32) *wire.Error {
	if len(v) == 0 {
		return badVector("the vector is empty")
	}
	var sum float64
	for i, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return badVector("number %d of the vector is %v", i, x)
		}
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return badVector("the vector is all zeros")
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return nil
}

func badVector(format string, args ...any) *wire.Error {
	return &wire.Error{Kind: wire.BadVector, Status: http.StatusOK, Message: fmt.Sprintf(format, args...)}
}
