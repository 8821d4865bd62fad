package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
)

// population distributes chunks over agents: one has a tenth, one a hundredth, and the others the rest, decreasing
// slowly by rank, so that some are about as large as the second and many are small.
type population struct {
	sizes []int // chunks of each agent
}

// The two measured agents.
const (
	largeAgent  = 0 // a tenth of all chunks
	middleAgent = 1 // a hundredth
)

// newPopulation distributes chunks over agents, at least three.
func newPopulation(chunks, agents int) population {
	p := population{sizes: make([]int, agents)}
	p.sizes[largeAgent] = chunks / 10
	p.sizes[middleAgent] = chunks / 100
	left := chunks - p.sizes[largeAgent] - p.sizes[middleAgent]
	others := p.sizes[middleAgent+1:]
	weights, total := make([]float64, len(others)), 0.0
	for i := range weights {
		// With 200 agents the first dozen are as large as the middle one, and the last are a quarter of it.
		weights[i] = math.Pow(float64(i+20), -0.75)
		total += weights[i]
	}
	given := 0
	for i := range others {
		others[i] = int(float64(left) * weights[i] / total)
		given += others[i]
	}
	others[0] += left - given // the remainder of rounding
	return p
}

// name returns the id of an agent.
func (p population) name(agent int) string { return fmt.Sprintf("agent-%03d", agent) }

// agents returns the numbers of all agents.
func (p population) agents() []int {
	out := make([]int, len(p.sizes))
	for i := range out {
		out[i] = i
	}
	return out
}

// portion is a range of an agent's chunks that is written at once.
type portion struct {
	agent    int
	from, to int // chunks, from 0
}

// portions splits all chunks into portions of at most size, agents in turn, so that rows of different agents are
// interleaved as with many writers.
func (p population) portions(size int) []portion {
	var out []portion
	for from, more := 0, true; more; from += size {
		more = false
		for agent, n := range p.sizes {
			if from < n {
				out = append(out, portion{agent, from, min(from+size, n)})
				more = true
			}
		}
	}
	return out
}

// vocabulary generates texts of invented words whose frequencies follow Zipf's law, like natural languages.
type vocabulary struct {
	words    []string // most frequent first
	exponent float64
	seed     uint64
}

// Bounds of the number of words in a chunk, and in a sentence.
const (
	minWords, maxWords       = 40, 79
	minSentence, maxSentence = 6, 16
)

// newVocabulary creates size words; the word of rank r, from 0, has a probability proportional to 1/(r+1)^exponent.
// The exponent must be above 1. The same seed gives the same texts.
func newVocabulary(size int, exponent float64, seed uint64) *vocabulary {
	v := &vocabulary{words: make([]string, size), exponent: exponent, seed: seed}
	for rank := range v.words {
		v.words[rank] = wordOf(rank)
	}
	return v
}

const (
	consonants = "bdfgklmnprstvz"
	vowels     = "aeiou"
	syllables  = len(consonants) * len(vowels)
)

// wordOf returns the word of a rank: two syllables for the most frequent 4,900, three for the others; all are
// distinct.
func wordOf(rank int) string {
	var w strings.Builder
	length := 2
	if rank >= syllables*syllables {
		rank -= syllables * syllables
		length = 3
	}
	for range length {
		syllable := rank % syllables
		rank /= syllables
		w.WriteByte(consonants[syllable/len(vowels)])
		w.WriteByte(vowels[syllable%len(vowels)])
	}
	return w.String()
}

// chunk returns the text of an agent's chunk: as many words as one unit of the index has.
func (v *vocabulary) chunk(agent, number int) string {
	w := v.writer(uint64(agent)<<40 | uint64(number))
	return w.text(minWords + w.rng.IntN(maxWords-minWords+1))
}

// writer draws words of a vocabulary. The same stream draws the same words.
type writer struct {
	*vocabulary
	rng  *rand.Rand
	zipf *rand.Zipf // draws an index of words
}

// Streams of texts other than chunks.
const (
	streamOfQuestions = 1<<63 + iota
	streamOfNotes
)

func (v *vocabulary) writer(stream uint64) *writer {
	rng := rand.New(rand.NewPCG(v.seed, stream)) //nolint:gosec // it must be reproducible
	return &writer{vocabulary: v, rng: rng, zipf: rand.NewZipf(rng, v.exponent, 1, uint64(len(v.words)-1))}
}

// word draws one word.
func (w *writer) word() string { return w.words[w.zipf.Uint64()] }

// text returns a text of n words, in sentences.
func (w *writer) text(n int) string {
	var b strings.Builder
	left := 0 // words of the sentence
	for i := range n {
		word := w.word()
		if left == 0 {
			left = minSentence + w.rng.IntN(maxSentence-minSentence+1)
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
		switch left--; {
		case left == 0 || i == n-1:
			b.WriteString(". ")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

// Questions have common and rare words, like real ones.
const (
	commonRanks = 50 // a word of these ranks is in at least every tenth chunk
	commonTerms = 2
	rareTerms   = 3
)

// question returns a question with the rarer words of a chunk, between very frequent words.
func (w *writer) question(chunk string) string {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(chunk, ".", "")))
	common := map[string]bool{}
	for _, word := range w.words[:commonRanks] {
		common[word] = true
	}
	w.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	asked := map[string]bool{}
	var out []string
	for _, word := range words {
		if len(out) < rareTerms && !common[word] && !asked[word] {
			asked[word] = true
			out = append(out, word)
		}
	}
	for len(out) < rareTerms+commonTerms {
		if word := w.words[w.rng.IntN(commonRanks)]; !asked[word] {
			asked[word] = true
			out = append(out, word)
		}
	}
	w.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return strings.Join(out, " ")
}

// vectorOf returns a pseudo-random unit vector for a text: reproducible, and not near to any other. Only the time to
// compare vectors is measured, which does not depend on their values.
func vectorOf(text string, dimensions int) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))                       // a hash never fails
	rng := rand.New(rand.NewPCG(h.Sum64(), uint64(1))) //nolint:gosec // it must be reproducible
	v, square := make([]float32, dimensions), 0.0
	for i := range v {
		v[i] = float32(rng.NormFloat64())
		square += float64(v[i]) * float64(v[i])
	}
	length := float32(math.Sqrt(square))
	for i := range v {
		v[i] /= length
	}
	return v
}
