-- +goose Up

-- Pairs of statements about which rules are in doubt wait for a model.
alter table fact_contradictions drop constraint fact_contradictions_resolution_check;
alter table fact_contradictions add constraint fact_contradictions_resolution_check
    check (resolution in ('', 'SUPERSEDED', 'DOUBTFUL', 'COMPATIBLE', 'KEEP_A', 'KEEP_B', 'MERGE', 'IGNORE'));
-- Pairs whose older statement is to leave its document, and pairs that wait for a model.
create index fact_contradictions_due on fact_contradictions (workspace_id, agent_id, resolution, found_at)
    where resolution in ('SUPERSEDED', 'DOUBTFUL');

-- Statements that were derived before are read again, for their topics.
insert into fact_due (workspace_id, agent_id, scope, owner_key, document_id, version)
select workspace_id, agent_id, scope, owner_key, document_id, 0
from documents
where version > 0
on conflict do nothing;

-- +goose Down
drop index fact_contradictions_due;
delete from fact_contradictions where resolution in ('DOUBTFUL', 'COMPATIBLE');
alter table fact_contradictions drop constraint fact_contradictions_resolution_check;
alter table fact_contradictions add constraint fact_contradictions_resolution_check
    check (resolution in ('', 'SUPERSEDED', 'KEEP_A', 'KEEP_B', 'MERGE', 'IGNORE'));
