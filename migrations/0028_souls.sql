-- +goose Up

-- When SOUL.md of an agent was rewritten last, and after how many writes of memory. The texts are versions of the document.
create table souls (
    workspace_id text        not null,
    agent_id     text        not null,
    writes       bigint      not null, -- that were counted when the run began
    outcome      text        not null check (outcome in ('running', 'written', 'nothing', 'quarantined', 'failed')),
    reason_code  text        not null,
    version      int         not null, -- of SOUL.md that the run wrote; 0: none
    model        text        not null,
    workflow_id  text        not null,
    at           timestamptz not null,
    primary key (workspace_id, agent_id)
);
grant select, insert, update (writes, outcome, reason_code, version, model, workflow_id, at) on souls to reverie_app;
alter table souls enable row level security, force row level security;
create policy soul_read on souls for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')));
create policy soul_insert on souls for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')) and agent_id <> ''
        and (select reverie_identity('writes')) in ('team', 'global'));
create policy soul_update on souls for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')) and agent_id <> ''
        and (select reverie_identity('writes')) in ('team', 'global'));
create policy deletion_rows on souls for select using ((select reverie_identity('purpose')) = 'deletion'
    and workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')));
create policy deletion_removes on souls for delete using ((select reverie_identity('purpose')) = 'deletion'
    and workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')));

-- +goose Down
drop table souls;
