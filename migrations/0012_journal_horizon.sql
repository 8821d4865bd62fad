-- +goose Up

-- The first number that a transaction of this database which has not ended may have in the journal; those below have all ended. Numbers
-- are counted in the cluster, but transactions of other databases write no events here and are passed over, where that is certain: a lock
-- on the number shows the process that has it, and a process never changes its database. Processes are listed before locks, so that a
-- number which was running at the snapshot belongs to the listed process and not to a later one with its id.
-- +goose StatementBegin
create function reverie_journal_horizon() returns bigint
    language plpgsql stable as $$
declare
    seen constant pg_snapshot := pg_current_snapshot();
    running xid8[] := array(select pg_snapshot_xip(seen));
    elsewhere int[];
begin
    if cardinality(running) > 0 then
        elsewhere := array(
            select pid
            from pg_stat_activity
            where datid <> (select oid from pg_database where datname = current_database()));
        running := array(
            select x
            from unnest(running) x
            where not exists (
                    select from pg_locks l
                    where l.locktype = 'transactionid' and l.transactionid = x::xid and l.granted and l.mode = 'ExclusiveLock'
                        and l.pid = any (elsewhere))
                and not exists (
                    select from pg_prepared_xacts p
                    where p.transaction = x::xid and p.database <> current_database()));
    end if;
    return reverie_transaction(coalesce((select x from unnest(running) x order by x limit 1), pg_snapshot_xmax(seen)));
end
$$;
-- +goose StatementEnd

-- The transactions of this database that have a number, for the status: the oldest one holds the journal back. Times of other logins are
-- only visible to a login with pg_read_all_stats. It runs as the owner of the tables, which sees its own.
create function reverie_journal_holders() returns table (transaction text, process int, application text, since timestamptz)
    language sql security definer set search_path = public, pg_temp as $$
select l.transactionid::text, l.pid, coalesce(a.application_name, ''), a.xact_start
from pg_locks l
join pg_stat_activity a on a.pid = l.pid
where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and a.datname = current_database()
union all
select p.transaction::text, 0, p.gid, p.prepared
from pg_prepared_xacts p
where p.database = current_database()
$$;

revoke execute on function reverie_journal_horizon(), reverie_journal_holders() from public;
grant execute on function reverie_journal_horizon(), reverie_journal_holders() to reverie_app;

-- +goose Down
drop function reverie_journal_holders();
drop function reverie_journal_horizon();
