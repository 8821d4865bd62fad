package store

const (
	// Daily notes of the days, each with its history up to now: what the limits cut off is the oldest of it, never the current
	// version. The paths of a day's notes begin alike.
	sqlDreamNotes = noteVersions + `
    from (
        select d.*, d.version as wanted
        from documents d
        where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = @scope and d.owner_key = @whose
            and left(d.path, 17) = any (@day_paths::text[]) and not d.deleted
        order by d.path desc
        limit @notes
    ) d` + noteHistory

	// Documents at versions, with their histories up to then.
	sqlDreamPinned = noteVersions + `
    from unnest(@documents::uuid[], @document_versions::int[]) p (document_id, version)
    cross join lateral (
        select d.*, p.version as wanted
        from documents d
        where d.workspace_id = @workspace and d.agent_id = @agent and d.document_id = p.document_id
            and (d.scope = 'TEAM' or d.owner_key = @owner)
        limit 1
    ) d` + noteHistory

	// What was said in the window, the newest of it. Of a long conversation the end is looked at.
	sqlDreamMessages = saidColumns + `
    from (
        select *
        from conversations
        where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and updated_at >= @from
            and trigger_source not in ('cron', 'dream')
        order by updated_at desc
        limit @conversations
    ) c
    cross join lateral (
        select *
        from messages m
        where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = c.conversation_uid
            and m.owner_key = @owner and m.seq > c.complete_seq - @window::bigint and m.seq <= c.complete_seq` + saidInWindow

	// What was said in ranges of messages.
	sqlDreamPinnedMessages = saidColumns + `
    from unnest(@uids::uuid[], @first::bigint[], @last::bigint[]) p (conversation_uid, first, last)
    cross join lateral (
        select *
        from conversations
        where workspace_id = @workspace and agent_id = @agent and conversation_uid = p.conversation_uid and owner_key = @owner
        limit 1
    ) c
    cross join lateral (
        select *
        from messages m
        where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = p.conversation_uid
            and m.owner_key = @owner and m.seq >= p.first and m.seq <= p.last` + saidInWindow

	sqlDreamRecalls = recalledColumns + `
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and at >= @since and at <= @until
    and not synthetic and (scope = 'PERSONAL' or corpus = 'sessions')` + recalledLatest

	sqlDreamRecallsShared = recalledColumns + `
where workspace_id = @workspace and agent_id = @agent and at >= @since and at <= @until and not synthetic and scope = 'TEAM'` + recalledLatest
)

// noteVersions and noteHistory read versions of documents d up to the version d.wanted, in the order of scanNoteVersion.
const noteVersions = `
select n.document_id, n.scope, n.owner_key, n.path, n.enabled, n.sort_order, n.wanted, n.version, n.base_version, n.merged, n.deleted,
    n.sha256, n.author_kind, n.author_id, n.workflow_id, n.run_id, n.reason, n.sources, n.added, n.removed, n.created_at, n.content
from (
    select d.document_id, d.scope, d.owner_key, d.path, d.enabled, d.sort_order, d.wanted, v.version, v.base_version, v.merged,
        v.deleted, v.sha256, v.author_kind, v.author_id, v.workflow_id, v.run_id, v.reason, v.sources, v.added, v.removed,
        v.created_at, v.content,
        sum(octet_length(v.content)) over (order by v.version = d.wanted desc, d.path desc, v.version desc) as size`

const noteHistory = `
    cross join lateral (
        select *
        from document_versions v
        where v.workspace_id = @workspace and v.agent_id = @agent and v.document_id = d.document_id and v.version <= d.wanted
        order by v.version desc
        limit @versions
    ) v
) n
where n.size <= @bytes or n.version = n.wanted
order by n.path collate "C", n.document_id, n.version`

// saidColumns and saidInWindow read messages of conversations c, in the order of scanSaid.
const saidColumns = `
select s.conversation_id, s.conversation_uid, s.seq, s.message_id, s.role, s.name, s.content, s.finish_reason, s.said_at
from (
    select c.conversation_id, c.conversation_uid, m.seq, m.message_id, m.role, m.name, m.content, m.finish_reason,
        m.said_at, row_number() over newest as place, sum(octet_length(m.content)) over newest as size`

const saidInWindow = `
            and m.role in ('user', 'assistant') and m.said_at >= @from and m.said_at <= @until
        order by m.seq desc
        limit @messages
    ) m
    window newest as (order by m.said_at desc, c.conversation_uid desc, m.seq desc)
) s
where s.place <= @messages and s.size <= @message_bytes
order by s.conversation_uid, s.seq`

const recalledColumns = `
select recall_id, owner_key, query_hash, day, synthetic, corpus, scope, source_uid, path, from_line, to_line, chunk_hash, entries, score, rank, at
from recalls`

const recalledLatest = `
order by at desc, recall_id desc, rank desc
limit @limit`
