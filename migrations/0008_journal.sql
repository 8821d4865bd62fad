-- +goose Up

-- The journal as something that can be followed. Numbers of events are drawn before their transactions commit, so that a smaller one
-- may appear behind a larger one: who remembers a number would miss it. The transaction is what tells which events are complete: all
-- of those below the oldest one that is still running. Events from before are of transaction 0.
alter table journal add column transaction_id bigint not null default 0;
alter table journal alter column transaction_id set default pg_current_xact_id()::text::bigint;

-- Who follows reads on behind the last event that was seen.
create index journal_in_order on journal (workspace_id, agent_id, transaction_id, event_id);

-- What is recalled is told by whoever asked, a viewer too. It is the owner's, and of nobody in particular the agent's.
create policy journal_recall on journal for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and agent_id <> '' and kind = 'memory.recall.recorded'
        and case scope
            when 'PERSONAL' then owner_key = (select reverie_identity('owner')) and owner_key <> ''
            when 'TEAM' then owner_key = ''
            else false
        end);

-- +goose Down
drop policy journal_recall on journal;
drop index journal_in_order;
alter table journal drop column transaction_id;
