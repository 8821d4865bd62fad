-- +goose Up

-- Deletions of a conversation, an owner or an agent: what was requested, and the receipt. A deletion waits until due_at, can be cancelled
-- until then, and deletes in batches. What has ended as done no longer names a person: owner_key is a hash by which the person finds it.
create table deletions (
    workspace_id     text        not null references workspaces,
    agent_id         text        not null,
    deletion_id      uuid        not null, -- UUIDv7
    kind             text        not null check (kind in ('conversation', 'owner', 'agent')),
    owner_key        text        not null check ((owner_key = '') = (kind = 'agent')),
    owner_id         uuid,
    conversation_id  text        not null default '',
    conversation_uid uuid        not null default '00000000-0000-0000-0000-000000000000', -- zero: of no conversation
    keeps            boolean     not null default false, -- what was learned from the conversation stays
    by_owner         boolean     not null, -- requested with a key that is pinned to the owner
    author_id        text        not null, -- the key
    state            text        not null check (state in ('waiting', 'deleting', 'done', 'cancelled')),
    counts           jsonb       not null default '{}', -- rows by table
    revoked          int         not null default 0, -- statements that were learned from the conversation only
    histories        int         not null default 0,
    tables           int         not null default 0, -- that were scanned at the end
    requested_at     timestamptz not null,
    due_at           timestamptz not null,
    started_at       timestamptz,
    finished_at      timestamptz,
    leased_until     timestamptz,
    check ((finished_at is not null) = (state in ('done', 'cancelled')))
);
-- Requested again, it is the same deletion.
create unique index deletions_of_target on deletions (conversation_uid, owner_key, workspace_id, agent_id, kind)
    where state in ('waiting', 'deleting');
-- What every writing transaction looks for.
create index deletions_deleting on deletions (workspace_id, agent_id) where state = 'deleting';
-- What a sweep starts again, over all workspaces.
create index deletions_open on deletions (greatest(requested_at, leased_until)) where state in ('waiting', 'deleting');
-- Lists, newest first.
alter table deletions add primary key (workspace_id, agent_id, deletion_id);

grant select, insert, update (state, started_at, finished_at, leased_until, revoked, histories) on deletions to reverie_app;
alter table deletions enable row level security, force row level security;

-- The owner_key of a deletion that is done.
create function reverie_pseudonym(deletion uuid, owner text) returns text
    language sql immutable parallel safe
    return 'deleted:' || encode(sha256(convert_to(deletion::text || '/' || owner, 'UTF8')), 'hex');

create policy deletion_read on deletions for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key in ('', (select reverie_identity('owner')), reverie_pseudonym(deletion_id, (select reverie_identity('owner'))))
            or (select reverie_identity('any_owner')) = 'on'));
-- A person deletes what is theirs, an admin everything. 'personal' is what a key may write that is pinned to an owner.
create policy deletion_insert on deletions for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and case kind
            when 'agent' then (select reverie_identity('admin')) = 'on' and not by_owner
            else owner_key = (select reverie_identity('owner'))
                and ((select reverie_identity('admin')) = 'on' and not by_owner
                    or (select reverie_identity('writes')) = 'personal' and by_owner)
        end);
create policy deletion_update on deletions for update
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and ((select reverie_identity('admin')) = 'on'
            or by_owner and (select reverie_identity('writes')) = 'personal' and owner_key = (select reverie_identity('owner'))));
create policy deletion_sweep on deletions for select
    using ((select reverie_identity('purpose')) = 'sweep' and state in ('waiting', 'deleting'));
create policy deletion_leased on deletions for update
    using ((select reverie_identity('purpose')) = 'sweep' and state in ('waiting', 'deleting'))
    with check ((select reverie_identity('purpose')) = 'sweep' and state in ('waiting', 'deleting'));

-- Locks a writing transaction against the deletion of its owner or agent, and refuses it while that is being deleted. of_owner is the
-- opaque id with which a workflow was started: when it is gone, so is what the workflow works for.
-- +goose StatementBegin
create function reverie_enter(of_owner uuid) returns void
    language plpgsql as $$
declare
    of_workspace constant text := reverie_identity('workspace');
    of_agent constant text := reverie_identity('agent');
    owner constant text := reverie_identity('owner');
    target text;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('reverie.agent/' || of_workspace || '/' || of_agent, 0));
    perform pg_advisory_xact_lock_shared(hashtextextended('reverie.owner/' || of_workspace || '/' || of_agent || '/' || owner, 0));
    select kind into target
    from deletions
    where workspace_id = of_workspace and agent_id = of_agent and state = 'deleting'
        and (kind = 'agent' or kind = 'owner' and owner_key = owner)
    limit 1;
    if found then
        raise exception 'the % is being deleted', target using errcode = 'RV001';
    end if;
    if of_owner is not null and not exists (
        select from owners where owner_id = of_owner and workspace_id = of_workspace and agent_id = of_agent) then
        raise exception 'the owner was deleted' using errcode = 'RV001';
    end if;
end
$$;
-- +goose StatementEnd

-- Nothing is added to a conversation that is being deleted.
-- +goose StatementBegin
create function reverie_keep_deleted() returns trigger
    language plpgsql as $$
begin
    if exists (
        select from deletions
        where workspace_id = new.workspace_id and agent_id = new.agent_id and state = 'deleting' and kind = 'conversation'
            and owner_key = new.owner_key and (conversation_uid = new.conversation_uid or conversation_id = new.conversation_id)) then
        raise exception 'the conversation is being deleted' using errcode = 'RV001';
    end if;
    return new;
end
$$;
-- +goose StatementEnd
create trigger conversations_keep_deleted before insert or update on conversations
    for each row execute function reverie_keep_deleted();

-- The functions below run as the owner of the tables and delete rows of deletions that have started, of the identity's agent only. The
-- application has no right to delete them otherwise. Every table of tenants has a policy for them; one that is added later needs one too.
-- +goose StatementBegin
do $$
declare
    place record;
    mine text := $policy$(select reverie_identity('purpose')) = 'deletion' and workspace_id = (select reverie_identity('workspace'))
        and agent_id = (select reverie_identity('agent'))$policy$;
begin
    for place in
        select c.relname as name
        from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
            and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'agent_id' and not a.attisdropped)
    loop
        execute format('create policy deletion_rows on %I for select using (%s)', place.name, mine);
        execute format('create policy deletion_removes on %I for delete using (%s)', place.name, mine);
        if place.name in ('deletions', 'audit_log', 'import_items') then
            execute format('create policy deletion_changes on %I for update using (%s) with check (%2$s)', place.name, mine);
        end if;
    end loop;
end
$$;
-- +goose StatementEnd
-- What an agent has cost stays in the workspace's budget.
create policy deletion_sums on model_usage
    using ((select reverie_identity('purpose')) = 'deletion' and workspace_id = (select reverie_identity('workspace')) and agent_id = '')
    with check ((select reverie_identity('purpose')) = 'deletion' and workspace_id = (select reverie_identity('workspace'))
        and agent_id = '');
create policy deletion_rows on api_keys for select
    using ((select reverie_identity('purpose')) = 'deletion' and workspace_id = (select reverie_identity('workspace')));
create policy deletion_changes on api_keys for update
    using ((select reverie_identity('purpose')) = 'deletion' and workspace_id = (select reverie_identity('workspace')));

-- The tables with rows of a deletion's target, in the order in which they can be deleted, with the condition of the rows. Where change is
-- set, rows stay and no longer name the target.
-- +goose StatementBegin
create function reverie_deletion_plan(d deletions) returns table (place text, target text, change text)
    language plpgsql stable as $$
declare
    here constant text := format('workspace_id = %L and agent_id = %L', d.workspace_id, d.agent_id);
    of_owner constant text := here || format(' and owner_key = %L', d.owner_key);
begin
    return query
    with recursive tenants as (
        select c.oid as relation, c.relname::text as relname, array_agg(a.attname::text) as has
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        group by c.oid, c.relname
        having 'agent_id' = any (array_agg(a.attname::text))
    ), chain as ( -- a row goes before the rows that it refers to
        select t.relation, 0 as depth
        from tenants t
        union
        select k.confrelid, chain.depth + 1
        from chain
        join pg_constraint k on k.conrelid = chain.relation and k.contype = 'f' and k.confrelid <> k.conrelid
    ), ordered as (
        select t.relname, t.has, max(chain.depth) + (t.relname in ('index_sources', 'index_spaces'))::int as depth
        from tenants t
        join chain on chain.relation = t.relation
        group by t.relation, t.relname, t.has
    ), concerned as (
        select o.relname, o.depth, case
                when o.relname = 'deletions' then case d.kind
                    when 'agent' then here || format(' and deletion_id <> %L and '
                        '(kind = ''conversation'' or state in (''waiting'', ''deleting''))', d.deletion_id)
                    when 'owner' then of_owner || format(' and deletion_id <> %L', d.deletion_id)
                end
                when o.relname = 'audit_log' then case d.kind
                    when 'agent' then here || ' and (owner_key not in ('''', ''deleted'') or targets <> ''{}'')'
                    when 'owner' then of_owner
                    else of_owner || format(' and targets ->> ''conversation'' = %L', d.conversation_id)
                end
                when d.kind = 'agent' then here
                when d.kind = 'owner' and o.relname = 'import_items' then here || format(' and %L in (owner_key, whose)', d.owner_key)
                when not 'owner_key' = any (o.has) then null
                when d.kind = 'owner' then of_owner
                when o.relname = 'dream_candidates' then of_owner || format(' and body -> ''places'' @> %L',
                    jsonb_build_array(jsonb_build_object('conversationUid', d.conversation_uid)))
                when 'conversation_uid' = any (o.has) then of_owner || format(' and conversation_uid = %L', d.conversation_uid)
                when o.relname = 'index_graves' then null
                when 'source_uid' = any (o.has) then of_owner || format(' and source_uid = %L', d.conversation_uid)
                when 'group_no' = any (o.has) then of_owner || format(' and group_no = (select group_no from index_sources where %s and '
                    'corpus = ''sessions'' and source_uid = %L)', here, d.conversation_uid)
                when o.relname = 'injections' then of_owner || format(' and conversation_id = %L', d.conversation_id)
                when o.relname = 'journal' then of_owner || format(' and detail ->> ''conversation'' = %L', d.conversation_id)
                when o.relname = 'import_items' then here || format(' and kind = 1 and target = %L and %L in (owner_key, whose)',
                    d.conversation_id, d.owner_key)
            end as condition
        from ordered o
    )
    select c.relname, c.condition, case
            when c.relname = 'audit_log' then 'owner_key = case owner_key when '''' then '''' else ''deleted'' end, targets = ''{}'''
            -- It is not imported again when its import goes on.
            when c.relname = 'import_items' and d.kind = 'conversation' then 'target = '''', payload = null, reason_code = ''deleted'', '
                'outcome = case outcome when '''' then ''skipped'' else outcome end, settled_at = coalesce(settled_at, now())'
        end
    from concerned c
    where c.condition is not null
    order by c.depth, c.relname collate "C";
end
$$;
-- +goose StatementEnd

-- Returns a deletion of the identity's agent in one of some states, or raises. The functions below run under a purpose from here on.
-- +goose StatementBegin
create function reverie_deletion_open(deletion uuid, states text[]) returns deletions
    language plpgsql as $$
declare
    d deletions;
begin
    perform set_config('reverie.purpose', 'deletion', true);
    select * into d
    from deletions
    where workspace_id = reverie_identity('workspace') and agent_id = reverie_identity('agent') and deletion_id = deletion;
    if d.state = any (states) then
        return d;
    end if;
    raise exception 'no such deletion' using errcode = 'insufficient_privilege';
end
$$;
-- +goose StatementEnd

-- Keeps everybody from writing what a deletion is about, until the end of the transaction.
-- +goose StatementBegin
create function reverie_deletion_lock(d deletions) returns void
    language plpgsql as $$
begin
    if d.kind = 'agent' then
        perform pg_advisory_xact_lock(hashtextextended('reverie.agent/' || d.workspace_id || '/' || d.agent_id, 0));
    else -- and those who tend what is derived of all owners
        perform pg_advisory_xact_lock(hashtextextended('reverie.owner/' || d.workspace_id || '/' || d.agent_id || '/' || d.owner_key, 0));
        perform pg_advisory_xact_lock(hashtextextended('reverie.owner/' || d.workspace_id || '/' || d.agent_id || '/', 0));
    end if;
end
$$;
-- +goose StatementEnd

-- Starts a deletion that waits: from its commit on nothing is written any more about the target, because every transaction that does has
-- ended before.
-- +goose StatementBegin
create function reverie_deletion_start(deletion uuid, at timestamptz) returns void
    language plpgsql security definer set search_path from current as $$
declare
    was constant text := reverie_identity('purpose');
    d deletions := reverie_deletion_open(deletion, '{waiting,deleting}');
begin
    perform reverie_deletion_lock(d);
    update deletions set state = 'deleting', started_at = coalesce(started_at, at)
    where workspace_id = d.workspace_id and agent_id = d.agent_id and deletion_id = d.deletion_id and state in ('waiting', 'deleting');
    perform set_config('reverie.purpose', was, true);
end
$$;
-- +goose StatementEnd

-- Counts the rows of the target of a deletion by table, for a preview and for the scan at the end. scanned is the number of tables.
-- +goose StatementBegin
create function reverie_deletion_count(deletion uuid, out counts jsonb, out scanned int)
    language plpgsql security definer set search_path from current as $$
declare
    was constant text := reverie_identity('purpose');
    d deletions := reverie_deletion_open(deletion, '{waiting,deleting}');
    step record;
    n bigint;
begin
    counts := '{}';
    scanned := 0;
    for step in select * from reverie_deletion_plan(d) loop
        execute format('select count(*) from %I where %s', step.place, step.target) into n;
        scanned := scanned + 1;
        if n > 0 then
            counts := counts || jsonb_build_object(step.place, n);
        end if;
    end loop;
    perform set_config('reverie.purpose', was, true);
end
$$;
-- +goose StatementEnd

-- Deletes at most so many rows of a deletion that has started, and counts them in its record. Returns how many; 0: none are left.
-- +goose StatementBegin
create function reverie_delete_rows(deletion uuid, most int) returns bigint
    language plpgsql security definer set search_path from current as $$
declare
    was constant text := reverie_identity('purpose');
    d deletions := reverie_deletion_open(deletion, '{deleting}');
    step record;
    space bigint;
    n bigint;
    done bigint := 0;
begin
    perform reverie_deletion_lock(d);
    for step in select * from reverie_deletion_plan(d) loop
        if step.place = 'model_usage' then -- it stays in the budget of the workspace
            execute 'insert into model_usage (workspace_id, agent_id, day, model, calls, input_tokens, output_tokens, cost_micros) '
                'select workspace_id, '''', day, model, calls, input_tokens, output_tokens, cost_micros from model_usage where '
                || step.target || ' on conflict (workspace_id, day, agent_id, model) do update set calls = model_usage.calls + excluded.calls, '
                'input_tokens = model_usage.input_tokens + excluded.input_tokens, '
                'output_tokens = model_usage.output_tokens + excluded.output_tokens, '
                'cost_micros = model_usage.cost_micros + excluded.cost_micros';
            execute 'delete from model_usage where ' || step.target;
        elsif step.place = 'index_spaces' then
            for space in execute 'select space_id from index_spaces where ' || step.target loop
                execute format('drop table if exists %I', 'index_vectors_large_' || space);
            end loop;
            execute 'delete from index_spaces where ' || step.target;
        elsif step.place = 'index_sources' and d.kind = 'conversation' then -- a segment may have hashes of its words until it is merged
            insert into index_graves (workspace_id, agent_id, corpus, scope, owner_key, group_no)
            select workspace_id, agent_id, corpus, scope, owner_key, group_no
            from index_sources
            where workspace_id = d.workspace_id and agent_id = d.agent_id and corpus = 'sessions' and source_uid = d.conversation_uid
            on conflict do nothing;
            execute 'delete from index_sources where ' || step.target;
        else
            execute case
                    when step.change is null then format('delete from %I', step.place)
                    else format('update %I set ', step.place) || step.change
                end || format(' where ctid = any (array(select ctid from %I where %s limit %s)) and %2$s', step.place, step.target, most - done);
        end if;
        get diagnostics n = row_count;
        if n > 0 then
            done := done + n;
            d.counts := d.counts || jsonb_build_object(step.place, coalesce((d.counts ->> step.place)::bigint, 0) + n);
        end if;
        exit when done >= most;
    end loop;
    if done > 0 then
        update deletions set counts = d.counts
        where workspace_id = d.workspace_id and agent_id = d.agent_id and deletion_id = d.deletion_id;
    end if;
    perform set_config('reverie.purpose', was, true);
    return done;
end
$$;
-- +goose StatementEnd

-- Deletes the last few rows, and ends a deletion when a scan of all tables finds none. Returns the number of rows by table that it finds.
-- +goose StatementBegin
create function reverie_deletion_end(deletion uuid, at timestamptz) returns jsonb
    language plpgsql security definer set search_path from current as $$
declare
    was constant text := reverie_identity('purpose');
    d deletions := reverie_deletion_open(deletion, '{deleting}');
    found_rows jsonb;
    scans int;
begin
    perform reverie_deletion_lock(d);
    -- Requests about the target go on meanwhile, such as those for the progress, and leave entries in the audit log: they wait for the scan.
    lock table audit_log in share row exclusive mode;
    perform reverie_delete_rows(deletion, 2000);
    select c.counts, c.scanned into found_rows, scans from reverie_deletion_count(deletion) c;
    perform set_config('reverie.purpose', 'deletion', true);
    if found_rows = '{}' then
        if d.kind = 'agent' then -- a later agent with its id is another one
            update api_keys set
                agents = array_remove(agents, d.agent_id),
                revoked_at = case when agents = array[d.agent_id] then coalesce(revoked_at, at) else revoked_at end
            where workspace_id = d.workspace_id and d.agent_id = any (agents);
        end if;
        update deletions set
            state = 'done', finished_at = at, tables = scans, conversation_id = '',
            owner_key = case kind when 'owner' then reverie_pseudonym(deletion_id, owner_key) else owner_key end
        where workspace_id = d.workspace_id and agent_id = d.agent_id and deletion_id = d.deletion_id;
    end if;
    perform set_config('reverie.purpose', was, true);
    return found_rows;
end
$$;
-- +goose StatementEnd

-- +goose StatementBegin
do $$
declare
    callable regprocedure;
begin
    for callable in
        select p.oid::regprocedure
        from pg_proc p
        where p.prosecdef and p.pronamespace = current_schema()::regnamespace and p.proname like 'reverie\_delet%'
    loop
        execute format('alter function %s set search_path = %I, pg_temp', callable, current_schema());
        execute format('revoke execute on function %s from public', callable);
        execute format('grant execute on function %s to reverie_app', callable);
    end loop;
end
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
do $$
declare
    policy record;
begin
    for policy in
        select tablename, policyname
        from pg_policies
        where schemaname = current_schema() and tablename <> 'deletions'
            and policyname in ('deletion_rows', 'deletion_removes', 'deletion_changes', 'deletion_sums')
    loop
        execute format('drop policy %I on %I', policy.policyname, policy.tablename);
    end loop;
end
$$;
-- +goose StatementEnd
drop trigger conversations_keep_deleted on conversations;
drop function reverie_deletion_end, reverie_delete_rows, reverie_deletion_count, reverie_deletion_start, reverie_deletion_lock,
    reverie_deletion_open, reverie_deletion_plan, reverie_keep_deleted, reverie_enter;
drop table deletions;
drop function reverie_pseudonym;
