package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/memory"
	snap "reverie/snapshot"
)

// oddNames are names below memory/ that people and programs give to notes.
var oddNames = []string{
	"2026-11-01", "2026-11-01-项目计划", "2026-02", "日记/二〇二六年", "résumé", "Ω", "with space", "a..b", "quo'te \"x\"", "100%_sure", "emoji 🦉", "한국어", "dreaming/light/2026-11-20",
	"-rf", "~", "$HOME", "semi;colon", "personal/a", strings.Repeat("长", 80), strings.Repeat("deep/", 40) + "x",
}

// oddContents are what editors leave behind.
var oddContents = []string{"", "\n", "no end", "# Titel\r\n\r\n- eins\r\n", "trailing  \n\t\n", "- 一行\n", "\ufeffwith a mark\n", "- a\n\n\n\n- b\n", "```\n# no heading\n", "\t"}

// oddDocuments are random documents of an agent and of one of its owners, by their names.
func oddDocuments(t *rapid.T) map[memory.Ref]string {
	paths := []string{memory.AgentsPath, memory.MemoryPath, memory.ProfilePath, memory.SoulPath, "KNOWLEDGE.md", "DREAMS.md"}
	for _, name := range oddNames {
		paths = append(paths, "memory/"+name+".md")
	}
	odd := rapid.SampledFrom(oddContents)
	random := rapid.StringOfN(rapid.RuneFrom([]rune("ab-# \n\t中日é🦉`*_[](){}<>|\\/&\"'")), 0, 60, -1)
	large := rapid.Custom(func(t *rapid.T) string { // as much as a document may have, or a little less
		line := rapid.SampledFrom([]string{"- a line\n", "- 一行\n"}).Draw(t, "line")
		return strings.Repeat(line, (memory.MaxDocumentBytes-rapid.IntRange(0, 20).Draw(t, "less"))/len(line))
	})
	content := rapid.Custom(func(t *rapid.T) string {
		switch n := rapid.IntRange(0, 40).Draw(t, "kind"); {
		case n == 40: // it takes the most time
			return large.Draw(t, "large")
		case n > 20:
			return odd.Draw(t, "odd")
		}
		return random.Draw(t, "random")
	})
	documents := map[memory.Ref]string{}
	for range rapid.IntRange(1, 10).Draw(t, "documents") {
		scope := rapid.SampledFrom([]memory.Scope{memory.ScopeTeam, memory.ScopePersonal}).Draw(t, "scope")
		documents[memory.Ref{Scope: scope, Path: rapid.SampledFrom(paths).Draw(t, "path")}] = content.Draw(t, "content")
	}
	return documents
}

// exported is the archive of an export.
func exported(t tester, s *Store, id memory.Identity, choice snap.Choice, prefix string) []byte {
	t.Helper()
	e := must[SnapshotExport](t)(s.ExportSnapshot(t.Context(), id, choice, prefix))
	return must[[]byte](t)(snap.Write(e.Origin, e.Files))
}

// Whatever documents an agent has, what is exported of them is imported into an empty agent, and from that one into another, and is
// exported there as the same bytes, with every document as it was. Imported once more it changes nothing.
func TestAnArchiveGoesFromAgentToAgent(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	agents := 0
	rapid.Check(t, func(t *rapid.T) {
		empty := func(owner memory.Owner) memory.Identity {
			agents++
			id := fmt.Sprintf("agent-%d", agents)
			must[Agent](t)(s.CreateAgent(t.Context(), admin("acme"), NewAgent{ID: id, Name: "Agent " + id, TimeZone: "UTC"}))
			return member(owner).For(id, owner)
		}
		id := empty("user:1")
		want := oddDocuments(t)
		refs := slices.SortedFunc(maps.Keys(want), func(a, b memory.Ref) int { return strings.Compare(snap.Name(a), snap.Name(b)) })
		for _, ref := range refs {
			write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Force: true, Content: want[ref]})
			if rapid.IntRange(0, 3).Draw(t, "moved in the prompt") == 0 {
				enabled, order := rapid.Bool().Draw(t, "enabled"), rapid.IntRange(-3, 3).Draw(t, "order")
				must[memory.Document](t)(s.SetPrompt(t.Context(), id, ref, &enabled, &order))
			}
		}
		choice := rapid.SampledFrom([]snap.Choice{snap.ChoosePersonal, snap.ChooseTeam, snap.ChooseAll}).Draw(t, "choice")
		prefix := rapid.SampledFrom([]string{"", "", "", "memory/"}).Draw(t, "prefix")
		first := exported(t, s, id, choice, prefix)

		for _, to := range []memory.Owner{"user:1", "telegram:二"} { // the archive does not say whose it is
			archive, err := snap.Read(first)
			if refused, is := errors.AsType[*snap.RefusedError](err); is && refused.Code == snap.CodeNoDocuments {
				t.Skip("nothing of what was chosen is there")
			} else if err != nil {
				t.Fatal(err)
			}
			taken, refused := archive.Choose(snap.Rights{Choice: choice, Owner: true, Team: true})
			if !taken.Whole || len(refused) > 0 {
				t.Fatalf("of what was written, %+v is skipped and %+v refused", taken.Skipped, refused)
			}
			id := empty(to)
			machine := id
			machine.Author = memory.Author{Kind: memory.AuthorImport, ID: "key", WorkflowID: "import/x", RunID: "r"}
			for n := range 2 {
				token := must[SnapshotPreview](t)(s.PreviewSnapshot(t.Context(), machine, archive, choice, taken)).Token
				staged := must[SnapshotImport](t)(s.StageSnapshot(t.Context(), machine, SnapshotRequest{Archive: archive.SHA256, Data: first, Choice: choice, Token: token}))
				got := must[SnapshotImport](t)(s.CommitSnapshot(t.Context(), machine, staged.ID, archive, taken, nil))
				if n > 0 && (got.Outcome != memory.OutcomeNothing || got.Created+got.Updated > 0) {
					t.Fatalf("imported again: %+v", got)
				}
				again := exported(t, s, id, choice, prefix)
				if !bytes.Equal(first, again) {
					t.Fatalf("%d bytes became %d others:\n%s", len(first), len(again), manifestDiff(t, first, again))
				}
			}
			for _, ref := range refs {
				if choice.Has(ref.Scope) && strings.HasPrefix(ref.Path, prefix) {
					got := must[memory.Document](t)(s.Document(t.Context(), id, ref))
					if got.Content != want[ref] {
						t.Fatalf("%s has %d bytes, want %d (%v)", snap.Name(ref), len(got.Content), len(want[ref]), utf8.ValidString(got.Content))
					}
				}
			}
		}
	})
}

// manifestDiff shows how two archives differ, but for their documents' texts.
func manifestDiff(t tester, one, other []byte) string {
	t.Helper()
	return cmp.Diff(must[snap.Archive](t)(snap.Read(one)).Manifest, must[snap.Archive](t)(snap.Read(other)).Manifest)
}
