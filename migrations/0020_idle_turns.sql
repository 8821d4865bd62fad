-- +goose Up

-- Messages that no client completes become a turn after some time. A sweep finds their conversations, of everybody. Imports decide
-- themselves whether they are learned from.
create index conversations_idle on conversations (greatest(updated_at, leased_until))
    where last_seq > complete_seq and trigger_source in ('web', 'channel', 'api');

create policy idle_read on conversations for select
    using ((select reverie_identity('purpose')) = 'sweep' and last_seq > complete_seq and trigger_source in ('web', 'channel', 'api'));
create policy idle_update on conversations for update
    using ((select reverie_identity('purpose')) = 'sweep' and last_seq > complete_seq and trigger_source in ('web', 'channel', 'api'))
    with check ((select reverie_identity('purpose')) = 'sweep' and last_seq > complete_seq and trigger_source in ('web', 'channel', 'api'));

-- +goose Down
drop policy idle_update on conversations;
drop policy idle_read on conversations;
drop index conversations_idle;
