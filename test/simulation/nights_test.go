package simulation

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/dreams"
	"reverie/workflows"
)

var seed = flag.Uint64("seed", 1, "of the lives of the owners")

// TestSixtyNights simulates sixty days and nights of three owners, twice: everything is checked after every night,
// and the second run must give the same documents.
func TestSixtyNights(t *testing.T) {
	first := simulate(t, *seed)
	second := simulate(t, *seed)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same lives led to other memories (-first +second):\n%s", diff)
	}
}

// owners of the simulation. Their names do not end each other's words.
var owners = map[memory.Owner]string{"user:1": "Greta", "user:2": "Hamid", "user:3": "Oscar"}

// simulate runs sixty days and returns all documents of all owners, without the ids of reports.
func simulate(t *testing.T, seed uint64) map[memory.Owner]map[string]string {
	t.Helper()
	s := &simulation{world: newWorld(t, "Europe/Berlin"), lives: map[memory.Owner]*life{}, seen: map[memory.Owner]*seen{}}
	for owner, name := range owners {
		s.lives[owner] = newLife(name, seed)
		s.seen[owner] = &seen{mine: map[string]bool{}, forgotten: map[string]bool{}, chatter: map[string]bool{}, promoted: map[string]int{}}
	}
	for day := range nights {
		for _, owner := range slices.Sorted(maps.Keys(s.lives)) {
			s.live(owner, day)
		}
		s.night(day)
	}
	s.atTheEnd()
	out := map[memory.Owner]map[string]string{}
	for owner := range s.lives {
		out[owner] = map[string]string{}
		for path, text := range s.documents(owner, memory.ScopePersonal) {
			out[owner][path] = reportID.ReplaceAllString(text, "REPORT")
		}
	}
	return out
}

// simulation is a world with the lives in it, and what was observed of each.
type simulation struct {
	*world
	lives map[memory.Owner]*life
	seen  map[memory.Owner]*seen
	day   int
}

// seen is the knowledge about one owner.
type seen struct {
	mine      map[string]bool // lines of MEMORY.md that the person wrote and has not taken back
	forgotten map[string]bool // words of what the person wanted gone
	chatter   map[string]bool // words of what was said once
	promoted  map[string]int  // words of facts by the night in which they came into MEMORY.md
	dreams    int
	written   int
	moved     bool // something went to an archive
}

// live runs one day: a conversation, its note, searches, and the person's manual changes.
func (s *simulation) live(owner memory.Owner, day int) {
	l, known := s.lives[owner], s.seen[owner]
	s.day = day
	s.now = time.Date(2026, 3, 1+day, 18, 0, 0, 0, s.zone)
	told := l.factsOn(day)
	if day%9 == 8 && len(told) == 0 {
		return // a day without a word: the night has no news
	}
	one := l.chatter()
	known.chatter[one.word] = true
	told = append(told, one)
	if day == 20 || day == 21 || day == 22 {
		told = append(told, l.list...)
	}
	var said, noted []string
	for _, f := range told {
		said, noted = append(said, f.said), append(noted, f.noted)
	}
	s.note(owner, s.say(owner, "talk", said), "Talk of the day", noted)
	if day%5 == 0 { // who asks about something that is told often uses what is found
		s.recalled(owner, fmt.Sprint("question ", day), l.lasting[day%len(l.lasting)].noted)
	}
	if day > l.change.days[0] && day < l.change.days[0]+4 {
		s.recalled(owner, fmt.Sprint("where does ", l.name, " live ", day), l.corrected.noted)
	}
	switch day {
	case 3, 17, 33: // the person writes into MEMORY.md
		line := fmt.Sprintf("- %s wrote this by hand on day %d.", l.name, day)
		known.mine[line] = true
		s.rewrite(owner, memory.MemoryPath, func(text string) string {
			if text == "" {
				text = "# Memory\n"
			}
			return strings.TrimRight(text, "\n") + "\n\n## By hand on day " + fmt.Sprint(day) + "\n\n" + line + "\n"
		})
	case 7, 23: // other marks, other order: nothing was said by that
		s.rewrite(owner, memory.DailyNotePath(s.now.In(s.zone)), func(text string) string { return strings.ReplaceAll(text, "\n- ", "\n* ") })
	case 25, 41: // the person takes something back that was promoted
		s.forget(owner)
	case 45: // and a separate line
		line := fmt.Sprintf("- %s wrote this by hand on day 17.", l.name)
		delete(known.mine, line)
		s.rewrite(owner, memory.MemoryPath, func(text string) string { return strings.Replace(text, line+"\n", "", 1) })
	}
}

// forget removes the first promoted statement that is still there from memory; it is nevertheless stated again.
func (s *simulation) forget(owner memory.Owner) {
	known := s.seen[owner]
	for _, e := range markdown.EntriesOf(s.document(owner, memory.MemoryPath).Content) {
		word := s.lives[owner].wordIn(e.Text)
		if _, promoted := known.promoted[word]; !promoted {
			continue
		}
		if _, err := s.ForgetEntry(s.t.Context(), person(owner), dreams.EntryChange{Entry: e.ID, Key: fmt.Sprint("forget ", s.day)}); err != nil {
			s.t.Fatal(err)
		}
		known.forgotten[word] = true
		for _, f := range s.lives[owner].facts() {
			if f.word == word {
				s.now = s.now.Add(time.Hour)
				s.note(owner, s.say(owner, "again", []string{f.said}), "Told again", []string{f.noted})
			}
		}
		return
	}
	s.t.Fatalf("day %d: %s has nothing to forget", s.day, owner)
}

// night dreams at two o'clock and checks everything.
func (s *simulation) night(day int) {
	before := map[memory.Owner]string{}
	for owner := range s.lives {
		before[owner] = s.document(owner, memory.MemoryPath).Content
	}
	s.now = time.Date(2026, 3, 2+day, 2, 0, 0, 0, s.zone)
	night := workflows.NightKey(s.now, s.zone.String(), "0 2 * * *")
	results := s.dream(night)
	for owner, result := range results {
		known := s.seen[owner]
		known.dreams++
		if result.Outcome == memory.OutcomeWritten {
			known.written++
		} else if result.Outcome != memory.OutcomeNothing {
			s.t.Errorf("night %s of %s ended as %s (%s)", night, owner, result.Outcome, result.ReasonCode)
		}
		if day%10 == 9 { // once more, as after a reset
			if again := s.dreamOf(s.refs[owner], night); again != result {
				s.t.Errorf("night %s of %s was dreamed twice: %+v and %+v", night, owner, result, again)
			}
		}
	}
	for owner := range s.lives {
		s.check(owner, before[owner])
	}
}

// atTheEnd checks what must have happened in sixty nights.
func (s *simulation) atTheEnd() {
	for owner, l := range s.lives {
		known := s.seen[owner]
		for _, f := range l.lasting {
			night, promoted := known.promoted[f.word]
			if !promoted || night > f.days[len(f.days)-1] {
				s.t.Errorf("%s told %q on days %v, and it was promoted: %v, in night %d", owner, f.noted, f.days, promoted, night)
			}
		}
		for _, f := range l.list {
			if night, promoted := known.promoted[f.word]; !promoted || night > 26 {
				s.t.Errorf("%s: the item %q of a list of twelve was promoted: %v, in night %d", owner, f.noted, promoted, night)
			}
		}
		if !known.moved {
			s.t.Errorf("%s: nothing went to an archive, so that the ceiling was not tried", owner)
		}
		forgotten, err := s.DreamStatus(s.t.Context(), person(owner))
		if err != nil {
			s.t.Fatal(err)
		}
		if n := forgotten.Statuses[dream.Forgotten]; n < 2 {
			s.t.Errorf("%s: %d statements are forgotten, want 2", owner, n)
		}
		s.t.Logf("%s: %d dreams in %d nights, %d of them wrote, %d statements promoted", owner, known.dreams, nights, known.written,
			len(known.promoted))
	}
}
