package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/memory"
	"reverie/scan"
	snap "reverie/snapshot"
	"reverie/store/admin"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/pg"
	"reverie/store/transfer"
)

// oddNames are names below memory/ that people and programs give to notes.
var oddNames = []string{
	"2026-11-01", "2026-11-01-项目计划", "2026-02", "日记/二〇二六年", "résumé", "Ω", "with space", "a..b", "quo'te \"x\"", "100%_sure",
	"emoji 🦉", "한국어", "dreaming/light/2026-11-20",
	"-rf", "~", "$HOME", "semi;colon", "personal/a", strings.Repeat("长", 80), strings.Repeat("deep/", 40) + "x",
}

// oddContents are contents as editors leave them.
var oddContents = []string{
	"", "\n", "no end", "# Titel\r\n\r\n- eins\r\n", "trailing  \n\t\n", "- 一行\n", "\ufeffwith a mark\n", "- a\n\n\n\n- b\n",
	"```\n# no heading\n", "\t",
}

// oddDocuments returns random documents of an agent and of one of its owners, by name.
func oddDocuments(t *rapid.T) map[memory.Ref]string {
	paths := []string{memory.AgentsPath, memory.MemoryPath, memory.ProfilePath, memory.SoulPath, "KNOWLEDGE.md", "DREAMS.md"}
	for _, name := range oddNames {
		paths = append(paths, "memory/"+name+".md")
	}
	odd := rapid.SampledFrom(oddContents)
	random := rapid.StringOfN(rapid.RuneFrom([]rune("ab-# \n\t中日é🦉`*_[](){}<>|\\/&\"'")), 0, 60, -1).Filter(isPlain)
	large := rapid.Custom(func(t *rapid.T) string { // as much as a document may have, or a little less
		line := rapid.SampledFrom([]string{"- a line of some words, as people write them\n", "- 一行字，像人们平时写的那样，不长也不短\n"}).Draw(t, "line")
		return strings.Repeat(line, (memory.MaxDocumentBytes-rapid.IntRange(0, 20).Draw(t, "less"))/len(line))
	})
	content := rapid.Custom(func(t *rapid.T) string {
		switch n := rapid.IntRange(0, 40).Draw(t, "kind"); {
		case n == 29: // it takes the most time: not one of the ends of the range, which rapid prefers
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

// isPlain reports whether an import keeps a text wherever it is: no part of it looks like an instruction. Marks in a random order may
// look like fields and tags.
func isPlain(text string) bool {
	lines := strings.Split(text, "\n")
	for from := range lines {
		for to := from + 1; to <= len(lines); to++ {
			if part := strings.Join(lines[from:to], "\n"); scan.Steers(part) || scan.Instruction(part) != "" {
				return false
			}
		}
	}
	return true
}

// exported returns the archive of an export.
func exported(t tester, s *Store, id memory.Identity, choice snap.Choice, prefix string) []byte {
	t.Helper()
	e := must[transfer.SnapshotExport](t)(s.ExportSnapshot(t.Context(), id, choice, prefix))
	return must[[]byte](t)(snap.Write(e.Origin, e.Files))
}

// Whatever documents an agent has, what is exported of them is imported into an empty agent, and from that one into another, and is
// exported there as the same bytes, with every document as it was. Imported once more it changes nothing.
func TestArchiveFromAgentToAgent(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	agents := 0
	rapid.Check(t, func(t *rapid.T) {
		empty := func(owner memory.Owner) memory.Identity {
			agents++
			id := fmt.Sprintf("agent-%d", agents)
			must[gate.Agent](t)(s.CreateAgent(t.Context(), adminOf("acme"), admin.NewAgent{ID: id, Name: "Agent " + id, TimeZone: "UTC"}))
			return member(owner).For(id, owner)
		}
		id := empty("user:1")
		want := oddDocuments(t)
		refs := slices.SortedFunc(maps.Keys(want), func(a, b memory.Ref) int { return strings.Compare(snap.Name(a), snap.Name(b)) })
		for _, ref := range refs {
			write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Force: true, Content: want[ref]})
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
				token := must[transfer.SnapshotPreview](t)(s.PreviewSnapshot(t.Context(), machine, archive, choice, taken)).Token
				staged := must[transfer.SnapshotImport](t)(
					s.StageSnapshot(
						t.Context(), machine, transfer.SnapshotRequest{Archive: archive.SHA256, Data: first, Choice: choice, Token: token},
					),
				)
				got := must[transfer.SnapshotImport](t)(s.CommitSnapshot(t.Context(), machine, staged.ID, archive, taken, nil))
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
						t.Fatalf(
							"%s has %d bytes, want %d (%v)", snap.Name(ref), len(got.Content), len(want[ref]),
							utf8.ValidString(got.Content),
						)
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

// archived returns an archive of documents as an import gets it.
func archived(t *testing.T, files ...snap.File) (snap.Archive, snap.Taken, []byte) {
	t.Helper()
	data := must[[]byte](t)(snap.Write(snap.Origin{AgentID: "eve", AgentName: "Eve"}, files))
	archive := must[snap.Archive](t)(snap.Read(data))
	taken, refused := archive.Choose(snap.Rights{Choice: snap.ChooseAll, Owner: true, Team: true})
	if len(refused) > 0 {
		t.Fatalf("%+v", refused)
	}
	return archive, taken, data
}

// committed stages an archive and imports it.
func committed(t *testing.T, s *Store, id memory.Identity, files ...snap.File) transfer.SnapshotImport {
	t.Helper()
	archive, taken, data := archived(t, files...)
	r := transfer.SnapshotRequest{Archive: archive.SHA256, Data: data, Choice: snap.ChooseAll}
	staged := must[transfer.SnapshotImport](t)(s.StageSnapshot(t.Context(), id, r))
	return must[transfer.SnapshotImport](t)(s.CommitSnapshot(t.Context(), id, staged.ID, archive, taken, nil))
}

// An archive never puts a document into the system prompt, takes it out or moves it: the agent's own places stay, and new documents
// get the default ones.
func TestArchivesChangeNoPlaces(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := bySnapshot("user:7")
	on, order := true, 7
	write(t, s, id, replace(team("KNOWLEDGE.md"), 0, "ours"))
	must[memory.Document](t)(s.SetPrompt(t.Context(), member("user:7"), team("KNOWLEDGE.md"), &on, &order))
	in := &snap.Prompt{Enabled: true, SortOrder: -9}
	committed(
		t, s, id,
		snap.File{Ref: team("KNOWLEDGE.md"), Content: "theirs", Prompt: &snap.Prompt{SortOrder: 1}},
		snap.File{Ref: team("memory/obey.md"), Content: "theirs", Prompt: in},
		snap.File{Ref: personal("SOUL.md"), Content: "theirs", Prompt: in},
		snap.File{Ref: personal("PROFILE.md"), Content: "theirs", Prompt: in},
	)
	var got []string
	for _, d := range must[[]memory.Document](t)(s.PromptDocuments(t.Context(), id, time.Time{})) {
		got = append(got, fmt.Sprint(d.Scope, " ", d.Path, " ", d.SortOrder))
	}
	want := []string{
		"TEAM AGENTS.md 0", "TEAM SOUL.md 1", "TEAM PROFILE.md 2", "TEAM MEMORY.md 3", "TEAM KNOWLEDGE.md 7", "PERSONAL PROFILE.md 2",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("prompt documents (-want +got):\n%s", diff)
	}
}

// bySnapshot returns the identity that an import writes as.
func bySnapshot(owner memory.Owner) memory.Identity {
	id := member(owner)
	id.Author = memory.Author{Kind: memory.AuthorImport, ID: "key", WorkflowID: "import/ada/x", RunID: "r"}
	return id
}

// An older snapshot does not bring back a statement forgotten since, and reports it; restoring the version that contained it brings it
// back, and then the snapshot restores it, too.
func TestForgottenStaysForgottenInSnapshots(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, machine := member("user:1"), bySnapshot("user:1")
	ref := personal(memory.MemoryPath)
	const before, after = "# Memory\n\n- Likes tea.\n- Has a dog.\n", "# Memory\n\n- Has a dog.\n"
	write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Content: before})
	old := must[transfer.SnapshotExport](t)(s.ExportSnapshot(t.Context(), id, snap.ChoosePersonal, "")).Files[0]
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: ref, FromLine: 3, ToLine: 3}))
	note := snap.File{Ref: personal("memory/2026-11-01.md"), Content: "# 2026-11-01\n\n- Likes tea.\n- Went to Oslo.\n"}

	archive, taken, _ := archived(t, old, note)
	p := must[transfer.SnapshotPreview](t)(s.PreviewSnapshot(t.Context(), machine, archive, snap.ChooseAll, taken))
	for _, c := range p.Changes {
		if !c.Withheld || c.After == "" || c.Version == 0 {
			t.Errorf("preview: %+v", c)
		}
	}
	got := committed(t, s, machine, old, note)
	if got.Outcome != memory.OutcomeWritten || got.Created != 1 || got.Updated != 0 {
		t.Errorf("%+v", got)
	}
	var told []transfer.SnapshotFile
	for _, f := range got.Files {
		if f.Path != "" {
			told = append(told, transfer.SnapshotFile{Path: f.Path, Outcome: f.Outcome, Reason: f.Reason, Withheld: f.Withheld})
		}
	}
	want := []transfer.SnapshotFile{
		{Path: memory.MemoryPath, Outcome: transfer.FileUnchanged, Reason: snap.SkippedWithheld, Withheld: true},
		{Path: note.Path, Outcome: transfer.FileCreated, Withheld: true},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(after, contentOf(t, s, id, ref.Path)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("# 2026-11-01\n\n- Went to Oslo.\n", contentOf(t, s, id, note.Path)); diff != "" {
		t.Error(diff)
	}
	if status := statusesOf(t, s, id)[string(memory.ItemID("Likes tea."))]; status != dream.Forgotten {
		t.Errorf("status %q", status)
	}
	// Somebody else's is not concerned.
	if got := committed(t, s, bySnapshot("user:2"), old); got.Created != 1 || contentOf(t, s, member("user:2"), ref.Path) != before {
		t.Errorf("%+v", got)
	}

	write(t, s, id, memory.Change{Ref: ref, Op: memory.OpRestore, Restore: 1})
	if diff := cmp.Diff(before, contentOf(t, s, id, ref.Path)); diff != "" {
		t.Error(diff)
	}
	if got := committed(t, s, machine, old, note); got.Updated != 1 || contentOf(t, s, id, note.Path) != note.Content {
		t.Errorf("%+v", got)
	}
}

// A preview shows what would be written. What a person has forgotten since, in a document that the archive does not have, would be
// left out of it: the import that is bound to that preview refuses.
func TestForgottenSinceThePreview(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, machine := member("user:1"), bySnapshot("user:1")
	write(
		t, s, id,
		memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "# Memory\n\n- Likes tea.\n- Has a dog.\n"},
	)
	archive, taken, data := archived(t, snap.File{Ref: personal("memory/2026-11-01.md"), Content: "- Likes tea.\n- Went to Oslo.\n"})
	p := must[transfer.SnapshotPreview](t)(s.PreviewSnapshot(t.Context(), machine, archive, snap.ChooseAll, taken))
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: personal(memory.MemoryPath), FromLine: 3, ToLine: 3}))

	staged := must[transfer.SnapshotImport](t)(
		s.StageSnapshot(t.Context(), machine,
			transfer.SnapshotRequest{Archive: archive.SHA256, Data: data, Choice: snap.ChooseAll, Token: p.Token}),
	)
	_, err := s.CommitSnapshot(t.Context(), machine, staged.ID, archive, taken, nil)
	if conflict, is := errors.AsType[*pg.ConflictError](err); !is || conflict.Code != pg.CodeChangedSincePreview {
		t.Errorf("%v", err)
	}
	if got := contentOf(t, s, id, "memory/2026-11-01.md"); got != "" {
		t.Errorf("written all the same: %q", got)
	}
}

// Nor does it come back from another system: the rest of the document is imported.
func TestForgottenStaysForgottenInImports(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, machine := member("user:1"), bySnapshot("user:1")
	ref := personal(memory.MemoryPath)
	write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Content: "# Memory\n\n- Likes tea.\n- Has a dog.\n"})
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: ref, FromLine: 3, ToLine: 3}))
	for _, c := range []struct {
		content, want             string
		changed, merged, withheld bool
	}{
		{"- Likes tea.\n", "# Memory\n\n- Has a dog.\n", false, false, true},
		{"- Has a dog.\n", "# Memory\n\n- Has a dog.\n", false, false, false},
		{"- Likes tea.\n- Went to Oslo.\n", "# Memory\n\n- Has a dog.\n\n## Imported from other\n\n- Went to Oslo.\n", true, true, true},
	} {
		receipt := must[memory.Receipt](t)(s.Apply(t.Context(), machine, "", []memory.Change{
			{Ref: ref, Op: memory.OpImport, Import: memory.ImportMerge, From: "other", Content: c.content},
		})).Changes[0]
		if receipt.Changed != c.changed || receipt.Merged != c.merged || receipt.Withheld != c.withheld {
			t.Errorf("%q: %+v", c.content, receipt)
		}
		if diff := cmp.Diff(c.want, contentOf(t, s, id, ref.Path)); diff != "" {
			t.Errorf("%q: %s", c.content, diff)
		}
	}
}

// BenchmarkCommitSnapshot is the one transaction of an import with as many documents as an archive may have: small ones, and all of
// the text that it may have.
func BenchmarkCommitSnapshot(b *testing.B) {
	for name, bytes := range map[string]int{"small": 40, "16MiB": snap.MaxTotalBytes/(snap.MaxEntries-1) - 400} {
		b.Run(name, func(b *testing.B) {
			s := openStore(b)
			for n := range b.N {
				b.StopTimer()
				var taken snap.Taken
				for f := range snap.MaxEntries - 1 {
					line := fmt.Sprintf("- Statement of document %d in round %d.\n", f, n)
					taken.Files = append(taken.Files, snap.Checked{File: snap.File{
						Ref:     memory.Ref{Scope: memory.ScopePersonal, Path: fmt.Sprintf("memory/note-%d.md", f)},
						Content: strings.Repeat(line, max(1, bytes/len(line))),
					}})
				}
				data := fmt.Appendf(nil, "%s %d", name, n)
				archive := snap.Archive{SHA256: [32]byte{byte(n), byte(n >> 8), byte(len(name))}}
				id := bySnapshot("user:1")
				staged, err := s.StageSnapshot(
					b.Context(), id, transfer.SnapshotRequest{Archive: archive.SHA256, Data: data, Choice: snap.ChooseAll},
				)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				got, err := s.CommitSnapshot(b.Context(), id, staged.ID, archive, taken, nil)
				if err != nil || got.Created+got.Updated != snap.MaxEntries-1 {
					b.Fatalf("%d created, %d updated: %v", got.Created, got.Updated, err)
				}
			}
		})
	}
}
