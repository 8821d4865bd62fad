package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Component is the state of a part of the deployment, such as the model, as some process saw it last.
type Component struct {
	Name      string
	State     string
	Detail    string
	ChangedAt time.Time // when State became what it is
	SeenAt    time.Time
}

const (
	sqlComponentReport = `
insert into components (name, state, detail, changed_at, seen_at)
values (@name, @state, @detail, @now, @now)
on conflict (name) do update set
    state = excluded.state,
    detail = excluded.detail,
    changed_at = case when components.state = excluded.state then components.changed_at else excluded.changed_at end,
    seen_at = excluded.seen_at`

	sqlComponents = `select name, state, detail, changed_at, seen_at from components order by name collate "C"`
)

// ReportComponent notes the state of a part. It concerns no tenant, which is why it takes no identity; detail must not hold
// any tenant's data.
func (s *Store) ReportComponent(ctx context.Context, name, state, detail string) error {
	_, err := run(ctx, s, &tx{mode: sqlBegin}, func(t *tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlComponentReport, t.args(pgx.NamedArgs{"name": name, "state": state, "detail": detail}))
		return struct{}{}, t.finish(ctx, b)
	})
	return err
}

// Components lists the parts by name.
func (s *Store) Components(ctx context.Context) ([]Component, error) {
	return run(ctx, s, &tx{mode: sqlBeginRead}, func(t *tx) (components []Component, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlComponents), &components, pgx.RowToStructByPos[Component])
		err = t.finish(ctx, b)
		return components, err
	})
}
