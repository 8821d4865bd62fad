-- +goose Up

-- Recall: an index over documents and messages. Everything here is derived from them and can be dropped and built anew
-- (`reverie memory index --force`), except recalls, which are what happened.
-- +goose StatementBegin
do $$
begin
    create extension if not exists vector;
exception
    when insufficient_privilege then
        raise exception using message = format('%I may not install pgvector: as a superuser, run create extension vector; in database %I',
            current_user, current_database());
    when undefined_file then
        raise exception using message = 'pgvector is not installed on the database server: install its package, such as postgresql-17-pgvector';
end
$$;
-- +goose StatementEnd

-- The index of one corpus is kept on shelves: one for each owner of an agent (scope PERSONAL), one for what the agent's
-- users share (TEAM), one for the workspace (GLOBAL, agent_id empty). A search reads the shelves that its identity sees.
--
-- A write adds one row to index_fresh, in its own transaction: the new units of one source with their terms, packed
-- (search/segment.go). From time to time the fresh rows of a shelf are merged into a segment: its units in one value, its
-- postings in blocks that are found by term. Sources that went away leave a grave until their segment is merged.

-- What is indexed: the current state of a document, or a conversation. A document gets a new group with every version.
create table index_sources (
    workspace_id text        not null,
    agent_id     text        not null,
    corpus       text        not null,
    scope        text        not null check (scope in ('PERSONAL', 'TEAM', 'GLOBAL')),
    owner_key    text        not null,
    source_uid   uuid        not null, -- document_id or conversation_uid
    group_no     bigint      generated always as identity,
    version      int         not null, -- of the document; 0 for a conversation
    head         bigint      not null, -- ordinal of the last unit
    units        bigint      not null,
    index_format text        not null, -- what analysed and cut it (store/index.go)
    embed_due    boolean     not null, -- some unit has no vector in some space
    token        bigint      not null, -- of the write that changed it last
    changed_at   timestamptz not null,
    check ((scope = 'PERSONAL') = (owner_key <> '')),
    check ((scope = 'GLOBAL') = (agent_id = ''))
);
-- Who has something on the shelves of an agent.
create index index_sources_shelves on index_sources (workspace_id, agent_id, scope, owner_key);
-- What waits for vectors; found by the sweep, and by a search that waits.
create index index_sources_due on index_sources (workspace_id, agent_id, scope, owner_key, group_no) where embed_due;
-- What another release has indexed is indexed anew.
create index index_sources_format on index_sources (index_format, workspace_id, agent_id);
-- A write finds what it changes.
alter table index_sources add primary key (workspace_id, agent_id, corpus, source_uid);
-- Results are led back to their source.
create unique index index_sources_by_group on index_sources (group_no);

-- What was written before there was an index waits for it. The owner of the tables may not see rows either while
-- row-level security is forced.
alter table documents     no force row level security;
alter table conversations no force row level security;
insert into index_sources (workspace_id, agent_id, corpus, scope, owner_key, source_uid, version, head, units, index_format,
    embed_due, token, changed_at)
select workspace_id, agent_id, 'memory', scope, owner_key, document_id, version, 0, 0, '', true, 0, updated_at
from documents
where not deleted;
insert into index_sources (workspace_id, agent_id, corpus, scope, owner_key, source_uid, version, head, units, index_format,
    embed_due, token, changed_at)
select workspace_id, agent_id, 'sessions', 'PERSONAL', owner_key, conversation_uid, 0, 0, 0, '', true, 0, updated_at
from conversations;
alter table documents     force row level security;
alter table conversations force row level security;

-- Units that no segment has yet, one row for each write of a source.
create table index_fresh (
    workspace_id text    not null,
    agent_id     text    not null,
    corpus       text    not null,
    scope        text    not null,
    owner_key    text    not null,
    group_no     bigint  not null,
    head         bigint  not null, -- ordinal of its last unit
    units        int     not null,
    data         bytea   not null,
    primary key (workspace_id, agent_id, corpus, scope, owner_key, group_no, head)
);
-- Varint data does not get smaller by compression.
alter table index_fresh alter column data set storage external;

-- Immutable.
create table index_segments (
    workspace_id text    not null,
    agent_id     text    not null,
    corpus       text    not null,
    scope        text    not null,
    owner_key    text    not null,
    segment_id   bigint  generated always as identity,
    units        int     not null,
    bits         int     not null, -- of a term, that choose its block
    data         bytea   not null, -- the units
    primary key (workspace_id, agent_id, corpus, scope, owner_key, segment_id)
);
alter table index_segments alter column data set storage external;

-- Postings of one segment: those of all terms of a bucket together (term 0), long lists by themselves.
create table index_blocks (
    workspace_id text    not null,
    agent_id     text    not null,
    scope        text    not null,
    owner_key    text    not null,
    segment_id   bigint  not null,
    bucket       int     not null,
    term         bigint  not null,
    data         bytea   not null,
    primary key (workspace_id, agent_id, segment_id, bucket, term)
);
alter table index_blocks alter column data set storage external;

-- Groups that a segment still has although their source is gone or was indexed anew.
create table index_graves (
    workspace_id text    not null,
    agent_id     text    not null,
    corpus       text    not null,
    scope        text    not null,
    owner_key    text    not null,
    group_no     bigint  not null,
    primary key (workspace_id, agent_id, corpus, scope, owner_key, group_no)
);

-- Embedding spaces of an agent: vectors of different identities cannot be compared. Dimensions are the identity's.
create table index_spaces (
    workspace_id text        not null,
    agent_id     text        not null,
    space_id     bigint      generated always as identity,
    identity_key text        not null,
    identity     jsonb       not null,
    dimensions   int         not null check (dimensions between 1 and 4000),
    state        text        not null check (state in ('building', 'live', 'retired', 'dropping')),
    large        boolean     not null default false, -- its vectors are in index_vectors_large, or on their way there
    created_at   timestamptz not null,
    switched_at  timestamptz, -- when it became live, or was retired
    primary key (workspace_id, agent_id, space_id)
);
create unique index index_spaces_live on index_spaces (workspace_id, agent_id) where state = 'live';
create unique index index_spaces_by_identity on index_spaces (workspace_id, agent_id, identity_key) where state <> 'dropping';

-- How far a source is embedded in a space.
create table index_progress (
    workspace_id text    not null,
    agent_id     text    not null,
    scope        text    not null,
    owner_key    text    not null,
    space_id     bigint  not null,
    group_no     bigint  not null,
    done         bigint  not null, -- ordinal of the last unit that was considered
    primary key (workspace_id, agent_id, space_id, group_no)
);

-- One vector for each unit and space: narrow rows, so that comparing all of a view is one scan over few pages. An index for
-- nearest neighbours would look among all owners first and filter then, which loses results.
create table index_vectors (
    workspace_id text    not null,
    agent_id     text    not null,
    space_id     bigint  not null,
    corpus       text    not null,
    scope        text    not null,
    owner_key    text    not null,
    group_no     bigint  not null,
    ordinal      bigint  not null,
    embedding    halfvec not null,
    primary key (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal)
) partition by hash (workspace_id, agent_id);
-- Rows of one agent stand together.
-- +goose StatementBegin
do $$
begin
    for i in 0..15 loop
        execute format('create table index_vectors_%s partition of index_vectors for values with (modulus 16, remainder %s)', i, i);
        execute format('alter table index_vectors_%s alter column embedding set storage plain', i);
        -- Rows are reached through the whole table and its policies; by itself a part shows nothing.
        execute format('alter table index_vectors_%s enable row level security, force row level security', i);
    end loop;
end
$$;
-- +goose StatementEnd

-- Vectors of spaces that are too large for comparing all of a view: each space is a part of its own with an index of nearest
-- neighbours, in which nobody else's vectors stand in the way. Parts are made by reverie_large_space.
create table index_vectors_large (
    like index_vectors,
    primary key (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal)
) partition by list (space_id);

-- Makes the part of a space, as the owner of the tables, for whoever tends the space. It is empty, so that its index is made
-- at once, and not in parallel, which is unsafe before pgvector 0.8.2.
-- +goose StatementBegin
create function reverie_large_space(of_space bigint) returns void
    language plpgsql security definer set search_path from current as $$
declare
    vector_dimensions int;
    part text := 'index_vectors_large_' || of_space;
begin
    select dimensions into vector_dimensions
    from index_spaces
    where space_id = of_space and workspace_id = reverie_identity('workspace') and agent_id = reverie_identity('agent')
        and reverie_identity('admin') = 'on' and reverie_identity('any_owner') = 'on';
    if vector_dimensions is null then
        raise exception 'no such space' using errcode = 'insufficient_privilege';
    end if;
    if to_regclass(part) is not null then
        return;
    end if;
    execute format('create table %I partition of index_vectors_large for values in (%s)', part, of_space);
    execute format('alter table %I alter column embedding set storage plain', part);
    execute format('alter table %I enable row level security, force row level security', part);
    execute format('create index on %I using hnsw ((embedding::halfvec(%s)) halfvec_cosine_ops)', part, vector_dimensions);
end
$$;
-- +goose StatementEnd
-- Removes it again.
-- +goose StatementBegin
create function reverie_drop_large_space(of_space bigint) returns void
    language plpgsql security definer set search_path from current as $$
begin
    perform
    from index_spaces
    where space_id = of_space and workspace_id = reverie_identity('workspace') and agent_id = reverie_identity('agent')
        and reverie_identity('admin') = 'on' and reverie_identity('any_owner') = 'on' and state = 'dropping';
    if found then
        execute format('drop table if exists %I', 'index_vectors_large_' || of_space);
    end if;
end
$$;
-- +goose StatementEnd
revoke execute on function reverie_large_space(bigint), reverie_drop_large_space(bigint) from public;
grant execute on function reverie_large_space(bigint), reverie_drop_large_space(bigint) to reverie_app;

-- Takes the vectors of one source out of one space. A function, so that the rows are always found by the whole beginning of
-- the key.
-- +goose StatementBegin
create function reverie_forget_vectors(workspace text, agent text, space bigint, of_corpus text, of_scope text, owner text, of_group bigint)
    returns void language sql as $$
delete from index_progress
where workspace_id = workspace and agent_id = agent and space_id = space and group_no = of_group;
delete from index_vectors
where workspace_id = workspace and agent_id = agent and space_id = space and corpus = of_corpus and scope = of_scope
    and owner_key = owner and group_no = of_group;
delete from index_vectors_large
where space_id = space and workspace_id = workspace and agent_id = agent and corpus = of_corpus and scope = of_scope
    and owner_key = owner and group_no = of_group;
$$;
-- +goose StatementEnd

-- Vectors of texts that were embedded before, within one workspace. The text is not kept, only its hash.
create table embedding_cache (
    workspace_id text        not null,
    identity_key text        not null,
    text_hash    bytea       not null check (octet_length(text_hash) = 32),
    embedding    halfvec     not null,
    used_at      timestamptz not null,
    primary key (workspace_id, identity_key, text_hash)
);

-- Append-only: one row each time that a search result was used. Synthetic ones (tests, dreams, operators) count for nothing.
create table recalls (
    workspace_id text        not null,
    agent_id     text        not null,
    owner_key    text        not null, -- who asked; empty: nobody in particular
    recall_id    uuid        not null,
    query_hash   bytea       not null,
    day          date        not null, -- in the owner's time zone
    synthetic    boolean     not null,
    corpus       text        not null,
    scope        text        not null,
    source_uid   uuid        not null,
    path         text        not null,
    from_line    int         not null,
    to_line      int         not null,
    chunk_hash   bytea       not null,
    entries      text[]      not null, -- identities of the statements (memory/entry.go), which survive edits
    score        real        not null,
    rank         int         not null,
    at           timestamptz not null,
    primary key (workspace_id, agent_id, owner_key, recall_id, rank)
);
-- A dream weighs what was recalled lately.
create index recalls_recent on recalls (workspace_id, agent_id, owner_key, at) where not synthetic;

-- Whether the identity may write derived rows of a shelf: who may write the source may, and so may the worker that tends
-- the index, an admin that reads every owner.
create function reverie_tends(agent text, scope text, owner text) returns boolean
    language sql stable parallel safe
    return case scope
        when 'PERSONAL' then agent = reverie_identity('agent') and reverie_identity('writes') <> 'none'
            and (owner = reverie_identity('owner') or reverie_identity('any_owner') = 'on' and reverie_identity('admin') = 'on')
        when 'TEAM' then agent = reverie_identity('agent') and reverie_identity('writes') in ('team', 'global')
        else reverie_identity('writes') = 'global'
    end;

-- What is derived may go away and be made anew, but whose it is never changes.
grant select, insert, delete on index_sources, index_fresh, index_segments, index_blocks, index_graves, index_spaces,
    index_progress, index_vectors, index_vectors_large, embedding_cache to reverie_app;
grant update (head, units, index_format, embed_due, token, changed_at) on index_sources to reverie_app;
grant update (state, switched_at, large) on index_spaces to reverie_app;
grant update (done) on index_progress to reverie_app;
grant update (embedding) on index_vectors, index_vectors_large to reverie_app;
grant update (used_at) on embedding_cache to reverie_app;
grant select, insert on recalls to reverie_app;

-- Tables of shelves: read as the documents are, written as they are.
-- +goose StatementBegin
do $$
declare
    name text;
begin
    foreach name in array array['index_sources', 'index_fresh', 'index_segments', 'index_blocks', 'index_graves',
        'index_progress', 'index_vectors', 'index_vectors_large'] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format($policy$create policy shelf_read on %I for select
            using (workspace_id = (select reverie_identity('workspace')) and agent_id in ((select reverie_identity('agent')), '')
                and (scope <> 'PERSONAL' or owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'))
            $policy$, name);
        execute format($policy$create policy shelf_insert on %I for insert
            with check (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key))
            $policy$, name);
        execute format($policy$create policy shelf_update on %I for update
            using (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key))
            $policy$, name);
        execute format($policy$create policy shelf_delete on %I for delete
            using (workspace_id = (select reverie_identity('workspace')) and reverie_tends(agent_id, scope, owner_key))
            $policy$, name);
    end loop;
end
$$;
-- +goose StatementEnd

-- The sweep finds agents whose index waits for something, across tenants.
create policy source_sweep on index_sources for select
    using ((select reverie_identity('purpose')) = 'sweep');
create policy fresh_sweep on index_fresh for select
    using ((select reverie_identity('purpose')) = 'sweep');

alter table index_spaces    enable row level security, force row level security;
alter table embedding_cache enable row level security, force row level security;
alter table recalls         enable row level security, force row level security;

-- Which spaces there are says nothing about anybody; only the worker makes and removes them.
create policy space_read on index_spaces for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id in ((select reverie_identity('agent')), ''));
create policy space_management on index_spaces
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('admin')) = 'on'
        and agent_id = (select reverie_identity('agent')) and (agent_id <> '' or (select reverie_identity('writes')) = 'global'));

-- Whoever could look up hashes could find out what others wrote: only the worker that tends the index can.
create policy cache_tending on embedding_cache
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('admin')) = 'on'
        and (select reverie_identity('any_owner')) = 'on');

create policy recall_read on recalls for select
    using (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and (owner_key = (select reverie_identity('owner')) or (select reverie_identity('any_owner')) = 'on'));
-- A viewer's searches count as well.
create policy recall_insert on recalls for insert
    with check (workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and agent_id <> '' and owner_key = (select reverie_identity('owner')));

-- Receipts of messages draw their tokens from the journal's numbers, so that all tokens can be compared.
-- +goose StatementBegin
do $$
begin
    execute format('grant usage on sequence %s to reverie_app', pg_get_serial_sequence('journal', 'event_id'));
end
$$;
-- +goose StatementEnd

-- +goose Down
drop table recalls, embedding_cache, index_vectors, index_vectors_large, index_progress, index_spaces, index_graves, index_blocks, index_segments,
    index_fresh, index_sources;
drop function reverie_tends(text, text, text);
drop function reverie_large_space(bigint);
drop function reverie_drop_large_space(bigint);
drop function reverie_forget_vectors(text, text, bigint, text, text, text, bigint);
