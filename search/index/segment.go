// Package index packs units and their terms into segments and gathers the postings of a question from them.
package index

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Segment is a part of an index in memory: ordered units, and the postings of each term.
type Segment struct {
	Units    []Unit      // ordered by Group, Seq, Part
	Terms    []TermID    // ascending
	Postings [][]Posting // of Terms[i], ordered by Unit, an index in Units
}

// NewSegment builds a segment from entries in any order.
func NewSegment(entries []Entry) *Segment {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b Entry) int { return a.Key().Compare(b.Key()) })
	s := &Segment{Units: make([]Unit, len(entries))}
	byTerm := map[TermID][]Posting{}
	for i, e := range entries {
		s.Units[i] = e.Unit
		for term, tf := range e.Terms {
			byTerm[term] = append(byTerm[term], Posting{Unit: int32(i), TF: int32(tf)})
		}
	}
	s.setTerms(byTerm)
	return s
}

func (s *Segment) setTerms(byTerm map[TermID][]Posting) {
	s.Terms = make([]TermID, 0, len(byTerm))
	for term := range byTerm {
		s.Terms = append(s.Terms, term)
	}
	slices.Sort(s.Terms)
	s.Postings = make([][]Posting, len(s.Terms))
	for i, term := range s.Terms {
		s.Postings[i] = byTerm[term]
	}
}

// MergeSegments merges segments, without the groups that are dead. The same units give the same segment, however they
// were distributed.
func MergeSegments(parts []*Segment, dead func(group int64) bool) *Segment {
	runs := make([][]Unit, len(parts))
	for i, p := range parts {
		runs[i] = p.Units
	}
	units, places := mergeUnits(runs, dead)
	byTerm := map[TermID][]Posting{}
	for i, p := range parts {
		for j, term := range p.Terms {
			for _, posting := range p.Postings[j] {
				if at := places[i][posting.Unit]; at >= 0 {
					byTerm[term] = append(byTerm[term], Posting{Unit: at, TF: posting.TF})
				}
			}
		}
	}
	for _, postings := range byTerm {
		slices.SortFunc(postings, func(a, b Posting) int { return cmp.Compare(a.Unit, b.Unit) })
	}
	merged := &Segment{Units: units}
	merged.setTerms(byTerm)
	return merged
}

// mergeUnits merges ordered runs of units. places[i][j] is the position of runs[i][j] in the result, or -1 if its group
// is dead.
func mergeUnits(runs [][]Unit, dead func(group int64) bool) (units []Unit, places [][]int32) {
	total := 0
	places = make([][]int32, len(runs))
	for i, run := range runs {
		places[i] = make([]int32, len(run))
		total += len(run)
	}
	units = make([]Unit, 0, total)
	next := make([]int, len(runs))
	group, gone := int64(0), false
	for {
		least := -1
		for i, run := range runs { // there are few runs
			if next[i] < len(run) && (least < 0 || run[next[i]].Key().Compare(runs[least][next[least]].Key()) < 0) {
				least = i
			}
		}
		if least < 0 {
			return units, places
		}
		// Take the rest of the run, up to where another one continues, at once.
		limit := UnitKey{}
		bounded := false
		for i, run := range runs {
			if i != least && next[i] < len(run) {
				if key := run[next[i]].Key(); !bounded || key.Compare(limit) < 0 {
					limit, bounded = key, true
				}
			}
		}
		for run := runs[least]; next[least] < len(run); next[least]++ {
			u := run[next[least]]
			if bounded && u.Key().Compare(limit) > 0 {
				break
			}
			if u.Group != group || len(units) == 0 {
				group, gone = u.Group, dead != nil && dead(u.Group)
			}
			if gone {
				places[least][next[least]] = -1
				continue
			}
			places[least][next[least]] = int32(len(units))
			units = append(units, u)
		}
	}
}

// ErrDamaged is returned for packed bytes that were not written by this package. The index must be rebuilt.
var ErrDamaged = errors.New("the index is damaged: rebuild it")

// packing appends numbers in variable length.
type packing []byte

func (p *packing) number(n int64)   { *p = binary.AppendVarint(*p, n) }
func (p *packing) natural(n uint64) { *p = binary.AppendUvarint(*p, n) }

// unpacking reads the output of packing and keeps the first error.
type unpacking struct {
	data []byte
	err  error
}

func (u *unpacking) number() int64 {
	n, size := binary.Varint(u.data)
	return advance(u, n, size)
}

func (u *unpacking) natural() uint64 {
	n, size := binary.Uvarint(u.data)
	return advance(u, n, size)
}

func advance[N int64 | uint64](u *unpacking, n N, size int) N {
	if size <= 0 {
		u.fail()
		return 0
	}
	u.data = u.data[size:]
	return n
}

// count reads the number of following items, each of which takes at least one byte.
func (u *unpacking) count() int {
	n := u.natural()
	if n > uint64(len(u.data)) {
		u.fail()
		return 0
	}
	return int(n)
}

func (u *unpacking) fail() {
	u.err = ErrDamaged
	u.data = nil
}

// PackUnits encodes units, which must be in order.
func PackUnits(units []Unit) []byte {
	p := make(packing, 0, 16*len(units)+8)
	p.natural(uint64(len(units)))
	var last Unit
	for _, u := range units {
		p.number(u.Group - last.Group)
		if u.Group != last.Group {
			last = Unit{Group: u.Group, At: last.At}
		}
		p.number(u.Seq - last.Seq)
		p.natural(uint64(u.Part))
		p.number(int64(u.Section - last.Section))
		p.natural(uint64(u.Length))
		p.number(u.At - last.At)
		p.number(int64(u.FromLine - last.FromLine))
		p.number(int64(u.ToLine - u.FromLine))
		p.number(int64(u.Start - last.Start))
		p.number(int64(u.End - u.Start))
		last = u
	}
	return p
}

// UnpackUnits decodes the output of PackUnits. It returns ErrDamaged for invalid data.
func UnpackUnits(data []byte) ([]Unit, error) {
	u := unpacking{data: data}
	units := u.units()
	return units, u.end()
}

func (u *unpacking) units() []Unit {
	units := make([]Unit, u.count())
	var last Unit
	for i := range units {
		if group := u.number(); group != 0 {
			last = Unit{Group: last.Group + group, At: last.At}
		}
		next := Unit{Group: last.Group}
		next.Seq = last.Seq + u.number()
		next.Part = int(u.natural())
		next.Section = last.Section + int(u.number())
		next.Length = int(u.natural())
		next.At = last.At + u.number()
		next.FromLine = last.FromLine + int(u.number())
		next.ToLine = next.FromLine + int(u.number())
		next.Start = last.Start + int(u.number())
		next.End = next.Start + int(u.number())
		units[i], last = next, next
	}
	return units
}

// end returns the first error, or ErrDamaged if bytes are left over.
func (u *unpacking) end() error {
	if u.err == nil && len(u.data) > 0 {
		u.fail()
	}
	return u.err
}

// list writes a list of postings: its length, then for each the distance to the one before and the frequency.
func (p *packing) list(postings []Posting) {
	p.natural(uint64(len(postings)))
	last := int32(-1)
	for _, posting := range postings {
		// Most terms occur once: that costs one bit.
		gap := uint64(posting.Unit-last-1) << 1
		if posting.TF == 1 {
			p.natural(gap)
		} else {
			p.natural(gap | 1)
			p.natural(uint64(posting.TF))
		}
		last = posting.Unit
	}
}

// list reads a list of postings and appends them to to. A unit at or beyond units is an error.
func (u *unpacking) list(to []Posting, units int) []Posting {
	last := int64(-1)
	for range u.count() {
		gap := u.natural()
		posting := Posting{Unit: int32(last + 1 + int64(gap>>1)), TF: 1}
		if gap&1 == 1 {
			posting.TF = int32(u.natural())
		}
		if gap>>1 > uint64(units) || int(posting.Unit) >= units {
			u.fail()
			return to
		}
		last = int64(posting.Unit)
		to = append(to, posting)
	}
	return to
}

// skip skips a list.
func (u *unpacking) skip() {
	for range u.count() {
		if u.natural()&1 == 1 {
			u.natural()
		}
	}
}

// Pack encodes a segment as one value.
func (s *Segment) Pack() []byte {
	p := packing(PackUnits(s.Units))
	p.terms(s.Terms, s.Postings)
	return p
}

func (p *packing) terms(terms []TermID, postings [][]Posting) {
	p.natural(uint64(len(terms)))
	last := TermID(0)
	for i, term := range terms {
		p.natural(uint64(term - last))
		p.list(postings[i])
		last = term
	}
}

// UnpackSegment decodes the output of Pack. It returns ErrDamaged for invalid data.
func UnpackSegment(data []byte) (*Segment, error) {
	u := unpacking{data: data}
	s := &Segment{Units: u.units()}
	n := u.count()
	s.Terms, s.Postings = make([]TermID, n), make([][]Posting, n)
	last := TermID(0)
	for i := range n {
		last += TermID(u.natural())
		s.Terms[i] = last
		s.Postings[i] = u.list(nil, len(s.Units))
	}
	return s, u.end()
}

// InGroup sets the group of units of one source, whose number was unknown when they were packed.
func InGroup(units []Unit, group int64) {
	for i := range units {
		units[i].Group = group
	}
}

// findLists calls found for each term of wanted (ascending) in the packed terms.
func (u *unpacking) findLists(wanted []TermID, units int, found func(at int, postings []Posting)) {
	n := u.count()
	last, at := TermID(0), 0
	for range n {
		last += TermID(u.natural())
		for at < len(wanted) && wanted[at] < last {
			at++
		}
		if at == len(wanted) || u.err != nil {
			u.data = nil
			return
		}
		if wanted[at] == last {
			found(at, u.list(nil, units))
		} else {
			u.skip()
		}
	}
}

// damaged returns an error that names the damaged part.
func damaged(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

const (
	// TermBits is the number of bits of a TermID, which fits into a signed 64-bit column.
	TermBits = 63
	// bucketBytes is the average size of a bucket's postings: a few buckets fit into a database page, and reading a
	// bucket for a single term costs little more than the term.
	bucketBytes = 1500
	// longList is the size in bytes from which a list gets its own block, so that lookups of other terms do not read
	// it.
	longList = 600
	// maxBits bounds the number of buckets to 2^maxBits.
	maxBits = 24
)

// Block is a part of the postings of a segment: those of all terms of a bucket, or of one frequent term.
type Block struct {
	Bucket int    // the leading bits of the terms
	Term   TermID // 0: all terms of the bucket without their own block
	Data   []byte
}

// Bucket returns the bucket of the term in a segment with the given number of bits.
func (t TermID) Bucket(bits int) int { return int(t >> (TermBits - bits)) }

// Blocks packs the postings of a segment. bits is the number of leading bits of a term that select its bucket.
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

// packed encodes the lists of some terms as one value.
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

// FromBlocks returns the segment with the given units and blocks. It returns ErrDamaged for invalid data.
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

// sortedTerms returns the distinct terms in ascending order.
func sortedTerms(terms []TermID) []TermID {
	terms = slices.Clone(terms)
	slices.Sort(terms)
	return slices.Compact(terms)
}
