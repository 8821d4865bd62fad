-- +goose Up

-- A dream that is dreamed again gives up its night: the new one has the same night and names it.
alter table dreams
    add column again_of uuid, -- the dream that this one repeats
    add column again_as uuid; -- the dream that repeated this one
grant update (again_as) on dreams to reverie_app;

drop index dreams_of_night;
-- A night has one dream; one that failed, was skipped or was dreamed again leaves it free.
create unique index dreams_of_night on dreams (owner_key, night, workspace_id, agent_id)
    where night <> '' and not dry_run and outcome not in ('failed', 'skipped') and again_as is null;

-- +goose Down
drop index dreams_of_night;
create unique index dreams_of_night on dreams (owner_key, night, workspace_id, agent_id)
    where night <> '' and not dry_run and outcome not in ('failed', 'skipped');
alter table dreams drop column again_of, drop column again_as;
