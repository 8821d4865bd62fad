package rank

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/index"
)

// near compares scores that sum the same terms in a different order.
var near = cmpopts.EquateApprox(1e-9, 1e-12)

// collected returns the analysed question and the collection of its matches in texts of space-separated words, one unit
// each. A text "ada: hello" has the context "ada".
func collected(corpus search.Corpus, units []index.Unit, texts []string, question string) (analysis.Query, *index.Collection) {
	q := analysis.Query{Text: question}
	c := &index.Collection{Corpus: corpus, Units: make([]index.Unit, len(texts))}
	bodies, contexts := make([][]string, len(texts)), make([][]string, len(texts))
	for i, text := range texts {
		context, body, found := strings.Cut(text, ":")
		if !found {
			context, body = "", text
		}
		bodies[i], contexts[i] = strings.Fields(body), strings.Fields(context)
		c.Units[i] = index.Unit{Group: 1, Seq: int64(i + 1)}
		if units != nil {
			c.Units[i] = units[i]
		}
		c.Units[i].Length = len(bodies[i])
	}
	for word := range strings.FieldsSeq(question) {
		stop := strings.HasPrefix(word, "~")
		word = strings.TrimPrefix(word, "~")
		q.Terms = append(q.Terms, analysis.QueryTerm{Text: word, Forms: []string{word}, Stop: stop})
		c.Body = append(c.Body, occurring(bodies, word))
		c.Context = append(c.Context, occurring(contexts, word))
	}
	return q, c
}

// occurring returns the postings of a word.
func occurring(texts [][]string, word string) []index.Posting {
	var postings []index.Posting
	for i, words := range texts {
		tf := 0
		for _, w := range words {
			if w == word {
				tf++
			}
		}
		if tf > 0 {
			postings = append(postings, index.Posting{Unit: int32(i), TF: int32(tf)})
		}
	}
	return postings
}

// TestBM25ByHand compares scores with figures worked out by hand for K1 1.2 and B 0.75.
//
// Four texts of 2, 4, 2 and 4 words, 3 on average. "db" is in two: idf = ln(1 + 2.5/2.5) = ln 2. "port" is in one: idf
// = ln(1 + 3.5/1.5) = ln(10/3). The norm of a text of 2 words is ¼ + ¾·2/3 = ¾, of one of 4 it is ¼ + ¾·4/3 = 1¼.
func TestBM25ByHand(t *testing.T) {
	q, c := collected(search.Memory, nil, []string{"db port", "db db is slow", "some words", "four words of nothing"}, "db port")
	o := DefaultOptions()
	o.K1, o.B = 1.2, .75
	want := []float64{
		math.Log(2)*2.2/(1+1.2*.75) + math.Log(10./3)*2.2/(1+1.2*.75),
		math.Log(2) * 2 * 2.2 / (2 + 1.2*1.25),
		0,
		0,
	}
	if diff := cmp.Diff(want, BM25(q, c, o), near); diff != "" {
		t.Error(diff)
	}
}

// reference is textbook BM25, computed from the words themselves.
func reference(texts []string, terms []string, k1, b float64) []float64 {
	total := 0
	for _, text := range texts {
		total += len(strings.Fields(text))
	}
	average := float64(total) / float64(len(texts))
	scores := make([]float64, len(texts))
	for i, text := range texts {
		words := strings.Fields(text)
		for _, term := range terms {
			df, tf := 0., 0.
			for _, other := range texts {
				if strings.Contains(" "+other+" ", " "+term+" ") {
					df++
				}
			}
			for _, word := range words {
				if word == term {
					tf++
				}
			}
			if tf == 0 {
				continue
			}
			idf := math.Log(1 + (float64(len(texts))-df+.5)/(df+.5))
			scores[i] += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(len(words))/average))
		}
	}
	return scores
}

func TestBM25AgainstReference(t *testing.T) {
	word := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint("w", rapid.IntRange(0, 9).Draw(t, "word")) })
	sentence := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(sentence, 1, 12).Draw(t, "texts")
		terms := rapid.SliceOfNDistinct(word, 1, 5, rapid.ID[string]).Draw(t, "terms")
		o := DefaultOptions()
		o.K1 = rapid.Float64Range(0, 3).Draw(t, "k1")
		o.B = rapid.Float64Range(0, 1).Draw(t, "b")
		q, c := collected(search.Memory, nil, texts, strings.Join(terms, " "))
		if diff := cmp.Diff(reference(texts, terms, o.K1, o.B), BM25(q, c, o), near); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A word that the question repeats counts as often.
func TestBM25RepeatedWords(t *testing.T) {
	q, c := collected(search.Memory, nil, []string{"red boat", "red sail"}, "boat")
	once := BM25(q, c, DefaultOptions())
	q.Terms[0].Count = 3
	ranked := Rank(q, c, only())
	if diff := cmp.Diff(3*once[0], ranked[0].Score, near); diff != "" {
		t.Error(diff)
	}
}

// BM25 scores every unit of c by its body alone, in the order of c.Units: the base score of Rank.
func BM25(q analysis.Query, c *index.Collection, o Options) []float64 {
	scores := make([]float64, len(c.Units))
	b := newBM25(c, o)
	for i, term := range q.Terms {
		weight := b.idf(len(c.Body[i]))
		if term.Stop {
			continue
		}
		for _, p := range c.Body[i] {
			scores[p.Unit] += weight * b.saturated(float64(p.TF)/b.norms[p.Unit])
		}
	}
	return scores
}
