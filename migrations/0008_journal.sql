-- +goose Up

-- The journal as something that can be followed. Numbers of events are drawn before their transactions commit, so that a smaller one
-- may appear behind a larger one: who remembers a number would miss it. The transaction is what tells which events are complete: all
-- of those below the oldest one that is still running. Events from before are of transaction 0.
--
-- Each cluster counts its transactions by itself, and a dump may be restored into one that has counted less. So every cluster that
-- the database has lived in has an epoch, and the numbers of a later epoch are larger: nothing appears in front of what was there.
create table journal_epochs (
    epoch    bigint      primary key check (epoch between 0 and 500000),
    cluster  bigint      not null, -- its system identifier
    began_at timestamptz not null default now()
);
insert into journal_epochs (epoch, cluster)
select 0, system_identifier
from pg_control_system();
grant select on journal_epochs to reverie_app;

-- The number of a transaction in the journal. 2^44 transactions of an epoch are 55 years of 10,000 a second, and all epochs fit.
create function reverie_transaction(counted xid8) returns bigint
    language sql stable parallel safe
    return counted::text::bigint + (select max(epoch) from journal_epochs) * 17592186044416;

alter table journal add column transaction_id bigint not null default 0;
alter table journal alter column transaction_id set default reverie_transaction(pg_current_xact_id());

-- Begins the next epoch where this is another cluster than before. Every connection calls it before it works.
-- +goose StatementBegin
create function reverie_here() returns void
    language plpgsql security definer set search_path from current as $$
declare
    here bigint;
begin
    select system_identifier into here from pg_control_system();
    if here = (select cluster from journal_epochs order by epoch desc limit 1) then
        return;
    end if;
    lock table journal_epochs in share row exclusive mode; -- of several that ask, one begins it
    insert into journal_epochs (epoch, cluster)
    select max(epoch) + 1, here
    from journal_epochs
    having here <> (array_agg(cluster order by epoch desc))[1];
end
$$;
-- +goose StatementEnd
revoke execute on function reverie_here() from public;
grant execute on function reverie_here() to reverie_app;

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
drop function reverie_here();
drop function reverie_transaction(xid8);
drop table journal_epochs;
