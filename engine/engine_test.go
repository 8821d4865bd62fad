package engine

import (
	"context"
	"encoding/base64"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"reverie/config"
)

func key(id string, fill byte) string {
	return id + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(rune(fill)), keyBytes)))
}

func TestPayloadsAreEncryptedAndReadAgain(t *testing.T) {
	first, err := ParseKeys(key("a", 'x'))
	if err != nil {
		t.Fatal(err)
	}
	rotated, err := ParseKeys(key("b", 'y') + ", " + key("a", 'x'))
	if err != nil {
		t.Fatal(err)
	}
	const text = "a reference that should not be readable"
	plain, err := converter.GetDefaultDataConverter().ToPayload(text)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := first.Encode([]*commonpb.Payload{plain})
	if err != nil {
		t.Fatal(err)
	}
	if raw, _ := proto.Marshal(sealed[0]); strings.Contains(string(raw), text) {
		t.Error("the encrypted payload shows its text")
	}
	for name, keys := range map[string]Keys{"same keys": first, "after rotation": rotated} {
		opened, err := keys.Decode(sealed)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !proto.Equal(opened[0], plain) {
			t.Errorf("%s: %v came back", name, opened[0])
		}
	}
	if through, err := first.Decode([]*commonpb.Payload{plain}); err != nil || !proto.Equal(through[0], plain) {
		t.Errorf("a payload from before encryption does not pass: %v %v", through, err)
	}

	sealedByNew, err := rotated.Encode([]*commonpb.Payload{plain})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Decode(sealedByNew); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("an unknown key is not named: %v", err)
	}
	sealed[0].Data[len(sealed[0].Data)-1] ^= 1
	if _, err := first.Decode(sealed); err == nil {
		t.Error("a changed payload was accepted")
	}
	sealed[0].Data = sealed[0].Data[:3]
	if _, err := first.Decode(sealed); err == nil {
		t.Error("a payload cut short was accepted")
	}
}

func TestBadKeysAreRefusedWithoutShowingThem(t *testing.T) {
	for _, keys := range []string{
		"", "nocolon", ":" + strings.Repeat("A", 44), "a:not*base64", "a:" + base64.StdEncoding.EncodeToString(make([]byte, keyBytes-1)),
		"a:" + base64.StdEncoding.EncodeToString(make([]byte, keyBytes+1)), key("a", 'x') + "," + key("a", 'y'),
	} {
		_, err := ParseKeys(keys)
		if err == nil {
			t.Errorf("%q was accepted", keys)
			continue
		}
		if _, secret, found := strings.Cut(keys, ":"); found && len(secret) > 3 && strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the key: %v", err)
		}
	}
}

func TestOptionsFollowTheConfiguration(t *testing.T) {
	plain, err := Options(config.Config{TemporalAddress: "127.0.0.1:1"}, nil)
	if err != nil || plain.DataConverter != nil || plain.ConnectionOptions.TLS != nil {
		t.Errorf("without keys: %+v %v", plain, err)
	}
	managed, err := Options(config.Config{TemporalAPIKey: "k", EncryptionKeys: config.Secret(key("a", 'x'))}, nil)
	if err != nil || managed.DataConverter == nil || managed.FailureConverter == nil || managed.ConnectionOptions.TLS == nil ||
		managed.Credentials == nil {
		t.Errorf("with a key: %+v %v", managed, err)
	}
	if _, err := Options(config.Config{EncryptionKeys: "bad"}, nil); err == nil {
		t.Error("a bad encryption key was accepted")
	}
}

func TestMetricsAreServed(t *testing.T) {
	telemetry, err := NewTelemetry(context.Background(), config.Config{LogLevel: "info"}, "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	counter, err := telemetry.Meters.Meter(scope).Int64Counter("reverie_probe")
	if err != nil {
		t.Fatal(err)
	}
	counter.Add(context.Background(), 7)
	answer := httptest.NewRecorder()
	telemetry.Metrics.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	if !strings.Contains(answer.Body.String(), `reverie_probe_total`) || !strings.Contains(answer.Body.String(), " 7") {
		t.Errorf("the counter is missing in\n%s", answer.Body)
	}
	if err := telemetry.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := NewTelemetry(context.Background(), config.Config{LogLevel: "loud"}, "test", io.Discard); err == nil {
		t.Error("an unknown log level was accepted")
	}
}
