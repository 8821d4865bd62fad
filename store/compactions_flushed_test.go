package store

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Whatever a program asks the database for: a summary of what is not flushed has no row.
func TestTheDatabaseRefusesUnflushedCompactions(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	uid := talk(t, s, id, "c", 20)
	flushed(t, s, id, uid, 10)
	c := summarised(t, s, id, summary(uid, 8), "so far")
	insert := func(to int64) error {
		_, err := inTx(t.Context(), s.DB, id, func(tx *tx) (struct{}, error) {
			b := &pgx.Batch{}
			b.Queue(`
insert into compactions
select (jsonb_populate_record(x, jsonb_build_object('compaction_id', gen_random_uuid(), 'content_key', '\x' || repeat('ab', 31) || lpad(to_hex(@to::int), 2, '0'),
    'to_seq', @to::bigint, 'done_seq', @to::bigint))).*
from compactions x
where x.compaction_id = @compaction`, tx.args(pgx.NamedArgs{"to": to, "compaction": c.ID}))
			return struct{}{}, tx.finish(t.Context(), b)
		})
		return err
	}
	if err := insert(10); err != nil {
		t.Errorf("of what is flushed: %v", err)
	}
	const insufficientPrivilege = "42501" // of a row that a policy refuses
	refused, is := errors.AsType[*pgconn.PgError](insert(11))
	if !is || refused.Code != insufficientPrivilege {
		t.Errorf("of what is not flushed: %v", refused)
	}
}
