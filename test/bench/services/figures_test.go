package services

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stat")
	line := "4711 (a (b) c) S 42 4711 4711 0 -1 4194560 100 200 0 0 150 50 30 20 20 0 1 0 12345 1000 200\n"
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readProcess(file)
	want := process{id: 4711, parent: 42, name: "a (b) c", own: 2 * time.Second, ended: 500 * time.Millisecond}
	if err != nil || !cmp.Equal(got, want, cmp.AllowUnexported(process{})) {
		t.Errorf("%+v, %v", got, err)
	}
	all := map[int]process{1: {id: 1}, 42: {id: 42, parent: 1}, 4711: got}
	if !descends(all, got, 42) || !descends(all, got, 1) || descends(all, all[42], 4711) {
		t.Error("who descends from whom is wrong")
	}
	for name, content := range map[string]string{"empty": "", "no name": "1 x S 1", "short": "1 (x) S 1"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := readProcess(file); err == nil {
			t.Errorf("%s is read as %+v", name, p)
		}
	}
}

func TestLatency(t *testing.T) {
	hundred := make([]time.Duration, 100) // 100 ms down to 1 ms
	for i := range hundred {
		hundred[i] = time.Duration(100-i) * time.Millisecond
	}
	for name, c := range map[string]struct {
		times []time.Duration
		want  Latency
	}{
		"none":       {nil, Latency{}},
		"one":        {[]time.Duration{1500 * time.Microsecond}, Latency{Count: 1, P50: 1.5, P95: 1.5, Max: 1.5}},
		"two":        {[]time.Duration{4 * time.Millisecond, 2 * time.Millisecond}, Latency{Count: 2, P50: 2, P95: 4, Max: 4}},
		"a hundred":  {hundred, Latency{Count: 100, P50: 50, P95: 95, Max: 100}},
		"not sorted": {[]time.Duration{3e6, 1e6, 2e6}, Latency{Count: 3, P50: 2, P95: 3, Max: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, LatencyOf(c.times)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
