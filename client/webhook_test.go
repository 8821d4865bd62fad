package client

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// The request below is one of the examples of the Standard Webhooks libraries, so that signatures fit those of others.
func TestVerifyWebhook(t *testing.T) {
	const secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `{"test": 2432232314}`
	at := time.Unix(1614265330, 0)
	header := func(change ...string) http.Header {
		h := http.Header{}
		h.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
		h.Set("webhook-timestamp", "1614265330")
		h.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
		for i := 0; i < len(change); i += 2 {
			h.Set(change[i], change[i+1])
		}
		return h
	}
	right := header().Get("webhook-signature")
	for name, c := range map[string]struct {
		secret, body string
		header       http.Header
		now          time.Time
		refused      bool
	}{
		"as it was sent":          {secret, body, header(), at, false},
		"without the prefix":      {secret[6:], body, header(), at, false},
		"a little late":           {secret, body, header(), at.Add(4 * time.Minute), false},
		"one of two signatures":   {secret, body, header("webhook-signature", "v1,AAAA v2,xyz "+right), at, false},
		"too late":                {secret, body, header(), at.Add(6 * time.Minute), true},
		"too early":               {secret, body, header(), at.Add(-6 * time.Minute), true},
		"another body":            {secret, body + " ", header(), at, true},
		"another id":              {secret, body, header("webhook-id", "msg_2"), at, true},
		"another time":            {secret, body, header("webhook-timestamp", "1614265331"), at, true},
		"another secret":          {"whsec_AAAA", body, header(), at, true},
		"another version":         {secret, body, header("webhook-signature", "v1a,"+right[3:]), at, true},
		"no signature":            {secret, body, header("webhook-signature", ""), at, true},
		"no time":                 {secret, body, header("webhook-timestamp", ""), at, true},
		"a part of the signature": {secret, body, header("webhook-signature", right[:20]), at, true},
	} {
		e, err := verifyWebhook(c.secret, c.header, []byte(c.body), c.now)
		if refused := errors.Is(err, ErrWebhook); refused != c.refused || err == nil && e.ID != "msg_p5jXN8AQM9LWM0D4loKWxJek" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	if _, err := VerifyWebhook("", header(), []byte(body)); err == nil || errors.Is(err, ErrWebhook) {
		t.Errorf("an empty secret: %v", err)
	}
}
