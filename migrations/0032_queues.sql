-- +goose Up

-- Lists of what was archived, the latest first.
create index facts_archived on facts (workspace_id, agent_id, scope, owner_key, at desc, fact_id desc) where ended is null and archived;

-- How much waited in each queue, sampled by the worker that sweeps. workspace_id is empty for the task queues of the deployment.
create table queue_depths (
    workspace_id text        not null,
    queue        text        not null,
    at           timestamptz not null,
    depth        bigint      not null check (depth >= 0),
    primary key (workspace_id, queue, at)
);
-- What is too old.
create index queue_depths_old on queue_depths (at);

grant select, insert, delete on queue_depths to reverie_app;
alter table queue_depths enable row level security, force row level security;

-- The counts of a workspace are its own; those of the deployment are for whoever may see the counts of a workspace.
create policy depth_read on queue_depths for select
    using ((select reverie_identity('purpose')) = 'status' and workspace_id in ((select reverie_identity('workspace')), ''));
create policy depth_sample on queue_depths for insert with check ((select reverie_identity('purpose')) = 'sweep');
create policy depth_sweep on queue_depths for select using ((select reverie_identity('purpose')) = 'sweep');
create policy depth_expire on queue_depths for delete using ((select reverie_identity('purpose')) = 'sweep');

-- The worker samples every workspace.
create policy workspace_sweep on workspaces for select using ((select reverie_identity('purpose')) = 'sweep');

-- +goose Down
drop policy workspace_sweep on workspaces;
drop table queue_depths;
drop index facts_archived;
