package dreams

import (
	"testing"

	"reverie/memory"
	"reverie/store/dreams"
)

// A client that repeats a request while another release is rolled out means the same dream, whatever settings that release has.
func TestRequestsKeepTheirKeyOverReleases(t *testing.T) {
	t.Parallel()
	const want = "http/00000000-0000-0000-0000-000000000000/k/1518ff8926292900"
	if got := dreamKey(t.Context(), "k", dreams.NewDream{Mode: memory.DreamNightly}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
