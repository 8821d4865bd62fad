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

// Options configure a Sync.
type Options struct {
	Layout Layout
	// PullOnly only fetches changes from the server; local changes are not sent.
	PullOnly bool
	// DeleteAll allows deletions on the server even if every file in the folder was removed.
	DeleteAll bool
	// Say receives every event, in order.
	Say func(Event)
}

// Sync synchronizes one folder with the documents on one server.
type Sync struct {
	Options
	folder *Folder
	remote Remote
	// refused holds the texts that the server refused, by place. They are not sent again until either side changes.
	refused map[string]Sides
	oneWay  map[memory.Scope]bool // scopes that the server does not accept writes to
	said    map[string]string     // last event reported for a place, to report it only once
	held    bool                  // the Held event was reported
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
	Documents int       // identical on both sides
	Effects   int       // changes made on either side
	Refused   int       // places that could not be synchronized
	Kept      int       // conflict files created by this pass
	Held      int       // deletions withheld because DeleteAll is off
	Again     time.Time // time of the next pass; zero: after the next change
}

// pass is the state of one synchronization pass.
type pass struct {
	*Sync
	ctx     context.Context
	listing *Listing
	remote  map[string]Entry // by place
	outcome Outcome
	// finishing is the place whose write was reported. Pulling the server's merged text is then not reported again.
	finishing string
}

// Pass compares both sides and applies the changes that make them equal. Changes made during the pass are left to the next
// one. If the server cannot be reached, Pass returns an error that wraps ErrAway; changes applied until then are kept.
func (s *Sync) Pass(ctx context.Context) (Outcome, error) {
	p := &pass{Sync: s, ctx: ctx}
	err := p.run()
	return p.outcome, err
}

func (p *pass) run() error {
	if err := p.look(); err != nil {
		return err
	}
	if err := p.withhold(); err != nil {
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

// look lists both sides. It scans the folder last, so that changes to files are based on the latest state.
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

// arrange maps documents to places. On a case-insensitive file system only one of several names that differ in case can
// have a file: the one that already has it, otherwise the first by name.
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

// order returns the places in processing order. Additions precede deletions, so that a renamed text always exists somewhere.
// On a case-insensitive file system local deletions come first, to free their names.
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

// sides returns the state of a place on both sides.
func (p *pass) sides(where string) Sides {
	s := Sides{Base: p.folder.records.known[where].base, Local: p.listing.Files[where].Sum, Remote: p.remote[where].Sum}
	s.OneWay = p.PullOnly
	if ref, err := p.Layout.Ref(where); err == nil && p.oneWay[ref.Scope] {
		s.OneWay = true
	}
	return s
}

// rounds is the maximum number of steps for one place in one pass. A push that the server merges takes three.
const rounds = 6

// place synchronizes one place.
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
		p.again() // the receipt may be outdated: list again
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

// still counts and reports a place that needs no action.
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

// errSkip ends the work on a place in this pass; it is not a failure.
var errSkip = errors.New("left for another pass")

// settle handles an error at one place. It reports errors that do not stop the pass and returns the others.
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

// close stops sending to a scope that refuses all writes.
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

// again schedules another pass soon.
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

// sayOnce reports an event unless it is the last one reported for the place.
func (s *Sync) sayOnce(e Event) {
	text := string(e.Kind) + ": " + e.Reason
	if s.said[e.Scope+"/"+e.Place] == text {
		return
	}
	s.said[e.Scope+"/"+e.Place] = text
	s.say(e)
}

func (s *Sync) forgetSaid(where string) { delete(s.said, "/"+where) }
