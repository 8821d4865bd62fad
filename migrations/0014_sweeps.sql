-- +goose Up

-- Sweeps of several processes share the work of all workspaces: one process leads, and what it takes is leased. A lease that its
-- holder does not renew ends by itself.

-- Named leases: of the process that sweeps, and of agents whose index is tended. No tenant's data.
create table leases (
    name         text        primary key,
    holder       text        not null,
    leased_until timestamptz not null
);
grant select, insert, update on leases to reverie_app;

-- Rows that wait for a workflow. Each is due from the time that it began to wait, or from the end of its lease.
alter table owners           add column leased_until timestamptz;
alter table conversations    add column leased_until timestamptz;
alter table snapshot_imports add column leased_until timestamptz;
alter table imports          add column leased_until timestamptz;
alter table extractions      add column leased_until timestamptz;
alter table flushes          add column leased_until timestamptz;
alter table compactions      add column leased_until timestamptz;
alter table dreams           add column leased_until timestamptz;

-- What is due, longest first. Turns that Temporal has not accepted:
drop index owners_unsignalled;
create index owners_unsignalled on owners (greatest(turn_at, leased_until)) where turn > signalled_turn;
-- Messages that nothing has considered:
create index conversations_stalled on conversations (greatest(pending_since, leased_until)) where complete_seq > considered_seq;
-- Imports:
drop index snapshot_imports_running;
create index snapshot_imports_running on snapshot_imports (greatest(requested_at, leased_until)) where outcome = 'running';
drop index imports_running;
create index imports_running on imports (greatest(started_at, leased_until)) where state = 'running';
-- Records that a workflow has opened and not ended:
create index extractions_swept on extractions (greatest(started_at, leased_until)) where finished_at is null;
create index flushes_swept on flushes (greatest(opened_at, leased_until)) where outcome = 'running';
create index compactions_swept on compactions (greatest(started_at, leased_until)) where outcome = 'running';
create index dreams_swept on dreams (greatest(started_at, leased_until)) where finished_at is null;

-- A compaction that is begun ends those that its workflow has left open.
create index compactions_of_workflow on compactions (workflow_id, conversation_uid, workspace_id, agent_id) where outcome = 'running';

-- A compaction can end without a summary: a longer one was written first, or its workflow was ended by a person.
alter table compactions
    drop constraint compactions_outcome_check,
    drop constraint compactions_check2,
    add constraint compactions_outcome_check check (outcome in ('running', 'written', 'skipped', 'failed')),
    add constraint compactions_check2 check ((outcome = 'written') = (done_seq = to_seq));

-- The sweep sees what waits, of everybody, and moves when it is due.
-- +goose StatementBegin
do $$
declare
    waiting record;
begin
    for waiting in
        select *
        from (values
            ('owners', 'turn > signalled_turn'),
            ('conversations', 'complete_seq > considered_seq'),
            ('snapshot_imports', 'outcome = ''running'''),
            ('imports', 'state = ''running'''),
            ('extractions', 'finished_at is null'),
            ('flushes', 'outcome = ''running'''),
            ('compactions', 'outcome = ''running'''),
            ('dreams', 'finished_at is null')) w (name, condition)
    loop
        execute format('grant update (leased_until) on %I to reverie_app', waiting.name);
        if waiting.name not in ('owners', 'conversations', 'snapshot_imports', 'imports') then -- which it sees already
            execute format($policy$create policy leased_read on %I for select
                using ((select reverie_identity('purpose')) = 'sweep' and %s)
                $policy$, waiting.name, waiting.condition);
        end if;
        execute format($policy$create policy leased_update on %I for update
            using ((select reverie_identity('purpose')) = 'sweep' and %s)
            with check ((select reverie_identity('purpose')) = 'sweep' and %2$s)
            $policy$, waiting.name, waiting.condition);
    end loop;
end
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
do $$
declare
    name text;
begin
    foreach name in array array['owners', 'conversations', 'snapshot_imports', 'imports', 'extractions', 'flushes', 'compactions', 'dreams'] loop
        execute format('drop policy leased_update on %I', name);
        execute format('drop policy if exists leased_read on %I', name);
        execute format('alter table %I drop column leased_until', name); -- and its index
    end loop;
end
$$;
-- +goose StatementEnd
drop index compactions_of_workflow;
alter table compactions no force row level security; -- its owner may not see rows either
update compactions set outcome = 'running', finished_at = null where outcome in ('skipped', 'failed');
alter table compactions
    force row level security,
    drop constraint compactions_outcome_check,
    drop constraint compactions_check2,
    add constraint compactions_outcome_check check (outcome in ('running', 'written')),
    add constraint compactions_check2 check ((finished_at is not null) = (done_seq = to_seq));
create index imports_running on imports (started_at, import_id) where state = 'running';
create index snapshot_imports_running on snapshot_imports (requested_at) where outcome = 'running';
create index owners_unsignalled on owners (turn_at) where turn > signalled_turn;
drop table leases;
