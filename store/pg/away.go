package pg

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// neverRan reports whether err excludes that the transaction was committed, although its commit was sent: the server takes no writes, as a
// standby, or it had ended the transaction because no statement came for long.
func neverRan(err error) bool {
	refused, is := errors.AsType[*pgconn.PgError](err)
	return is && (refused.Code == codeReadOnly || refused.Code == codeIdle)
}

// IsAway reports whether err means that the database cannot be reached, does not answer in time, or takes no writes. A database that
// refuses the login, or does not exist, is not away: it takes a change of the configuration.
func IsAway(err error) bool {
	if refused, is := errors.AsType[*pgconn.PgError](err); is {
		// 08: connection; 53: too many connections, disk full; 57P: shutdown, crash, not started yet.
		return strings.HasPrefix(refused.Code, "08") || strings.HasPrefix(refused.Code, "53") || strings.HasPrefix(refused.Code, "57P") ||
			refused.Code == codeReadOnly || refused.Code == codeIdle
	}
	if _, is := errors.AsType[*pgconn.ConnectError](err); is {
		return true
	}
	if _, is := errors.AsType[net.Error](err); is {
		return true
	}
	return errors.Is(err, ErrReadOnly) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}

// preferWritable makes connections of a URL with several hosts go to the one that takes writes, unless the URL sets
// target_session_attrs. Without it, they would return to a former primary that is listed first.
func preferWritable(c *pgx.ConnConfig) {
	hosts := map[string]bool{c.Host: true}
	for _, f := range c.Fallbacks {
		hosts[f.Host] = true
	}
	ports := map[uint16]bool{c.Port: true}
	for _, f := range c.Fallbacks {
		ports[f.Port] = true
	}
	if c.ValidateConnect == nil && (len(hosts) > 1 || len(ports) > 1) {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
}

// answerAge is the age up to which the end of a transaction shows that the database answers.
const answerAge = 5 * time.Second

// Ping reports whether the database answers and takes writes. It uses a separate connection, so that it does not wait for requests
// for one of the pool. Under an overload that is so large that its answer is late, transactions that ended just now count instead.
// If the database takes no writes, the pool's connections are opened again: another server has become the primary.
func (db *DB) Ping(ctx context.Context) error {
	err := db.probe.ask(ctx)
	switch {
	case errors.Is(err, ErrReadOnly):
		db.Pool.Reset()
	case errors.Is(err, context.DeadlineExceeded) && time.Since(time.Unix(0, db.answered.Load())) < answerAge:
		return nil
	}
	return err
}

// probe is the connection of Ping. It is made on first use, and again after a failure.
type probe struct {
	config *pgx.ConnConfig
	mu     sync.Mutex
	conn   *pgx.Conn
}

func (p *probe) ask(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.conn != nil
	err := p.once(ctx)
	if err != nil && kept && ctx.Err() == nil { // the server may have been restarted, or replaced
		err = p.once(ctx)
	}
	return err
}

func (p *probe) once(ctx context.Context) (err error) {
	if p.conn == nil {
		if p.conn, err = pgx.ConnectConfig(ctx, p.config); err != nil {
			return err
		}
	}
	var readOnly bool
	err = p.conn.QueryRow(ctx, "select current_setting('transaction_read_only')::bool").Scan(&readOnly)
	if err == nil && readOnly {
		err = ErrReadOnly
	}
	if err != nil {
		_ = p.conn.Close(ctx)
		p.conn = nil
	}
	return err
}

func (p *probe) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		_ = p.conn.Close(context.Background()) // the process ends, or the server has closed it
		p.conn = nil
	}
}
