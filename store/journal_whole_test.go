package store

import (
	"testing"
)

// versionsTold compares versions with the events that tell of them: each version of a document has exactly one, and each event of a
// write one version, whoever wrote and whichever way.
const versionsTold = `
select coalesce(v.document_id, j.document_id)::text, coalesce(v.version, j.version), count(j.event_id), count(v.version)
from document_versions v
full join (select * from journal where kind in ('document.written', 'document.deleted', 'document.undeleted')) j
    on j.workspace_id = v.workspace_id and j.document_id = v.document_id and j.version = v.version
    and (j.kind = 'document.deleted') = v.deleted
group by 1, 2
having count(j.event_id) <> 1 or count(v.version) <> 1`

// tellsEveryWrite fails the test when a write was not told, told twice, or told without having happened.
func (w *world) tellsEveryWrite(t *testing.T) {
	t.Helper()
	var versions, wrong int
	if err := w.root.QueryRow(t.Context(), "select count(*) from document_versions").Scan(&versions); err != nil || versions == 0 {
		t.Fatalf("%d versions (%v)", versions, err)
	}
	rows, err := w.root.Query(t.Context(), versionsTold)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var document string
		var version, events, found int
		if err := rows.Scan(&document, &version, &events, &found); err != nil {
			t.Fatal(err)
		}
		if wrong++; wrong <= 5 {
			t.Errorf("version %d of document %s: %d versions, and %d events tell of it", version, document, found, events)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d versions are told, %d are not as they should be", versions-wrong, wrong)
}
