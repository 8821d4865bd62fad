-- +goose Up

-- The sweep finds agents with documents whose facts are behind, across tenants.
create policy due_sweep on fact_due for select
    using (current_setting('reverie.purpose', true) = 'sweep');

-- Statements are read again: for validity from full dates, claims in French and Spanish, and requests to remember.
insert into fact_due (workspace_id, agent_id, scope, owner_key, document_id, version)
select workspace_id, agent_id, scope, owner_key, document_id, 0
from documents
where version > 0
on conflict do nothing;

-- +goose Down
drop policy due_sweep on fact_due;
