package store

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/store/admin"
	"reverie/store/pg"
)

func TestAuditIsListed(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	key, other := uuid.New(), uuid.New()
	at := testClock
	var entries []admin.AuditEntry
	for i, e := range []admin.AuditEntry{
		{Key: key, Operation: "list-messages", Agent: "ada", Owner: "user:7", Targets: map[string]string{"conversation": "c1"}},
		{Key: key, Operation: "put-file", Changes: true, Agent: "ada", Owner: "user:8"},
		{Key: other, Operation: "list-keys"},
		{Key: other, Operation: "put-file", Changes: true, Agent: "bob"},
	} {
		e.At, e.Role, e.Address, e.Request, e.Status = at.Add(time.Duration(i)*time.Minute), memory.RoleAdmin, "192.0.2.1", "r", 200
		entries = append(entries, e)
	}
	if err := s.RecordAudit(t.Context(), "acme", entries); err != nil {
		t.Fatal(err)
	}
	root, limited := adminOf("acme"), adminOf("acme")
	limited.Agents = []string{"ada"}
	for name, c := range map[string]struct {
		id     memory.Identity
		filter admin.AuditFilter
		want   []int
	}{
		"all":                  {root, admin.AuditFilter{}, []int{3, 2, 1, 0}},
		"of an agent":          {root, admin.AuditFilter{Agent: "ada"}, []int{1, 0}},
		"of a key":             {root, admin.AuditFilter{Key: other}, []int{3, 2}},
		"of a key on an agent": {root, admin.AuditFilter{Agent: "bob", Key: key}, nil},
		"about an owner":       {root, admin.AuditFilter{Owner: "user:7"}, []int{0}},
		"of an operation":      {root, admin.AuditFilter{Operation: "put-file", Key: key}, []int{1}},
		"reads":                {root, admin.AuditFilter{Kind: admin.AuditReads}, []int{2, 0}},
		"changes":              {root, admin.AuditFilter{Kind: admin.AuditChanges}, []int{3, 1}},
		"of a time":            {root, admin.AuditFilter{Since: at.Add(time.Minute), Until: at.Add(3 * time.Minute)}, []int{2, 1}},
		"limited admin":        {limited, admin.AuditFilter{}, []int{1, 0}},
		"another workspace":    {adminOf("globex"), admin.AuditFilter{}, nil},
	} {
		page := pg.Page{Limit: 1}
		var got []int
		for {
			list := must[pg.Listed[admin.AuditEntry]](t)(s.Audit(t.Context(), c.id, c.filter, page))
			for _, e := range list.Items {
				got = append(got, int(e.At.Sub(at).Minutes()))
			}
			if page.Cursor = list.Next; page.Cursor == "" {
				break
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	}
	if list := must[pg.Listed[admin.AuditEntry]](t)(s.Audit(t.Context(), root, admin.AuditFilter{Owner: "user:7"}, pg.Page{})); list.Items[0].
		Targets["conversation"] != "c1" || list.Items[0].Address != "192.0.2.1" || list.Items[0].Key != key {
		t.Errorf("%+v", list.Items)
	}
	pinned := root
	pinned.Pinned, pinned.Owner = true, "user:7"
	for name, id := range map[string]memory.Identity{"member": member("user:7"), "pinned": pinned} {
		if _, err := s.Audit(t.Context(), id, admin.AuditFilter{}, pg.Page{}); !is(pg.ErrForbidden)(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The application appends to the audit log and cannot change it; entries go by their age, and the latest day stays in any case.
func TestAuditOnlyGrows(t *testing.T) {
	t.Parallel()
	url := devtest.Database(t, migrated)
	s := must[*Store](t)(Open(t.Context(), url, pg.Options{MaxConns: 2}))
	t.Cleanup(s.Close)
	if err := s.EnsureWorkspace(t.Context(), "acme", "Acme"); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, age := range []time.Duration{0, 23 * time.Hour, 25 * time.Hour, 100 * 24 * time.Hour} {
		if err := s.RecordAudit(t.Context(), "acme", []admin.AuditEntry{
			{At: now.Add(-age), Role: memory.RoleAdmin, Operation: age.String(), Targets: map[string]string{}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range []string{"delete from audit_log", "update audit_log set status = 0", "truncate audit_log"} {
		for name, id := range map[string]memory.Identity{"admin": adminOf("acme"), "member": member("user:7")} {
			if _, err := rawAs(t, s, everything(t, id), sql); !is(pg.ErrForbidden)(err) {
				t.Errorf("%s by %s: %v", sql, name, err)
			}
		}
	}
	// An application that says that it is the function is still not its owner.
	if _, err := rawAs(t, s, pg.Settings{Workspace: "acme", Purpose: "expiry"}, "delete from audit_log"); !is(pg.ErrForbidden)(err) {
		t.Errorf("for the purpose of expiry: %v", err)
	}
	left := func() int {
		t.Helper()
		return len(must[pg.Listed[admin.AuditEntry]](t)(s.Audit(t.Context(), adminOf("acme"), admin.AuditFilter{}, pg.Page{})).Items)
	}
	for _, c := range []struct {
		before time.Time
		n      int
	}{{now.Add(-90 * 24 * time.Hour), 1}, {now.Add(-90 * 24 * time.Hour), 0}, {now.Add(time.Hour), 1}, {now.Add(time.Hour), 0}} {
		before := left()
		if n, err := s.ExpireAudit(t.Context(), c.before); n != c.n || err != nil || before-left() != n {
			t.Errorf("%d expired, %d went, want %d; %v", n, before-left(), c.n, err)
		}
	}
	if n := left(); n != 2 {
		t.Errorf("%d entries of the latest day", n)
	}
}
