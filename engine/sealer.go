package engine

import (
	"bytes"
	"cmp"

	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"
)

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
