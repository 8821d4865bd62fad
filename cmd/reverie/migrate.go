package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"reverie/config"
	"reverie/engine"
	"reverie/store"
	"reverie/workflows"
)

func migrateCommand() *cobra.Command {
	var statusOnly bool
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database's schema and the namespace's search attributes up to date",
		Long: "Bring the database's schema up to date, make the configured workspace and its admin key known, and register the\n" +
			"search attributes in the Temporal namespace when REVERIE_TEMPORAL_ADDRESS is set. Safe to run at any time, and by\n" +
			"several processes at once.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load()
			if err != nil {
				return err
			}
			if c.DatabaseURL.Empty() {
				return fmt.Errorf("%s_DATABASE_URL is not set", config.Prefix)
			}
			if statusOnly {
				current, latest, err := store.MigrationStatus(cmd.Context(), c.DatabaseURL.Reveal())
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "schema version %d of %d\n", current, latest)
				return nil
			}
			return migrate(cmd, c)
		},
	}
	c.Flags().BoolVar(&statusOnly, "status", false, "only tell the schema's version")
	return c
}

func migrate(cmd *cobra.Command, c config.Config) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	applied, err := store.Migrate(ctx, c.DatabaseURL.Reveal())
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "schema: %d migrations applied\n", applied)
	p, err := openParts(ctx, c, "migrate")
	if err != nil {
		return err
	}
	defer p.close()
	if err := ensureWorkspace(ctx, p.store, c); err != nil {
		return err
	}
	fmt.Fprintf(out, "workspace: %s\n", c.Workspace)
	if c.TemporalAddress == "" {
		return nil
	}
	if err := engine.RegisterSearchAttributes(ctx, p.temporal, c.TemporalNamespace, workflows.SearchAttributes()); err != nil {
		return err
	}
	fmt.Fprintf(out, "search attributes: registered in namespace %s\n", c.TemporalNamespace)
	return nil
}
