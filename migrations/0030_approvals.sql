-- +goose Up

-- Changes of documents that wait for a person, as the agent's setting approvals demands: one row for each document and write. agent_id is
-- the agent whose setting it is, also for GLOBAL documents. base_version is the version that the lines were compared with.
create table approvals (
    workspace_id     text        not null,
    agent_id         text        not null,
    approval_id      uuid        not null, -- UUIDv7
    scope            text        not null check (scope in ('PERSONAL', 'TEAM', 'GLOBAL')),
    owner_key        text        not null, -- of the document; empty unless PERSONAL
    path             text        not null,
    base_version     int         not null,
    lines            jsonb       not null, -- what each line removes and adds, and what was decided
    waiting          int         not null check (waiting >= 0), -- lines that are not decided
    reason           text        not null,
    sources          jsonb       not null,
    author_kind      text        not null, -- of the proposal
    author_id        text        not null,
    workflow_id      text        not null,
    run_id           text        not null,
    staged_by        text        not null, -- the key whose request proposed it; empty: none did
    conversation_uid uuid,                 -- that it was learned from
    expiry           text        not null check (expiry in ('refuse', 'apply')),
    reminders        int         not null default 0,
    created_at       timestamptz not null,
    expires_at       timestamptz not null,
    finished_at      timestamptz,
    expired          boolean     not null default false,
    leased_until     timestamptz,
    foreign key (workspace_id, agent_id) references agents,
    check ((scope = 'PERSONAL') = (owner_key <> '')),
    check ((finished_at is null) = (waiting > 0))
);
-- Lists, newest first.
alter table approvals add primary key (workspace_id, agent_id, approval_id);
-- What waits, and how much.
create index approvals_waiting on approvals (owner_key, workspace_id, agent_id, approval_id) where finished_at is null;
-- What was proposed for a document before.
create index approvals_of_document on approvals (owner_key, path, workspace_id, agent_id, scope, approval_id desc);
-- What a sweep starts the workflow of, over all workspaces.
create index approvals_due on approvals (greatest(created_at, leased_until)) where finished_at is null;

grant select, insert, update (lines, waiting, reminders, finished_at, expired, leased_until) on approvals to reverie_app;
alter table approvals enable row level security, force row level security;

-- Rows are made and decided by who may write the document. Those of shared documents are read by the same.
create policy approval_read on approvals for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and case scope
            when 'PERSONAL' then owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'
            else (select reverie_identity('writes')) in ('team', 'global')
        end);
create policy approval_insert on approvals for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and case scope
            when 'PERSONAL' then owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) = 'global'
        end);
create policy approval_update on approvals for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and case scope
            when 'PERSONAL' then owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) = 'global'
        end);
create policy leased_read on approvals for select
    using ((select reverie_identity('purpose')) = 'sweep' and finished_at is null);
create policy leased_update on approvals for update
    using ((select reverie_identity('purpose')) = 'sweep' and finished_at is null)
    with check ((select reverie_identity('purpose')) = 'sweep' and finished_at is null);

create policy deletion_rows on approvals for select using ((select reverie_identity('purpose')) = 'deletion'
    and workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')));
create policy deletion_removes on approvals for delete using ((select reverie_identity('purpose')) = 'deletion'
    and workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')));

grant select, update (lines, reason, sources) on approvals to reverie_eraser;
create policy erase_update on approvals for update to reverie_eraser
    using (workspace_id = (select reverie_identity('workspace')) and reverie_erases(agent_id, scope, owner_key));

-- +goose Down
drop table approvals;
