-- +goose Up

-- A client that writes all the time and never completes a turn is not idle: its messages are learned from when the oldest one has waited
-- long enough. The sweep of idle conversations finds it by the index conversations_idle.
alter table conversations add column waiting_since timestamptz; -- when the oldest message that no turn completes came in; null: none waits
grant update (waiting_since) on conversations to reverie_app;

-- +goose Down
alter table conversations drop column waiting_since;
