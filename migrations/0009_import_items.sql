-- +goose Up

-- Each item of an import is written with the rights of the key that uploaded it, whoever starts the import. Null: an item that was
-- uploaded before this version, with the rights of its import.
alter table import_items add column writes text check (writes in ('personal', 'team'));
alter table import_items add column author_id text; -- the key that uploaded it
grant update (writes, author_id) on import_items to reverie_app;

-- +goose Down
alter table import_items drop column writes, drop column author_id;
