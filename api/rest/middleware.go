package rest

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"reverie/api/fault"
)

// useMiddleware sets up what happens around every request.
func (s *Server) useMiddleware() {
	e := s.Echo
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = addressOf(s.TrustedProxies)
	e.HTTPErrorHandler = s.answerError
	e.Use(s.startTrail, middleware.RequestIDWithConfig(middleware.RequestIDConfig{
		Generator:        func() string { return uuid.Must(uuid.NewV7()).String() },
		RequestIDHandler: func(c echo.Context, id string) { trailOf(c.Request().Context()).request = id },
	}))
	e.Use(middleware.RequestLoggerWithConfig(middleware.RequestLoggerConfig{
		HandleError: true, LogLatency: true, LogStatus: true, LogMethod: true, LogResponseSize: true, LogValuesFunc: s.logRequest,
	}))
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{
		LogErrorFunc: func(c echo.Context, err error, stack []byte) error {
			s.Log.Error("A request panicked", "error", err, "stack", string(stack), "request", RequestID(c.Request().Context()))
			return err
		},
	}))
	e.Use(middleware.SecureWithConfig(middleware.SecureConfig{
		ContentTypeNosniff: "nosniff", XFrameOptions: "DENY", ReferrerPolicy: "no-referrer",
		ContentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
	}), noStore, middleware.BodyLimitWithConfig(middleware.BodyLimitConfig{Limit: bodyLimit}))
	e.Pre(eventsAsLines)
	s.handler = otelhttp.NewHandler(e, "http",
		otelhttp.WithTracerProvider(s.Tracers), otelhttp.WithMeterProvider(s.Meters),
		otelhttp.WithServerName(serverName),
	)
}

// addressOf returns how to find a client's address: that of the connection, unless a trusted proxy made it. Then it is the last
// address in X-Forwarded-For that is not a trusted proxy; what clients write before it decides nothing.
func addressOf(proxies []netip.Prefix) echo.IPExtractor {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range proxies {
		p = p.Masked()
		trust = append(trust, echo.TrustIPRange(&net.IPNet{
			IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen()),
		}))
	}
	return echo.ExtractIPFromXFFHeader(trust...)
}

// serverName is the label of our metrics that would otherwise be the Host header, of which a client can make many. With the
// default port of its scheme the label has no port.
const serverName = "reverie:80"

// bodyLimit is MaxBodyBytes as Echo reads it.
var bodyLimit = strconv.Itoa(MaxBodyBytes) + "B"

// noStore keeps answers out of caches, unless a handler sets Cache-Control.
func noStore(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set("Cache-Control", "no-store")
		return next(c)
	}
}

// trail collects facts about a request for the log.
type trail struct {
	request string    // id
	key     uuid.UUID // who called; zero before that is known
	address string    // of the client, as trusted proxies report it
	// For the audit log: whose memory it is, what it is about, and what stores its records (nil: none are kept).
	looks   []look
	targets map[string]string
	reads   bool // although the operation can change
	record  func()
}

type trailKey struct{}

// trailOf returns the request's trail; outside of a request, one that nobody reads.
func trailOf(ctx context.Context) *trail {
	if t, found := ctx.Value(trailKey{}).(*trail); found {
		return t
	}
	return &trail{}
}

// RequestID returns the id of the request of ctx; empty outside of requests.
func RequestID(ctx context.Context) string { return trailOf(ctx).request }

// AddressOf returns the address of the client of ctx; empty outside of requests.
func AddressOf(ctx context.Context) string { return trailOf(ctx).address }

// plainID matches the request ids that clients may set.
var plainID = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,64}$`)

// startTrail begins a request's trail and names its route to telemetry. The path itself is kept out of traces: it holds
// names of conversations, which may be phone numbers.
func (s *Server) startTrail(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !plainID.MatchString(r.Header.Get(echo.HeaderXRequestID)) {
			r.Header.Del(echo.HeaderXRequestID)
		}
		if c.Path() != "" {
			r.Pattern = r.Method + " " + c.Path() // otelhttp takes http.route from it, of this very request
		}
		trace.SpanFromContext(r.Context()).SetAttributes(attribute.String("url.path", c.Path()))
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), trailKey{}, &trail{address: c.RealIP()})))
		return next(c)
	}
}

// logRequest writes one line for each request: no contents, no secrets, and the route instead of the path.
func (s *Server) logRequest(c echo.Context, v middleware.RequestLoggerValues) error {
	t := trailOf(c.Request().Context())
	level := slog.LevelInfo
	switch {
	case v.Status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	case isProbe(c.Path()):
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{
		slog.String("method", v.Method), slog.String("route", c.Path()), slog.Int("status", v.Status),
		slog.Duration("took", v.Latency.Round(time.Microsecond)), slog.Int64("bytes", v.ResponseSize), slog.String("request", t.request),
	}
	if t.key != uuid.Nil {
		attrs = append(attrs, slog.String("key", t.key.String()))
	}
	s.Log.LogAttrs(c.Request().Context(), level, "Request", attrs...)
	return nil
}

// isProbe reports whether machines ask for a route all the time.
func isProbe(path string) bool { return path == "/healthz" || path == "/readyz" || path == "/metrics" }

// answerError answers requests that no operation answers: unknown routes, bodies that are too large, panics.
func (s *Server) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	p := s.fromEcho(c, err)
	maps.Copy(c.Response().Header(), p.GetHeaders())
	if s.ErrorPage != nil && wantsPage(c.Request()) {
		s.ErrorPage(c.Response(), c.Request(), p)
		return
	}
	body := s.errorBody(c.Request().URL.Path, p)
	if err := c.JSON(p.Code, body); err != nil {
		s.Log.Debug("The client did not take the answer", "error", err)
	}
}

// wantsPage reports whether a browser asks for a page: unlike programs, browsers name HTML among what they accept.
func wantsPage(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html") && !strings.HasPrefix(r.URL.Path, "/api/")
}

func (s *Server) fromEcho(c echo.Context, err error) *fault.Problem {
	var (
		p       *fault.Problem
		refused *echo.HTTPError
	)
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &refused):
		switch refused.Code {
		case http.StatusNotFound:
			return fault.New(fault.NoSuchRoute, "No such endpoint: see GET /docs")
		case http.StatusMethodNotAllowed:
			return fault.New(fault.MethodNotAllowed, "Method not allowed: use %s", c.Response().Header().Get(echo.HeaderAllow))
		case http.StatusRequestEntityTooLarge:
			return fault.New(fault.BodyTooLarge, "Request body exceeds %d MiB", MaxBodyBytes>>20)
		}
	}
	return fault.New(fault.Internal, "Internal error: see the server's log for request %s", RequestID(c.Request().Context()))
}
