package chunk

import (
	"reverie/language/sentence"
)

// cutter cuts runs of atoms into pieces.
type cutter struct {
	content        string
	markdown       []markdownLine
	atoms          []atom
	first          []int // index of the first atom at or after each line; plus one for the end
	limit, overlap int   // weights
}

// atom is a non-blank line, or a part of one that is too long for a piece.
type atom struct {
	start, end int // bytes, without trailing blanks
	line       int
	cost       cost // of a cut before it
	before     int  // weight of the document before the atom, and
	after      int  // including the atom
}

// pieceCut selects the atoms from..to of a piece, of which those before own repeat the previous piece.
type pieceCut struct{ from, own, to int }

// newCutter prepares content, already scanned into lines, for cutting.
func newCutter(content string, lines []markdownLine, o Options) *cutter {
	c := &cutter{
		content:  content,
		markdown: lines,
		atoms:    make([]atom, 0, len(lines)),
		first:    make([]int, len(lines)+1),
		limit:    o.Tokens * tokenWeight,
		overlap:  o.Overlap * tokenWeight,
	}
	weight, at := 0, 0
	for i, line := range lines {
		c.first[i] = len(c.atoms)
		if line.blank {
			continue
		}
		weight += weigh(content[at:line.start])
		at = line.end
		text := content[line.start:line.end]
		own := weigh(text)
		if own <= c.limit {
			c.atoms = append(c.atoms, atom{start: line.start, end: line.end, line: i, cost: line.cost, before: weight, after: weight + own})
			weight += own
			continue
		}
		weight = c.cutLine(i, line, weight)
	}
	c.first[len(lines)] = len(c.atoms)
	return c
}

// cutLine adds a line that is too long for a piece, in parts. weight is the weight of everything before it; the result
// includes the line.
func (c *cutter) cutLine(i int, line markdownLine, weight int) int {
	at := line.start
	for part := range sentence.Parts(c.content[line.start:line.end], c.limit/tinyShare, weigh) {
		start, end := line.start+part.Start, line.start+part.End
		weight += weigh(c.content[at:start])
		own := weigh(c.content[start:end])
		a := atom{start: start, end: end, line: i, cost: costSentence + cost(part.Cut), before: weight, after: weight + own}
		if at == line.start {
			a.cost = line.cost
		}
		weight += own
		c.atoms = append(c.atoms, a)
		at = end
	}
	return weight + weigh(c.content[at:line.end])
}

// atomAt returns the first atom at or after line.
func (c *cutter) atomAt(line int) int { return c.first[line] }

// lines returns the first and the last line of atoms from..to.
func (c *cutter) lines(from, to int) (first, last int) { return c.atoms[from].line, c.atoms[to-1].line }

// weight returns the weight of atoms from..to including the text between them.
func (c *cutter) weight(from, to int) int {
	if from == to {
		return 0
	}
	return c.atoms[to-1].after - c.atoms[from].before
}

// fits reports whether atoms from..to may form one piece: they are short enough without leading headings, or cannot be
// cut.
func (c *cutter) fits(from, to int) bool {
	if to-from == 1 {
		return true
	}
	over := c.weight(from, to) - c.limit
	if over <= 0 || over > c.limit/tinyShare {
		return over <= 0
	}
	text := from
	for text < to-1 && c.markdown[c.atoms[text].line].silent {
		text++
	}
	return over <= c.atoms[text].before-c.atoms[from].before
}

// piece returns the piece of a cut.
func (c *cutter) piece(cut pieceCut) Piece {
	first, last := c.atoms[cut.from], c.atoms[cut.to-1]
	return Piece{
		Text:     c.content[first.start:last.end],
		FromLine: first.line + 1,
		ToLine:   last.line + 1,
		Start:    first.start,
		End:      last.end,
	}
}

// cut cuts atoms from..to into pieces of at most the limit, as few and as equal as possible. It takes linear time.
func (c *cutter) cut(from, to int) []pieceCut {
	total := c.weight(from, to)
	if c.fits(from, to) {
		return []pieceCut{{from, from, to}}
	}
	ends := c.wholes(from, to, nil)
	step := c.limit - c.overlap
	pieces := (total - c.overlap + step - 1) / step
	aim := (total + (pieces-1)*c.overlap) / pieces
	var out []pieceCut
	next := pieceCut{from, from, from}
	for len(ends) > 0 {
		n := c.fill(next.from, ends, aim)
		next.to = ends[n]
		ends = ends[n+1:]
		out = append(out, next)
		if len(ends) > 0 {
			next = pieceCut{from: c.carry(next, ends[0]), own: next.to}
		}
	}
	return out
}

// wholes splits atoms from..to into the largest parts that fit into a piece, cutting only at the least cost, and
// appends their ends to ends.
func (c *cutter) wholes(from, to int, ends []int) []int {
	if c.fits(from, to) {
		return append(ends, to)
	}
	least := c.atoms[from+1].cost
	for _, a := range c.atoms[from+2 : to] {
		least = min(least, a.cost)
	}
	start := from
	for i := from + 1; i < to; i++ {
		if c.atoms[i].cost == least {
			ends = c.wholes(start, i, ends)
			start = i
		}
	}
	return c.wholes(start, to, ends)
}

// fill returns how many parts after the first go into a piece that begins at from: among ends near the target weight
// aim, it chooses the one with the least cost.
func (c *cutter) fill(from int, ends []int, aim int) int {
	best := 0
	for i, end := range ends {
		weight := c.weight(from, end)
		if i > 0 && weight > c.limit {
			return best
		}
		if i+1 == len(ends) {
			return i
		}
		if c.weight(from, ends[best]) < aim-aim/4 || c.better(from, end, ends[best], aim) {
			best = i
		}
	}
	return best
}

// better reports whether end is a better end than best for a piece that begins at from.
func (c *cutter) better(from, end, best, aim int) bool {
	if a, b := c.atoms[end].cost, c.atoms[best].cost; a != b {
		return a < b
	}
	return distance(c.weight(from, end), aim) < distance(c.weight(from, best), aim)
}

func distance(a, b int) int { return max(a-b, b-a) }

// carry returns where the piece after last begins; end is the first possible end of its new part. The piece repeats
// whole blocks or items, or else whole lines, about as much as the overlap, and never all of the previous piece.
func (c *cutter) carry(last pieceCut, end int) int {
	if c.overlap == 0 {
		return last.to
	}
	split := max(costSoft, c.atoms[last.to].cost) // a block that the cut has split may also be split before it
	block, line := last.to, last.to
	for i := last.to - 1; i > last.own; i-- {
		weight := c.weight(i, last.to)
		if weight > 2*c.overlap || c.weight(i, end) > c.limit {
			break
		}
		switch cost := c.atoms[i].cost; {
		case cost <= costWhole:
			block = i
		case cost <= split:
			line = i
		}
		if weight >= c.overlap {
			break
		}
	}
	if block < last.to {
		return block
	}
	return line
}

// cost ranks the harm of a cut before a line, or inside one. Cuts are made where it is lowest.
type cost uint8

const (
	costSection cost = 1 // before a heading
	costBlock   cost = 2 // between blocks
	costItem    cost = 3 // between list items; each level of nesting adds two, for its blocks and its items

	costWhole = costItem + 2*maxListDepth + 1 // up to here, both sides of a cut are whole

	costQuote    cost = costWhole + 1 // between the paragraphs of a quotation
	costSoft     cost = costWhole + 2 // between the lines of a paragraph
	costRow      cost = costWhole + 3 // between the rows of a table
	costCodeGap  cost = costWhole + 4 // at a blank line in code
	costCode     cost = costWhole + 5 // between lines of code
	costSentence cost = costWhole + 6 // inside a line
	costWord     cost = costWhole + 7
	costCluster  cost = costWhole + 8 // inside a word
	costHead     cost = costWhole + 9 // after a heading, or the head of a table
)

// maxListDepth is the number of list levels that are distinguished.
const maxListDepth = 8

// inItem returns the cost of a cut between the blocks of a list item nested in depth-1 others.
func inItem(depth int) cost { return costItem + cost(2*min(depth, maxListDepth)) - 1 }

// betweenItems returns the cost of a cut between list items nested in depth others.
func betweenItems(depth int) cost { return costItem + cost(2*min(depth, maxListDepth-1)) }
