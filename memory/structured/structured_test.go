package structured_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/memory/structured"
)

var day = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

func set(t interface{ Fatal(...any) }, document string, e structured.Entry) string {
	out, err := structured.Set(document, e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEntriesOfADocument(t *testing.T) {
	t.Parallel()
	document := set(t, "", structured.Entry{Key: "diet", Content: "Vegetarian.\n\n### Since\n\n2019", Source: "chat", Updated: day})
	document = set(t, document, structured.Entry{Key: "tea", Content: "Green", Source: "chat", Updated: day})
	want := "## diet\n\nVegetarian.\n\n### Since\n\n2019\n\n> Source: chat | Updated: 2026-11-23\n\n" +
		"## tea\n\nGreen\n\n> Source: chat | Updated: 2026-11-23\n"
	if diff := cmp.Diff(want, document); diff != "" {
		t.Fatal(diff)
	}
	archived, found, err := structured.Archive(document, "DIET")
	if err != nil || !found {
		t.Fatal(found, err)
	}
	got := structured.Parse(archived)
	if len(got) != 2 || got[0].Key != "tea" || !got[1].Archived || got[1].Key != "diet" || got[1].Source != "chat" {
		t.Errorf("archived: %+v\n%s", got, archived)
	}
	back := set(t, archived, structured.Entry{Key: "diet", Content: "Vegan", Source: "chat", Updated: day})
	if got := structured.Parse(back); len(got) != 2 || got[1].Content != "Vegan" || got[1].Archived {
		t.Errorf("set again: %+v\n%s", got, back)
	}
	gone, found, err := structured.Remove(archived, "diet")
	if err != nil || !found || strings.Contains(gone, "diet") || strings.Contains(gone, "Archived") {
		t.Errorf("removed: %v %v\n%s", found, err, gone)
	}
	if _, err := structured.Set("", structured.Entry{Key: "x", Content: "a\n\n## y\n\nb"}); err == nil {
		t.Error("content may begin another entry")
	}
	for _, key := range []string{"", " # ", "archived", strings.Repeat("x", 81)} {
		if _, err := structured.KeyOf(key); err == nil {
			t.Errorf("key %q is accepted", key)
		}
	}
}

// Whatever is set, archived and removed, an entry is found as it was set, and the others stay.
func TestChangesOfEntries(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		document := rapid.SampledFrom([]string{"", "# Title\n\nWords.\n", "## other\n\nby hand\n"}).Draw(r, "document")
		kept := map[string]string{}
		if strings.HasPrefix(document, "## other") {
			kept["other"] = "by hand"
		}
		archived := map[string]bool{}
		for range rapid.IntRange(1, 12).Draw(r, "changes") {
			key := rapid.SampledFrom([]string{"diet", "tea", "Deploy day", "地址"}).Draw(r, "key")
			switch rapid.IntRange(0, 3).Draw(r, "kind") {
			case 0:
				next, _, err := structured.Archive(document, key)
				if err != nil {
					r.Fatal(err)
				}
				if _, had := kept[key]; had {
					archived[key] = true
				}
				delete(kept, key)
				document = next
			case 1:
				next, _, err := structured.Remove(document, key)
				if err != nil {
					r.Fatal(err)
				}
				delete(kept, key)
				delete(archived, key)
				document = next
			default:
				content := rapid.SampledFrom([]string{"One.", "- a\n- b", "Two\n\nthree", "### Deep\n\nfour"}).Draw(r, "content")
				document = set(r, document, structured.Entry{Key: key, Content: content, Source: "chat", Updated: day})
				kept[key] = content
				delete(archived, key)
			}
			got, old := map[string]string{}, map[string]bool{}
			for _, e := range structured.Parse(document) {
				if e.Archived {
					old[e.Key] = true
				} else {
					got[e.Key] = e.Content
				}
			}
			if diff := cmp.Diff(kept, got); diff != "" {
				r.Fatalf("%s\n%s", diff, document)
			}
			if diff := cmp.Diff(archived, old); diff != "" {
				r.Fatalf("archived: %s\n%s", diff, document)
			}
		}
	})
}

func TestNewestEntriesAreShown(t *testing.T) {
	t.Parallel()
	document := "Words by hand.\n"
	for i := range 50 {
		document = set(t, document, structured.Entry{Key: fmt.Sprintf("key %02d", i), Content: "Value.", Updated: day.AddDate(0, 0, i%25)})
	}
	shown := structured.Shown(document)
	if strings.Contains(shown, "key 00") || strings.Contains(shown, "Source:") || strings.Contains(shown, "by hand") ||
		!strings.HasSuffix(shown, "(+10 older entries omitted; recall_structured reads them)") {
		t.Errorf("shown:\n%s", shown)
	}
	if got := len(structured.Parse(strings.Split(shown, "\n\n(+")[0])); got != structured.MaxShown {
		t.Errorf("%d entries are shown", got)
	}
	if strings.Index(shown, "key 24") > strings.Index(shown, "key 49") {
		t.Error("the order is not that of the document")
	}
	long := set(t, "", structured.Entry{Key: "long", Content: strings.Repeat("x", structured.MaxShownChars), Updated: day})
	if shown := structured.Shown(long); len(shown) > 100 {
		t.Errorf("a long entry is shown: %d", len(shown))
	}
}

func TestMergeRemovesRepetitions(t *testing.T) {
	t.Parallel()
	document := ""
	add := func(key, content string, days int) {
		document = set(t, document, structured.Entry{Key: key, Content: content, Source: "chat", Updated: day.AddDate(0, 0, days)})
	}
	add("diet", "The user does not eat meat.", 0)
	add("tea", "Drinks green tea in the morning.", 0)
	add("food", "The user does not eat meat", 3)
	add("tea time", "Drinks green tea in the evening.", 3)
	add("flat", "Rents a flat for 900 euros.", 0)
	add("rent", "Rents a flat for 950 euros.", 3)
	add("cat", "Has a cat.", 0)
	kept := func(string) bool { return false }
	if got, removed, err := structured.Merge(document, kept); err != nil || removed > 0 || got != document {
		t.Errorf("a short document: %d %v", removed, err)
	}
	add("bike", "Rides a red bike.", 0)
	got, removed, err := structured.Merge(document, kept)
	if _, still := structured.Find(structured.Parse(got), "diet"); err != nil || removed != 1 || still {
		t.Errorf("merged: %d %v\n%s", removed, err, got)
	}
	if _, removed, _ := structured.Merge(document, func(key string) bool { return key == "diet" }); removed != 0 {
		t.Error("an entry that a person wrote is removed")
	}
}

// Merging never adds an entry, keeps one of each statement, and merges nothing when it is repeated.
func TestMergeNeverGrows(t *testing.T) {
	t.Parallel()
	contents := []string{"Likes tea.", "Likes tea", "Likes green tea.", "Likes coffee.", "Does not like tea.", "Lives in Bern.", "Lives in Basel."}
	rapid.Check(t, func(r *rapid.T) {
		document, mine := "", map[string]bool{}
		for i := range rapid.IntRange(0, 16).Draw(r, "entries") {
			key := fmt.Sprintf("key %d", i)
			mine[key] = rapid.IntRange(0, 3).Draw(r, "mine") == 0
			document = set(r, document, structured.Entry{
				Key: key, Content: rapid.SampledFrom(contents).Draw(r, "content"), Updated: day.AddDate(0, 0, rapid.IntRange(0, 2).Draw(r, "day")),
			})
		}
		keeps := func(key string) bool { return mine[key] }
		merged, removed, err := structured.Merge(document, keeps)
		if err != nil {
			r.Fatal(err)
		}
		before, after := structured.Current(structured.Parse(document)), structured.Current(structured.Parse(merged))
		if len(after) != len(before)-removed {
			r.Fatalf("%d entries after %d, %d removed", len(after), len(before), removed)
		}
		said := func(entries []structured.Entry, content string) bool {
			for _, e := range entries {
				if strings.Trim(e.Content, ".") == strings.Trim(content, ".") {
					return true
				}
			}
			return false
		}
		for _, e := range before {
			if _, still := structured.Find(after, e.Key); mine[e.Key] && !still {
				r.Fatalf("%s is a person's and gone", e.Key)
			}
			if !said(after, e.Content) {
				r.Fatalf("%q is said no more:\n%s", e.Content, merged)
			}
		}
		if _, again, _ := structured.Merge(merged, keeps); again != 0 {
			r.Fatal("merged twice")
		}
	})
}
