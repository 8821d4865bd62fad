-- +goose Up

-- In which conversation the results of a search were used (the client's id; empty: in none), so that what the person says next there can
-- be compared with them.
alter table recalls add column conversation_id text not null default '';
-- What the contexts of a conversation contained.
create index injections_conversation on injections (workspace_id, agent_id, owner_key, conversation_id, at);
-- Facts whose last day is over rank lower in searches.
create index facts_over on facts (workspace_id, agent_id, scope, owner_key, valid_to desc) where ended is null and valid_to is not null;

-- +goose Down
drop index facts_over;
drop index injections_conversation;
alter table recalls drop column conversation_id;
