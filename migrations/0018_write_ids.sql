-- +goose Up

-- Ids of writes are their owner's. The previous release inserts with "on conflict (request_id, workspace_id, agent_id)", and does so until
-- its last process has been replaced: request_id stays unique per agent. Where another owner's write has the id already, the requester's id
-- is in own_id, and request_id is that of the write. A later release moves requested_id to request_id and drops the other columns.
alter table memory_writes add column own_id text check (own_id ~ '^[A-Za-z0-9._:-]{1,128}$');

-- A development version had an index by owner of this name, so one id may be there for several owners.
drop index memory_writes_by_request;
alter table memory_writes no force row level security; -- its owner may not see rows either
update memory_writes w set own_id = request_id, request_id = write_id::text
where exists (
    select from memory_writes first
    where first.request_id = w.request_id and first.workspace_id = w.workspace_id and first.agent_id = w.agent_id
        and first.write_id < w.write_id);
alter table memory_writes force row level security;
create unique index memory_writes_by_request on memory_writes (request_id, workspace_id, agent_id);

-- The requester's id: a request of an owner is one write.
alter table memory_writes add column requested_id text not null generated always as (coalesce(own_id, request_id)) stored;
create unique index memory_writes_of_owner on memory_writes (requested_id, workspace_id, agent_id, owner_key);

-- +goose Down
drop index memory_writes_of_owner;
alter table memory_writes drop column requested_id, drop column own_id;
