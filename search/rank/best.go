package rank

import "slices"

// best keeps the highest scores seen, as a heap whose root is the lowest of them.
type best struct {
	depth int
	heap  []Ranked
}

func newBest(depth int) *best { return &best{depth: depth, heap: make([]Ranked, 0, max(depth, 0))} }

// offer considers a unit. Units are offered in ascending order.
func (b *best) offer(unit int, score float64) {
	entry := Ranked{Unit: unit, Score: score}
	if len(b.heap) < b.depth {
		b.heap = append(b.heap, entry)
		if len(b.heap) == b.depth {
			slices.SortFunc(b.heap, worse) // an ascending slice is a heap
		}
		return
	}
	if b.depth <= 0 || score <= b.heap[0].Score {
		return // of equal scores the first stays
	}
	at := 0
	for {
		child := 2*at + 1
		if child >= len(b.heap) {
			break
		}
		if child+1 < len(b.heap) && worse(b.heap[child+1], b.heap[child]) < 0 {
			child++
		}
		if worse(entry, b.heap[child]) <= 0 {
			break
		}
		b.heap[at] = b.heap[child]
		at = child
	}
	b.heap[at] = entry
}

// descending empties b, best first.
func (b *best) descending() []Ranked {
	slices.SortFunc(b.heap, better)
	return b.heap
}

// worse is the opposite order of better.
func worse(a, b Ranked) int { return better(b, a) }
