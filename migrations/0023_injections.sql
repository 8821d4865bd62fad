-- +goose Up

-- What was put into the context of a turn: references with positions, and never contents. Rows are deleted by age, through a function
-- that refuses the latest day.
create table injections (
    workspace_id    text        not null,
    agent_id        text        not null,
    owner_key       text        not null, -- whose memory it is
    injection_id    uuid        not null, -- a UUIDv7: its order is that of time
    at              timestamptz not null,
    conversation_id text        not null, -- the client's id; empty: none
    seq             bigint      not null, -- number of the message that was to be answered; 0: it was not stored
    skipped         text        not null, -- why nothing was looked for
    budget          int         not null, -- tokens
    tokens          int         not null,
    candidates      int         not null,
    selected        int         not null,
    omitted         int         not null, -- for lack of room
    choices         jsonb       not null,
    primary key (workspace_id, agent_id, owner_key, injection_id)
);
-- Expiry, over all workspaces.
create index injections_by_age on injections (at);

grant select, insert, update (skipped, tokens, candidates, selected, omitted, choices) on injections to reverie_app;
alter table injections enable row level security, force row level security;
create policy injection_read on injections for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
-- A turn records its own, and again when its window is built anew.
create policy injection_insert on injections for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and agent_id <> '' and owner_key = (select reverie_identity('owner')) and (select reverie_identity('writes')) <> 'none');
create policy injection_update on injections for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and agent_id <> '' and owner_key = (select reverie_identity('owner')) and (select reverie_identity('writes')) <> 'none');
create policy injection_expiry_read on injections for select using ((select reverie_identity('purpose')) = 'expiry');
create policy injection_expiry on injections for delete using ((select reverie_identity('purpose')) = 'expiry');

-- Deletes at most 10,000 rows that are older than a time, and never one of the latest day. Returns how many.
-- +goose StatementBegin
create function reverie_expire_injections(before timestamptz) returns bigint
    language plpgsql security definer set search_path from current as $$
declare
    expired bigint;
    purpose text := current_setting('reverie.purpose', true);
begin
    perform set_config('reverie.purpose', 'expiry', true);
    delete from injections
    where (workspace_id, agent_id, owner_key, injection_id) in (
        select workspace_id, agent_id, owner_key, injection_id
        from injections
        where at < least(before, now() - interval '1 day')
        order by at
        limit 10000);
    get diagnostics expired = row_count;
    perform set_config('reverie.purpose', coalesce(purpose, ''), true);
    return expired;
end
$$;
-- +goose StatementEnd
-- +goose StatementBegin
do $$
begin
    execute format('alter function reverie_expire_injections(timestamptz) set search_path = %I, pg_temp', current_schema());
end
$$;
-- +goose StatementEnd
revoke execute on function reverie_expire_injections(timestamptz) from public;
grant execute on function reverie_expire_injections(timestamptz) to reverie_app;

-- Which morning card a person has seen, and on which day a context showed one last.
create table morning_cards (
    workspace_id text not null,
    agent_id     text not null,
    owner_key    text not null,
    seen_id      uuid, -- the latest dream whose card was seen; older ones count as seen
    shown_on     date, -- in the agent's time zone
    primary key (workspace_id, agent_id, owner_key)
);
grant select, insert, update (seen_id, shown_on) on morning_cards to reverie_app;
alter table morning_cards enable row level security, force row level security;
create policy card_read on morning_cards for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
create policy card_insert on morning_cards for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')) and agent_id <> ''
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');
create policy card_update on morning_cards for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent')) and agent_id <> ''
        and owner_key = (select reverie_identity('owner')) and owner_key <> '' and (select reverie_identity('writes')) <> 'none');

-- Facts that somebody called unhelpful or corrected rank lower in searches.
create index facts_doubted on facts (workspace_id, agent_id, scope, owner_key, document_id) where ended is null and unhelpful > 0;

-- +goose Down
drop index facts_doubted;
drop table morning_cards;
drop function reverie_expire_injections(timestamptz);
drop table injections;
