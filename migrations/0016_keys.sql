-- +goose Up

-- Ids that clients choose are their owner's: the same id of two owners is two conversations, or two writes (0018). The owner comes last,
-- so that a caller who may speak for several finds all of that name.
alter table conversations drop constraint conversations_pkey;
alter table conversations add primary key (workspace_id, agent_id, conversation_uid);
create unique index conversations_by_name on conversations (conversation_id, workspace_id, agent_id, owner_key);

-- A key may end by itself. last_used_at is exact to a few minutes, so that requests do not write. replaced_by is the key to which it was
-- rotated.
alter table api_keys add column expires_at timestamptz, add column last_used_at timestamptz, add column replaced_by uuid;
grant update (expires_at, last_used_at, replaced_by) on api_keys to reverie_app;
-- Whoever has shown a key records that it was used; key_hash holds its id.
create policy key_use on api_keys for update
    using ((select reverie_identity('purpose')) = 'proof' and key_id::text = (select reverie_identity('key_hash')));

-- Who read and changed what for others, never what it says. The application appends; rows go by age, through a function that refuses
-- the latest day.
create table audit_log (
    workspace_id text        not null references workspaces,
    audit_id     uuid        not null, -- UUIDv7: its order is that of time
    at           timestamptz not null,
    key_id       uuid        not null,
    role         text        not null check (role in ('viewer', 'member', 'admin')),
    address      text        not null, -- of the client
    request_id   text        not null,
    operation    text        not null,
    changes      boolean     not null, -- or it reads
    agent_id     text        not null, -- empty: the workspace
    owner_key    text        not null, -- empty: nobody in particular, or all
    targets      jsonb       not null, -- ids and paths by the name of their parameter
    status       int         not null, -- HTTP
    primary key (workspace_id, audit_id)
);
-- Expiry, over all workspaces.
create index audit_log_by_age on audit_log (at);
-- Lists of one agent or one key, newest first; those of the workspace use the primary key.
create index audit_log_of_agent on audit_log (agent_id, workspace_id, audit_id desc);
create index audit_log_of_key on audit_log (key_id, workspace_id, audit_id desc);

grant select, insert on audit_log to reverie_app;

alter table audit_log enable row level security, force row level security;
-- Admins of the workspace read all, those of some agents what concerns these.
create policy audit_read on audit_log for select
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('admin')) = 'on'
        and ((select reverie_identity('agents')) = '*'
            or agent_id = any (string_to_array((select reverie_identity('agents')), ','))));
create policy audit_insert on audit_log for insert
    with check (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('purpose')) = 'audit');
-- The application has no right to delete: this is for the function below, as the owner of the table.
create policy audit_expiry_read on audit_log for select using ((select reverie_identity('purpose')) = 'expiry');
create policy audit_expiry on audit_log for delete using ((select reverie_identity('purpose')) = 'expiry');

-- Deletes at most 10,000 entries that are older than a time, and never one of the latest day. Returns how many.
-- +goose StatementBegin
create function reverie_expire_audit(before timestamptz) returns bigint
    language plpgsql security definer set search_path from current as $$
declare
    expired bigint;
    purpose text := current_setting('reverie.purpose', true);
begin
    perform set_config('reverie.purpose', 'expiry', true);
    delete from audit_log
    where (workspace_id, audit_id) in (
        select workspace_id, audit_id
        from audit_log
        where at < least(before, now() - interval '1 day')
        order by at
        limit 10000);
    get diagnostics expired = row_count;
    perform set_config('reverie.purpose', coalesce(purpose, ''), true);
    return expired;
end
$$;
-- +goose StatementEnd
-- +goose StatementBegin
do $$
begin
    execute format('alter function reverie_expire_audit(timestamptz) set search_path = %I, pg_temp', current_schema());
end
$$;
-- +goose StatementEnd
revoke execute on function reverie_expire_audit(timestamptz) from public;
grant execute on function reverie_expire_audit(timestamptz) to reverie_app;

-- +goose Down
drop function reverie_expire_audit(timestamptz);
drop table audit_log;
drop policy key_use on api_keys;
alter table api_keys drop column expires_at, drop column last_used_at, drop column replaced_by;
alter table conversations drop constraint conversations_pkey;
drop index conversations_by_name;
alter table conversations add primary key (workspace_id, agent_id, conversation_id);
