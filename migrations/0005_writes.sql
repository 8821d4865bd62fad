-- +goose Up

-- What business processes write: one row for each request, which is what makes it one. content and reason wait here for the workflow
-- that takes them through the gate, and go when it has ended; the document keeps what it took. write_id is a UUIDv7, so that its order
-- is that of time.
create table memory_writes (
    workspace_id text        not null,
    agent_id     text        not null,
    write_id     uuid        not null,
    request_id   text        not null check (request_id ~ '^[A-Za-z0-9._:-]{1,128}$'),
    request_hash bytea       not null check (octet_length(request_hash) = 32), -- of what was asked for, templates and data
    key_id       uuid        not null, -- the credential that asked
    owner_key    text        not null, -- empty unless PERSONAL
    scope        text        not null check (scope in ('PERSONAL', 'TEAM', 'GLOBAL')),
    path         text        not null, -- the target, with its data
    strategy     text        not null check (strategy in ('append', 'replace_section', 'upsert_kv', 'overwrite')),
    content      text        not null, -- the text, with its data; empty once it has ended
    reason       text        not null, -- likewise
    outcome      text        not null check (outcome in ('staged', 'written', 'unchanged', 'refused')),
    reason_code  text        not null default '', -- of refused: why
    problem      text        not null default '', -- of refused: in words, with rules and lines but nothing of the text
    receipt      jsonb,      -- of the gate, once it is written or unchanged
    workflow_id  text        not null default '',
    run_id       text        not null default '',
    staged_at    timestamptz not null,
    due_at       timestamptz not null, -- when the sweep starts it, unless it has ended
    ended_at     timestamptz,
    foreign key (workspace_id, agent_id) references agents,
    foreign key (workspace_id, key_id) references api_keys,
    check ((scope = 'PERSONAL') = (owner_key <> '')),
    check ((ended_at is null) = (outcome = 'staged')),
    check ((receipt is not null) = (outcome in ('written', 'unchanged')))
);
-- Lists, newest first: of everything, and of one outcome.
create index memory_writes_recent on memory_writes (agent_id, workspace_id, write_id desc);
create index memory_writes_by_outcome on memory_writes (agent_id, workspace_id, outcome, write_id desc);
-- The sweep looks for what nobody has started.
create index memory_writes_due on memory_writes (due_at) where outcome = 'staged';
alter table memory_writes add primary key (workspace_id, agent_id, write_id);
-- A request is one write.
create unique index memory_writes_by_request on memory_writes (request_id, workspace_id, agent_id);

grant select, insert on memory_writes to reverie_app;
grant update (content, reason, outcome, reason_code, problem, receipt, workflow_id, run_id, due_at, ended_at) on memory_writes to reverie_app;

-- Rows are read and made as the documents are that they write. One that has ended stays as it is.
alter table memory_writes enable row level security, force row level security;
create policy write_read on memory_writes for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (scope <> 'PERSONAL' or owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy write_insert on memory_writes for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and case scope
            when 'PERSONAL' then owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) = 'global'
        end);
create policy write_update on memory_writes for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')) and outcome = 'staged'
        and case scope
            when 'PERSONAL' then owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) = 'global'
        end)
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')));
-- The sweep sees what has not ended, of everybody, and moves when it is due.
create policy write_sweep on memory_writes for select
    using ((select reverie_identity('purpose')) = 'sweep' and outcome = 'staged');
create policy write_due on memory_writes for update
    using ((select reverie_identity('purpose')) = 'sweep' and outcome = 'staged')
    with check ((select reverie_identity('purpose')) = 'sweep' and outcome = 'staged');

-- A request that comes through Temporal carries no secret: it names its key and proves to know the secret. key_hash holds the id then.
create policy key_by_proof on api_keys for select
    using ((select reverie_identity('purpose')) = 'proof' and key_id::text = (select reverie_identity('key_hash')));
-- Proofs name a key without its workspace.
create index api_keys_by_id on api_keys (key_id);

-- +goose Down
drop policy key_by_proof on api_keys;
drop index api_keys_by_id;
drop table memory_writes;
