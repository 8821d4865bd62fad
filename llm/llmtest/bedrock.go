package llmtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Bedrock is an AWS Bedrock endpoint that gives every InvokeModel the same answer.
type Bedrock struct {
	Status int
	Header map[string]string
	Body   string

	Count atomic.Int64 // requests
	Auth  atomic.Value // string: the last Authorization header
	Sent  atomic.Value // string: the last body
}

// ServeHTTP implements http.Handler.
func (b *Bedrock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.Count.Add(1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	b.Auth.Store(r.Header.Get("Authorization"))
	b.Sent.Store(string(body))
	w.Header().Set("Content-Type", "application/json")
	for name, value := range b.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(b.Status)
	_, _ = io.WriteString(w, b.Body)
}

// Listen starts the endpoint until the test ends, and returns its URL.
func (b *Bedrock) Listen(tb testing.TB) string {
	tb.Helper()
	server := httptest.NewServer(b)
	tb.Cleanup(server.Close)
	return server.URL
}

// SetAWSCredentials sets AWS's environment up with test credentials only, whatever the machine has.
func SetAWSCredentials(tb testing.TB) {
	tb.Helper()
	for name, value := range map[string]string{
		"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKIATESTTESTTESTTEST", "AWS_SECRET_ACCESS_KEY": "aws-secret-0123456789",
		"AWS_SESSION_TOKEN": "", "AWS_PROFILE": "", "AWS_CONFIG_FILE": tb.TempDir() + "/none",
		"AWS_SHARED_CREDENTIALS_FILE": tb.TempDir() + "/none", "AWS_EC2_METADATA_DISABLED": "true",
	} {
		tb.Setenv(name, value)
	}
}
