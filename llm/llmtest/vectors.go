package llmtest

import (
	"math"
	"slices"
)

// vectorsReply is a reply that changes the vectors of an honest answer.
func vectorsReply(name string, change func([]Vector) []Vector) Reply {
	return Reply{Name: name, Vectors: change}
}

// OutOfOrder is an answer whose vectors come in the reverse order, with their right numbers.
func OutOfOrder() Reply {
	return vectorsReply("out of order", func(v []Vector) []Vector {
		slices.Reverse(v)
		return v
	})
}

// WrongCount is an answer without the last vector.
func WrongCount() Reply {
	return vectorsReply("wrong count", func(v []Vector) []Vector { return v[:len(v)-1] })
}

// SameIndex is an answer whose vectors all have the number 0.
func SameIndex() Reply { return numbered("same index", func(int) int { return 0 }) }

// IndexBeyond is an answer whose vectors are numbered from 1.
func IndexBeyond() Reply { return numbered("index beyond", func(i int) int { return i + 1 }) }

// NoIndex is an answer whose vectors have no numbers.
func NoIndex() Reply { return numbered("no index", func(int) int { return -1 }) }

// NoZeroIndex is an answer that leaves the number out where it is 0, as Gemini does.
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

// WrongDimensions is an answer whose vectors have n numbers, whatever was asked for.
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

// NaNs is an answer whose vectors at these places hold something that is no number; without places, all of them do.
func NaNs(at ...int) Reply {
	return filled("NaN", at, float32(math.NaN()), 2)
}

// Infinities is an answer whose vectors at these places hold an infinite number; without places, all of them do.
func Infinities(at ...int) Reply {
	return filled("infinity", at, float32(math.Inf(1)), 1)
}

// Zeros is an answer whose vectors at these places are all zeros; without places, all of them are.
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
