-- +goose Up

-- Policies read the settings of the identity (0001_foundation.sql) by current_setting instead of a sub-select with reverie_identity. Each
-- sub-select is planned anew for each table of each statement, which took half of the time of statements that a connection had
-- not run before. Reading a setting takes .1 µs for each row. It is null in a connection without an identity, which then sees nothing.

-- key_hash is hex only without a purpose, and not everything else that a policy reads is evaluated first.
alter policy key_by_possession on api_keys
    using (hash = case when (select reverie_identity('purpose')) = '' then decode((select reverie_identity('key_hash')), 'hex') end);
-- +goose StatementBegin
do $$
declare
    selected constant text := '\( SELECT reverie_identity\(''(\w+)''::text\) AS reverie_identity\)';
    setting constant text := 'current_setting(''reverie.\1'', true)';
    p record;
begin
    for p in select tablename, policyname, qual, with_check from pg_policies where schemaname = current_schema() loop
        p.qual := regexp_replace(p.qual, selected, setting, 'g');
        p.with_check := regexp_replace(p.with_check, selected, setting, 'g');
        if concat(p.qual, p.with_check) like '%SELECT reverie_identity(%' then
            raise 'policy % of % reads a setting in a way that this migration does not know', p.policyname, p.tablename;
        end if;
        execute format('alter policy %I on %I', p.policyname, p.tablename)
            || coalesce(' using (' || p.qual || ')', '') || coalesce(' with check (' || p.with_check || ')', '');
    end loop;
end
$$;
-- +goose StatementEnd

-- +goose Down
-- Either way of reading settings means the same.
