-- +goose Up

-- How reliable the vectors of a space were for earlier questions (search/fuse). All processes read and update the same row, so that
-- they agree and a restart loses nothing. It contains no words and no owners.
create table index_reputations (
    workspace_id text             not null,
    agent_id     text             not null,
    space_id     bigint           not null,
    corpus       text             not null,
    evidence     double precision not null,
    sure         double precision not null,
    met          double precision not null,
    kinship      double precision not null,
    questions    double precision not null,
    primary key (workspace_id, agent_id, space_id, corpus)
);
grant select, insert, delete, update (evidence, sure, met, kinship, questions) on index_reputations to reverie_app;

alter table index_reputations enable row level security, force row level security;
create policy reputation_read on index_reputations for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')));
-- Searches of viewers update it, too.
create policy reputation_insert on index_reputations for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')) and agent_id <> '');
create policy reputation_update on index_reputations for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')) and agent_id <> '');
-- Dropping a space removes it.
create policy reputation_delete on index_reputations for delete
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('admin')) = 'on'
        and agent_id = (select reverie_identity('agent')));

-- +goose Down
drop table index_reputations;
