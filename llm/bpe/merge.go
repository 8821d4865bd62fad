package bpe

import "math"

// never is the rank of text that is not a token.
const never = math.MaxInt32

// parts is a piece as a linked list of parts, each from its position to next. A part joined to the previous one is removed.
type parts struct {
	vocabulary

	piece string
	list  []part
	open  []join // a heap: the lowest rank first, then the leftmost
}

// part is one part; its rank is that of the token which it forms with the next one.
type part struct{ prev, next, rank int32 }

// join is a pair of parts that may be joined. It is outdated if its rank is no longer that of its part.
type join struct{ rank, at int32 }

func (j join) before(other join) bool {
	return j.rank < other.rank || j.rank == other.rank && j.at < other.at
}

// merged returns the number of tokens of a piece.
func (v vocabulary) merged(piece string) int {
	n := int32(len(piece))
	p := parts{vocabulary: v, piece: piece, list: make([]part, n+1), open: make([]join, 0, n)}
	for i := range p.list {
		p.list[i] = part{prev: int32(i) - 1, next: int32(i) + 1}
	}
	for i := range n {
		p.consider(i)
	}
	left := int(n)
	for len(p.open) > 0 {
		j := p.pop()
		if p.list[j.at].rank == j.rank {
			p.join(j.at)
			left--
		}
	}
	return left
}

// consider adds the join of the part at i with the next one, if there is such a token.
func (p *parts) consider(i int32) {
	p.list[i].rank = never
	end := p.list[i].next
	if int(end) >= len(p.piece) {
		return
	}
	if rank, ok := p.vocabulary[p.piece[i:p.list[end].next]]; ok {
		p.list[i].rank = rank
		p.push(join{rank, i})
	}
}

// join joins the part at i with the next one.
func (p *parts) join(i int32) {
	gone := p.list[i].next
	p.list[gone].rank = never
	p.list[i].next = p.list[gone].next
	p.list[p.list[i].next].prev = i
	p.consider(i)
	if before := p.list[i].prev; before >= 0 {
		p.consider(before)
	}
}

func (p *parts) push(j join) {
	p.open = append(p.open, j)
	at := len(p.open) - 1
	for at > 0 {
		parent := (at - 1) / 2
		if !p.open[at].before(p.open[parent]) {
			return
		}
		p.open[at], p.open[parent] = p.open[parent], p.open[at]
		at = parent
	}
}

func (p *parts) pop() join {
	top, last := p.open[0], len(p.open)-1
	p.open[0] = p.open[last]
	p.open = p.open[:last]
	at := 0
	for {
		child := 2*at + 1
		if child >= last {
			return top
		}
		if child+1 < last && p.open[child+1].before(p.open[child]) {
			child++
		}
		if !p.open[child].before(p.open[at]) {
			return top
		}
		p.open[at], p.open[child] = p.open[child], p.open[at]
		at = child
	}
}
