package crash

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

// checkAccounts proves that every message is accounted for exactly once: the ranges of the extractions that wrote or
// found nothing cover each conversation without gap or overlap, and nothing was refused or failed.
func (s *system) checkAccounts(ctx context.Context, t *testing.T) {
	t.Helper()
	type taken struct {
		Conversation string
		From, To     int64
		Outcome      string
	}
	rows, err := deployment.Query(ctx, s.System, pgx.RowToStructByPos[taken],
		`select conversation_id, from_seq, to_seq, outcome from extractions order by conversation_id, from_seq, started_at`)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]int64{}
	for _, r := range rows {
		if r.Outcome != "written" {
			t.Errorf("%s %d-%d ended as %s", r.Conversation, r.From, r.To, r.Outcome)
			continue
		}
		if want := next[r.Conversation] + 1; r.From != want {
			t.Errorf("%s: an extraction begins at message %d, the one before ended at %d", r.Conversation, r.From, want-1)
		}
		next[r.Conversation] = r.To
	}
	for _, one := range s.work {
		if got := next[one.id]; got != int64(len(one.messages)) {
			t.Errorf("%s: %d of %d messages are accounted for", one.id, got, len(one.messages))
		}
	}
}

// documents reads every document of every owner over the API, and checks that each mark stands exactly once in each.
func (s *system) documents(ctx context.Context, t *testing.T) map[string]string {
	t.Helper()
	marks := map[string][]string{} // by owner
	for _, one := range s.work {
		marks[one.owner] = append(marks[one.owner], marksOf(one)...)
	}
	out := map[string]string{}
	for _, owner := range slices.Sorted(maps.Keys(marks)) {
		who := "?scope=PERSONAL&endUserId=" + url.QueryEscape(owner)
		var list struct {
			Items []struct {
				Path string `json:"path"`
			} `json:"items"`
		}
		base := "/api/v1/agents/" + deployment.Agent + "/workspace/files"
		if err := s.API.Insist(ctx, http.MethodGet, base+who, nil, &list); err != nil {
			t.Fatal(err)
		}
		counted := 0
		for _, file := range list.Items {
			var document struct {
				Content string `json:"content"`
			}
			if err := s.API.Insist(ctx, http.MethodGet, base+"/"+file.Path+who, nil, &document); err != nil {
				t.Fatal(err)
			}
			name := file.Path
			if strings.HasPrefix(name, "memory/") { // a run may pass midnight
				name = "daily notes"
			}
			out[owner+": "+name] += document.Content
		}
		for _, file := range []string{"MEMORY.md", "daily notes"} {
			text := out[owner+": "+file]
			for _, mark := range marks[owner] {
				counted++
				if n := strings.Count(text, mark); n != 1 {
					t.Errorf("%s of %s has %s %d times", file, owner, mark, n)
				}
			}
		}
		if counted == 0 {
			t.Errorf("nothing was checked for %s", owner)
		}
	}
	return out
}

// marksOf are the marks that the scripted model writes down: one for each message of the user.
func marksOf(one talk) []string {
	var out []string
	for m, message := range one.messages {
		if message.Role == "user" {
			out = append(out, fmt.Sprintf("%s/%d matters", one.id, m+1))
		}
	}
	return out
}
