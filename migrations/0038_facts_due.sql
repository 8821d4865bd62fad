-- +goose Up

-- The sweep finds agents with documents whose facts are behind, across tenants.
create policy due_sweep on fact_due for select
    using (current_setting('reverie.purpose', true) = 'sweep');

-- +goose Down
drop policy due_sweep on fact_due;
