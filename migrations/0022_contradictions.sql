-- +goose Up

-- What statements say of things that have one value at a time (package facts/conflict): statements with the same claim can contradict one
-- another. Derived with the facts.
create table fact_claims (
    workspace_id text not null,
    agent_id     text not null,
    scope        text not null,
    owner_key    text not null,
    claim        text not null, -- hash of attribute and subject
    document_id  uuid not null,
    entry_id     text not null,
    said         jsonb not null, -- the value, as package facts/conflict compares it
    primary key (workspace_id, agent_id, document_id, entry_id, claim)
);
-- Statements about the same thing.
create index fact_claims_rivals on fact_claims (workspace_id, agent_id, scope, claim, owner_key, document_id, entry_id);

-- Two statements that cannot both hold, found when the later of the two was derived, and what was decided. Rows stay: what was decided is
-- not asked again. A row without a resolution counts while both statements are current.
create table fact_contradictions (
    workspace_id     text        not null,
    agent_id         text        not null,
    scope            text        not null check (scope in ('PERSONAL', 'TEAM')), -- PERSONAL if one of the statements is
    owner_key        text        not null,
    contradiction_id uuid        not null, -- of both statements' words
    scope_a          text        not null, -- the older statement
    entry_a          text        not null,
    fact_a           uuid        not null,
    scope_b          text        not null, -- the newer one
    entry_b          text        not null,
    fact_b           uuid        not null,
    meaning_a        text        not null, -- hashes of claim and value, equal for other wordings
    meaning_b        text        not null,
    why              text        not null check (why in ('values', 'opposite')),
    found_at         timestamptz not null,
    resolution       text        not null default '' check (resolution in ('', 'SUPERSEDED', 'KEEP_A', 'KEEP_B', 'MERGE', 'IGNORE')),
    resolved_at      timestamptz,
    author_kind      text        not null default '', -- who resolved it
    author_id        text        not null default '',
    primary key (workspace_id, agent_id, contradiction_id),
    check ((scope = 'PERSONAL') = (owner_key <> '')),
    check ((resolution = '') = (resolved_at is null))
);
-- The queue of open ones, and those that are superseded but still in documents.
create index fact_contradictions_open on fact_contradictions (workspace_id, agent_id, scope, owner_key, found_at desc, contradiction_id)
    where resolution in ('', 'SUPERSEDED');
-- Whether the same was decided of other wordings.
create index fact_contradictions_meaning on fact_contradictions (meaning_a, meaning_b, workspace_id, agent_id)
    where resolution in ('KEEP_A', 'KEEP_B', 'MERGE', 'IGNORE');

grant select, insert, delete on fact_claims to reverie_app;
grant select, insert, update (scope_a, entry_a, fact_a, scope_b, entry_b, fact_b, meaning_a, meaning_b, why, found_at, resolution, resolved_at, author_kind, author_id)
    on fact_contradictions to reverie_app;

-- +goose StatementBegin
do $$
declare
    name text;
begin
    foreach name in array array['fact_claims', 'fact_contradictions'] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format($policy$create policy fact_read on %I for select
            using (workspace_id = (select reverie_identity('workspace')) and agent_id in ((select reverie_identity('agent')), '')
                and (scope <> 'PERSONAL' or owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'))
            $policy$, name);
        execute format($policy$create policy fact_insert on %I for insert
            with check (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key))
            $policy$, name);
    end loop;
end
$$;
-- +goose StatementEnd
create policy fact_delete on fact_claims for delete
    using (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key));
create policy fact_update on fact_contradictions for update
    using (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key));

-- Statements that were derived before are read again, for their claims.
insert into fact_due (workspace_id, agent_id, scope, owner_key, document_id, version)
select workspace_id, agent_id, scope, owner_key, document_id, 0
from documents
where version > 0
on conflict do nothing;

-- +goose Down
delete from fact_due where version < 0;
drop table fact_contradictions, fact_claims;
