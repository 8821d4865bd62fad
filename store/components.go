package store

import (
	"context"
	"time"
)

// Component is the state of a part of the deployment, such as the model, as some process saw it last.
type Component struct {
	Name      string
	State     string
	Detail    string
	ChangedAt time.Time // when State became what it is
	SeenAt    time.Time
}

// ReportComponent notes the state of a part. It concerns no tenant, which is why it takes no identity.
func (s *Store) ReportComponent(ctx context.Context, name, state, detail string) error {
	panic("signature")
}

// Components lists the parts by name.
func (s *Store) Components(ctx context.Context) ([]Component, error) { panic("signature") }
