package client

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// SignedRequest is a [Request] with the proof of who asks for it, as it travels through Temporal.
type SignedRequest struct {
	Request
	KeyID string `json:"keyId"`
	Proof []byte `json:"proof"` // HMAC-SHA256
}

// Signer proves whose requests they are. It may be kept by the struct that a team's workflows are methods of: its secret is in no
// history, no JSON and no log.
type Signer struct {
	KeyID  string // the id of a key, as POST /api/v1/keys answered it
	secret string
}

// NewSigner returns the signer of a key. Both were in the answer that made the key: its id, and its secret ("rv_…").
func NewSigner(keyID, secret string) Signer { return Signer{KeyID: keyID, secret: secret} }

// String returns the id of the key.
func (s Signer) String() string { return "key " + s.KeyID }

// GoString is String.
func (s Signer) GoString() string { return s.String() }

// LogValue is String.
func (s Signer) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MaxSigned is the most that a signed request may have as JSON, in bytes, on its way through Temporal, which takes 2 MiB for an input
// unless its operator has set less. The rest is left to what a codec of the caller adds. JSON escapes quotes, line breaks and the like,
// so that a request whose content and data are within their own limits can have more; over HTTP there is no such limit.
const MaxSigned = 2<<20 - 64<<10

// Sign adds the proof to a request: the HMAC-SHA256 of its canonical form, keyed with the SHA-256 of the key's secret. It is the
// same every time, so that a workflow may sign. It fails for a request that the server would refuse, such as one of more than MaxSigned
// bytes.
func (s Signer) Sign(r Request) (SignedRequest, error) {
	if err := r.validate(); err != nil {
		return SignedRequest{}, err
	}
	if size := len(r.Content) + len(r.Data); size > MaxSigned { // it is not worth the work, which a workflow has a second for
		return SignedRequest{}, r.tooLarge(size)
	}
	canonical, err := r.Canonical()
	if err != nil {
		return SignedRequest{}, err
	}
	key := sha256.Sum256([]byte(s.secret))
	mac := hmac.New(sha256.New, key[:])
	_, _ = mac.Write(canonical) // it never fails
	signed := SignedRequest{Request: r, KeyID: s.KeyID, Proof: mac.Sum(nil)}
	raw, err := json.Marshal(signed)
	if err != nil {
		return SignedRequest{}, fmt.Errorf("request %s: %w", r.RequestID, err)
	}
	if len(raw) > MaxSigned {
		return SignedRequest{}, r.tooLarge(len(raw))
	}
	return signed, nil
}

func (r Request) tooLarge(size int) error {
	return fmt.Errorf(
		"request %s has %d bytes as JSON, and at most %d travel through Temporal: send less of content and data, or send it over HTTP",
		r.RequestID,
		size,
		MaxSigned,
	)
}

// canonicalForm names the version of the canonical form.
const canonicalForm = "reverie.write.v1"

// Canonical returns the bytes that a proof covers: the name of the form, and every part of the request after its length (8 bytes, big
// endian). Content and data are represented by their SHA-256; data is normalized first, without spaces and with sorted
// names, since JSON changes its spelling in transit. It fails if the data is not JSON.
func (r Request) Canonical() ([]byte, error) {
	data, err := normal(r.Data)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, part := range []string{
		canonicalForm, r.RequestID, r.Agent, r.Owner, string(r.Scope), r.Target, string(r.Strategy), hash(r.Content), hash(data), r.Reason,
	} {
		_ = binary.Write(&out, binary.BigEndian, uint64(len(part))) // a buffer takes everything
		out.WriteString(part)
	}
	return out.Bytes(), nil
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// normal writes JSON in one way. Numbers stay as they were written.
func normal(raw json.RawMessage) (string, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return "", nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return "", fmt.Errorf("the data is not valid JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return "", fmt.Errorf("unexpected content after the data")
	}
	out, err := json.Marshal(value)
	return string(out), err
}
