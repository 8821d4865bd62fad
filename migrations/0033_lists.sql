-- +goose Up

-- Hash of the claim by which two statements contradict one another: what has many values at once is a list. Empty: a model has found it.
alter table fact_contradictions add column claim_hash text not null default '';
create index fact_contradictions_claim on fact_contradictions (workspace_id, agent_id, claim_hash, owner_key)
    where resolution in ('', 'SUPERSEDED');
grant delete on fact_contradictions to reverie_app;
grant update (claim_hash) on fact_contradictions to reverie_app;
create policy fact_delete on fact_contradictions for delete
    using (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key)
        and resolution in ('', 'SUPERSEDED'));

-- Open ones are found anew, with their claims.
delete from fact_contradictions where resolution in ('', 'DOUBTFUL');
insert into fact_due (workspace_id, agent_id, scope, owner_key, document_id, version)
select workspace_id, agent_id, scope, owner_key, document_id, 0
from documents
where version > 0
on conflict do nothing;

-- Messages of a source that was revoked: nothing is learned from them any more. They stay in their conversation.
alter table messages add column revoked_at timestamptz;
grant update (revoked_at) on messages to reverie_app;
create policy message_revoke on messages for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');

-- +goose Down
drop policy message_revoke on messages;
revoke update (revoked_at) on messages from reverie_app;
alter table messages drop column revoked_at;
drop policy fact_delete on fact_contradictions;
revoke delete on fact_contradictions from reverie_app;
drop index fact_contradictions_claim;
alter table fact_contradictions drop column claim_hash;
