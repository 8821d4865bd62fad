package crash

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

// checkFlushes proves that each message is covered by exactly one acknowledged flush or still in the window: the flushes of a
// conversation follow each other from its first message on, and so do their steps.
func (w *talkers) checkFlushes(ctx context.Context, t *testing.T) {
	t.Helper()
	type flush struct {
		Conversation   string
		From, To, Done int64
		Acknowledged   bool
		Flushed, Last  int64
	}
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[flush], `
select c.conversation_id, f.from_seq, f.to_seq, f.done_seq, f.acknowledged_at is not null, c.flushed_seq, c.last_seq
from flushes f
join conversations c using (workspace_id, agent_id, conversation_uid)
order by c.conversation_id, f.from_seq`)
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]int64{}
	for _, f := range rows {
		if f.From != covered[f.Conversation]+1 {
			t.Errorf("%s: a flush begins at message %d, the one before ended at %d", f.Conversation, f.From, covered[f.Conversation])
		}
		if !f.Acknowledged || f.Done != f.To {
			t.Errorf("%s: the flush of %d to %d is at %d, acknowledged: %v", f.Conversation, f.From, f.To, f.Done, f.Acknowledged)
		}
		covered[f.Conversation] = f.To
	}
	if len(covered) != *windows {
		t.Errorf("%d of %d conversations were flushed", len(covered), *windows)
	}
	type step struct {
		Conversation string
		From, To     int64
	}
	steps, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[step], `
select c.conversation_id, s.from_seq, s.to_seq
from flush_steps s
join conversations c using (workspace_id, agent_id, conversation_uid)
order by c.conversation_id, s.from_seq`)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]int64{}
	for _, s := range steps {
		if s.From != next[s.Conversation]+1 || s.To < s.From {
			t.Errorf("%s: a step of %d to %d follows %d", s.Conversation, s.From, s.To, next[s.Conversation])
		}
		next[s.Conversation] = s.To
	}
	for conversation, to := range covered {
		if next[conversation] != to {
			t.Errorf("%s: steps end at %d, flushes at %d", conversation, next[conversation], to)
		}
	}
}

// checkCompactions proves that no summary stands for messages that were not flushed.
func (w *talkers) checkCompactions(ctx context.Context, t *testing.T) {
	t.Helper()
	type compaction struct {
		Conversation string
		To, Flushed  int64
		Summary      string
	}
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[compaction], `
select c.conversation_id, x.to_seq, c.flushed_seq, x.summary
from compactions x
join conversations c using (workspace_id, agent_id, conversation_uid)
where x.finished_at is not null`)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < *windows {
		t.Errorf("%d summaries of %d conversations", len(rows), *windows)
	}
	for _, c := range rows {
		if c.To > c.Flushed || strings.TrimSpace(c.Summary) == "" {
			t.Errorf("%s: a summary of %d characters up to message %d, %d are flushed", c.Conversation, len(c.Summary), c.To, c.Flushed)
		}
	}
}

// checkNotes proves that what was flushed is noted, once, whether a flush or an extraction noted it.
func (w *talkers) checkNotes(ctx context.Context, t *testing.T) {
	t.Helper()
	notes, err := deployment.Query(ctx, w.System, pgx.RowTo[string], `
select string_agg(v.content, E'\n' order by d.owner_key, d.path)
from documents d
join document_versions v on v.document_id = d.document_id and v.version = d.version
where d.scope = 'PERSONAL' and d.path like 'memory/____-__-__.md'`)
	if err != nil {
		t.Fatal(err)
	}
	flushed, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[struct {
		Conversation string
		Flushed      int64
	}], `select conversation_id, flushed_seq from conversations order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, c := range flushed {
		for seq := int64(1); seq <= c.Flushed; seq += 2 {
			mark := fmt.Sprintf("%s/%d", c.Conversation, seq)
			checked++
			if n := len(regexp.MustCompile(regexp.QuoteMeta(mark)+`\b`).FindAllString(notes[0], -1)); n != 1 {
				t.Errorf("the notes have %s %d times", mark, n)
			}
		}
	}
	if checked == 0 {
		t.Error("nothing was checked")
	}
}
