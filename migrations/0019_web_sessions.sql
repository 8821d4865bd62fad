-- +goose Up

-- Sessions of the Memory Browser. Each is for the API key that it was opened with, and ends with that key. Of the token in the cookie only
-- the SHA-256 is stored. Unlike keys they are deleted when they end.
create table web_sessions (
    workspace_id text        not null references workspaces,
    hash         bytea       not null unique check (octet_length(hash) = 32),
    key_id       uuid        not null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    primary key (workspace_id, hash),
    foreign key (workspace_id, key_id) references api_keys
);
-- Expiry, over all workspaces.
create index web_sessions_by_age on web_sessions (expires_at);
grant select, insert, delete on web_sessions to reverie_app;
alter table web_sessions enable row level security, force row level security;
-- Whoever holds the token; key_hash has its hash. Expired ones are for whoever removes them.
create policy session_by_possession on web_sessions
    using ((select reverie_identity('purpose')) = 'session'
        and (encode(hash, 'hex') = (select reverie_identity('key_hash')) or expires_at <= now()))
    with check ((select reverie_identity('purpose')) = 'session' and encode(hash, 'hex') = (select reverie_identity('key_hash'))
        and workspace_id = (select reverie_identity('workspace')));

-- +goose Down
drop table web_sessions;
