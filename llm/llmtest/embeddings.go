package llmtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"reverie/language/script"
)

// DefaultDimensions is the length of a vector unless the request or Options.Dimensions sets another.
const DefaultDimensions = 256

// maxDimensions is the maximum that a request may ask for.
const maxDimensions = 4096

// Vector is one vector of an answer.
type Vector struct {
	Index   int // of its text; below 0: not sent
	Numbers []float32
}

// embeddings implements OpenAI's embeddings protocol, with the fields that Voyage, Mistral and Jina add. Its errors are OpenAI's.
type embeddings struct{ openAI }

// embed implements Cohere's own protocol for the same.
type embed struct{ embeddings }

type embeddingsRequest struct {
	Model           string   `json:"model"`
	Input           any      `json:"input"` // a text or a list of texts
	Texts           []string `json:"texts"` // Cohere
	Dimensions      *int     `json:"dimensions"`
	OutputDimension *int     `json:"output_dimension"` // Voyage, Mistral, Cohere
	InputType       string   `json:"input_type"`       // Voyage, Cohere, NVIDIA
	Task            string   `json:"task"`             // Jina
	EncodingFormat  string   `json:"encoding_format"`
	EmbeddingTypes  []string `json:"embedding_types"` // Cohere
}

func (embeddings) read(h http.Header, body []byte, o Options, r *Request) *problem {
	in, problem := readEmbeddings(h, body, o, r, "model", "input", "dimensions", "output_dimension", "input_type", "task",
		"truncation", "truncate", "encoding_format", "user")
	if problem != nil {
		return problem
	}
	switch input := in.Input.(type) {
	case string:
		r.Texts = []string{input}
	case []any:
		for _, item := range input {
			text, ok := item.(string)
			if !ok {
				return bad("input", "Invalid 'input': texts are expected.")
			}
			r.Texts = append(r.Texts, text)
		}
	}
	if in.EncodingFormat != "" && in.EncodingFormat != "float" {
		return bad("encoding_format", "encoding_format: only 'float' is supported by this server")
	}
	return in.check(o, r)
}

func (embed) read(h http.Header, body []byte, o Options, r *Request) *problem {
	in, problem := readEmbeddings(h, body, o, r, "model", "texts", "output_dimension", "input_type", "embedding_types", "truncate")
	switch {
	case problem != nil:
		return problem
	case in.InputType == "":
		return bad("input_type", "invalid request: input_type must be provided with the provided model")
	case len(in.EmbeddingTypes) != 1 || in.EmbeddingTypes[0] != "float":
		return bad("embedding_types", "invalid request: embedding_types must be ['float'] at this server")
	}
	r.Texts = in.Texts
	return in.check(o, r)
}

// readEmbeddings reads the common part of both protocols.
func readEmbeddings(h http.Header, body []byte, o Options, r *Request, known ...string) (embeddingsRequest, *problem) {
	var fields map[string]any
	var in embeddingsRequest
	if o.APIKey != "" && h.Get("Authorization") != "Bearer "+o.APIKey {
		return in, &problem{status: http.StatusUnauthorized, kind: invalidKey}
	}
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(body, &in) != nil {
		return in, bad("", "We could not parse the JSON body of your request.")
	}
	if f := unknownField(fields, known...); f != "" {
		return in, bad(f, "Unrecognized request argument supplied: "+f)
	}
	for f := range fields {
		switch {
		case !o.declined(f):
		case f == "dimensions", f == "output_dimension":
			return in, bad(f, "This model does not support specifying "+f+".")
		default:
			return in, bad(f, "Unrecognized request argument supplied: "+f)
		}
	}
	r.Model, r.InputType = in.Model, in.InputType+in.Task
	for _, dimensions := range []*int{in.Dimensions, in.OutputDimension} {
		if dimensions != nil {
			r.Dimensions = *dimensions
		}
	}
	return in, nil
}

// check declines what a provider declines, and counts the tokens of the texts.
func (in embeddingsRequest) check(o Options, r *Request) *problem {
	for _, text := range r.Texts {
		tokens := Tokens(text)
		r.InputTokens += tokens
		r.longest = max(r.longest, tokens)
	}
	r.User = strings.Join(r.Texts, "\n")
	asked := in.Dimensions != nil || in.OutputDimension != nil
	switch {
	case in.Model == "":
		return bad("model", "you must provide a model parameter")
	case len(r.Texts) == 0:
		return bad("input", "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case o.MaxTexts > 0 && len(r.Texts) > o.MaxTexts:
		return bad("input", fmt.Sprintf("batch size %d > maximum allowed batch size %d", len(r.Texts), o.MaxTexts))
	case asked && (r.Dimensions < 1 || r.Dimensions > maxDimensions):
		return bad("dimensions", fmt.Sprintf("Invalid value for 'dimensions' = %d. Must be between 1 and %d.", r.Dimensions, maxDimensions))
	}
	for i, text := range r.Texts {
		if text == "" {
			return bad("input", fmt.Sprintf("Invalid 'input[%d]': input cannot be an empty string.", i))
		}
	}
	return nil
}

// vectors returns the vectors of an answer, changed by the reply.
func (o Options) vectors(r Request, reply Reply) []Vector {
	dimensions := DefaultDimensions
	switch {
	case r.Dimensions > 0:
		dimensions = r.Dimensions
	case o.Dimensions > 0:
		dimensions = o.Dimensions
	}
	vectorOf := o.Vector
	if vectorOf == nil {
		vectorOf = HashVector
	}
	vectors := make([]Vector, len(r.Texts))
	for i, text := range r.Texts {
		vectors[i] = Vector{i, vectorOf(text, dimensions)}
	}
	if reply.Vectors != nil {
		vectors = reply.Vectors(vectors)
	}
	return vectors
}

// vectorBody returns the body of an answer with vectors.
func (embeddings) vectorBody(r Request, vectors []Vector) []byte {
	b := []byte(`{"object":"list","data":[`)
	for i, v := range vectors {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"object":"embedding"`...)
		if v.Index >= 0 {
			b = fmt.Appendf(b, `,"index":%d`, v.Index)
		}
		b = append(appendNumbers(append(b, `,"embedding":`...), v.Numbers), '}')
	}
	return fmt.Appendf(b, `],"model":%q,"usage":{"prompt_tokens":%d,"total_tokens":%d}}`, r.Model, r.InputTokens, r.InputTokens)
}

// vectorBody returns the body of an answer with vectors.
func (embed) vectorBody(r Request, vectors []Vector) []byte {
	b := fmt.Appendf(nil, `{"id":%q,"embeddings":{"float":[`, itoa(r.Number))
	for i, v := range vectors {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumbers(b, v.Numbers)
	}
	return fmt.Appendf(b, `]},"meta":{"api_version":{"version":"2"},"billed_units":{"input_tokens":%d}}}`, r.InputTokens)
}

// appendNumbers writes a vector, and values that are not numbers as servers written in Python do.
func appendNumbers(b []byte, numbers []float32) []byte {
	b = append(b, '[')
	for i, x := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsInf(float64(x), 0) {
			b = append(b, "Infinity"...)
			continue
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return append(b, ']')
}

func (embeddings) empty(Request) any { return map[string]any{"object": "list", "data": []any{}} }

func (embed) empty(Request) any {
	return map[string]any{"embeddings": map[string]any{"float": []any{}}}
}

func (embed) fault(p problem) (int, http.Header, any) {
	message, _, _ := openAIWords(p)
	if p.message != "" {
		message = p.message
	}
	_, header, _ := openAI{}.fault(p)
	return p.status, header, map[string]any{"id": "0", "message": message}
}

// vectorsReply returns a reply that changes the vectors of a valid answer.
func vectorsReply(name string, change func([]Vector) []Vector) Reply {
	return Reply{Name: name, Vectors: change}
}

// OutOfOrder returns the vectors in reverse order, with their correct indexes.
func OutOfOrder() Reply {
	return vectorsReply("out of order", func(v []Vector) []Vector {
		slices.Reverse(v)
		return v
	})
}

// WrongCount leaves out the last vector.
func WrongCount() Reply {
	return vectorsReply("wrong count", func(v []Vector) []Vector { return v[:len(v)-1] })
}

// SameIndex gives all vectors the index 0.
func SameIndex() Reply { return numbered("same index", func(int) int { return 0 }) }

// IndexBeyond numbers the vectors from 1.
func IndexBeyond() Reply { return numbered("index beyond", func(i int) int { return i + 1 }) }

// NoIndex leaves out all indexes.
func NoIndex() Reply { return numbered("no index", func(int) int { return -1 }) }

// NoZeroIndex leaves out the index 0, as Gemini does.
func NoZeroIndex() Reply {
	return numbered("no zero index", func(i int) int {
		if i == 0 {
			return -1
		}
		return i
	})
}

func numbered(name string, number func(int) int) Reply {
	return vectorsReply(name, func(vectors []Vector) []Vector {
		for i := range vectors {
			vectors[i].Index = number(vectors[i].Index)
		}
		return vectors
	})
}

// WrongDimensions returns vectors of n numbers, whatever was requested.
func WrongDimensions(n int) Reply {
	return vectorsReply("wrong dimensions", func(vectors []Vector) []Vector {
		for i := range vectors {
			numbers := make([]float32, n)
			copy(numbers, vectors[i].Numbers)
			vectors[i].Numbers = numbers
		}
		return vectors
	})
}

// NaNs puts a value that is not a number into the vectors at these places; without places, into all.
func NaNs(at ...int) Reply {
	return filled("NaN", at, float32(math.NaN()), 2)
}

// Infinities puts an infinite number into the vectors at these places; without places, into all.
func Infinities(at ...int) Reply {
	return filled("infinity", at, float32(math.Inf(1)), 1)
}

// Zeros sets the vectors at these places to zeros; without places, all.
func Zeros(at ...int) Reply { return filled("zeros", at, 0, math.MaxInt) }

// filled sets the first n numbers of the vectors at these places.
func filled(name string, at []int, x float32, n int) Reply {
	return vectorsReply(name, func(vectors []Vector) []Vector {
		for i := range vectors {
			if len(at) > 0 && !slices.Contains(at, vectors[i].Index) {
				continue
			}
			for k := range min(n, len(vectors[i].Numbers)) {
				vectors[i].Numbers[k] = x
			}
		}
		return vectors
	})
}

// HashVector returns a vector of unit length for a text: its words and parts of words, each hashed to a few of the dimensions. The
// same text always has the same vector. Texts that share words, or forms of one word, have a dot product well above that of unrelated
// texts, which is about 0; the meaning does not count. Chinese and Japanese are hashed by characters and pairs of them.
func HashVector(text string, dimensions int) []float32 {
	sums := make([]float64, dimensions)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), isBetweenWords) {
		addWord(sums, []rune(word))
	}
	length := 0.0
	for _, x := range sums {
		length += x * x
	}
	if length == 0 { // no words, or words that cancel out
		sums[0], length = 1, 1
	}
	vector := make([]float32, dimensions)
	for i, x := range sums {
		vector[i] = float32(x / math.Sqrt(length))
	}
	return vector
}

func isBetweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// shortWord is the length below which a Latin word is mostly a function word, and counts less.
const shortWord = 4

// addWord adds a word and its parts.
func addWord(sums []float64, word []rune) {
	if script.IsHan(word[0]) || script.IsKana(word[0]) {
		for i := range word {
			add(sums, string(word[i]), 0.5)
			if i > 0 {
				add(sums, string(word[i-1:i+1]), 1)
			}
		}
		return
	}
	weight := 1.0
	if len(word) < shortWord {
		weight = 0.3
	}
	add(sums, string(word), weight)
	padded := append(append([]rune{'^'}, word...), '$')
	parts := len(padded) - 2
	for i := range parts {
		add(sums, string(padded[i:i+3]), 1.5*weight/math.Sqrt(float64(parts)))
	}
}

// places is the number of dimensions that a feature is hashed to, so that two features which share one still differ.
const places = 4

// add adds a feature to its dimensions, or subtracts it there, so that unrelated features cancel out.
func add(sums []float64, feature string, weight float64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(feature))               // a hash never fails
	random := rand.New(rand.NewPCG(h.Sum64(), 0)) //nolint:gosec // the same text has to have the same vector
	for range places {
		sign := float64(1 - 2*random.IntN(2))
		sums[random.IntN(len(sums))] += sign * weight
	}
}
