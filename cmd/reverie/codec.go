package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"reverie/config"
	"reverie/engine"
)

func codecCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "codec",
		Short: "Decrypt workflow payloads for Temporal's Web UI",
		Long: "Run a codec server on REVERIE_CODEC_ADDR: with REVERIE_ENCRYPTION_KEYS set, Temporal's Web UI and command line show readable\n" +
			"payloads through it. It answers only callers that have REVERIE_CODEC_KEY, and browsers only on pages of\n" +
			"REVERIE_TEMPORAL_UI_URL. It needs no database.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			codec, err := engine.NewCodecServer(c, c.TemporalUIURL)
			if err != nil {
				return err
			}
			listener, err := listenForCodec(c)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "codec server on http://%s\n", listener.Addr())
			return serveCodec(cmd.Context(), codec, listener)
		},
	}
}

func listenForCodec(c config.Config) (net.Listener, error) {
	listener, err := net.Listen("tcp", c.CodecAddr)
	if err != nil {
		return nil, fmt.Errorf("%s_CODEC_ADDR: %w", config.Prefix, err)
	}
	return listener, nil
}

// codecPatience bounds a request to the codec server and its answer.
const codecPatience = 30 * time.Second

// serveCodec serves until ctx ends.
func serveCodec(ctx context.Context, codec *engine.CodecServer, listener net.Listener) error {
	server := &http.Server{
		Handler: codec.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: codecPatience, WriteTimeout: codecPatience,
	}
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() { stopped <- server.Shutdown(context.WithoutCancel(ctx)) })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// listenCodec listens for the codec server, whose address the Web UI must know when it starts. Without encryption keys there is
// none.
func (d *dev) listenCodec() (net.Listener, error) {
	if d.EncryptionKeys.Empty() {
		return nil, nil //nolint:nilnil // there is no codec server, which is not an error
	}
	listener, err := listenForCodec(d.Config)
	if err == nil {
		d.codecURL = "http://" + listener.Addr().String()
	}
	return listener, err
}

// startCodec serves the codec server. Its key is the admin key unless one is set.
func (d *dev) startCodec(listener net.Listener) error {
	c := d.Config
	c.CodecKey = cmp.Or(c.CodecKey, c.AdminKey)
	codec, err := engine.NewCodecServer(c, d.TemporalUIURL)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serveCodec(ctx, codec, listener) }()
	d.onStop(func(context.Context) error { stop(); return <-ended })
	return nil
}
