package index

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrDamaged is what reading packed bytes gives that were not written by this package: the index must be built anew.
var ErrDamaged = errors.New("the index is damaged: build it anew")

// packing appends numbers in as few bytes as they need.
type packing []byte

func (p *packing) number(n int64)   { *p = binary.AppendVarint(*p, n) }
func (p *packing) natural(n uint64) { *p = binary.AppendUvarint(*p, n) }

// unpacking reads what packing wrote; the first fault stays.
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

// count reads how many things follow, of which each takes a byte at least.
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

// PackUnits writes units that are in order.
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

// UnpackUnits reads what PackUnits wrote. Its error is ErrDamaged.
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

// end is the fault of the reading, if any; bytes that are left over are one.
func (u *unpacking) end() error {
	if u.err == nil && len(u.data) > 0 {
		u.fail()
	}
	return u.err
}

// list writes a list of postings: how many, then for each how far behind the one before, and how often.
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

// list reads a list of postings behind those in to. A unit beyond units is a fault.
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

// skip passes over a list.
func (u *unpacking) skip() {
	for range u.count() {
		if u.natural()&1 == 1 {
			u.natural()
		}
	}
}

// Pack writes a segment as one value.
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

// UnpackSegment reads what Pack wrote. Its error is ErrDamaged.
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

// InGroup gives the units of a segment of one source that source's number, which was not known when it was packed.
func InGroup(units []Unit, group int64) {
	for i := range units {
		units[i].Group = group
	}
}

// findLists calls found for those of wanted (ascending) that packed terms contain.
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

// damaged names what was damaged.
func damaged(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
