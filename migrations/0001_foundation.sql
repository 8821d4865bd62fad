-- +goose Up

-- The application never works as the role that owns the tables: every connection of the pool becomes reverie_app, which is
-- no superuser and cannot bypass row-level security. The role is shared by all databases of a cluster, so that several
-- databases may be migrated at the same time.
-- +goose StatementBegin
do $$
begin
    if not exists (select from pg_roles where rolname = 'reverie_app') then
        create role reverie_app nologin nosuperuser nocreatedb nocreaterole nobypassrls;
    end if;
exception
    when duplicate_object or unique_violation then null; -- another database's migration was quicker
end
$$;
-- +goose StatementEnd
-- +goose StatementBegin
do $$
begin
    if not pg_has_role(current_user, 'reverie_app', 'member') then
        execute format('grant reverie_app to %I', current_user);
    end if;
exception
    when unique_violation then null;
end
$$;
-- +goose StatementEnd

-- One setting of the current identity. They are set per transaction (store/identity.go); unset means empty, and an empty
-- workspace matches no row. Policies call it inside a sub-select so that it is evaluated once per statement, not per row.
create function reverie_identity(name text) returns text
    language sql stable parallel safe
    return coalesce(current_setting('reverie.' || name, true), '');

-- Tenants.
create table workspaces (
    workspace_id text primary key,
    name         text        not null,
    created_at   timestamptz not null
);

-- Credentials. The secret is never stored; it has 32 random bytes, so that its plain SHA-256 cannot be guessed.
create table api_keys (
    workspace_id text        not null references workspaces,
    key_id       uuid        not null,
    name         text        not null,
    hash         bytea       not null unique,
    role         text        not null check (role in ('viewer', 'member', 'admin')),
    agents       text[],     -- null: every agent of the workspace
    owner_key    text        not null default '', -- not empty: pinned to this owner
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
    deleted_at   timestamptz,
    primary key (workspace_id, agent_id)
);

-- Who an agent knows. owner_id is what leaves the database (workflow ids, search attributes); owner_key may be a phone number.
-- turn counts completed turns, signalled_turn those that Temporal has accepted: the sweep delivers the difference.
create table owners (
    workspace_id   text        not null,
    agent_id       text        not null,
    owner_key      text        not null,
    owner_id       uuid        not null,
    turn           bigint      not null default 0,
    signalled_turn bigint      not null default 0,
    turn_at        timestamptz,
    created_at     timestamptz not null,
    primary key (workspace_id, agent_id, owner_key),
    foreign key (workspace_id, agent_id) references agents
);
-- An activity finds the owner of its workflow.
create unique index owners_by_id on owners (workspace_id, agent_id, owner_id);
-- The sweep finds turns that Temporal has not accepted.
create index owners_unsignalled on owners (turn_at) where turn > signalled_turn;

-- Sequence numbers, all inclusive: last_seq is the last message stored; complete_seq the last one of a completed turn;
-- considered_seq how far extraction has looked (a closed gate moves it too); cursor_seq how far messages are accounted for.
-- cursor_seq <= considered_seq <= complete_seq <= last_seq.
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
    pending_since    timestamptz, -- when the oldest completed turn that was not considered came in
    created_at       timestamptz not null,
    updated_at       timestamptz not null,
    primary key (workspace_id, agent_id, conversation_id),
    foreign key (workspace_id, agent_id) references agents,
    check (cursor_seq <= considered_seq and considered_seq <= complete_seq and complete_seq <= last_seq)
);
create unique index conversations_by_uid on conversations (workspace_id, agent_id, conversation_uid);
-- Inbox asks for the oldest pending conversation of an owner.
create index conversations_pending on conversations (workspace_id, agent_id, owner_key, pending_since)
    where complete_seq > considered_seq;
-- Lists of conversations, newest first.
create index conversations_recent on conversations (workspace_id, agent_id, owner_key, updated_at desc);

create table messages (
    workspace_id     text        not null,
    agent_id         text        not null,
    conversation_uid uuid        not null,
    seq              bigint      not null,
    owner_key        text        not null,
    message_id       text        not null,
    role             text        not null check (role in ('user', 'assistant', 'tool', 'system')),
    name             text        not null,
    content          text        not null,
    finish_reason    text        not null,
    said_at          timestamptz not null,
    stored_at        timestamptz not null,
    primary key (workspace_id, agent_id, conversation_uid, seq)
);
-- A message id is stored once.
create unique index messages_by_client_id on messages (workspace_id, agent_id, conversation_uid, message_id);

-- GLOBAL documents belong to no agent: their agent_id is empty.
create table documents (
    workspace_id text        not null references workspaces,
    agent_id     text        not null,
    scope        text        not null check (scope in ('PERSONAL', 'TEAM', 'GLOBAL')),
    owner_key    text        not null,
    path         text        not null,
    document_id  uuid        not null,
    version      int         not null,
    enabled      boolean     not null,
    sort_order   int         not null,
    deleted      boolean     not null default false,
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    primary key (workspace_id, agent_id, scope, owner_key, path),
    check ((scope = 'PERSONAL') = (owner_key <> '')),
    check ((scope = 'GLOBAL') = (agent_id = ''))
);
create unique index documents_by_id on documents (workspace_id, agent_id, document_id);

-- Append-only: the application may not update or delete here.
create table document_versions (
    workspace_id text        not null,
    agent_id     text        not null,
    document_id  uuid        not null,
    version      int         not null,
    scope        text        not null,
    owner_key    text        not null,
    base_version int         not null,
    merged       boolean     not null,
    deleted      boolean     not null,
    content      text        not null,
    sha256       bytea       not null,
    added        int         not null,
    removed      int         not null,
    author_kind  text        not null,
    author_id    text        not null,
    workflow_id  text        not null,
    run_id       text        not null,
    reason       text        not null,
    sources      jsonb       not null,
    created_at   timestamptz not null,
    primary key (workspace_id, agent_id, document_id, version)
);

-- Idempotency keys with the receipt that the first run got.
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
create table extractions (
    workspace_id     text        not null,
    agent_id         text        not null,
    extraction_id    uuid        not null,
    owner_key        text        not null,
    conversation_id  text        not null,
    conversation_uid uuid        not null,
    from_seq         bigint      not null,
    to_seq           bigint      not null,
    outcome          text        not null check (outcome in ('running', 'waiting', 'written', 'nothing', 'skipped', 'quarantined', 'failed')),
    reason_code      text        not null default '',
    reason           text        not null default '',
    draft            jsonb,      -- the guarded proposal between the two steps; null once it is committed or refused
    raw              text        not null default '', -- the model's output, kept only when it was refused
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
    primary key (workspace_id, agent_id, extraction_id)
);
-- Newest first, per owner or for all of the agent.
create index extractions_recent on extractions (workspace_id, agent_id, started_at desc, extraction_id desc);
-- A range of messages is accounted for once.
create unique index extractions_accounted on extractions (workspace_id, agent_id, conversation_uid, from_seq)
    where outcome in ('written', 'nothing');
-- One open run for a range: a second attempt of the same step finds it.
create unique index extractions_open on extractions (workspace_id, agent_id, conversation_uid, from_seq)
    where outcome in ('running', 'waiting');

-- What happened, in order, without contents.
create table journal (
    workspace_id  text        not null,
    agent_id      text        not null,
    event_id      bigint      generated always as identity,
    owner_key     text        not null,
    scope         text        not null,
    kind          text        not null,
    document_id   uuid,
    path          text        not null default '',
    version       int         not null default 0,
    author_kind   text        not null,
    author_id     text        not null,
    workflow_id   text        not null default '',
    detail        jsonb       not null default '{}',
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
    primary key (workspace_id, agent_id, day, model)
);

-- State of the parts of this deployment (such as the model), shared by all of its processes. No tenant's data.
create table components (
    name       text        primary key,
    state      text        not null,
    detail     text        not null,
    changed_at timestamptz not null,
    seen_at    timestamptz not null
);

grant usage on schema public to reverie_app;
grant select, insert, update on workspaces, api_keys, agents, owners, conversations, documents, extractions, model_usage, components to reverie_app;
grant select, insert on messages, document_versions, write_ledger, journal to reverie_app;

-- Row-level security, forced, so that it holds for the tables' owner as well.
alter table workspaces        enable row level security;
alter table workspaces        force row level security;
alter table api_keys          enable row level security;
alter table api_keys          force row level security;
alter table agents            enable row level security;
alter table agents            force row level security;
alter table owners            enable row level security;
alter table owners            force row level security;
alter table conversations     enable row level security;
alter table conversations     force row level security;
alter table messages          enable row level security;
alter table messages          force row level security;
alter table documents         enable row level security;
alter table documents         force row level security;
alter table document_versions enable row level security;
alter table document_versions force row level security;
alter table write_ledger      enable row level security;
alter table write_ledger      force row level security;
alter table extractions       enable row level security;
alter table extractions       force row level security;
alter table journal           enable row level security;
alter table journal           force row level security;
alter table model_usage       enable row level security;
alter table model_usage       force row level security;

-- Identity settings: workspace; agent (one agent, or empty); agents ('*' or a comma-separated list: which rows of agents);
-- owner (an owner key, or empty); any_owner ('on': read rows of every owner of the agent);
-- writes ('none', 'personal', 'team', 'global': the widest scope that may be written);
-- key_hash (hex, while a credential is looked up); sweep ('on': references of undelivered turns, across tenants).

create policy workspace_rows on workspaces
    using (workspace_id = (select reverie_identity('workspace')));

create policy key_by_possession on api_keys for select
    using (hash = decode((select reverie_identity('key_hash')), 'hex'));
create policy key_management on api_keys
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('writes')) = 'global');

create policy agent_rows on agents for select
    using (workspace_id = (select reverie_identity('workspace'))
        and ((select reverie_identity('agents')) = '*'
            or agent_id = any (string_to_array((select reverie_identity('agents')), ','))));
create policy agent_management on agents
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('writes')) = 'global');

create policy owner_rows on owners for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy owner_insert on owners for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');
create policy owner_update on owners for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and (select reverie_identity('writes')) <> 'none');
create policy owner_sweep on owners for select
    using ((select reverie_identity('sweep')) = 'on' and turn > signalled_turn);

create policy conversation_rows on conversations for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy conversation_insert on conversations for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');
create policy conversation_update on conversations for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and (select reverie_identity('writes')) <> 'none');

create policy message_rows on messages for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy message_insert on messages for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');

create policy document_rows on documents for select
    using (workspace_id = (select reverie_identity('workspace'))
        and (agent_id = (select reverie_identity('agent')) or scope = 'GLOBAL')
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

create policy version_rows on document_versions for select
    using (workspace_id = (select reverie_identity('workspace'))
        and (agent_id = (select reverie_identity('agent')) or scope = 'GLOBAL')
        and (scope <> 'PERSONAL' or owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy version_insert on document_versions for insert
    with check (workspace_id = (select reverie_identity('workspace'))
        and case scope
            when 'PERSONAL' then agent_id = (select reverie_identity('agent')) and owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then agent_id = (select reverie_identity('agent')) and (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) = 'global'
        end);

create policy ledger_rows on write_ledger
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')));

create policy extraction_rows on extractions for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy extraction_insert on extractions for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');
create policy extraction_update on extractions for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and (select reverie_identity('writes')) <> 'none');

create policy journal_rows on journal for select
    using (workspace_id = (select reverie_identity('workspace'))
        and (agent_id = (select reverie_identity('agent')) or scope = 'GLOBAL')
        and (scope <> 'PERSONAL' or owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy journal_insert on journal for insert
    with check (workspace_id = (select reverie_identity('workspace'))
        and (agent_id = (select reverie_identity('agent')) or scope = 'GLOBAL')
        and (scope <> 'PERSONAL' or owner_key = (select reverie_identity('owner')))
        and (select reverie_identity('writes')) <> 'none');

create policy usage_rows on model_usage
    using (workspace_id = (select reverie_identity('workspace')));

-- +goose Down
drop table components, model_usage, journal, extractions, write_ledger, document_versions, documents, messages,
    conversations, owners, agents, api_keys, workspaces;
drop function reverie_identity;
