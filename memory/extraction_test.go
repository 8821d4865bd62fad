package memory

import "testing"

func TestUsageAdds(t *testing.T) {
	if got, want := (Usage{1, 2, 3, 4}).Add(Usage{10, 20, 30, 40}), (Usage{11, 22, 33, 44}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Of a run with several steps the worst news is reported, and news before none.
func TestOutcomesAreRanked(t *testing.T) {
	ranked := []Outcome{OutcomeRunning, OutcomeSkipped, OutcomeNothing, OutcomeWritten, OutcomeQuarantined, OutcomeFailed}
	for i := 1; i < len(ranked); i++ {
		if ranked[i].Severity() <= ranked[i-1].Severity() {
			t.Errorf("%s tells no more than %s", ranked[i], ranked[i-1])
		}
	}
}
