package admin

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/store/pg"
)

// JournalHolder is an open transaction of this database that may still write: the journal shows no event of transactions that began
// beside it.
type JournalHolder struct {
	Transaction string // its number
	Process     int    // of the server; 0: a prepared transaction
	Application string // as its connection names it; of a prepared transaction, its name
	// Since is the time when it began; nil: the login of the tables' owner may not see it, because it belongs to another login.
	Since *time.Time
}

const sqlJournalHolders = `
select transaction, process, application, since
from reverie_journal_holders()
order by since, transaction`

// JournalHolders lists the open transactions, oldest first, those without a time at the end. It takes no identity because it concerns no
// tenant.
func (s *Admin) JournalHolders(ctx context.Context) ([]JournalHolder, error) {
	return pg.Run(ctx, s.db, &pg.Tx{Mode: pg.SQLBeginRead}, func(t *pg.Tx) (holders []JournalHolder, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlJournalHolders), &holders, pgx.RowToStructByPos[JournalHolder])
		err = t.Finish(ctx, b)
		return holders, err
	})
}
