package index

import (
	"slices"

	"reverie/language/analysis"
	"reverie/search"
)

// Gathering assembles a Collection from the parts of an index.
type Gathering struct {
	wanted []TermID // ascending
	parts  []part
}

// part is a segment of which only the wanted postings are loaded.
type part struct {
	units []Unit
	lists []found
}

// found is the posting list of one wanted term in one part.
type found struct {
	term     int // index in wanted
	postings []Posting
}

// Gather begins a collection for the terms of a question.
func Gather(q analysis.Query) *Gathering {
	var wanted []TermID
	for _, term := range q.Searched() {
		for _, form := range term.Forms {
			if wanted = append(wanted, Context.ID(form)); !term.Stop { // the lists of stop words are long
				wanted = append(wanted, Body.ID(form))
			}
		}
		if term.Sound != "" {
			wanted = append(wanted, Context.ID(term.Sound))
		}
	}
	return &Gathering{wanted: sortedTerms(wanted)}
}

// Wanted returns the terms to look up, in ascending order.
func (g *Gathering) Wanted() []TermID { return g.wanted }

// AddPacked adds a segment packed as one value, all of one group. It returns ErrDamaged for invalid data.
func (g *Gathering) AddPacked(group int64, data []byte) error {
	u := unpacking{data: data}
	p := part{units: u.units()}
	InGroup(p.units, group)
	u.findLists(g.wanted, len(p.units), func(term int, postings []Posting) {
		p.lists = append(p.lists, found{term, postings})
	})
	g.parts = append(g.parts, p)
	return damaged("fresh units", u.end())
}

// AddUnits adds the units of a segment whose blocks are added with AddBlock, and returns the number of the segment. The
// gathering takes ownership of units and does not modify them.
func (g *Gathering) AddUnits(units []Unit) int {
	g.parts = append(g.parts, part{units: units})
	return len(g.parts) - 1
}

// AddBlock adds the postings of one wanted term from a block of segment n. It returns ErrDamaged for invalid data.
func (g *Gathering) AddBlock(n int, wanted TermID, b Block) error {
	p := &g.parts[n]
	at, known := slices.BinarySearch(g.wanted, wanted)
	if !known {
		return nil
	}
	u := unpacking{data: b.Data}
	if b.Term != 0 {
		p.lists = append(p.lists, found{at, u.list(nil, len(p.units))})
		return damaged("block", u.end())
	}
	u.findLists([]TermID{wanted}, len(p.units), func(_ int, postings []Posting) {
		p.lists = append(p.lists, found{at, postings})
	})
	return damaged("block", u.err)
}

// Collection returns the added segments without the groups that are dead.
func (g *Gathering) Collection(corpus search.Corpus, q analysis.Query, dead func(group int64) bool) *Collection {
	runs := make([][]Unit, len(g.parts))
	for i, p := range g.parts {
		runs[i] = p.units
	}
	units, places := mergeUnits(runs, dead)
	terms := q.Searched()
	c := &Collection{Corpus: corpus, Units: units, Body: make([][]Posting, len(terms)), Context: make([][]Posting, len(terms))}
	byTerm := make([][]located, len(g.wanted))
	for i, p := range g.parts {
		for _, l := range p.lists {
			byTerm[l.term] = append(byTerm[l.term], located{places[i], l.postings})
		}
	}
	most := make([]int32, len(units))
	for i, term := range terms {
		if !term.Stop {
			c.Body[i] = g.union(Body, term.Forms, byTerm, most)
		}
		c.Context[i] = g.union(Context, term.Forms, byTerm, most)
		if term.Sound != "" && c.Body[i] == nil && c.Context[i] == nil { // a name that is spelt in another way
			c.Context[i] = g.union(Context, []string{term.Sound}, byTerm, most)
		}
	}
	return c
}

// located are postings with the places of their units in the collection.
type located struct {
	places   []int32
	postings []Posting
}

// union joins the postings of several forms of a term. A word is indexed under all of its forms, so the frequency of
// the term is that of its most frequent form. most is scratch space, zero before and after.
func (g *Gathering) union(field Field, forms []string, byTerm [][]located, most []int32) []Posting {
	var lists []located
	n := 0
	for _, form := range forms {
		at, _ := slices.BinarySearch(g.wanted, field.ID(form))
		for _, l := range byTerm[at] {
			lists = append(lists, l)
			n += len(l.postings)
		}
	}
	if n == 0 {
		return nil
	}
	touched := make([]int32, 0, n)
	for _, l := range lists {
		for _, p := range l.postings {
			if at := l.places[p.Unit]; at >= 0 {
				if most[at] == 0 {
					touched = append(touched, at)
				}
				most[at] = max(most[at], p.TF)
			}
		}
	}
	if len(touched) == 0 { // all of them are dead
		return nil
	}
	if len(lists) > 1 && !slices.IsSorted(touched) {
		sortUnits(touched, most)
	}
	postings := make([]Posting, len(touched))
	for i, at := range touched {
		postings[i] = Posting{Unit: at, TF: most[at]}
		most[at] = 0
	}
	return postings
}

// sortUnits sorts the indices where most is non-zero; if there are many, by scanning most.
func sortUnits(touched, most []int32) {
	if len(touched) < len(most)/16 {
		slices.Sort(touched)
		return
	}
	n := 0
	for at, tf := range most {
		if tf != 0 {
			touched[n] = int32(at)
			n++
		}
	}
}
