package devtest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"reverie/devenv/devtest"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// prepare stands for the migrations.
func prepare(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, "create extension vector; create table note (text text, place halfvec(3))")
	return err
}

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := pgx.Connect(t.Context(), devtest.Database(t, prepare))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close(context.Background()) }()
			var notes int
			if err := conn.QueryRow(t.Context(), "select count(*) from note").Scan(&notes); err != nil || notes != 0 {
				t.Fatalf("%d notes, error %v; want the prepared table, empty", notes, err)
			}
			if _, err := conn.Exec(t.Context(), "insert into note values ('mine', '[1,2,3]')"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestTemporalAnswers(t *testing.T) {
	server := devtest.Temporal(t)
	if again := devtest.Temporal(t); again != server {
		t.Error("a second call started a second server")
	}
	c, err := client.Dial(client.Options{HostPort: server.Address})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
