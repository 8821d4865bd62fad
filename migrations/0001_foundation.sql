-- +goose Up

-- The application never works as the role that owns the tables: every connection of the pool becomes reverie_app, which is
-- no superuser and cannot bypass row-level security. The role is shared by all databases of a cluster, so that several
-- databases may be migrated at the same time. A login that may not create roles (managed PostgreSQL) finds it made by its
-- operator.
-- +goose StatementBegin
do $$
begin
    if not exists (select from pg_roles where rolname = 'reverie_app') then
        create role reverie_app nologin nosuperuser nocreatedb nocreaterole nobypassrls;
    end if;
exception
    when duplicate_object or unique_violation then null; -- another database's migration was quicker
    when insufficient_privilege then
        raise exception using message = format('%I may not create the role reverie_app: as a role that may, run '
            'create role reverie_app nologin; grant reverie_app to %I;', current_user, current_user);
end
$$;
-- +goose StatementEnd
-- Since version 16 whoever creates a role is a member that may not become it, hence SET.
-- +goose StatementBegin
do $$
begin
    if not pg_has_role(current_user, 'reverie_app',
        case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end) then
        execute format('grant reverie_app to %I', current_user);
    end if;
exception
    when unique_violation then null; -- another database's migration was quicker
    when insufficient_privilege then
        raise exception using message = format('%I may not become reverie_app: as a role that may grant it, run '
            'grant reverie_app to %I;', current_user, current_user);
end
$$;
-- +goose StatementEnd

-- One setting of the current identity. They are set per transaction (store/identity.go); unset means empty, and an empty
-- workspace matches no row. Policies call it inside a sub-select so that it is evaluated once per statement, not per row.
--
-- workspace  the tenant
-- agent      one agent, or empty
-- agents     '*' or a comma-separated list: the agents that the credential may use
-- owner      an owner key, or empty
-- any_owner  'on': rows of every owner of the agent are read
-- admin      'on': agents may be managed
-- writes     'none', 'personal', 'team' or 'global': the widest scope that may be written
-- key_hash   hex, while a credential is looked up
-- purpose    'sweep': references of pending work, across tenants; 'status': counting what waits in a workspace; else empty
create function reverie_identity(name text) returns text
    language sql stable parallel safe
    return coalesce(current_setting('reverie.' || name, true), '');

-- Keys begin with the tenant. Other indexes begin with the column that tells their rows apart, and of several that a query
-- could use the one that tells most is made last. To a plan that is made before there are statistics they look alike; it
-- takes the one made last, and is kept for as long as the connection lives or until the table is analysed.

-- Tenants.
create table workspaces (
    workspace_id text        primary key,
    name         text        not null,
    created_at   timestamptz not null
);

-- Credentials. The secret is never stored; it has 32 random bytes, so that its plain SHA-256 cannot be guessed.
create table api_keys (
    workspace_id text        not null references workspaces,
    key_id       uuid        not null,
    name         text        not null,
    hash         bytea       not null unique check (octet_length(hash) = 32),
    role         text        not null check (role in ('viewer', 'member', 'admin')),
    agents       text[],     -- null: every agent of the workspace
    owner_key    text        not null default '', -- not empty: pinned to this owner
    configured   boolean     not null default false, -- named by the deployment's configuration
    created_at   timestamptz not null,
    revoked_at   timestamptz,
    primary key (workspace_id, key_id)
);

create table agents (
    workspace_id text        not null references workspaces,
    agent_id     text        not null,
    name         text        not null,
    time_zone    text        not null,
    settings     jsonb       not null,
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    primary key (workspace_id, agent_id)
);

-- Who an agent knows. owner_id is what leaves the database (workflow ids, search attributes); owner_key may be a phone number.
-- turn counts completed turns, signalled_turn those that Temporal has accepted: the sweep delivers the difference.
create table owners (
    workspace_id   text        not null,
    agent_id       text        not null,
    owner_key      text        not null check (owner_key <> ''),
    owner_id       uuid        not null,
    turn           bigint      not null default 0,
    signalled_turn bigint      not null default 0 check (signalled_turn <= turn),
    turn_at        timestamptz, -- of the last completed turn
    created_at     timestamptz not null,
    primary key (workspace_id, agent_id, owner_key),
    foreign key (workspace_id, agent_id) references agents
);
-- An activity finds the owner of its workflow.
create unique index owners_by_id on owners (owner_id, workspace_id, agent_id);
-- The sweep finds turns that Temporal has not accepted.
create index owners_unsignalled on owners (turn_at) where turn > signalled_turn;

-- Sequence numbers, all inclusive: last_seq is the last message stored; complete_seq the last one of a completed turn;
-- considered_seq how far extraction has looked (a closed gate moves it too); cursor_seq how far messages are accounted for.
create table conversations (
    workspace_id     text        not null,
    agent_id         text        not null,
    conversation_id  text        not null, -- the client's
    conversation_uid uuid        not null, -- ours, for ids that leave the database
    owner_key        text        not null,
    trigger_source   text        not null,
    last_seq         bigint      not null default 0,
    complete_seq     bigint      not null default 0,
    considered_seq   bigint      not null default 0,
    cursor_seq       bigint      not null default 0,
    pending_since    timestamptz, -- when the oldest completed message that was not considered came in
    created_at       timestamptz not null,
    updated_at       timestamptz not null, -- last batch
    foreign key (workspace_id, agent_id, owner_key) references owners,
    check (0 <= cursor_seq and cursor_seq <= considered_seq and considered_seq <= complete_seq and complete_seq <= last_seq),
    check ((pending_since is not null) = (complete_seq > considered_seq))
);
-- Lists of one owner's conversations, latest first.
create index conversations_recent on conversations (owner_key, workspace_id, agent_id, updated_at desc, conversation_uid desc);
-- Inbox asks for the oldest pending conversation of an owner; the status page and the sweep for all that are pending.
create index conversations_pending on conversations (owner_key, workspace_id, agent_id, pending_since, conversation_uid)
    where complete_seq > considered_seq;
-- A client names its conversation.
alter table conversations add primary key (workspace_id, agent_id, conversation_id);
-- A workflow finds its conversation; with the owner, so that messages and extractions can refer to both.
create unique index conversations_by_uid on conversations (conversation_uid, workspace_id, agent_id, owner_key);

-- Append-only. The owner is the conversation's, which the foreign key holds.
create table messages (
    workspace_id     text        not null,
    agent_id         text        not null,
    conversation_uid uuid        not null,
    seq              bigint      not null check (seq > 0),
    owner_key        text        not null,
    message_id       text        not null,
    role             text        not null check (role in ('user', 'assistant', 'tool', 'system')),
    name             text        not null,
    content          text        not null,
    finish_reason    text        not null,
    said_at          timestamptz not null,
    stored_at        timestamptz not null,
    primary key (workspace_id, agent_id, conversation_uid, seq),
    foreign key (workspace_id, agent_id, conversation_uid, owner_key)
        references conversations (workspace_id, agent_id, conversation_uid, owner_key)
);
-- A message id is stored once.
create unique index messages_by_client_id on messages (message_id, conversation_uid, workspace_id, agent_id);

-- GLOBAL documents belong to no agent: their agent_id is empty. Version 0 exists only inside the transaction that makes
-- the document (store/documents.go).
create table documents (
    workspace_id text        not null references workspaces,
    agent_id     text        not null,
    scope        text        not null check (scope in ('PERSONAL', 'TEAM', 'GLOBAL')),
    owner_key    text        not null,
    path         text        not null,
    document_id  uuid        not null,
    version      int         not null, -- the current one
    enabled      boolean     not null,
    sort_order   int         not null,
    deleted      boolean     not null default false,
    person_lines text[]      not null default '{}', -- lines of the current version that a person wrote; guards protect them
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    primary key (workspace_id, agent_id, scope, owner_key, path),
    check ((scope = 'PERSONAL') = (owner_key <> '')),
    check ((scope = 'GLOBAL') = (agent_id = ''))
);
-- Versions refer to the document together with whose it is.
create unique index documents_by_id on documents (document_id, workspace_id, agent_id, scope, owner_key);

-- Append-only: the application may not update or delete here.
create table document_versions (
    workspace_id text        not null,
    agent_id     text        not null,
    document_id  uuid        not null,
    version      int         not null check (version > 0),
    scope        text        not null,
    owner_key    text        not null,
    base_version int         not null,
    merged       boolean     not null,
    deleted      boolean     not null,
    content      text        not null,
    sha256       bytea       not null check (octet_length(sha256) = 32),
    added        int         not null,
    removed      int         not null,
    author_kind  text        not null,
    author_id    text        not null,
    workflow_id  text        not null,
    run_id       text        not null,
    reason       text        not null,
    sources      jsonb       not null,
    created_at   timestamptz not null,
    primary key (workspace_id, agent_id, document_id, version),
    foreign key (workspace_id, agent_id, document_id, scope, owner_key)
        references documents (workspace_id, agent_id, document_id, scope, owner_key)
);

-- Append-only: idempotency keys with the receipt that the first run got.
create table write_ledger (
    workspace_id text        not null,
    agent_id     text        not null,
    owner_key    text        not null,
    key          text        not null,
    receipt      jsonb       not null,
    created_at   timestamptz not null,
    primary key (workspace_id, agent_id, owner_key, key)
);

-- Outcome records. draft and raw hold contents: they stay here and never travel through workflow histories.
-- extraction_id is a UUIDv7, so that its order is that of time.
create table extractions (
    workspace_id     text        not null,
    agent_id         text        not null,
    extraction_id    uuid        not null,
    owner_key        text        not null,
    conversation_id  text        not null,
    conversation_uid uuid        not null,
    from_seq         bigint      not null check (from_seq > 0),
    to_seq           bigint      not null, -- what was looked at: the end of the step once there is a draft
    range_to         bigint      not null, -- the end of the whole range
    outcome          text        not null check (outcome in ('running', 'waiting', 'written', 'nothing', 'skipped', 'quarantined', 'failed')),
    reason_code      text        not null default '',
    reason           text        not null default '',
    draft            jsonb,      -- the guarded proposal between the two steps; null once it is committed or refused
    raw              text        not null default '', -- the model's output, of a draft or of a refused proposal
    violations       jsonb       not null default '[]',
    changes          jsonb       not null default '[]',
    model            text        not null default '',
    prompt_version   text        not null default '',
    calls            int         not null default 0,
    input_tokens     bigint      not null default 0,
    output_tokens    bigint      not null default 0,
    cost_micros      bigint      not null default 0,
    retry_of         uuid,       -- the quarantined extraction that this one repeats
    workflow_id      text        not null,
    run_id           text        not null,
    waiting_until    timestamptz,
    started_at       timestamptz not null,
    finished_at      timestamptz,
    foreign key (workspace_id, agent_id, conversation_uid, owner_key)
        references conversations (workspace_id, agent_id, conversation_uid, owner_key),
    check (from_seq <= to_seq and to_seq <= range_to),
    check ((finished_at is null) = (outcome in ('running', 'waiting')))
);
-- The status page counts what waits and what was refused.
create index extractions_unsettled on extractions (outcome, workspace_id, agent_id)
    where outcome in ('waiting', 'quarantined');
-- Lists of one owner, newest first; those of all owners use the primary key.
create index extractions_recent on extractions (owner_key, workspace_id, agent_id, extraction_id desc);
alter table extractions add primary key (workspace_id, agent_id, extraction_id);
-- A range of messages is accounted for once; a quarantined range may still be retried.
create unique index extractions_accounted on extractions (conversation_uid, from_seq, workspace_id, agent_id)
    where outcome in ('written', 'nothing');
-- One open run for a range: a second attempt of the same step finds it.
create unique index extractions_open on extractions (conversation_uid, from_seq, workspace_id, agent_id)
    where outcome in ('running', 'waiting');
-- What became of a range.
create index extractions_by_range on extractions (conversation_uid, from_seq, workspace_id, agent_id, extraction_id desc);

-- Append-only: what happened, without contents. Events about a workspace or an agent, not about documents, have no scope.
create table journal (
    workspace_id  text        not null,
    agent_id      text        not null,
    event_id      bigint      generated always as identity,
    owner_key     text        not null,
    scope         text        not null check (scope in ('', 'PERSONAL', 'TEAM', 'GLOBAL')),
    kind          text        not null,
    document_id   uuid,
    path          text        not null,
    version       int         not null,
    author_kind   text        not null,
    author_id     text        not null,
    workflow_id   text        not null,
    run_id        text        not null,
    detail        jsonb       not null,
    at            timestamptz not null,
    primary key (workspace_id, agent_id, event_id)
);

-- Spending per day (UTC), for budgets; counts only.
create table model_usage (
    workspace_id  text   not null,
    agent_id      text   not null,
    day           date   not null,
    model         text   not null,
    calls         bigint not null,
    input_tokens  bigint not null,
    output_tokens bigint not null,
    cost_micros   bigint not null,
    primary key (workspace_id, day, agent_id, model)
);

-- State of the parts of this deployment (such as the model), shared by all of its processes. No tenant's data.
create table components (
    name       text        primary key,
    state      text        not null,
    detail     text        not null,
    changed_at timestamptz not null,
    seen_at    timestamptz not null
);

-- What the application may do, column by column: whose a row is and what was said or written never changes.
-- +goose StatementBegin
do $$
begin
    execute format('grant usage on schema %I to reverie_app', current_schema());
end
$$;
-- +goose StatementEnd
grant select on goose_db_version to reverie_app; -- to see that it is migrated
grant select, insert on workspaces, api_keys, agents, owners, conversations, messages, documents, document_versions,
    write_ledger, extractions, journal, model_usage, components to reverie_app;
grant update (name, revoked_at, role) on api_keys to reverie_app;
grant update (name, time_zone, settings, updated_at) on agents to reverie_app;
grant update (turn, signalled_turn, turn_at) on owners to reverie_app;
grant update (last_seq, complete_seq, considered_seq, cursor_seq, pending_since, updated_at) on conversations to reverie_app;
grant update (version, enabled, sort_order, deleted, person_lines, updated_at) on documents to reverie_app;
grant update (to_seq, range_to, outcome, reason_code, reason, draft, raw, violations, changes, model, prompt_version, calls,
    input_tokens, output_tokens, cost_micros, workflow_id, run_id, waiting_until, finished_at) on extractions to reverie_app;
grant update (calls, input_tokens, output_tokens, cost_micros) on model_usage to reverie_app;
grant update (state, detail, changed_at, seen_at) on components to reverie_app;

-- Row-level security, forced, so that it holds for the tables' owner as well.
alter table workspaces        enable row level security, force row level security;
alter table api_keys          enable row level security, force row level security;
alter table agents            enable row level security, force row level security;
alter table owners            enable row level security, force row level security;
alter table conversations     enable row level security, force row level security;
alter table messages          enable row level security, force row level security;
alter table documents         enable row level security, force row level security;
alter table document_versions enable row level security, force row level security;
alter table write_ledger      enable row level security, force row level security;
alter table extractions       enable row level security, force row level security;
alter table journal           enable row level security, force row level security;
alter table model_usage       enable row level security, force row level security;

create policy workspace_read on workspaces for select
    using (workspace_id = (select reverie_identity('workspace')));
create policy workspace_insert on workspaces for insert
    with check (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('writes')) = 'global');

create policy key_by_possession on api_keys for select
    using (hash = decode((select reverie_identity('key_hash')), 'hex'));
create policy key_management on api_keys
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('writes')) = 'global');

create policy agent_read on agents for select
    using (workspace_id = (select reverie_identity('workspace'))
        and ((select reverie_identity('agents')) = '*'
            or agent_id = any (string_to_array((select reverie_identity('agents')), ','))));
create policy agent_management on agents
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('admin')) = 'on'
        and ((select reverie_identity('agents')) = '*'
            or agent_id = any (string_to_array((select reverie_identity('agents')), ','))));

-- Rows of one owner of one agent.
create policy owner_read on owners for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy owner_insert on owners for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');
create policy owner_update on owners for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');
create policy owner_status on owners for select
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('purpose')) = 'status'
        and ((select reverie_identity('agents')) = '*'
            or agent_id = any (string_to_array((select reverie_identity('agents')), ','))));
create policy owner_sweep on owners for select
    using ((select reverie_identity('purpose')) = 'sweep'
        and (turn > signalled_turn or exists ( -- of which conversation_sweep shows the pending ones
            select from conversations c
            where c.workspace_id = owners.workspace_id and c.agent_id = owners.agent_id and c.owner_key = owners.owner_key
                and c.complete_seq > c.considered_seq)));

create policy conversation_read on conversations for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy conversation_insert on conversations for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');
create policy conversation_update on conversations for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');
create policy conversation_status on conversations for select
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('purpose')) = 'status'
        and ((select reverie_identity('agents')) = '*'
            or agent_id = any (string_to_array((select reverie_identity('agents')), ','))));

create policy conversation_sweep on conversations for select
    using ((select reverie_identity('purpose')) = 'sweep' and complete_seq > considered_seq);

create policy message_read on messages for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy message_insert on messages for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');

create policy extraction_read on extractions for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy extraction_insert on extractions for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');
create policy extraction_update on extractions for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');
create policy extraction_status on extractions for select
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('purpose')) = 'status'
        and ((select reverie_identity('agents')) = '*'
            or agent_id = any (string_to_array((select reverie_identity('agents')), ','))));

-- Documents: shared rows are read by all who use the agent (GLOBAL: by all of the workspace), personal ones by their owner.
create policy document_read on documents for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id in ((select reverie_identity('agent')), '')
        and (scope <> 'PERSONAL' or owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy document_insert on documents for insert
    with check (workspace_id = (select reverie_identity('workspace'))
        and case scope
            when 'PERSONAL' then agent_id = (select reverie_identity('agent')) and owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then agent_id = (select reverie_identity('agent')) and (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) = 'global'
        end);
create policy document_update on documents for update
    using (workspace_id = (select reverie_identity('workspace'))
        and case scope
            when 'PERSONAL' then agent_id = (select reverie_identity('agent')) and owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then agent_id = (select reverie_identity('agent')) and (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) = 'global'
        end);
create policy version_read on document_versions for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id in ((select reverie_identity('agent')), '')
        and (scope <> 'PERSONAL' or owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy version_insert on document_versions for insert
    with check (workspace_id = (select reverie_identity('workspace'))
        and case scope
            when 'PERSONAL' then agent_id = (select reverie_identity('agent')) and owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then agent_id = (select reverie_identity('agent')) and (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) = 'global'
        end);

-- The journal follows the documents; events without a scope are for admins.
create policy journal_read on journal for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id in ((select reverie_identity('agent')), '')
        and (scope <> 'PERSONAL' or owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on')
        and (scope <> '' or (select reverie_identity('writes')) = 'global'
            or agent_id <> '' and (select reverie_identity('admin')) = 'on'));
create policy journal_insert on journal for insert
    with check (workspace_id = (select reverie_identity('workspace'))
        and case scope
            when 'PERSONAL' then agent_id = (select reverie_identity('agent')) and owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then agent_id = (select reverie_identity('agent')) and (select reverie_identity('writes')) in ('team', 'global')
            when 'GLOBAL' then agent_id = '' and (select reverie_identity('writes')) = 'global'
            else (select reverie_identity('writes')) = 'global' and agent_id = ''
                or (select reverie_identity('admin')) = 'on' and agent_id = (select reverie_identity('agent')) and agent_id <> ''
        end);

-- A receipt is shown to whom it was given.
create policy ledger_read on write_ledger for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')));
create policy ledger_insert on write_ledger for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and (select reverie_identity('writes')) <> 'none');

-- The budget is the workspace's, so that all of it sees what was spent.
create policy usage_read on model_usage for select
    using (workspace_id = (select reverie_identity('workspace')));
create policy usage_insert on model_usage for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')) and (select reverie_identity('writes')) <> 'none');
create policy usage_update on model_usage for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')) and (select reverie_identity('writes')) <> 'none');

-- +goose Down
drop table components, model_usage, journal, extractions, write_ledger, document_versions, documents, messages,
    conversations, owners, agents, api_keys, workspaces;
drop function reverie_identity;
-- The role stays: other databases of the cluster use it.
