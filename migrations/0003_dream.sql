-- +goose Up

-- Dreaming: what is new about an owner, the records of dreams with their candidates, and what is known of statements from
-- one dream to the next. The dreams of owner 'system' are those of an agent's shared memory: they are read as TEAM documents
-- are, by all who use the agent, and written by who may write those.

-- Owners about whom something was written or said since their last dream. The writer leaves the mark in its own
-- transaction; the dream that has looked takes the row away if it still has the mark that it saw (store/dream_news.go).
create sequence dream_news_mark;
create table dream_news (
    workspace_id text        not null,
    agent_id     text        not null,
    owner_key    text        not null,
    mark         bigint      not null, -- another one with every write
    since        timestamptz not null, -- of the first write
    primary key (workspace_id, agent_id, owner_key),
    foreign key (workspace_id, agent_id, owner_key) references owners
)
-- The row of a busy owner is updated with every write; nothing but the key is indexed.
with (fillfactor = 50);

-- One row for each dream: its record while it goes on, and its report afterwards. pins, states, reflection, draft, diff and raw
-- stay here and never travel through workflow histories. dream_id is a UUIDv7, so that its order is that of time.
create table dreams (
    workspace_id   text        not null,
    agent_id       text        not null,
    dream_id       uuid        not null,
    owner_key      text        not null,
    mode           text        not null check (mode in ('nightly', 'focused', 'promote', 'rem')),
    trigger_source text        not null check (trigger_source in ('schedule', 'request', 'replay')),
    topic          text        not null default '',
    night          text        not null default '', -- names the night of a scheduled dream, in the agent's time
    request        text        not null default '', -- the key of a request that may be repeated
    dry_run        boolean     not null default false,
    replay_of      uuid,        -- the dream whose inputs this one looks at again
    scope          text        not null check (scope in ('PERSONAL', 'TEAM')),
    as_of          timestamptz, -- the end of what it looked at
    from_day       text        not null default '', -- the first day of it
    phase          text        not null check (phase in ('queued', 'light', 'rem', 'deep', 'writing', 'ended')),
    outcome        text        not null check (outcome in ('running', 'waiting', 'written', 'nothing', 'skipped', 'quarantined', 'failed')),
    reason_code    text        not null default '',
    reason         text        not null default '',
    settings       jsonb,       -- null until they are resolved
    pins           jsonb       not null default '{}', -- inputs by reference
    states         jsonb       not null default '[]', -- of earlier dreams, as they were when it looked
    reflection     jsonb       not null default '{}',
    contradictions jsonb       not null default '[]',
    counts         jsonb       not null default '{}',
    changes        jsonb       not null default '[]', -- receipts
    draft          jsonb,       -- what is to be committed; null once it is, or cannot be
    diff           text        not null default '', -- of MEMORY.md
    raw            text        not null default '', -- the model's output
    violations     jsonb       not null default '[]',
    model          text        not null default '',
    prompt_version text        not null default '',
    calls          int         not null default 0,
    input_tokens   bigint      not null default 0,
    output_tokens  bigint      not null default 0,
    cost_micros    bigint      not null default 0,
    reverted_by    text        not null default '',
    reverted_at    timestamptz,
    workflow_id    text        not null default '',
    run_id         text        not null default '',
    waiting_until  timestamptz,
    started_at     timestamptz not null,
    finished_at    timestamptz,
    changed_at     timestamptz not null, -- for who follows
    foreign key (workspace_id, agent_id, owner_key) references owners,
    check ((owner_key = 'system') = (scope = 'TEAM')),
    check ((finished_at is null) = (outcome in ('running', 'waiting'))),
    check ((phase = 'ended') = (finished_at is not null))
);
-- Who follows asks what has changed since.
create index dreams_changed on dreams (workspace_id, agent_id, changed_at);
-- A step that is tried again finds the record of its run.
create index dreams_of_run on dreams (run_id, workflow_id, workspace_id, agent_id) where run_id <> '';
-- A night is dreamed once; one that failed or was skipped may be dreamed again.
create unique index dreams_of_night on dreams (owner_key, night, workspace_id, agent_id)
    where night <> '' and not dry_run and outcome not in ('failed', 'skipped');
-- A request that is repeated is one request.
create unique index dreams_of_request on dreams (owner_key, request, workspace_id, agent_id) where request <> '';
alter table dreams add primary key (workspace_id, agent_id, dream_id);
-- Lists of one owner, newest first; those of all owners use the primary key.
create index dreams_recent on dreams (owner_key, workspace_id, agent_id, dream_id desc);
-- What goes on.
create index dreams_open on dreams (owner_key, workspace_id, agent_id) where finished_at is null;
-- Candidates refer to the dream together with whose it is.
create unique index dreams_by_id on dreams (dream_id, workspace_id, agent_id, owner_key);

-- What a dream weighs, each statement once.
create table dream_candidates (
    workspace_id text             not null,
    agent_id     text             not null,
    dream_id     uuid             not null,
    owner_key    text             not null,
    entry_id     text             not null, -- identity of the statement (memory/entry.go)
    place        int              not null, -- among what light sleep staged
    rank         int              not null, -- best first, from 1; until deep sleep that is place
    verdict      text             not null default '' check (verdict in ('', 'promoted', 'kept', 'rejected')),
    reason_code  text             not null default '',
    score        double precision not null default 0,
    body         jsonb            not null, -- all of it (dream.Candidate)
    foreign key (dream_id, workspace_id, agent_id, owner_key) references dreams (dream_id, workspace_id, agent_id, owner_key)
);
-- Lists of one dream, best first.
create index dream_candidates_ranked on dream_candidates (dream_id, workspace_id, agent_id, rank);
-- What a statement was, in one dream after the other.
create index dream_candidates_of_entry on dream_candidates (entry_id, owner_key, workspace_id, agent_id, dream_id desc);
alter table dream_candidates add primary key (workspace_id, agent_id, dream_id, entry_id);

-- What is known of a statement over all dreams (dream.State). One that a person wants gone stays here for good. Other wordings
-- are looked for among the rows of the owner: an index over the contents of arrays is of no use under row-level security,
-- which lets only operators be asked first that give nothing away.
create table dream_entries (
    workspace_id text        not null,
    agent_id     text        not null,
    owner_key    text        not null,
    entry_id     text        not null,
    status       text        not null check (status in ('open', 'promoted', 'confirmed', 'edited', 'forgotten', 'rejected')),
    reason_code  text        not null default '',
    text         text        not null,
    aliases      text[]      not null default '{}', -- identities of other wordings
    mention_days text[]      not null default '{}', -- 2026-01-31, ascending
    asked        boolean     not null default false,
    light_hits   int         not null default 0,
    light_at     timestamptz,
    rem_hits     int         not null default 0,
    rem_at       timestamptz,
    first_seen   timestamptz not null,
    last_seen    timestamptz not null,
    dream_id     uuid,        -- that promoted or rejected it
    changed_at   timestamptz not null,
    foreign key (workspace_id, agent_id, owner_key) references owners
);
-- A dream wants all that is settled, and of the rest what was seen lately.
create index dream_entries_settled on dream_entries (owner_key, workspace_id, agent_id, last_seen desc) where status <> 'open';
create index dream_entries_open on dream_entries (owner_key, workspace_id, agent_id, last_seen desc) where status = 'open';
-- What one dream promoted or rejected, for who undoes it.
create index dream_entries_of_dream on dream_entries (dream_id, owner_key, workspace_id, agent_id);
alter table dream_entries add primary key (workspace_id, agent_id, owner_key, entry_id);

-- A dream of the shared memory weighs what everybody recalled of it.
create index recalls_shared on recalls (workspace_id, agent_id, at) where not synthetic and scope = 'TEAM';

-- Whether the identity may write rows of dreams of an owner.
create function reverie_dreams(agent text, owner text) returns boolean
    language sql stable parallel safe
    return agent = reverie_identity('agent') and case
        when owner = 'system' then reverie_identity('writes') in ('team', 'global')
        else owner <> '' and owner = reverie_identity('owner') and reverie_identity('writes') <> 'none'
    end;

-- Candidates are staged anew when a dream is tried again, and news are taken away; everything else stays.
grant select, insert on dreams, dream_candidates, dream_entries, dream_news to reverie_app;
grant delete on dream_candidates, dream_news to reverie_app;
grant usage on sequence dream_news_mark to reverie_app;
grant update (mark) on dream_news to reverie_app;
grant update (as_of, from_day, phase, outcome, reason_code, reason, settings, pins, states, reflection, contradictions, counts,
    changes, draft, diff, raw, violations, model, prompt_version, calls, input_tokens, output_tokens, cost_micros, reverted_by,
    reverted_at, workflow_id, run_id, waiting_until, finished_at, changed_at) on dreams to reverie_app;
grant update (rank, verdict, reason_code, score, body) on dream_candidates to reverie_app;
grant update (status, reason_code, text, aliases, mention_days, asked, light_hits, light_at, rem_hits, rem_at, first_seen,
    last_seen, dream_id, changed_at) on dream_entries to reverie_app;

-- +goose StatementBegin
do $$
declare
    name text;
begin
    foreach name in array array['dreams', 'dream_candidates', 'dream_entries', 'dream_news'] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format($policy$create policy dream_read on %I for select
            using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
                and (owner_key in ((select reverie_identity('owner')), 'system') or (select reverie_identity('any_owner')) = 'on'))
            $policy$, name);
        execute format($policy$create policy dream_insert on %I for insert
            with check (workspace_id = (select reverie_identity('workspace')) and reverie_dreams(agent_id, owner_key))
            $policy$, name);
        execute format($policy$create policy dream_update on %I for update
            using (workspace_id = (select reverie_identity('workspace')) and reverie_dreams(agent_id, owner_key))
            $policy$, name);
        execute format($policy$create policy dream_delete on %I for delete
            using (workspace_id = (select reverie_identity('workspace')) and reverie_dreams(agent_id, owner_key))
            $policy$, name);
    end loop;
end
$$;
-- +goose StatementEnd
create policy dream_status on dreams for select
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('purpose')) = 'status'
        and ((select reverie_identity('agents')) = '*'
            or agent_id = any (string_to_array((select reverie_identity('agents')), ','))));

-- The worker keeps the schedules of all agents, across tenants.
create policy agent_sweep on agents for select
    using ((select reverie_identity('purpose')) = 'sweep');

-- News of the shared memory need its owner: who writes a TEAM document may make it.
create policy owner_system on owners for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and owner_key = 'system' and (select reverie_identity('writes')) in ('team', 'global'));

-- What was written before there were dreams is news to the first one. The owner of the tables may not see rows either while
-- row-level security is forced.
alter table agents        no force row level security;
alter table owners        no force row level security;
alter table conversations no force row level security;
alter table documents     no force row level security;
alter table dream_news    no force row level security;
insert into owners (workspace_id, agent_id, owner_key, owner_id, created_at)
select d.workspace_id, d.agent_id, case d.scope when 'TEAM' then 'system' else d.owner_key end, gen_random_uuid(), now()
from documents d
join agents using (workspace_id, agent_id)
where d.scope in ('PERSONAL', 'TEAM')
group by 1, 2, 3
on conflict do nothing;
insert into dream_news (workspace_id, agent_id, owner_key, mark, since)
select workspace_id, agent_id, owner_key, nextval('dream_news_mark'), now()
from (
    select workspace_id, agent_id, case scope when 'TEAM' then 'system' else owner_key end as owner_key
    from documents
    where scope in ('PERSONAL', 'TEAM') and starts_with(path, 'memory/') and not deleted
    union
    select workspace_id, agent_id, owner_key
    from conversations
    where complete_seq > 0 and trigger_source not in ('cron', 'dream')
) n;
alter table agents        force row level security;
alter table owners        force row level security;
alter table conversations force row level security;
alter table documents     force row level security;
alter table dream_news    force row level security;

-- +goose Down
drop policy owner_system on owners;
drop policy agent_sweep on agents;
drop index recalls_shared;
drop table dream_entries, dream_candidates, dreams, dream_news;
drop sequence dream_news_mark;
drop function reverie_dreams(text, text);
