-- +goose Up

-- Snapshots: archives of documents that were handed in, and what became of them.

-- One row for each import that was asked for. It belongs to the owner whose PERSONAL documents it brings, and to nobody in
-- particular (owner_key is empty) when it brings shared ones only. import_id is a UUIDv7, so that its order is that of time.
create table snapshot_imports (
    workspace_id    text        not null,
    agent_id        text        not null,
    import_id       uuid        not null,
    owner_key       text        not null,
    archive_sha256  bytea       not null check (octet_length(archive_sha256) = 32),
    archive_bytes   bigint      not null check (archive_bytes > 0),
    choice          text        not null check (choice in ('personal', 'team', 'all')), -- which documents of it are taken
    token           text        not null, -- what a preview promised; empty: whatever is there is overwritten
    pinned          boolean     not null, -- the credential speaks for the owner only
    author_id       text        not null, -- the credential
    outcome         text        not null check (outcome in ('running', 'written', 'nothing', 'refused')),
    reason_code     text        not null default '',
    created         int         not null default 0, -- documents
    updated         int         not null default 0,
    skipped         int         not null default 0,
    files           jsonb       not null default '[]', -- what became of each: names, hashes and reasons, never contents
    origin          jsonb,      -- whose documents they are and of when, when the archive says so and is as it was exported
    contents_sha256 bytea       check (octet_length(contents_sha256) = 32), -- of the documents that origin is about
    workflow_id     text        not null default '',
    run_id          text        not null default '',
    requested_at    timestamptz not null,
    finished_at     timestamptz,
    foreign key (workspace_id, agent_id) references agents,
    check ((finished_at is null) = (outcome = 'running')),
    check ((origin is null) = (contents_sha256 is null))
);
-- An export asks where the documents come from that are there now.
create index snapshot_imports_by_contents on snapshot_imports (contents_sha256, workspace_id, agent_id, owner_key, import_id desc)
    where contents_sha256 is not null;
-- The sweep finds imports that no workflow has taken up.
create index snapshot_imports_running on snapshot_imports (requested_at) where outcome = 'running';
-- The same request is one import until it has ended.
create unique index snapshot_imports_open
    on snapshot_imports (archive_sha256, workspace_id, agent_id, owner_key, choice, token, pinned) where outcome = 'running';
-- The archive refers to its import together with whose it is.
create unique index snapshot_imports_by_id on snapshot_imports (import_id, workspace_id, agent_id, owner_key);
-- Lists, newest first.
alter table snapshot_imports add primary key (workspace_id, agent_id, import_id);

-- The archive itself, until its import has ended.
create table snapshot_archives (
    workspace_id text  not null,
    agent_id     text  not null,
    import_id    uuid  not null,
    owner_key    text  not null,
    data         bytea not null,
    primary key (workspace_id, agent_id, import_id),
    foreign key (import_id, workspace_id, agent_id, owner_key) references snapshot_imports (import_id, workspace_id, agent_id, owner_key)
);

grant select, insert on snapshot_imports to reverie_app;
grant update (outcome, reason_code, created, updated, skipped, files, origin, contents_sha256, workflow_id, run_id, finished_at)
    on snapshot_imports to reverie_app;
grant select, insert, delete on snapshot_archives to reverie_app;

-- Rows of one owner of one agent; those of nobody are for whoever may write what everybody reads.
-- +goose StatementBegin
do $$
declare
    name text;
    writes text := $policy$(workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner'))
        and case owner_key
            when '' then (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) <> 'none'
        end)$policy$;
begin
    foreach name in array array['snapshot_imports', 'snapshot_archives'] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format($policy$create policy snapshot_read on %I for select
            using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
                and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'))
            $policy$, name);
        execute format('create policy snapshot_insert on %I for insert with check %s', name, writes);
    end loop;
    execute format('create policy snapshot_update on snapshot_imports for update using %s', writes);
    execute format('create policy snapshot_purge on snapshot_archives for delete using %s', writes);
end
$$;
-- +goose StatementEnd
-- What was imported of shared documents is told to everybody who reads them.
create policy snapshot_shared on snapshot_imports for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')) and owner_key = '');
create policy snapshot_sweep on snapshot_imports for select
    using ((select reverie_identity('purpose')) = 'sweep' and outcome = 'running');

-- +goose Down
drop table snapshot_archives, snapshot_imports;
