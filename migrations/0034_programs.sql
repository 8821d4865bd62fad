-- +goose Up

-- Programs of the operator, such as providers of memory, follow the journal as endpoints do.
alter table webhooks add column program text not null default ''; -- empty: the events go to url
-- One place in the journal for each program and agent.
create unique index webhooks_program on webhooks (workspace_id, agent_id, program) where program <> '';
-- The worker looks for agents whose events a program does not get yet; paused ones are known.
create policy webhook_programs on webhooks for select using ((select reverie_identity('purpose')) = 'sweep' and program <> '');
-- Who has taken part in a deletion outside of this database, with what each has answered.
alter table deletions add column outside jsonb not null default '[]';
grant update (outside) on deletions to reverie_app;

-- +goose Down
alter table deletions drop column outside;
drop policy webhook_programs on webhooks;
delete from webhooks where program <> '';
drop index webhooks_program;
alter table webhooks drop column program;
