-- +goose Up

-- What was learned from a source and is taken back: one row for each owner that it has taught, 'system' for shared memory. A row is done
-- in the transaction that changes the owner's documents.
create table revocations (
    workspace_id  text        not null references workspaces,
    agent_id      text        not null,
    revocation_id uuid        not null, -- UUIDv7
    owner_key     text        not null check (owner_key <> ''),
    kind          text        not null check (kind in ('conversation', 'import', 'connector', 'key')),
    source        text        not null,
    since         timestamptz,
    until         timestamptz,
    by_owner      boolean     not null, -- requested with a key that is pinned to the owner
    author_id     text        not null, -- the key
    state         text        not null check (state in ('waiting', 'done', 'cancelled')),
    statements    int         not null default 0,
    documents     int         not null default 0,
    kept          int         not null default 0,
    dreams        int         not null default 0, -- that are dreamed again
    requested_at  timestamptz not null,
    finished_at   timestamptz,
    leased_until  timestamptz,
    check ((finished_at is null) = (state = 'waiting')),
    check (not by_owner or owner_key <> 'system')
);
-- What a sweep starts again, over all workspaces.
create index revocations_open on revocations (greatest(requested_at, leased_until)) where state = 'waiting';
-- Lists, newest first.
alter table revocations add primary key (workspace_id, agent_id, revocation_id, owner_key);

grant select, insert, update (state, statements, documents, kept, dreams, finished_at, leased_until) on revocations to reverie_app;
alter table revocations enable row level security, force row level security;
create policy revocation_read on revocations for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
-- A person revokes what taught them, an admin everything. 'personal' is what a key may write that is pinned to an owner.
create policy revocation_insert on revocations for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and ((select reverie_identity('admin')) = 'on' and not by_owner
            or (select reverie_identity('writes')) = 'personal' and by_owner and owner_key = (select reverie_identity('owner'))));
create policy revocation_update on revocations for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and (select reverie_identity('admin')) = 'on');
create policy revocation_sweep on revocations for select
    using ((select reverie_identity('purpose')) = 'sweep' and state = 'waiting');
create policy revocation_leased on revocations for update
    using ((select reverie_identity('purpose')) = 'sweep' and state = 'waiting')
    with check ((select reverie_identity('purpose')) = 'sweep' and state = 'waiting');
create policy deletion_rows on revocations for select using ((select reverie_identity('purpose')) = 'deletion'
    and workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')));
create policy deletion_removes on revocations for delete using ((select reverie_identity('purpose')) = 'deletion'
    and workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')));

-- The key with which a message was stored; empty: by an earlier release.
alter table messages add column author_id text not null default '';

-- +goose Down
alter table messages drop column author_id;
drop table revocations;
