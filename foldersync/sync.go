package foldersync

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"reverie/memory"
)

// Options say how a folder is kept in step.
type Options struct {
	Layout Layout
	// PullOnly sends nothing: the folder follows the server.
	PullOnly bool
	// DeleteAll lets the server's documents be deleted also when every file of the folder is gone.
	DeleteAll bool
	// Say is told what happens, in order.
	Say func(Event)
}

// Sync keeps one folder and one server's documents in step.
type Sync struct {
	Options
	folder *Folder
	remote Remote
	// refused are texts that the server does not take, by place: they are not sent again until either side changes.
	refused map[string]Sides
	oneWay  map[memory.Scope]bool // scopes of which nothing can be sent
	said    map[string]string     // what was told about a place, so that it is told once
	held    bool                  // it was told that nothing is deleted
}

// New returns a Sync of an open folder.
func New(folder *Folder, remote Remote, o Options) *Sync {
	if o.Say == nil {
		o.Say = func(Event) {}
	}
	return &Sync{
		Options: o, folder: folder, remote: remote, refused: map[string]Sides{}, oneWay: map[memory.Scope]bool{},
		said: map[string]string{},
	}
}

// Outcome is the result of a pass.
type Outcome struct {
	Documents int       // on both sides, equal
	Effects   int       // what was done
	Refused   int       // what the server does not take
	Kept      int       // conflict files in the folder that this pass made
	Held      int       // deletions that wait for DeleteAll
	Again     time.Time // when to look again, because something is moving; zero: when something happens
}

// pass is one look at both sides.
type pass struct {
	*Sync
	ctx     context.Context
	listing *Listing
	remote  map[string]Entry // by place
	outcome Outcome
	// finishing is the place whose write was told of: what the server made of it is pulled without another word.
	finishing string
}

// Pass looks at both sides and does what brings them in step. What changes meanwhile is left to the next one. It returns an
// error that wraps ErrAway when the server cannot be reached; whatever was done until then is done.
func (s *Sync) Pass(ctx context.Context) (Outcome, error) {
	p := &pass{Sync: s, ctx: ctx}
	err := p.run()
	return p.outcome, err
}

func (p *pass) run() error {
	if err := p.look(); err != nil {
		return err
	}
	for _, place := range p.order() {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		if err := p.place(place); err != nil {
			return err
		}
	}
	if due := p.folder.due(); !due.IsZero() {
		p.lookAt(due)
	}
	return nil
}

// look lists both sides. The folder is listed last: what is done to it is done to what was just seen.
func (p *pass) look() error {
	swept, err := p.folder.sweep()
	for _, k := range swept {
		p.outcome.Kept++
		p.say(Event{Kind: Kept, Place: k.place, Keeps: k.name})
	}
	if err != nil {
		return err
	}
	entries, err := p.Sync.remote.List(p.ctx)
	if err != nil {
		return err
	}
	p.arrange(entries)
	if p.listing, err = p.folder.Scan(); err != nil {
		return err
	}
	p.outcome.Again = p.listing.Look
	for name, why := range p.listing.Ignored {
		p.sayOnce(Event{Kind: Ignored, Place: name, Reason: why})
	}
	return nil
}

// arrange gives each document its place. Where case does not count only one of those that differ in it can have a file: the
// one that has it already, else the first by name.
func (p *pass) arrange(entries []Entry) {
	p.remote = map[string]Entry{}
	for _, e := range entries {
		where, err := p.Layout.Place(e.Ref)
		if err != nil {
			p.sayOnce(Event{Kind: Ignored, Place: e.Ref.Path, Scope: string(e.Ref.Scope), Reason: err.Error()})
			continue
		}
		p.remote[where] = e
	}
	if !p.folder.folds {
		return
	}
	taken := map[string]string{}
	places := slices.SortedFunc(maps.Keys(p.remote), func(a, b string) int {
		hasA, hasB := p.folder.records.known[a].base != "", p.folder.records.known[b].base != ""
		if hasA != hasB {
			if hasA {
				return -1
			}
			return 1
		}
		return compare(a, b)
	})
	for _, where := range places {
		if other, there := taken[folded(where)]; there {
			p.sayOnce(Event{Kind: Ignored, Place: where, Reason: "this file system takes it for the same as " + other})
			delete(p.remote, where)
			continue
		}
		taken[folded(where)] = where
	}
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// order is the order in which places are dealt with: what comes before what goes, so that a text that was renamed is always
// somewhere. Where case does not count, a file that goes makes room first.
func (p *pass) order() []string {
	rank := map[string]int{}
	for _, places := range []map[string]bool{keys(p.listing.Files), keys(p.remote), keys(p.folder.records.known)} {
		for where := range places {
			switch Decide(p.sides(where)) {
			case DeleteLocal:
				rank[where] = 2
				if p.folder.folds {
					rank[where] = 0
				}
			case DeleteRemote:
				rank[where] = 2
			case Nothing, Remember, Forget, Pull, Push, Merge:
				rank[where] = 1
			}
		}
	}
	return slices.SortedFunc(maps.Keys(rank), func(a, b string) int {
		if rank[a] != rank[b] {
			return rank[a] - rank[b]
		}
		return compare(a, b)
	})
}

func keys[V any](m map[string]V) map[string]bool {
	out := make(map[string]bool, len(m))
	for k := range m {
		out[k] = true
	}
	return out
}

// sides returns the state of a place.
func (p *pass) sides(where string) Sides {
	s := Sides{Base: p.folder.records.known[where].base, Local: p.listing.Files[where].Sum, Remote: p.remote[where].Sum}
	s.OneWay = p.PullOnly
	if ref, err := p.Layout.Ref(where); err == nil && p.oneWay[ref.Scope] {
		s.OneWay = true
	}
	return s
}

// rounds bounds the steps at one place in one pass. A push that was merged by the server takes three.
const rounds = 6

// place brings the two sides of one place in step.
func (p *pass) place(where string) error {
	file, there := p.listing.Files[where]
	if p.listing.Moving[where] {
		return nil
	}
	if there && file.Problem != "" {
		p.outcome.Refused++
		p.sayOnce(Event{Kind: Unreadable, Place: where, Reason: file.Problem})
		return nil
	}
	if p.listing.hides(where) {
		return nil
	}
	ref, err := p.Layout.Ref(where)
	if err != nil {
		if there {
			p.sayOnce(Event{Kind: Ignored, Place: where, Reason: err.Error()})
		}
		return nil
	}
	if p.folder.records.known[where].pending {
		if err := p.resume(where, ref); err != nil {
			return p.settle(where, err)
		}
		p.again() // the receipt may be an old one: the next list says what there is now
		return nil
	}
	for range rounds {
		s := p.sides(where)
		action := Decide(s)
		if action == Nothing {
			p.still(where, s)
			return nil
		}
		if was, refused := p.refused[where]; refused && was == s {
			p.outcome.Refused++
			return nil
		}
		if err := p.do(action, where, ref); err != nil {
			return p.settle(where, err)
		}
		p.outcome.Effects++
	}
	p.again()
	return nil
}

// still counts a place at which nothing is to be done.
func (p *pass) still(where string, s Sides) {
	delete(p.refused, where)
	switch {
	case s.Local == s.Remote && s.Local != "":
		p.outcome.Documents++
		p.forgetSaid(where)
	case s.Local == s.Remote:
	case s.Local == "":
		p.sayOnce(Event{Kind: OneWay, Place: where, Reason: "deleted here, and not on the server"})
	default:
		p.sayOnce(Event{Kind: OneWay, Place: where, Reason: "changed here, and not sent"})
	}
	if s.Local != s.Remote && !p.PullOnly {
		p.outcome.Refused++
	}
}

// errSkip ends the work at a place without anything wrong.
var errSkip = errors.New("left for another pass")

// settle deals with an error at one place. What is no reason to stop the pass is told, and the file is left alone.
func (p *pass) settle(where string, err error) error {
	refusal, refused := errors.AsType[*Refusal](err)
	switch {
	case errors.Is(err, errSkip):
		return nil
	case errors.Is(err, errMoved), errors.Is(err, ErrStale), errors.Is(err, ErrGone):
		p.again()
		return nil
	case refused && refusal.Everywhere:
		return p.close(where, refusal)
	case refused:
		p.refused[where] = p.sides(where)
		p.outcome.Refused++
		p.say(Event{Kind: Refused, Place: where, Reason: refusal.Reason})
		return nil
	case errors.Is(err, ErrAway), p.ctx.Err() != nil:
		return err
	}
	if unusable, found := errors.AsType[*unusableError](err); found {
		err = unusable
	}
	if isLocal(err) {
		p.outcome.Refused++
		p.sayOnce(Event{Kind: Unreadable, Place: where, Reason: reasonOf(err)})
		return nil
	}
	return fmt.Errorf("%s: %w", where, err)
}

// close makes a scope one-way.
func (p *pass) close(where string, refusal *Refusal) error {
	ref, err := p.Layout.Ref(where)
	if err != nil {
		return err
	}
	p.oneWay[ref.Scope] = true
	p.say(Event{Kind: OneWay, Scope: string(ref.Scope), Reason: refusal.Reason})
	p.again()
	return nil
}

// again asks for another pass soon.
func (p *pass) again() {
	p.lookAt(p.folder.now().Add(max(p.folder.settle/2, 10*time.Millisecond)))
}

func (p *pass) lookAt(at time.Time) {
	if p.outcome.Again.IsZero() || at.Before(p.outcome.Again) {
		p.outcome.Again = at
	}
}

func (s *Sync) say(e Event) {
	e.At = s.folder.now().UTC()
	s.Say(e)
}

// sayOnce tells a thing about a place until it is another one.
func (s *Sync) sayOnce(e Event) {
	text := string(e.Kind) + ": " + e.Reason
	if s.said[e.Scope+"/"+e.Place] == text {
		return
	}
	s.said[e.Scope+"/"+e.Place] = text
	s.say(e)
}

func (s *Sync) forgetSaid(where string) { delete(s.said, "/"+where) }
