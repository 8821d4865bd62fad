// Package hooks sends events to webhooks: signed as Standard Webhooks describes it (https://www.standardwebhooks.com), to public addresses
// only, without following redirects, and without keeping what an endpoint answers.
package hooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Reason explains a failed delivery. It never contains words of the endpoint.
type Reason string

// Reasons.
const (
	ReasonStatus     Reason = "status"     // the answer was none of 200 to 299
	ReasonRedirect   Reason = "redirect"   // the answer was a redirect, which is not followed
	ReasonTimeout    Reason = "timeout"    // there was no answer in time
	ReasonAddress    Reason = "address"    // the name has an address to which nothing is sent
	ReasonName       Reason = "name"       // the name has no address
	ReasonTLS        Reason = "tls"        // the certificate is not valid for the name, or there is no common version
	ReasonConnection Reason = "connection" // it was refused or reset
)

const (
	// answerLimit bounds what is read of an answer's body, so that the connection can be used again. It is thrown away.
	answerLimit = 4 << 10
	headerLimit = 16 << 10
	// MaxRetryAfter bounds the delay that an endpoint may ask for.
	MaxRetryAfter = 4 * time.Hour
	idleFor       = 30 * time.Second
)

// secretPrefix marks a secret in its written form.
const secretPrefix = "whsec_"

// WriteSecret returns the form of a secret that people and libraries take.
func WriteSecret(secret []byte) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// Message is the content of a request to an endpoint.
type Message struct {
	ID   string // the same in every attempt
	Body []byte // JSON
}

// Outcome is the outcome of one attempt.
type Outcome struct {
	Status     int    // of HTTP; 0: there was no answer
	Reason     Reason // empty: delivered
	RetryAfter time.Duration
	Took       time.Duration
}

// Delivered reports whether the endpoint has accepted the message.
func (o Outcome) Delivered() bool { return o.Reason == "" }

// Sender sends messages. It is made by NewSender and safe for concurrent use.
type Sender struct {
	client  *http.Client
	agent   string
	timeout time.Duration
	now     func() time.Time
}

// NewSender returns a sender. Besides public addresses it connects to those in allowed, to which it also sends without TLS. roots are the
// authorities that it trusts; nil: those of the system.
func NewSender(version string, timeout time.Duration, allowed []netip.Prefix, roots *tls.Config, now func() time.Time) *Sender {
	dial := func(scheme string) func(context.Context, string, string) (net.Conn, error) {
		// The address is checked when it is connected to: by then its name cannot mean another one.
		d := &net.Dialer{Timeout: timeout, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return check(scheme, address, allowed)
		}}
		return func(ctx context.Context, network, address string) (net.Conn, error) {
			return d.DialContext(ctx, network, address)
		}
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if roots != nil {
		config.RootCAs = roots.RootCAs
	}
	overTLS := &http.Transport{
		// No proxy: it would connect to addresses that nobody checks.
		DialContext: dial("https"), TLSClientConfig: config, TLSHandshakeTimeout: timeout, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: headerLimit, MaxIdleConnsPerHost: 1, IdleConnTimeout: idleFor, DisableCompression: true,
	}
	plain := overTLS.Clone()
	plain.DialContext = dial("http")
	return &Sender{
		client: &http.Client{
			Transport: transports{"https": overTLS, "http": plain}, Timeout: timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		agent: strings.TrimSuffix("Reverie-Webhooks/"+version, "/"), timeout: timeout, now: now,
	}
}

// transports are transports by scheme.
type transports map[string]*http.Transport

// RoundTrip implements http.RoundTripper.
func (t transports) RoundTrip(r *http.Request) (*http.Response, error) {
	transport := t[r.URL.Scheme]
	if transport == nil {
		return nil, errAddress
	}
	return transport.RoundTrip(r)
}

// errAddress means that nothing is sent to an address.
var errAddress = errors.New("webhooks are not sent to this address")

// check refuses addresses to which nothing is sent.
func check(scheme, address string, allowed []netip.Prefix) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", errAddress, err)
	}
	if admits(scheme, at.Addr(), allowed) {
		return nil
	}
	return errAddress
}

// Send sends a message once, signed with each of the secrets.
func (s *Sender) Send(ctx context.Context, url string, secrets [][]byte, m Message) (Outcome, error) {
	began := s.now()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(m.Body))
	if err != nil {
		return Outcome{Reason: ReasonAddress}, nil // it is the endpoint's fault
	}
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		signer, err := standardwebhooks.NewWebhookRaw(secret)
		if err != nil {
			return Outcome{}, err
		}
		if signatures[i], err = signer.Sign(m.ID, began, m.Body); err != nil {
			return Outcome{}, err
		}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", s.agent)
	request.Header.Set(standardwebhooks.HeaderWebhookID, m.ID)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(began.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	answer, err := s.client.Do(request)
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	if err != nil {
		return Outcome{Reason: reasonOf(err), Took: s.now().Sub(began)}, nil
	}
	defer answer.Body.Close()
	out := Outcome{Status: answer.StatusCode, Took: s.now().Sub(began), RetryAfter: retryAfter(answer.Header, s.now())}
	switch {
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		out.Reason = ReasonRedirect
	case answer.StatusCode < 200 || answer.StatusCode >= 300:
		out.Reason = ReasonStatus
	default:
		// It is delivered, however the body goes on. A short one is read so that the connection can be used again.
		_, _ = io.CopyN(io.Discard, answer.Body, answerLimit)
	}
	return out, nil
}

// reasonOf classifies an error without its text, which may quote what an endpoint sent.
func reasonOf(err error) Reason {
	var (
		name        *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
		timeout     net.Error
	)
	switch {
	case errors.Is(err, errAddress):
		return ReasonAddress
	case errors.As(err, &timeout) && timeout.Timeout():
		return ReasonTimeout
	case errors.As(err, &name):
		return ReasonName
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		return ReasonTLS
	}
	return ReasonConnection
}

// retryAfter returns the delay that an answer asks for; 0: none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	after := time.Duration(0)
	if seconds, err := strconv.Atoi(text); err == nil {
		after = time.Duration(min(max(seconds, 0), int(MaxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		after = at.Sub(now)
	}
	return min(max(after, 0), MaxRetryAfter)
}

// closed are networks that are not the public internet, besides those for which netip has a name: shared addresses of providers, what
// protocols reserve, tests and documentation, and ways of writing other addresses into IPv6.
var closed = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

// Public reports whether an address is one of the public internet: not of this machine, a private network, a link (as the metadata services
// of clouds are), a group, or a reserved range.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsValid() && a.Zone() == "" && a.IsGlobalUnicast() && !a.IsPrivate() && !within(a, closed)
}

// admits reports whether messages are sent to an address: with TLS to the public internet, and to those in allowed in any case.
func admits(scheme string, a netip.Addr, allowed []netip.Prefix) bool {
	return within(a, allowed) || scheme == "https" && Public(a)
}

// MayReach reports whether messages may be sent to a URL, as far as it shows without looking up its name: the address that the name has is
// checked when it is connected to.
func MayReach(to *url.URL, allowed []netip.Prefix) bool {
	if a, err := netip.ParseAddr(to.Hostname()); err == nil {
		return admits(to.Scheme, a, allowed)
	}
	return to.Scheme == "https" || len(allowed) > 0
}

func within(a netip.Addr, networks []netip.Prefix) bool {
	a = a.Unmap()
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(a) })
}
