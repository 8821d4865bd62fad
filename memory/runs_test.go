package memory

import "testing"

func TestUsageAdds(t *testing.T) {
	if got, want := (Usage{1, 2, 3, 4}).Add(Usage{10, 20, 30, 40}), (Usage{11, 22, 33, 44}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The most severe outcome of a run with several steps is reported.
func TestOutcomesAreRanked(t *testing.T) {
	ranked := []Outcome{OutcomeRunning, OutcomeSkipped, OutcomeNothing, OutcomeWritten, OutcomeQuarantined, OutcomeFailed}
	for i := 1; i < len(ranked); i++ {
		if ranked[i].Severity() <= ranked[i-1].Severity() {
			t.Errorf("%s is not more severe than %s", ranked[i], ranked[i-1])
		}
	}
}
