package main

import (
	"fmt"
	"math"
)

// population is who has how many chunks: one agent with a tenth of all, one with a hundredth, and the others with what is
// left, falling slowly by rank, so that some are about as large as the second and many are small.
type population struct {
	sizes []int // chunks of each agent
}

// The two agents that are measured.
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
	others[0] += left - given // what rounding has left over
	return p
}

// name is the id of an agent.
func (p population) name(agent int) string { return fmt.Sprintf("agent-%03d", agent) }

// agents are the numbers of all agents.
func (p population) agents() []int {
	out := make([]int, len(p.sizes))
	for i := range out {
		out[i] = i
	}
	return out
}

// portion is a stretch of an agent's chunks that is written at once.
type portion struct {
	agent    int
	from, to int // chunks, from 0
}

// portions cuts everybody's chunks into portions of at most size, in turn: rows of different agents stand beside each
// other, as they do where many write.
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
