-- +goose Up

-- Endpoints that receive events of an agent. The journal is their outbox: cursor_transaction and cursor_event are the place behind which
-- events are still to be delivered. owner_key is the person whose events, besides shared ones, an endpoint gets; empty: those of everybody.
create table webhooks (
    workspace_id       text        not null,
    agent_id           text        not null,
    webhook_id         uuid        not null, -- UUIDv7
    owner_key          text        not null,
    key_id             uuid        not null, -- that made it, and without which it gets nothing
    url                text        not null,
    kinds              text[]      not null, -- of events; empty: all
    state              text        not null check (state in ('active', 'paused')),
    reason_code        text        not null, -- why it is paused
    cursor_transaction bigint      not null,
    cursor_event       bigint      not null,
    delivered          bigint      not null default 0,
    attempts           int         not null default 0, -- at the event behind the cursor
    last_status        int         not null default 0, -- of HTTP; 0: there was no answer
    last_reason        text        not null default '', -- empty: it was delivered
    last_at            timestamptz,
    failing_since      timestamptz,
    next_attempt_at    timestamptz, -- null: at once
    created_at         timestamptz not null,
    primary key (workspace_id, agent_id, webhook_id),
    foreign key (workspace_id, agent_id) references agents
);
-- What the worker looks through, over all workspaces.
create index webhooks_active on webhooks (webhook_id) where state = 'active';

-- The secrets that sign what is sent to an endpoint, sealed if the deployment has keys. Only a delivery and a rotation read them.
create table webhook_secrets (
    workspace_id   text        not null,
    agent_id       text        not null,
    webhook_id     uuid        not null,
    owner_key      text        not null,
    secret         bytea       not null,
    previous       bytea,                -- signs as well, until previous_until
    previous_until timestamptz,
    primary key (workspace_id, agent_id, webhook_id),
    foreign key (workspace_id, agent_id, webhook_id) references webhooks on delete cascade
);

-- Events that an endpoint has not accepted in all attempts. They can be delivered again.
create table webhook_failures (
    workspace_id   text        not null,
    agent_id       text        not null,
    webhook_id     uuid        not null,
    failure_id     uuid        not null, -- UUIDv7
    owner_key      text        not null, -- of the endpoint
    transaction_id bigint      not null,
    event_id       bigint      not null,
    kind           text        not null,
    attempts       int         not null,
    last_status    int         not null,
    last_reason    text        not null,
    failed_at      timestamptz not null,
    redeliver      boolean     not null default false,
    primary key (workspace_id, agent_id, webhook_id, failure_id),
    foreign key (workspace_id, agent_id, webhook_id) references webhooks on delete cascade
);
-- What waits to be delivered again.
create index webhook_failures_waiting on webhook_failures (workspace_id, agent_id, webhook_id, failure_id) where redeliver;

grant select, insert, delete, update (url, kinds, state, reason_code, cursor_transaction, cursor_event, delivered, attempts, last_status,
    last_reason, last_at, failing_since, next_attempt_at) on webhooks to reverie_app;
grant select, insert, update (secret, previous, previous_until) on webhook_secrets to reverie_app;
grant select, insert, delete, update (attempts, last_status, last_reason, failed_at, redeliver) on webhook_failures to reverie_app;

alter table webhooks         enable row level security, force row level security;
alter table webhook_secrets  enable row level security, force row level security;
alter table webhook_failures enable row level security, force row level security;

-- Endpoints of a person are that person's; those of everybody are for admins. An admin manages both, in the name of the person.
-- +goose StatementBegin
do $$
declare
    place text;
    here text := $policy$workspace_id = (select reverie_identity('workspace')) and agent_id = (select reverie_identity('agent'))
        and agent_id <> ''$policy$;
    admin text := $policy$(select reverie_identity('admin')) = 'on'$policy$;
    mine text := $policy$(owner_key = (select reverie_identity('owner')) and owner_key <> ''
        and (select reverie_identity('writes')) <> 'none')$policy$;
begin
    foreach place in array array['webhooks', 'webhook_secrets', 'webhook_failures'] loop
        execute format('create policy webhook_insert on %I for insert with check (%s and (%s or %s and owner_key = %L))',
            place, here, mine, admin, '');
        execute format('create policy deletion_rows on %I for select using (%s and (select reverie_identity(%L)) = %L)',
            place, here, 'purpose', 'deletion');
        execute format('create policy deletion_removes on %I for delete using (%s and (select reverie_identity(%L)) = %L)',
            place, here, 'purpose', 'deletion');
    end loop;
    foreach place in array array['webhooks', 'webhook_failures'] loop
        execute format('create policy webhook_read on %I for select using (%s and case owner_key when %L then %s else owner_key = '
            '(select reverie_identity(%L)) or (select reverie_identity(%L)) = %L end)',
            place, here, '', admin, 'owner', 'any_owner', 'on');
        execute format('create policy webhook_update on %I for update using (%s and (%s or %s and owner_key = %L))',
            place, here, mine, admin, '');
        execute format('create policy webhook_delete on %I for delete using (%s and (%s or %s and owner_key = %L))',
            place, here, mine, admin, '');
    end loop;
    execute format('create policy webhook_secret_read on webhook_secrets for select using (%s and (%s or %s and owner_key = %L)
        and (select reverie_identity(%L)) = %L)', here, mine, admin, '', 'purpose', 'delivery');
    execute format('create policy webhook_secret_update on webhook_secrets for update using (%s and (%s or %s and owner_key = %L)
        and (select reverie_identity(%L)) = %L)', here, mine, admin, '', 'purpose', 'delivery');
end
$$;
-- +goose StatementEnd

-- The worker looks for endpoints with something to deliver.
create policy webhook_sweep on webhooks for select using ((select reverie_identity('purpose')) = 'sweep' and state = 'active');
create policy webhook_sweep on webhook_failures for select using ((select reverie_identity('purpose')) = 'sweep' and redeliver);
create policy webhook_sweep on journal for select to reverie_app -- the eraser may not read webhooks
    using ((select reverie_identity('purpose')) = 'sweep' and exists (
        select from webhooks w
        where w.workspace_id = journal.workspace_id and journal.agent_id in (w.agent_id, '') and w.state = 'active'));

-- +goose Down
drop policy webhook_sweep on journal;
drop table webhook_failures, webhook_secrets, webhooks;
