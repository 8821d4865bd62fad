package engine

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

const (
	encodingKey   = "encoding"
	encodingValue = "binary/encrypted"
	keyIDKey      = "encryption-key-id"
	keyBytes      = 32 // AES-256
)

// Keys are the payload keys. The first one encrypts and all of them decrypt, so that a key can be replaced while
// histories written with the old one stay readable.
type Keys struct {
	current string
	ciphers map[string]cipher.AEAD
}

// ParseKeys parses "id:base64[,id:base64…]", 32 bytes each.
func ParseKeys(s string) (Keys, error) {
	k := Keys{ciphers: map[string]cipher.AEAD{}}
	for part := range strings.SplitSeq(s, ",") {
		id, encoded, found := strings.Cut(strings.TrimSpace(part), ":")
		if !found || id == "" {
			return Keys{}, errors.New("an encryption key must have the form <id>:<32 bytes in base64>")
		}
		if _, known := k.ciphers[id]; known {
			return Keys{}, fmt.Errorf("encryption key %q is given twice", id)
		}
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return Keys{}, fmt.Errorf("encryption key %q is not base64", id)
		}
		if len(raw) != keyBytes {
			return Keys{}, fmt.Errorf("encryption key %q has %d bytes, %d are required", id, len(raw), keyBytes)
		}
		block, err := aes.NewCipher(raw)
		if err != nil {
			return Keys{}, fmt.Errorf("encryption key %q: %w", id, err)
		}
		if k.ciphers[id], err = cipher.NewGCM(block); err != nil {
			return Keys{}, fmt.Errorf("encryption key %q: %w", id, err)
		}
		if k.current == "" {
			k.current = id
		}
	}
	return k, nil
}

// Encode encrypts payloads with AES-256-GCM. The key's id is stored next to them in clear text.
func (k Keys) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		aead := k.ciphers[k.current]
		nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(plain)+aead.Overhead())
		if _, err := rand.Read(nonce); err != nil {
			return nil, err
		}
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{encodingKey: []byte(encodingValue), keyIDKey: []byte(k.current)},
			Data:     aead.Seal(nonce, nonce, plain, []byte(k.current)),
		}
	}
	return out, nil
}

// Decode decrypts what Encode made and passes everything else through, such as payloads from before a key was set.
func (k Keys) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if string(p.GetMetadata()[encodingKey]) != encodingValue {
			out[i] = p
			continue
		}
		id := string(p.GetMetadata()[keyIDKey])
		aead, known := k.ciphers[id]
		if !known {
			return nil, fmt.Errorf("a payload is encrypted with key %q, which is not among the configured keys", id)
		}
		if len(p.GetData()) < aead.NonceSize() {
			return nil, errors.New("an encrypted payload is truncated")
		}
		nonce, sealed := p.GetData()[:aead.NonceSize()], p.GetData()[aead.NonceSize():]
		plain, err := aead.Open(nil, nonce, sealed, []byte(id))
		if err != nil {
			return nil, fmt.Errorf("a payload encrypted with key %q cannot be decrypted", id)
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(plain, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

var _ converter.PayloadCodec = Keys{}

// Sealer encrypts secrets that are stored, with the payload keys. Without keys it stores them as they are.
type Sealer struct{ keys *Keys }

// sealedPrefix marks what was encrypted.
const sealedPrefix = "sealed:"

// NewSealer returns the sealer with keys as ParseKeys takes them; empty: none.
func NewSealer(keys string) (Sealer, error) {
	if keys == "" {
		return Sealer{}, nil
	}
	parsed, err := ParseKeys(keys)
	return Sealer{&parsed}, err
}

// Seal encrypts a secret with the first key.
func (s Sealer) Seal(plain []byte) ([]byte, error) {
	if s.keys == nil {
		return plain, nil
	}
	sealed, err := s.keys.Encode([]*commonpb.Payload{{Data: plain}})
	if err != nil {
		return nil, err
	}
	text, err := proto.Marshal(sealed[0])
	return append([]byte(sealedPrefix), text...), err
}

// Open decrypts what Seal made, with any of the keys. What was stored while there were none is returned as it is.
func (s Sealer) Open(sealed []byte) ([]byte, error) {
	text, isSealed := bytes.CutPrefix(sealed, []byte(sealedPrefix))
	if !isSealed {
		return sealed, nil
	}
	keys := cmp.Or(s.keys, &Keys{})
	payload := &commonpb.Payload{}
	if err := proto.Unmarshal(text, payload); err != nil {
		return nil, err
	}
	opened, err := keys.Decode([]*commonpb.Payload{payload})
	if err != nil {
		return nil, err
	}
	return opened[0].GetData(), nil
}
