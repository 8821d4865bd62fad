-- +goose Up

-- Functions that run as the owner of the tables look for tables in temporary schemas last. A path that does not name pg_temp searches it
-- first: a caller's temporary view could stand for a table, and its functions ran as the owner.
-- +goose StatementBegin
do $$
declare
    callable regprocedure;
begin
    for callable in
        select p.oid::regprocedure
        from pg_proc p
        where p.prosecdef and p.pronamespace = current_schema()::regnamespace and p.proname like 'reverie\_%'
    loop
        execute format('alter function %s set search_path = %I, pg_temp', callable, current_schema());
    end loop;
end
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
do $$
declare
    callable regprocedure;
begin
    for callable in
        select p.oid::regprocedure
        from pg_proc p
        where p.prosecdef and p.pronamespace = current_schema()::regnamespace and p.proname like 'reverie\_%'
    loop
        execute format('alter function %s set search_path = %I', callable, current_schema());
    end loop;
end
$$;
-- +goose StatementEnd
