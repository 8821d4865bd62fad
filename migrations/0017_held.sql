-- +goose Up

-- Statements that instruct the assistant wait for a person: they are in no document until somebody accepts them.
alter table dream_entries drop constraint dream_entries_status_check;
alter table dream_entries add constraint dream_entries_status_check
    check (status in ('open', 'promoted', 'confirmed', 'edited', 'forgotten', 'rejected', 'held'));
-- Lists of what waits, latest first.
create index dream_entries_held on dream_entries (owner_key, workspace_id, agent_id, last_seen desc) where status = 'held';

-- +goose Down
drop index dream_entries_held;
delete from dream_entries where status = 'held';
alter table dream_entries drop constraint dream_entries_status_check;
alter table dream_entries add constraint dream_entries_status_check
    check (status in ('open', 'promoted', 'confirmed', 'edited', 'forgotten', 'rejected'));
