package main

import "testing"

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
