package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"reverie/test/bench/services"
)

// report is the result of a run, also as JSON.
type report struct {
	Delay  float64 `json:"modelSeconds"` // response time of the model
	Sizes  []size  `json:"sizes,omitempty"`
	Speeds []speed `json:"speeds,omitempty"`
	Nights *nights `json:"nights,omitempty"`
}

// Limits. Those of time use CPU time if known, because other work on the machine hardly affects it.
const (
	// sumBar limits a dream relative to the sum of Temporal's floor and the steps alone. Both use the same
	// processors, so their sum cannot be avoided; the rest is overhead of the orchestration and variation between
	// measurements.
	sumBar = 1.5
	// newsBar limits a night of all agents relative to the sum of the same news in few agents and a night without
	// news: what exceeds 1 grows with the agents and not with the news.
	newsBar = 1.5
	// statementBar is the same for the number of SQL statements, which depends on nothing but the code.
	statementBar = 1.1
)

// bars returns all figures with limits.
func (r report) bars() []services.Bar {
	var out []services.Bar
	for _, s := range r.Speeds {
		at := fmt.Sprintf("%d at once, ", s.Parallel)
		out = append(out,
			cheaper(at+"rules next to floor and steps: ", s.RulesCPUShare, s.RulesTime, sumBar),
			cheaper(at+"model next to floor and steps: ", s.ModelCPUShare, s.ModelTime, sumBar))
	}
	if n := r.Nights; n != nil {
		const all = "night of all agents next to few agents and no news: "
		out = append(out, cheaper(all, n.CPUShare, n.TimeShare, newsBar),
			services.Bar{Name: all + "statements", Got: n.StatementShare, Most: statementBar})
	}
	return out
}

// cheaper returns a limit for CPU time, or for time if that is unknown.
func cheaper(name string, cpu, time, most float64) services.Bar {
	if cpu == 0 {
		return services.Bar{Name: name + "time", Got: time, Most: most}
	}
	return services.Bar{Name: name + "CPU time", Got: cpu, Most: most}
}

// passed reports whether all limits are met.
func (r report) passed() bool {
	return services.Passed(r.bars())
}

func (r report) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, part := range []func(io.Writer){r.printSizes, r.printSpeeds, r.printNights} {
		part(t)
	}
	services.PrintBars(t, r.bars())
	return t.Flush()
}

func (r report) printSizes(w io.Writer) {
	for i, s := range r.Sizes {
		if i == 0 {
			fmt.Fprintln(w, "one dream\tnotes\tmodel asked\ttokens in\ttokens out\thistory\tevents\tdatabase\trows\t")
		}
		rows := 0.0
		for _, n := range s.Rows {
			rows += n
		}
		fmt.Fprintf(w, "%s week\t%d characters\t%.2f times\t%.0f\t%.0f\t%.1f kB\t%.0f\t%.0f kB\t%.0f\t\n", s.Name, s.NoteSize, s.Requests,
			s.InputTokens, s.OutputTokens, s.HistoryBytes/1e3, s.HistoryEvents, s.DatabaseBytes/1e3, rows)
	}
	for _, s := range r.Sizes {
		var rows []string
		for _, name := range slices.Sorted(maps.Keys(s.Rows)) {
			rows = append(rows, fmt.Sprintf("%s %.1f", name, s.Rows[name]))
		}
		fmt.Fprintf(w, "\nrows of one, %s week: %s\n", s.Name, strings.Join(rows, ", "))
		fmt.Fprintf(w, "history of the night of %d of them: %.1f kB, %d events\n", s.Dreams, float64(s.NightBytes)/1e3, s.NightEvents)
	}
	if len(r.Sizes) > 0 {
		fmt.Fprintln(w)
	}
}

func (r report) printSpeeds(w io.Writer) {
	if len(r.Speeds) == 0 {
		return
	}
	fmt.Fprintf(w, "owners per minute\towners\tfloor\tsteps alone\trules\tof floor\tfloor, %.0f ms\tmodel\tof floor\t\n", 1000*r.Delay)
	for _, s := range r.Speeds {
		fmt.Fprintf(w, "%d at once\t%d\t%.0f\t%.0f\t%.0f\t%.2f\t%.0f\t%.0f\t%.2f\t\n", s.Parallel, s.Owners, s.Floor, s.Alone, s.Rules,
			s.Rules/s.Floor, s.ModelFloor, s.Model, s.Model/s.ModelFloor)
	}
	fmt.Fprintln(w, "\nCPU ms of one\tfloor\tsteps alone\trules\tto sum\tfloor, model\tmodel\tto sum\ttime: rules to sum\tmodel to sum\t")
	for _, s := range r.Speeds {
		fmt.Fprintf(w, "%d at once\t%.0f\t%.0f\t%.0f\t%.2f\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t\n", s.Parallel, s.FloorCPU, s.AloneCPU, s.RulesCPU,
			s.RulesCPUShare, s.ModelFloorCPU, s.ModelCPU, s.ModelCPUShare, s.RulesTime, s.ModelTime)
	}
	fmt.Fprintln(w, "\none dream by rules\ttrips to the database\tstatements\twaiting for it\t")
	for _, s := range r.Speeds {
		fmt.Fprintf(w, "%d at once\t%.1f\t%.1f\t%.1f ms\t\n", s.Parallel, s.Trips, s.Statements, s.Database)
	}
	fmt.Fprintln(w)
}

func (r report) printNights(w io.Writer) {
	n := r.Nights
	if n == nil {
		return
	}
	fmt.Fprintln(w, "a night\tagents\twith news\tseconds\tworkflows\ttrips\tstatements\t"+
		"CPU s: worker\tdatabase\tTemporal\tCPU ms for each with news\t")
	for _, one := range []struct {
		name         string
		agents, news int
		cost         cost
	}{
		{"empty workflows", n.Agents, 0, n.Empty},
		{"no news", n.Agents, 0, n.Quiet},
		{"few agents", n.DenseAgents, n.News, n.Dense},
		{"all agents", n.Agents, n.News, n.Sparse},
	} {
		each := "-"
		if one.news > 0 {
			each = fmt.Sprintf("%.0f", 1000*one.cost.cpu()/float64(one.news))
		}
		c := one.cost
		fmt.Fprintf(w, "%s\t%d\t%d\t%.1f\t%d\t%d\t%d\t%.1f\t%.1f\t%.1f\t%s\t\n", one.name, one.agents, one.news, c.Seconds, c.Workflows, c.Trips,
			c.Statements, c.Worker, c.Database, c.Temporal, each)
	}
	fmt.Fprintf(w, "\nall agents to few agents and no news together: time %.2f, CPU time %.2f, statements %.2f\n\n", n.TimeShare,
		n.CPUShare, n.StatementShare)
}
