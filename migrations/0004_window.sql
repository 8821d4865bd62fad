-- +goose Up

-- The context window: what models ask of tools, what is saved of a conversation before it leaves a window, and the summaries that
-- stand in a window for its beginning. The messages themselves stay: a summary is a view of them.

-- A message may ask for tools, and one of a tool says which call it answers.
alter table messages
    add column tool_calls   jsonb not null default '[]',
    add column tool_call_id text  not null default '';

-- How far messages are accounted for by flushes: up to there they may leave a window. It goes its own way beside cursor_seq.
alter table conversations
    add column flushed_seq bigint not null default 0,
    add constraint conversations_flushed check (0 <= flushed_seq and flushed_seq <= last_seq);

-- The flush that had noted the messages of a draft when it was made; null: none had.
alter table extractions
    add column flush_id uuid;

-- The entry of the journal that tells of a version, and with it the token that its writer was given.
create index journal_of_version on journal (document_id, version, workspace_id, agent_id, event_id) where document_id is not null;

-- One row for each range of messages that is saved before it is dropped. The ranges of a conversation follow each other without
-- gaps, and one at most is open. draft holds contents: it stays here and never travels through workflow histories. flush_id is a
-- UUIDv7, so that its order is that of time.
create table flushes (
    workspace_id     text        not null,
    agent_id         text        not null,
    flush_id         uuid        not null,
    owner_key        text        not null,
    conversation_id  text        not null,
    conversation_uid uuid        not null,
    from_seq         bigint      not null check (from_seq > 0),
    to_seq           bigint      not null,
    done_seq         bigint      not null, -- last message that is accounted for; from_seq - 1 at first
    outcome          text        not null check (outcome in ('running', 'waiting', 'written', 'nothing')),
    reason_code      text        not null default '',
    fallback         boolean     not null default false, -- rules flushed a part of it in place of the model
    draft            jsonb,      -- what the next step is about to append; null once it is committed
    violations       jsonb       not null default '[]', -- of what was refused for the next step
    model            text        not null default '', -- the last one used
    prompt_version   text        not null default '',
    calls            int         not null default 0,
    input_tokens     bigint      not null default 0,
    output_tokens    bigint      not null default 0,
    cost_micros      bigint      not null default 0,
    workflow_id      text        not null default '',
    run_id           text        not null default '',
    opened_at        timestamptz not null,
    acknowledged_at  timestamptz,
    foreign key (workspace_id, agent_id, conversation_uid, owner_key)
        references conversations (workspace_id, agent_id, conversation_uid, owner_key),
    check (from_seq - 1 <= done_seq and done_seq <= to_seq and from_seq <= to_seq),
    check ((acknowledged_at is null) = (outcome in ('running', 'waiting'))),
    check ((acknowledged_at is not null) = (done_seq = to_seq))
);
-- Lists of one conversation, newest first.
create index flushes_recent on flushes (conversation_uid, workspace_id, agent_id, flush_id desc);
-- Whoever asks finds the open flush of a conversation.
create unique index flushes_open on flushes (conversation_uid, workspace_id, agent_id) where acknowledged_at is null;
alter table flushes add primary key (workspace_id, agent_id, flush_id);
-- A range is flushed once.
create unique index flushes_by_range on flushes (conversation_uid, from_seq, workspace_id, agent_id);
-- Steps refer to the flush together with whose it is.
create unique index flushes_by_id on flushes (flush_id, workspace_id, agent_id, owner_key);

-- Append-only: the parts of a flush that were accounted for at once. entry is what was appended to the note.
create table flush_steps (
    workspace_id     text        not null,
    agent_id         text        not null,
    flush_id         uuid        not null,
    owner_key        text        not null,
    conversation_uid uuid        not null,
    from_seq         bigint      not null check (from_seq > 0),
    to_seq           bigint      not null,
    outcome          text        not null check (outcome in ('written', 'nothing')),
    reason_code      text        not null default '', -- of nothing: why
    engine           text        not null default '', -- empty: none was asked
    prompt_version   text        not null default '',
    fallback         boolean     not null default false,
    violations       jsonb       not null default '[]', -- of an answer that was refused, before the fallback
    document_id      uuid,       -- of the note that it was written to
    scope            text        not null default '',
    path             text        not null default '',
    version          int         not null default 0, -- that it made
    entry            text        not null default '',
    at               timestamptz not null,
    foreign key (flush_id, workspace_id, agent_id, owner_key) references flushes (flush_id, workspace_id, agent_id, owner_key),
    check (from_seq <= to_seq),
    check ((outcome = 'written') = (document_id is not null))
);
alter table flush_steps add primary key (workspace_id, agent_id, flush_id, from_seq);
-- An extraction finds what of its range is noted. Steps do not overlap either.
create unique index flush_steps_by_range on flush_steps (conversation_uid, from_seq, workspace_id, agent_id);

-- Summaries of the beginnings of conversations. content_key is made of what a summary is made of: the key of the previous one, the
-- messages behind it, and who writes it. compaction_id is a UUIDv7, so that its order is that of time.
create table compactions (
    workspace_id     text        not null,
    agent_id         text        not null,
    compaction_id    uuid        not null,
    owner_key        text        not null,
    conversation_id  text        not null,
    conversation_uid uuid        not null,
    content_key      bytea       not null check (octet_length(content_key) = 32),
    window_tokens    int         not null check (window_tokens > 0), -- the largest window that it was asked for
    previous_id      uuid,       -- whose summary it brings up to date
    from_seq         bigint      not null check (from_seq > 0), -- behind the last message of the previous one
    to_seq           bigint      not null,
    done_seq         bigint      not null, -- how far the summary is; from_seq - 1 at first
    summary          text        not null default '',
    summary_tokens   int         not null default 0,
    tokens_before    int         not null default 0,
    trigger_source   text        not null check (trigger_source in ('turn', 'overflow', 'request')),
    outcome          text        not null check (outcome in ('running', 'written')),
    reason_code      text        not null default '',
    maker            text        not null,
    model            text        not null default '', -- the last one used
    prompt_version   text        not null default '',
    fallback         boolean     not null default false, -- rules wrote a part of it in place of the model
    calls            int         not null default 0,
    input_tokens     bigint      not null default 0,
    output_tokens    bigint      not null default 0,
    cost_micros      bigint      not null default 0,
    workflow_id      text        not null default '',
    run_id           text        not null default '',
    started_at       timestamptz not null,
    finished_at      timestamptz,
    foreign key (workspace_id, agent_id, conversation_uid, owner_key)
        references conversations (workspace_id, agent_id, conversation_uid, owner_key),
    check (from_seq - 1 <= done_seq and done_seq <= to_seq and from_seq <= to_seq),
    check ((finished_at is null) = (outcome = 'running')),
    check ((finished_at is not null) = (done_seq = to_seq))
);
-- Lists of one conversation, newest first.
create index compactions_recent on compactions (conversation_uid, workspace_id, agent_id, compaction_id desc);
alter table compactions add primary key (workspace_id, agent_id, compaction_id);
-- A window looks for the summary that stands for most.
create index compactions_latest on compactions (conversation_uid, workspace_id, agent_id, to_seq desc, compaction_id desc)
    where outcome = 'written';
-- Of the same contents there is one summary.
create unique index compactions_by_content on compactions (content_key, conversation_uid, workspace_id, agent_id);

grant select, insert on flushes, flush_steps, compactions to reverie_app;
grant update (flushed_seq) on conversations to reverie_app;
grant update (flush_id) on extractions to reverie_app;
grant update (done_seq, outcome, reason_code, fallback, draft, violations, model, prompt_version, calls, input_tokens,
    output_tokens, cost_micros, workflow_id, run_id, acknowledged_at) on flushes to reverie_app;
grant update (window_tokens, done_seq, summary, summary_tokens, tokens_before, outcome, reason_code, model, prompt_version, fallback,
    calls, input_tokens, output_tokens, cost_micros, workflow_id, run_id, finished_at) on compactions to reverie_app;

-- Rows of one owner of one agent.
-- +goose StatementBegin
do $$
declare
    name text;
begin
    foreach name in array array['flushes', 'flush_steps', 'compactions'] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format($policy$create policy window_read on %I for select
            using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
                and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'))
            $policy$, name);
        execute format($policy$create policy window_insert on %I for insert
            with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
                and owner_key = (select reverie_identity('owner')) and owner_key <> ''
                and (select reverie_identity('writes')) <> 'none')
            $policy$, name);
        execute format($policy$create policy window_update on %I for update
            using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
                and owner_key = (select reverie_identity('owner')) and owner_key <> ''
                and (select reverie_identity('writes')) <> 'none')
            $policy$, name);
    end loop;
end
$$;
-- +goose StatementEnd
-- Nothing is summarised away that is not flushed.
create policy window_flushed on compactions as restrictive for insert
    with check (to_seq <= (
        select c.flushed_seq
        from conversations c
        where c.workspace_id = compactions.workspace_id and c.agent_id = compactions.agent_id
            and c.conversation_uid = compactions.conversation_uid and c.owner_key = compactions.owner_key));

-- +goose Down
drop table compactions, flush_steps, flushes;
drop index journal_of_version;
alter table extractions drop column flush_id;
alter table conversations drop column flushed_seq; -- and its check
alter table messages drop column tool_calls, drop column tool_call_id;
