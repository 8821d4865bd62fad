package llmtest

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"unicode"
)

// HashVector is the server's honest vector of a text, of unit length: its words and parts of words, each hashed to one of the
// dimensions. The same text has the same vector everywhere, texts that share words are near (a dot product well above that of
// strangers, which is about 0), and so are forms of one word; what a text means, it does not know. Chinese and Japanese, which
// do not part their words, count by characters and pairs of them.
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

// shortWord is the length below which a Latin word is mostly grammar, and counts less.
const shortWord = 4

// addWord adds a word and its parts.
func addWord(sums []float64, word []rune) {
	if unicode.In(word[0], unicode.Han, unicode.Hiragana, unicode.Katakana) {
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

// places is how many dimensions a feature is hashed to, so that two features which share one are still strangers.
const places = 4

// add adds a feature to the dimensions that it is hashed to, or subtracts it there, so that strangers cancel out.
func add(sums []float64, feature string, weight float64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(feature))               // a hash never fails
	random := rand.New(rand.NewPCG(h.Sum64(), 0)) //nolint:gosec // the same text has to have the same vector
	for range places {
		sign := float64(1 - 2*random.IntN(2))
		sums[random.IntN(len(sums))] += sign * weight
	}
}
