package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// vectorOf is a made-up vector of unit length for a text: always the same for the same text, and near to no other. What is
// measured is how long it takes to compare them, which does not depend on what they say.
func vectorOf(text string, dimensions int) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))                       // a hash takes everything
	rng := rand.New(rand.NewPCG(h.Sum64(), uint64(1))) //nolint:gosec // it must be repeatable
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
