package fuse

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"reverie/search/index"
)

// benchmark is a synthetic benchmark of units and questions with topics, words and relevant units. Lexical and dense
// rankings follow from it with independent errors, so that rankings of every quality can be drawn.
type benchmark struct {
	units     []madeUnit
	questions []madeQuestion
}

type madeUnit struct {
	key   index.UnitKey
	topic int
}

type madeQuestion struct {
	number   int
	topic    int
	relevant map[index.UnitKey]bool
	idf      []float64 // of its words
}

const (
	madeUnits     = 200
	madeTopics    = 16
	madeQuestions = 300
)

func newBenchmark() benchmark {
	r := rand.New(rand.NewPCG(1, 2))
	var b benchmark
	for i := range madeUnits {
		b.units = append(b.units, madeUnit{index.UnitKey{Group: 1, Ordinal: int64(i)}, r.IntN(madeTopics)})
	}
	for i := range madeQuestions {
		q := madeQuestion{number: i, topic: r.IntN(madeTopics), relevant: map[index.UnitKey]bool{}}
		for range 6 + r.IntN(5) {
			q.idf = append(q.idf, 1+4*r.Float64())
		}
		for wanted := 1 + r.IntN(3); len(q.relevant) < wanted; {
			if u := b.units[r.IntN(madeUnits)]; u.topic == q.topic || r.Float64() < .02 {
				q.relevant[u.key] = true
			}
		}
		b.questions = append(b.questions, q)
	}
	return b
}

// words ranks the units by the words of a question: each word is in a relevant unit with the given probability, less
// often in others of its topic, and seldom elsewhere.
func (b benchmark) words(q madeQuestion, chance float64) Lexical {
	r := rand.New(rand.NewPCG(3, uint64(q.number)))
	l := Lexical{Count: madeUnits, Words: len(q.idf)}
	for _, u := range b.units {
		var score, found, all float64
		for _, idf := range q.idf {
			p := .3 / math.Exp(idf)
			switch {
			case q.relevant[u.key]:
				p = chance
			case u.topic == q.topic:
				p = .5 * chance
			}
			all += idf
			if r.Float64() < p {
				found += idf
				score += idf * (.8 + .4*r.Float64())
			}
		}
		if found > 0 {
			l.Hits = append(l.Hits, LexicalHit{Unit: u.key, Score: score, Coverage: found / all})
		}
	}
	slices.SortStableFunc(l.Hits, func(a, b LexicalHit) int { return cmp.Compare(b.Score, a.Score) })
	return l
}

// similarity draws the similarity of a unit to a question.
type similarity func(q madeQuestion, u madeUnit, r *rand.Rand) float64

// model returns a model that places relevant units the given number of deviations above the others, and other units of
// their topic half as many as topic.
func model(relevant, topic float64) similarity {
	return func(q madeQuestion, u madeUnit, r *rand.Rand) float64 {
		s := r.NormFloat64()
		if u.topic == q.topic {
			s += topic
		}
		if q.relevant[u.key] {
			s += relevant
		}
		return s
	}
}

// shape describes the statistics that a dense ranking comes with.
type shape struct {
	name  string
	apply func(Dense) Dense
}

func truncated(depth int) func(Dense) Dense {
	return func(d Dense) Dense {
		d.Hits = d.Hits[:depth]
		return d
	}
}

func withoutStatistics(d Dense) Dense {
	d.Count, d.Mean, d.Deviation = 0, 0, 0
	return d
}

func scaled(f func(float64) float64) func(Dense) Dense {
	return func(d Dense) Dense { return denseOf(d.Hits, f) }
}

var shapes = []shape{
	{"whole", func(d Dense) Dense { return d }},
	{"whole, without statistics", withoutStatistics},
	{"first 50", truncated(50)},
	{"first 20", truncated(20)},
	{"first 10", truncated(10)},
	{"first 5", truncated(5)},
	{"first 50, without statistics", func(d Dense) Dense { return withoutStatistics(truncated(50)(d)) }},
	{"between .78 and .82", scaled(func(s float64) float64 { return .8 + .004*s })},
	{"zero behind the first 30", func(d Dense) Dense {
		last := d.Hits[29].Similarity
		return denseOf(d.Hits, func(s float64) float64 { return max(0, s-last+.1) })
	}},
}

// denseOf returns a ranking of all units with statistics.
func denseOf(hits []DenseHit, f func(float64) float64) Dense {
	d := Dense{Count: len(hits)}
	for _, h := range hits {
		h.Similarity = f(h.Similarity)
		d.Mean += h.Similarity / float64(len(hits))
		d.Hits = append(d.Hits, h)
	}
	for _, h := range d.Hits {
		d.Deviation += (h.Similarity - d.Mean) * (h.Similarity - d.Mean) / float64(len(hits))
	}
	d.Deviation = math.Sqrt(d.Deviation)
	slices.SortStableFunc(d.Hits, func(a, b DenseHit) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), a.Unit.Compare(b.Unit))
	})
	return d
}

// vectors ranks all units by similarity.
func (b benchmark) vectors(q madeQuestion, of similarity) Dense {
	r := rand.New(rand.NewPCG(5, uint64(q.number)))
	var hits []DenseHit
	for _, u := range b.units {
		hits = append(hits, DenseHit{u.key, of(q, u, r)})
	}
	return denseOf(hits, func(s float64) float64 { return s })
}

// recall returns the share of the relevant units among the first ten.
func (q madeQuestion) recall(ranking []index.UnitKey) float64 {
	found := 0.
	for _, u := range ranking[:min(10, len(ranking))] {
		if q.relevant[u] {
			found++
		}
	}
	return found / float64(len(q.relevant))
}

type fusing func(Lexical, Dense) []index.UnitKey

// ours fuses the questions in sequence, as a server does.
func ours() fusing {
	o := DefaultOptions()
	return func(l Lexical, d Dense) []index.UnitKey {
		var units []index.UnitKey
		fusion := Fuse(l, d, o)
		for _, h := range fusion.Hits {
			units = append(units, h.Unit)
		}
		o.Reputation = o.Reputation.After(fusion.Votes)
		return units
	}
}

// reciprocal is plain reciprocal rank fusion with the customary constant, the baseline that this package must beat.
func reciprocal() fusing { return reciprocalRanks }

func reciprocalRanks(l Lexical, d Dense) []index.UnitKey {
	score := map[index.UnitKey]float64{}
	for i, h := range l.Hits {
		score[h.Unit] += 1 / float64(60+i+1)
	}
	for i, h := range d.Hits {
		score[h.Unit] += 1 / float64(60+i+1)
	}
	var units []index.UnitKey
	for u := range score {
		units = append(units, u)
	}
	slices.SortFunc(units, func(a, b index.UnitKey) int { return cmp.Or(cmp.Compare(score[b], score[a]), a.Compare(b)) })
	return units
}

// measured holds the recall at ten, in points, of one combination.
type measured struct {
	name                   string
	lexical, dense, fusion float64
}

func (m measured) loss() float64 { return max(m.lexical, m.dense) - m.fusion }

func (m measured) String() string {
	return fmt.Sprintf("%-70s words %5.1f  vectors %5.1f  fused %5.1f  %+5.1f", m.name, m.lexical, m.dense, m.fusion, -m.loss())
}

var vocabularies = []struct {
	name   string
	chance float64
	long   int // how many times as many words a question has
}{
	{"few words in common", .2, 1},
	{"some words in common", .35, 1},
	{"most words in common", .7, 1},
	{"a dialogue as the question", .08, 8},
}

var similarities = []struct {
	name string
	of   similarity
}{
	{"perfect model", model(9, 2)},
	{"strong model", model(4, 2)},
	{"good model", model(2.5, 2)},
	{"fair model", model(1.5, 1.5)},
	{"weak model", model(1, .7)},
	{"model that knows little but topics", model(.8, 1)},
	{"noise", model(0, 0)},
	{"noise with a heavy tail", func(_ madeQuestion, _ madeUnit, r *rand.Rand) float64 {
		return r.NormFloat64() / math.Sqrt(r.ExpFloat64()+.05)
	}},
	{"inverted", model(-4, -2)},
	{"the same for every question", func(_ madeQuestion, u madeUnit, r *rand.Rand) float64 {
		return 3*rand.New(rand.NewPCG(7, uint64(u.key.Ordinal))).ExpFloat64() + .3*r.NormFloat64()
	}},
	{"a good model of other questions", func(q madeQuestion, u madeUnit, r *rand.Rand) float64 {
		q.topic = (q.topic + 1) % madeTopics
		s := model(0, 2)(q, u, r)
		if (int(u.key.Ordinal)+q.number*7)%madeUnits < 2 {
			s += 4
		}
		return s
	}},
	{"all alike", func(madeQuestion, madeUnit, *rand.Rand) float64 { return .5 }},
	{"good for every second question", func(q madeQuestion, u madeUnit, r *rand.Rand) float64 {
		if q.number%2 == 0 {
			return model(4, 2)(q, u, r)
		}
		return model(0, 0)(q, u, r)
	}},
}

// measure measures every combination of words, vectors and shapes.
func measure(start func() fusing, shapes []shape) []measured {
	b := newBenchmark()
	words := make([][]Lexical, len(vocabularies))
	for i, v := range vocabularies {
		for _, q := range b.questions {
			q.idf = slices.Repeat(q.idf, v.long)
			words[i] = append(words[i], b.words(q, v.chance))
		}
	}
	var all []measured
	for _, s := range similarities {
		var whole []Dense
		for _, q := range b.questions {
			whole = append(whole, b.vectors(q, s.of))
		}
		for _, sh := range shapes {
			for i, v := range vocabularies {
				fuse := start()
				m := measured{name: v.name + ", " + s.name + ", " + sh.name}
				for j, q := range b.questions {
					l, d := words[i][j], sh.apply(whole[j])
					var byWords, byVectors []index.UnitKey
					for _, h := range l.Hits {
						byWords = append(byWords, h.Unit)
					}
					for _, h := range d.Hits {
						byVectors = append(byVectors, h.Unit)
					}
					n := madeQuestions / 100.
					m.lexical += q.recall(byWords) / n
					m.dense += q.recall(byVectors) / n
					m.fusion += q.recall(fuse(l, d)) / n
				}
				all = append(all, m)
			}
		}
	}
	return all
}

// TestFusionIsNeverMuchWorse checks that the fused ranking loses at most one point to the better of its two inputs, for
// any dense ranking.
func TestFusionIsNeverMuchWorse(t *testing.T) {
	t.Parallel()
	for _, m := range measure(ours, shapes) {
		if m.loss() > 1 {
			t.Error(m)
		} else {
			t.Log(m)
		}
	}
}

// TestNaiveFusionIsMuchWorse checks that naive fusion violates this bound.
func TestNaiveFusionIsMuchWorse(t *testing.T) {
	t.Parallel()
	worst := measured{}
	for _, m := range measure(reciprocal, shapes[:3]) {
		if m.loss() > worst.loss() {
			worst = m
		}
	}
	t.Log(worst)
	if worst.loss() < 10 {
		t.Errorf("the benchmark cannot tell a naive fusion from a careful one: it loses at most %.1f points", worst.loss())
	}
}
