-- +goose Up

-- The status counts writes that have not ended, and messages whose extraction failed.
create policy write_status on memory_writes for select
    using (workspace_id = (select reverie_identity('workspace')) and (select reverie_identity('purpose')) = 'status' and outcome = 'staged'
        and ((select reverie_identity('agents')) = '*'
            or agent_id = any (string_to_array((select reverie_identity('agents')), ','))));
create index extractions_failed on extractions (workspace_id, agent_id, conversation_uid) include (to_seq) where outcome = 'failed';

-- +goose Down

drop index extractions_failed;
drop policy write_status on memory_writes;
