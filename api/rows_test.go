package api_test

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// rows counts the rows of every table: what is refused leaves them as they are.
func (h *harness) rows() string {
	h.t.Helper()
	conn, err := pgx.Connect(h.t.Context(), h.database)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = conn.Close(h.t.Context()) }()
	found, err := conn.Query(h.t.Context(), `select tablename from pg_tables where schemaname = current_schema() order by tablename`)
	if err != nil {
		h.t.Fatal(err)
	}
	tables, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		h.t.Fatal(err)
	}
	var counted strings.Builder
	for _, table := range tables {
		if table == "audit_log" { // every request has an entry
			continue
		}
		var n int64
		var sum string
		sql := `select count(*), coalesce(md5(string_agg(r::text, E'\n' order by r::text)), '') from ` + pgx.Identifier{
			table,
		}.Sanitize() + ` r`
		if err := conn.QueryRow(h.t.Context(), sql).Scan(&n, &sum); err != nil {
			h.t.Fatal(err)
		}
		fmt.Fprintf(&counted, "%s %d %s\n", table, n, sum)
	}
	return counted.String()
}
