package main

import (
	"strings"
	"testing"
)

func TestPopulation(t *testing.T) {
	for _, c := range []struct{ chunks, agents int }{{1_000_000, 200}, {20_000, 20}, {1000, 3}, {999_999, 199}} {
		p := newPopulation(c.chunks, c.agents)
		total := 0
		for agent, n := range p.sizes {
			total += n
			if n <= 0 {
				t.Errorf("%d over %d: agent %d has %d", c.chunks, c.agents, agent, n)
			}
		}
		if total != c.chunks || len(p.sizes) != c.agents {
			t.Errorf("%d over %d: %d over %d are given", c.chunks, c.agents, total, len(p.sizes))
		}
		if p.sizes[largeAgent] != c.chunks/10 || p.sizes[middleAgent] != c.chunks/100 {
			t.Errorf("%d over %d: the measured agents have %d and %d", c.chunks, c.agents, p.sizes[largeAgent], p.sizes[middleAgent])
		}
	}
	p := newPopulation(1_000_000, 200)
	if most, least := p.sizes[2], p.sizes[199]; most > 20_000 || least > 5_000 {
		t.Errorf("the largest of the others has %d, the smallest %d", most, least)
	}
}

func TestPortionsCoverEverything(t *testing.T) {
	p := population{sizes: []int{7, 2, 0, 4}}
	next := make([]int, len(p.sizes))
	for _, part := range p.portions(3) {
		if part.from != next[part.agent] || part.to <= part.from || part.to-part.from > 3 {
			t.Fatalf("portion %+v behind %d", part, next[part.agent])
		}
		next[part.agent] = part.to
	}
	for agent, n := range p.sizes {
		if next[agent] != n {
			t.Errorf("agent %d got %d of %d", agent, next[agent], n)
		}
	}
}

func TestWordsAreDistinct(t *testing.T) {
	v := newVocabulary(50_000, 1.07, 1)
	seen := map[string]int{}
	for rank, w := range v.words {
		if before, ok := seen[w]; ok {
			t.Fatalf("ranks %d and %d are both %q", before, rank, w)
		}
		seen[w] = rank
	}
}

func TestTextsFollowZipf(t *testing.T) {
	v := newVocabulary(1000, 1.07, 1)
	count, total := map[string]int{}, 0
	for i := range 2000 {
		words := strings.Fields(strings.ToLower(strings.ReplaceAll(v.chunk(0, i), ".", "")))
		if n := len(words); n < minWords || n > maxWords {
			t.Fatalf("a chunk has %d words", n)
		}
		for _, w := range words {
			count[w]++
			total++
		}
	}
	// The tenth word is expected about 10^1.07 = 11.7 times as rarely as the first.
	if ratio := float64(count[v.words[0]]) / float64(count[v.words[9]]); ratio < 10.5 || ratio > 13 {
		t.Errorf("the first word is %.1f times as frequent as the tenth", ratio)
	}
	if len(count) < 900 {
		t.Errorf("%d of 1,000 words occur among %d", len(count), total)
	}
}

func TestSameSeedSameTexts(t *testing.T) {
	a, b, other := newVocabulary(1000, 1.07, 1), newVocabulary(1000, 1.07, 1), newVocabulary(1000, 1.07, 2)
	seen := map[string]bool{}
	for agent := range 3 {
		for i := range 10 {
			text := a.chunk(agent, i)
			if text != b.chunk(agent, i) {
				t.Fatal("the same seed gives another text")
			}
			if text == other.chunk(agent, i) || seen[text] {
				t.Fatal("another seed, agent or number gives the same text")
			}
			seen[text] = true
		}
	}
}

func TestQuestion(t *testing.T) {
	v := newVocabulary(5000, 1.07, 1)
	w := v.writer(streamOfQuestions)
	for i := range 100 {
		chunk := v.chunk(0, i)
		inChunk, common := 0, 0
		terms := strings.Fields(w.question(chunk))
		distinct := map[string]bool{}
		for _, term := range terms {
			distinct[term] = true
			if strings.Contains(strings.ToLower(chunk), term) {
				inChunk++
			}
			for _, frequent := range v.words[:commonRanks] {
				if term == frequent {
					common++
				}
			}
		}
		if len(terms) != 5 || len(distinct) != 5 || common != commonTerms || inChunk < rareTerms {
			t.Fatalf("question %v about %q", terms, chunk)
		}
	}
}
