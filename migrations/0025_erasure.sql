-- +goose Up

-- What was forgotten is compared by a sketch of hashes (language/claim); its text is empty. Rows of earlier releases have a text until
-- the owner has something forgotten again.
alter table dream_entries add column sketch jsonb;
grant update (sketch) on dream_entries to reverie_app;

-- Words are erased under the role reverie_eraser, which may do nothing else (store/role.go creates it). Connections take
-- it on for single statements: reverie_app is a member that does not inherit its rights.

-- Whether the identity may erase a row. owner is null in tables that do not name one.
create function reverie_erases(agent text, scope text, owner text) returns boolean
    language sql stable parallel safe
    return agent = reverie_identity('agent') and agent <> '' and reverie_identity('writes') <> 'none' and case
        when scope = 'GLOBAL' then false
        when scope = 'TEAM' or scope is null and owner in ('', 'system') then reverie_identity('writes') in ('team', 'global')
        when owner is null then reverie_identity('admin') = 'on'
        else owner = reverie_identity('owner') or reverie_identity('any_owner') = 'on' and reverie_identity('admin') = 'on'
    end;

-- The role reads what its identity may read, and changes the columns that have words.
-- +goose StatementBegin
do $$
declare
    place record;
begin
    execute format('grant usage on schema %I to reverie_eraser', current_schema());
    for place in
        select c.relname as name,
            exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'scope' and not a.attisdropped)
                and c.relname <> 'flush_steps' as has_scope, -- where it is that of the note
            exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'owner_key' and not a.attisdropped) as has_owner
        from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
            and c.relname <> 'audit_log'
            and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'agent_id' and not a.attisdropped)
    loop
        execute format('grant select on %I to reverie_eraser', place.name);
        execute format($policy$create policy erase_update on %I for update to reverie_eraser
            using (workspace_id = (select reverie_identity('workspace')) and reverie_erases(agent_id, %s, %s))
            $policy$, place.name, case when place.has_scope then 'scope' else 'null' end,
            case when place.has_owner then 'owner_key' else 'null' end);
    end loop;
end
$$;
-- +goose StatementEnd
grant update (content, tool_calls) on messages to reverie_eraser;
grant update (content, sha256, reason, sources) on document_versions to reverie_eraser;
grant update (person_lines) on documents to reverie_eraser;
grant update (draft, raw, violations, changes, reason) on extractions to reverie_eraser;
grant update (detail) on journal to reverie_eraser;
grant update (topic, reason, states, reflection, contradictions, diff, raw, violations, draft, pins, changes) on dreams to reverie_eraser;
grant update (body) on dream_candidates to reverie_eraser;
grant update (text) on dream_entries to reverie_eraser;
grant update (draft, violations) on flushes to reverie_eraser;
grant update (entry, violations) on flush_steps to reverie_eraser;
grant update (summary) on compactions to reverie_eraser;
grant update (content, reason, problem) on memory_writes to reverie_eraser;
grant update (payload) on import_items to reverie_eraser;

-- A vector of erased words is worth as much as the words. Nobody knows which text an entry is of.
grant select, delete on embedding_cache to reverie_eraser;
create policy erase_read on embedding_cache for select to reverie_eraser
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('writes')) <> 'none');
create policy erase_delete on embedding_cache for delete to reverie_eraser
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('writes')) <> 'none');

-- +goose Down
-- +goose StatementBegin
do $$
declare
    policy record;
begin
    for policy in select tablename, policyname from pg_policies where schemaname = current_schema() and roles = '{reverie_eraser}' loop
        execute format('drop policy %I on %I', policy.policyname, policy.tablename);
    end loop;
end
$$;
-- +goose StatementEnd
drop function reverie_erases(text, text, text);
alter table dream_entries drop column sketch;
-- +goose StatementBegin
do $$
begin
    execute format('revoke all on all tables in schema %I from reverie_eraser', current_schema());
    execute format('revoke usage on schema %I from reverie_eraser', current_schema());
end
$$;
-- +goose StatementEnd
-- The role stays: other databases of the cluster use it.
