package index

import "slices"

const (
	// TermBits is how many bits a TermID has, so that it fits into a signed 64-bit column.
	TermBits = 63
	// bucketBytes is what the postings of one bucket take on average: a few buckets fit into a database page, and reading
	// one for a single term is not much more than the term.
	bucketBytes = 1500
	// longList is from how many bytes on a list stands by itself, so that nobody reads it who looks for another term.
	longList = 600
	// maxBits bounds the number of buckets.
	maxBits = 24
)

// Block is a part of the postings of a segment: those of all terms of a bucket, or of one term that has many.
type Block struct {
	Bucket int    // the first bits of the terms
	Term   TermID // 0: all of the bucket that have no block of their own
	Data   []byte
}

// Bucket is which block of a segment with that many bits has the term.
func (t TermID) Bucket(bits int) int { return int(t >> (TermBits - bits)) }

// Blocks packs the postings of a segment. bits says by how many leading bits of a term its bucket is found.
func (s *Segment) Blocks() (bits int, blocks []Block) {
	lists := make([]packing, len(s.Terms))
	total := 0
	for i := range s.Terms {
		lists[i].list(s.Postings[i])
		if len(lists[i]) < longList {
			total += len(lists[i]) + 8
		}
	}
	for bits < maxBits && total>>bits > bucketBytes {
		bits++
	}
	for from := 0; from < len(s.Terms); {
		bucket := s.Terms[from].Bucket(bits)
		to := from
		var short []int
		for ; to < len(s.Terms) && s.Terms[to].Bucket(bits) == bucket; to++ {
			if len(lists[to]) < longList {
				short = append(short, to)
				continue
			}
			blocks = append(blocks, Block{Bucket: bucket, Term: s.Terms[to], Data: lists[to]})
		}
		if len(short) > 0 {
			blocks = append(blocks, Block{Bucket: bucket, Data: s.packed(short, lists)})
		}
		from = to
	}
	return bits, blocks
}

// packed are the lists of some terms as one value.
func (s *Segment) packed(terms []int, lists []packing) []byte {
	var p packing
	p.natural(uint64(len(terms)))
	last := TermID(0)
	for _, i := range terms {
		p.natural(uint64(s.Terms[i] - last))
		p = append(p, lists[i]...)
		last = s.Terms[i]
	}
	return p
}

// FromBlocks is the segment whose units and blocks are given. Its error is ErrDamaged.
func FromBlocks(units []Unit, blocks []Block) (*Segment, error) {
	byTerm := map[TermID][]Posting{}
	for _, b := range blocks {
		u := unpacking{data: b.Data}
		if b.Term != 0 {
			byTerm[b.Term] = u.list(nil, len(units))
		} else {
			last := TermID(0)
			for range u.count() {
				last += TermID(u.natural())
				byTerm[last] = u.list(nil, len(units))
			}
		}
		if err := u.end(); err != nil {
			return nil, err
		}
	}
	s := &Segment{Units: units}
	s.setTerms(byTerm)
	return s, nil
}

// sortedTerms are distinct terms, ascending.
func sortedTerms(terms []TermID) []TermID {
	terms = slices.Clone(terms)
	slices.Sort(terms)
	return slices.Compact(terms)
}
