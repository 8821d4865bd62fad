-- +goose Up

-- A fact may stand in the archive of its document. Rows of before are derived anew by a reader that knows archives (store/facts).
alter table facts add column archived boolean not null default false;

-- HEARD: it was said again in other words, so that it was seen on one more day.
alter table fact_events drop constraint fact_events_kind_check;
alter table fact_events add constraint fact_events_kind_check check (kind in ('HELPFUL', 'UNHELPFUL', 'HEARD'));

-- +goose Down
delete from fact_events where kind = 'HEARD';
alter table fact_events drop constraint fact_events_kind_check;
alter table fact_events add constraint fact_events_kind_check check (kind in ('HELPFUL', 'UNHELPFUL'));
alter table facts drop column archived;
