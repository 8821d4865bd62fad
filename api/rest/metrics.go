package rest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"reverie/memory"
	"reverie/store"
	"reverie/store/gate"
)

// MetricsAreOpen reports whether a request may read metrics without a key: one from this machine itself or from an allowed network
// that came through no proxy. The peer of the connection counts, not what a header says; a trusted proxy is not a client.
func MetricsAreOpen(r *http.Request, allowed, proxies []netip.Prefix) bool {
	for name := range r.Header {
		if name == "Forwarded" || name == "Via" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded-") {
			return false
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	address := peer.Addr().Unmap()
	within := func(network netip.Prefix) bool { return network.Contains(address) }
	return !slices.ContainsFunc(proxies, within) && (address.IsLoopback() || slices.ContainsFunc(allowed, within))
}

// MayReadMetrics reports whether a key may read the metrics of the deployment: that of an administrator of the whole workspace.
func MayReadMetrics(key gate.Key) bool {
	return key.Role == memory.RoleAdmin && key.Agents == nil && key.Owner == memory.NoOwner
}

// GuardMetrics serves metrics of a process that has no API, by the same rules. An address that tries many wrong keys is slowed down as there.
func GuardMetrics(
	metrics http.Handler, authenticate func(ctx context.Context, secret string) (gate.Key, error), allowed []netip.Prefix,
) http.Handler {
	failures := newLimiter(failureRate, failureBurst, time.Now)
	guessed := &lookup{query: func(ctx context.Context, secrets []string) (map[string]bool, error) {
		known := map[string]bool{}
		for _, secret := range secrets {
			_, err := authenticate(ctx, secret)
			if err != nil && !errors.Is(err, store.ErrUnauthorized) {
				return nil, err
			}
			known[secret] = err == nil
		}
		return known, nil
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if MetricsAreOpen(r, allowed, nil) {
			metrics.ServeHTTP(w, r)
			return
		}
		scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || secret == "" {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send Authorization: Bearer and an admin key", http.StatusUnauthorized)
			return
		}
		address, _, _ := net.SplitHostPort(r.RemoteAddr)
		if failures.exhausted(address) {
			known, err := guessed.has(r.Context(), secret)
			if err == nil && !known {
				w.Header().Set("Retry-After", "1")
				http.Error(w, "too many wrong keys: wait 1 s", http.StatusTooManyRequests)
				return
			}
		}
		key, err := authenticate(r.Context(), secret)
		switch {
		case errors.Is(err, store.ErrUnauthorized):
			failures.take(address)
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "invalid key", http.StatusUnauthorized)
		case err != nil:
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
		case !MayReadMetrics(key):
			http.Error(w, "metrics need an admin key that is not limited", http.StatusForbidden)
		default:
			metrics.ServeHTTP(w, r)
		}
	})
}
