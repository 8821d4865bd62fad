package store

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	// What flushes have written of a range, oldest first, without the words.
	sqlNotedParts = `
select flush_id, from_seq, to_seq, fallback, scope, path
from flush_steps
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and from_seq <= @to and to_seq >= @from and outcome = 'written'
order by from_seq
limit @window`

	sqlNotedEntries = `
select entry
from flush_steps
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and from_seq >= @from and to_seq <= @to and outcome = 'written'
order by from_seq`
)

// notedPart is a step of a flush that has written to a note.
type notedPart struct {
	from, to int64
	notedAs
}

// notedAs is what the parts of one Noted have in common.
type notedAs struct {
	flush    uuid.UUID
	fallback bool
	note     memory.Ref
}

func scanNotedPart(row pgx.CollectableRow) (p notedPart, err error) {
	err = row.Scan(&p.flush, &p.from, &p.to, &p.fallback, &p.note.Scope, &p.note.Path)
	return p, err
}

// stepEnd is where the step ends that begins with the first message of a window, and how it is noted; nil: it is not. A step lies
// wholly in what was noted in one way, or wholly outside. Of what was noted it has whole steps of the flush, as many as fit one
// transcript, if one fits and begins with it: what rules noted is replaced as a whole or not at all.
func stepEnd(window []memory.Message, parts []notedPart, settings memory.ExtractSettings) (int64, *notedAs) {
	first := window[0].Seq
	if len(parts) == 0 || first < parts[0].from {
		if len(parts) > 0 {
			window = upTo(window, parts[0].from-1)
		}
		return memory.Steps(window, settings)[0][1], nil
	}
	as := parts[0].notedAs
	alike := 1
	for alike < len(parts) && parts[alike].notedAs == as && parts[alike].from == parts[alike-1].to+1 {
		alike++
	}
	if parts[0].from == first {
		if to := wholeParts(window, parts[:alike], settings); to > 0 {
			return to, &as
		}
	}
	return memory.Steps(upTo(window, parts[0].to), settings)[0][1], &as // a piece of a part
}

// wholeParts is the end of the last part that fits a transcript together with those before it; 0: none does.
func wholeParts(window []memory.Message, parts []notedPart, settings memory.ExtractSettings) int64 {
	var fits int64
	for _, p := range parts {
		taken := upTo(window, p.to)
		if taken[len(taken)-1].Seq != p.to || len(memory.Steps(taken, settings)) != 1 {
			break
		}
		fits = p.to
	}
	return fits
}
