-- +goose Up

-- Single statements of documents (package facts), derived from documents, their versions and fact_events alone, after the writes: they
-- can be dropped and built anew (`reverie memory facts rebuild`). A row is one wording of a fact, from the version of the document in which it
-- appeared to the one in which it was gone; a fact keeps its id over small edits.
-- reverie_standing orders facts with the same half-life by trust, at any time: trust is 2 ^ ((standing - now) / half_life) with now in
-- days since 1970, and standing itself without a half-life. Package facts explains the terms; a test compares both.
create function reverie_standing(prior double precision, helpful double precision, unhelpful double precision, days int,
    half_life double precision, seen double precision) returns double precision
    language sql immutable parallel safe
    return (select case
        when half_life = 0 then base
        when base <= 0 then '-infinity'
        else seen + half_life * ln(base) / ln(2::double precision)
    end
    from (select least(greatest(prior + 0.1 * helpful - 0.2 * unhelpful + 0.05 * least(greatest(days - 1, 0), 4), 0), 1) as base) b);

create table facts (
    workspace_id text             not null,
    agent_id     text             not null,
    scope        text             not null check (scope in ('PERSONAL', 'TEAM', 'GLOBAL')),
    owner_key    text             not null,
    document_id  uuid             not null,
    entry_id     text             not null, -- identity of the words
    version      int              not null, -- of the document, that has these words first
    ended        int,                       -- version that has them no longer; null: current
    fact_id      uuid             not null,
    at           timestamptz      not null, -- of version
    ended_at     timestamptz,
    text         text             not null,
    heading      text             not null,
    category     text             not null,
    kind         text             not null,
    subject      text             not null,
    attribute    text             not null,
    value        text             not null,
    single       boolean          not null, -- attribute has one value at a time
    confidence   real             not null, -- of subject, attribute and value
    valid_from   timestamptz      not null,
    valid_to     timestamptz,
    source       text             not null,
    place        smallint         not null, -- order of the documents that contain the same words
    day          date             not null, -- on which it was noted
    prior        double precision not null,
    half_life    double precision not null, -- in days; 0: none
    -- Of all current facts with the same words:
    shown        boolean          not null, -- the one that stands for all of them
    days         int              not null, -- distinct days
    -- Of fact_events, and of days:
    helpful      double precision not null,
    unhelpful    double precision not null,
    seen         double precision not null, -- days since 1970 at which it was said or confirmed last
    standing     double precision not null generated always as
        (reverie_standing(prior, helpful, unhelpful, days, half_life, seen)) stored,
    primary key (workspace_id, agent_id, document_id, entry_id, version),
    check ((scope = 'PERSONAL') = (owner_key <> '')),
    check ((scope = 'GLOBAL') = (agent_id = '')),
    check ((ended is null) = (ended_at is null))
);
-- A document has each statement once.
create unique index facts_current on facts (workspace_id, agent_id, document_id, entry_id) where ended is null;
-- The same words in other documents of the same people.
create index facts_words on facts (workspace_id, agent_id, scope, owner_key, entry_id) where ended is null;
-- Lists by trust.
create index facts_by_trust on facts (workspace_id, agent_id, scope, owner_key, half_life, standing desc, fact_id)
    where ended is null and shown;
-- What is known of one fact over time.
create index facts_by_id on facts (fact_id, version);

-- Up to which version the facts of a document are derived, and what read it (store/facts).
create table fact_documents (
    workspace_id text not null,
    agent_id     text not null,
    scope        text not null,
    owner_key    text not null,
    document_id  uuid not null,
    version      int  not null,
    format       text not null,
    primary key (workspace_id, agent_id, document_id)
);

-- Versions whose facts are still to be derived; version 0: all of them anew. Every write adds a row, and waits for nobody.
create table fact_due (
    workspace_id text not null,
    agent_id     text not null,
    scope        text not null,
    owner_key    text not null,
    document_id  uuid not null,
    version      int  not null,
    primary key (workspace_id, agent_id, scope, owner_key, document_id, version)
);
insert into fact_due (workspace_id, agent_id, scope, owner_key, document_id, version)
select workspace_id, agent_id, scope, owner_key, document_id, 0
from documents
where version > 0;

-- What happened to facts and cannot be derived from documents: feedback and confirmations. Append-only, except that an event can be
-- undone.
create table fact_events (
    workspace_id text             not null,
    agent_id     text             not null,
    scope        text             not null check (scope in ('PERSONAL', 'TEAM', 'GLOBAL')),
    owner_key    text             not null,
    fact_id      uuid             not null,
    event_id     uuid             not null, -- a UUIDv7
    kind         text             not null check (kind in ('HELPFUL', 'UNHELPFUL')),
    weight       double precision not null check (weight > 0),
    reason       text             not null, -- a code: asked, corrected, used, confirmed
    author_kind  text             not null,
    author_id    text             not null,
    at           timestamptz      not null,
    undone_at    timestamptz,
    primary key (workspace_id, agent_id, fact_id, event_id)
);

grant select, insert, delete, update (ended, ended_at, shown, days, helpful, unhelpful, seen) on facts to reverie_app;
grant select, insert, update (version, format) on fact_documents to reverie_app;
grant select, insert, delete on fact_due to reverie_app;
grant select, insert, update (undone_at) on fact_events to reverie_app;

-- Read as the documents are. What is derived is written with them, and tended as the index is.
-- +goose StatementBegin
do $$
declare
    name text;
begin
    foreach name in array array['facts', 'fact_documents', 'fact_due', 'fact_events'] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format($policy$create policy fact_read on %I for select
            using (workspace_id = (select reverie_identity('workspace')) and agent_id in ((select reverie_identity('agent')), '')
                and (scope <> 'PERSONAL' or owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'))
            $policy$, name);
    end loop;
    foreach name in array array['facts', 'fact_documents', 'fact_due'] loop
        execute format($policy$create policy fact_insert on %I for insert
            with check (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key))
            $policy$, name);
        execute format($policy$create policy fact_update on %I for update
            using (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key))
            $policy$, name);
    end loop;
end
$$;
-- +goose StatementEnd
create policy fact_delete on facts for delete
    using (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key));
create policy fact_delete on fact_due for delete
    using (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key));
create policy event_insert on fact_events for insert
    with check (workspace_id = (select reverie_identity('workspace'))
        and case scope
            when 'PERSONAL' then agent_id = (select reverie_identity('agent')) and owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then agent_id = (select reverie_identity('agent')) and (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) = 'global'
        end);
create policy event_update on fact_events for update
    using (workspace_id = (select reverie_identity('workspace'))
        and case scope
            when 'PERSONAL' then agent_id = (select reverie_identity('agent')) and owner_key = (select reverie_identity('owner'))
                and (select reverie_identity('writes')) in ('personal', 'team', 'global')
            when 'TEAM' then agent_id = (select reverie_identity('agent')) and (select reverie_identity('writes')) in ('team', 'global')
            else (select reverie_identity('writes')) = 'global'
        end);

-- +goose Down
drop table fact_documents, fact_due, fact_events, facts;
drop function reverie_standing;
