package foldersync

import (
	"testing"

	"pgregory.net/rapid"

	"reverie/memory"
)

func TestDecisions(t *testing.T) {
	for _, c := range []struct {
		name                string
		base, local, remote Sum
		want, oneWay        Action // what is done both ways, and one way
	}{
		{"in step", "a", "a", "a", Nothing, Nothing},
		{"new on the server", "", "", "r", Pull, Pull},
		{"new here", "", "l", "", Push, Nothing},
		{"the same on both sides, never synced", "", "a", "a", Remember, Remember},
		{"different on both sides, never synced", "", "l", "r", Merge, Merge},
		{"changed on the server", "a", "a", "r", Pull, Pull},
		{"changed here", "a", "l", "a", Push, Nothing},
		{"changed alike", "a", "b", "b", Remember, Remember},
		{"changed on both sides", "a", "l", "r", Merge, Merge},
		{"deleted on the server", "a", "a", "", DeleteLocal, DeleteLocal},
		{"deleted here", "a", "", "a", DeleteRemote, Nothing},
		{"deleted on both sides", "a", "", "", Forget, Forget},
		{"deleted here, changed on the server", "a", "", "r", Pull, Pull},
		{"changed here, deleted on the server", "a", "l", "", Push, Nothing},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Sides{Base: c.base, Local: c.local, Remote: c.remote}
			if got := Decide(s); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			s.OneWay = true
			if got := Decide(s); got != c.oneWay {
				t.Errorf("one way: %s, want %s", got, c.oneWay)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		personal bool
		scope    memory.Scope
		path     string
		want     string
	}{
		{true, memory.ScopePersonal, "MEMORY.md", "MEMORY.md"},
		{true, memory.ScopeTeam, "MEMORY.md", "team/MEMORY.md"},
		{true, memory.ScopeGlobal, "memory/a.md", "global/memory/a.md"},
		{true, memory.ScopePersonal, "team/a.md", "own/team/a.md"},
		{true, memory.ScopePersonal, "Team/a.md", "own/Team/a.md"},
		{true, memory.ScopePersonal, "own/own/a.md", "own/own/own/a.md"},
		{true, memory.ScopePersonal, "team.md", "team.md"},
		{true, memory.ScopeTeam, "team/a.md", "team/team/a.md"},
		{false, memory.ScopeTeam, "SOUL.md", "SOUL.md"},
		{false, memory.ScopeTeam, "team/a.md", "own/team/a.md"},
		{false, memory.ScopeGlobal, "a.md", "global/a.md"},
	} {
		l := Layout{Personal: c.personal}
		ref := memory.Ref{Scope: c.scope, Path: c.path}
		if got, err := l.Place(ref); err != nil || got != c.want {
			t.Errorf("%+v of %+v stands at %q, want %q (%v)", ref, l, got, c.want, err)
		}
		if got, err := l.Ref(c.want); err != nil || got != ref {
			t.Errorf("%q of %+v is %+v, want %+v (%v)", c.want, l, got, ref, err)
		}
	}
}

func TestPlacesThatCannotBe(t *testing.T) {
	for _, place := range []string{
		"own/a.md", "Team/a.md", "GLOBAL/a.md", "a.conflict-20260131-120000.md", "team/.hidden.md", "a~", "../a.md", "a\u0301.md", "team/a.txt",
	} {
		if ref, err := (Layout{Personal: true}).Ref(place); err == nil {
			t.Errorf("%q is %+v", place, ref)
		}
	}
	for _, ref := range []memory.Ref{
		{Scope: memory.ScopePersonal, Path: "a.md"},
		{Scope: memory.ScopeTeam, Path: "../a.md"},
		{Scope: memory.ScopeTeam, Path: "/etc/a.md"},
		{Scope: memory.ScopeTeam, Path: ".reverie/a.md"},
		{Scope: memory.ScopeTeam, Path: "b/a.conflict-20260131-120000-2.md"},
	} {
		if place, err := (Layout{}).Place(ref); err == nil {
			t.Errorf("%+v stands at %q", ref, place)
		}
	}
}

// Every place is the place of one document, also where case does not count for the folders of the layout.
func TestPlacesGoThereAndBack(t *testing.T) {
	segment := rapid.SampledFrom([]string{"team", "Team", "global", "own", "OWN", "memory", "a", "é"})
	rapid.Check(t, func(t *rapid.T) {
		l := Layout{Personal: rapid.Bool().Draw(t, "personal")}
		path := ""
		for range rapid.IntRange(0, 3).Draw(t, "folders") {
			path += segment.Draw(t, "folder") + "/"
		}
		path += segment.Draw(t, "name") + ".md"
		ref := memory.Ref{
			Scope: rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam, memory.ScopeGlobal}).Draw(t, "scope"),
			Path:  path,
		}
		if place, err := l.Place(ref); err == nil {
			if back, err := l.Ref(place); err != nil || back != ref {
				t.Fatalf("%+v stands at %q, which is %+v (%v)", ref, place, back, err)
			}
		} else if l.Personal || ref.Scope != memory.ScopePersonal {
			t.Fatalf("%+v has no place: %v", ref, err)
		}
		if ref, err := l.Ref(path); err == nil {
			if place, err := l.Place(ref); err != nil || place != path {
				t.Fatalf("%q is %+v, which stands at %q (%v)", path, ref, place, err)
			}
		}
	})
}
