package rest

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// shutdownGrace is how long requests in progress may take to end when the server stops.
const shutdownGrace = 20 * time.Second

// Serve answers requests on l until ctx ends; it closes l. Then it takes no new ones, answers those who wait for a
// workflow at once with 202, and lets the others end within 20 seconds. It returns nil after an orderly end.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      MaxWait + time.Minute, // the longest wait, and time to write the answer
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug), // faults of clients, such as TLS to a plain port
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.stop()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		s.Log.Warn("Requests were cut off at the end of the shutdown grace", "grace", shutdownGrace)
		err = errors.Join(err, server.Close())
	}
	return errors.Join(err, s.Search.Recorder.Close(grace))
}
