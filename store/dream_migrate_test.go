package store

import (
	"database/sql"
	"slices"
	"testing"

	"github.com/pressly/goose/v3"

	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/store/pg"
	"reverie/store/talk"
)

// Documents from before there were dreams are news to the first one.
func TestMigrateToDreams(t *testing.T) {
	t.Parallel()
	url := devtest.Database(t, migrated)
	s, err := Open(t.Context(), url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	makeAgent(t, s, "acme", "ada")
	makeAgent(t, s, "acme", "bob")
	write(t, s, member("user:1"), replace(personal("memory/2026-11-20.md"), 0, "- a note\n"))
	write(t, s, member("user:2"), replace(personal("other.md"), 0, "no memory of a day"))
	must[talk.Stored](t)(s.AppendMessages(t.Context(), member("user:3"), turn("c3", "m", 2)))
	cron := turn("c4", "m", 2)
	cron.Trigger = memory.TriggerCron
	must[talk.Stored](t)(s.AppendMessages(t.Context(), member("user:4"), cron))
	open := turn("c5", "m", 2)
	open.TurnComplete = false
	must[talk.Stored](t)(s.AppendMessages(t.Context(), member("user:5"), open))
	write(t, s, member("user:6"), replace(team("memory/2026-11-20.md"), 0, "- shared\n"))
	committedDream(t, s, dreaming("user:1", "r"), nightly("n"), tea)
	s.Close()
	err = withProvider(url, func(_ *sql.DB, p *goose.Provider) error {
		_, err := p.DownTo(t.Context(), 2)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if applied := must[int](t)(Migrate(t.Context(), url)); applied == 0 {
		t.Fatal("nothing was migrated")
	}
	if s, err = Open(t.Context(), url, pg.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	night := member(memory.NoOwner)
	night.AnyOwner = true
	got := query[string](t, s, night, "select owner_key from dream_news order by 1")
	if want := []string{"system", "user:1", "user:3"}; !slices.Equal(got, want) {
		t.Errorf("news of %v, want %v", got, want)
	}
	if got := query[string](t, s, night.For("bob", memory.NoOwner), "select owner_key from dream_news"); len(got) > 0 {
		t.Errorf("news of an agent about whom nothing was written: %v", got)
	}
	committedDream(t, s, dreaming(memory.SystemOwner, "r"), nightly("n"), dog)
}
