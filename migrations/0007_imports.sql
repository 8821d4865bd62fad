-- +goose Up

-- Moving in: what was uploaded from another system and waits to become documents and conversations, and what became of it.

-- One row for each source of one caller, with the options it is moved in with: running it again finds it. owner_key is whose
-- memory it is about; empty: of several owners, or the shared one. writes is what the key that made it may write.
create table imports (
    workspace_id text        not null,
    agent_id     text        not null,
    import_id    uuid        not null,
    owner_key    text        not null,
    format       text        not null,
    label        text        not null default '', -- what its caller calls it
    on_conflict  text        not null check (on_conflict in ('merge', 'keep', 'overwrite')),
    extract      boolean     not null,
    state        text        not null check (state in ('staging', 'running', 'done', 'cancelled')),
    writes       text        not null check (writes in ('personal', 'team')),
    author_id    text        not null, -- the key that made it
    items        bigint      not null default 0,
    created_at   timestamptz not null,
    started_at   timestamptz,
    finished_at  timestamptz,
    foreign key (workspace_id, agent_id) references agents (workspace_id, agent_id),
    check ((state in ('done', 'cancelled')) = (finished_at is not null))
);
-- Lists, newest first.
create index imports_recent on imports (workspace_id, agent_id, created_at desc, import_id desc);
-- What a sweep looks for, of all workspaces.
create index imports_running on imports (started_at, import_id) where state = 'running';
alter table imports add primary key (workspace_id, agent_id, import_id);

-- What an import consists of. payload holds contents: it stays here, never travels through workflow histories, and is dropped
-- once the item is settled. whose is the owner that the item is about, empty for shared documents; happened_at is when it was last
-- written or said, which is the order in which items are moved in, documents (kind 0) before conversations (kind 1).
create table import_items (
    workspace_id text        not null,
    agent_id     text        not null,
    import_id    uuid        not null,
    owner_key    text        not null, -- of the import
    item_key     text        not null,
    kind         smallint    not null check (kind in (0, 1)),
    whose        text        not null,
    happened_at  timestamptz not null,
    target       text        not null, -- path of the document, or id of the conversation
    messages     int         not null default 0,
    payload      bytea,
    outcome      text        not null default '' check (outcome in ('', 'written', 'unchanged', 'merged', 'nothing', 'skipped', 'quarantined', 'failed')),
    reason_code  text        not null default '',
    settled_at   timestamptz,
    foreign key (workspace_id, agent_id, import_id) references imports (workspace_id, agent_id, import_id),
    check ((outcome = '') = (settled_at is null)),
    check ((outcome = '') = (payload is not null))
);
alter table import_items add primary key (workspace_id, agent_id, import_id, item_key);
-- What comes next.
create index import_items_next on import_items (import_id, kind, happened_at, item_key, workspace_id, agent_id) where outcome = '';
-- Progress, without a look at the rows.
create index import_items_outcome on import_items (import_id, outcome, item_key, workspace_id, agent_id);

grant select, insert on imports, import_items to reverie_app;
grant update (label, state, writes, author_id, items, started_at, finished_at) on imports to reverie_app;
grant update (kind, whose, happened_at, target, messages, payload, outcome, reason_code, settled_at) on import_items to reverie_app;

-- An import of one owner is that owner's; one of several is of those who may write for several.
-- +goose StatementBegin
do $$
declare
    name text;
begin
    foreach name in array array['imports', 'import_items'] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format($policy$create policy import_read on %I for select
            using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
                and (select reverie_identity('writes')) <> 'none'
                and (owner_key = (select reverie_identity('owner')) and (owner_key <> '' or (select reverie_identity('writes')) <> 'personal')
                    or (select reverie_identity('any_owner')) = 'on'))
            $policy$, name);
        execute format($policy$create policy import_insert on %I for insert
            with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
                and owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) <> 'none'
                and (owner_key <> '' or (select reverie_identity('writes')) <> 'personal'))
            $policy$, name);
        execute format($policy$create policy import_update on %I for update
            using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
                and owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) <> 'none'
                and (owner_key <> '' or (select reverie_identity('writes')) <> 'personal'))
            $policy$, name);
    end loop;
end
$$;
-- +goose StatementEnd

-- The sweep starts what runs without a workflow.
create policy import_sweep on imports for select
    using ((select reverie_identity('purpose')) = 'sweep' and state = 'running');

-- +goose Down
drop table import_items, imports;
