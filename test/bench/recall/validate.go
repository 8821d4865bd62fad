package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"reverie/search/rank"
)

// validation is a cross-validation of the ranking's parameters: each is multiplied by several factors while the others keep their
// defaults, and the best factors of all sets but one are measured on that one. Where the defaults are much better than factors
// chosen without a set, they were fitted to it.
type validation struct {
	Sets     []string    `json:"sets"`
	Defaults []float64   `json:"defaults"` // objective of each set, in points
	Varied   []varied    `json:"varied"`
	HeldOut  []heldOut   `json:"heldOut"` // by set
	Mean     meanHeldOut `json:"mean"`
}

// varied is the objective of each set with one parameter multiplied by a factor.
type varied struct {
	Parameter string    `json:"parameter"`
	Factor    float64   `json:"factor"`
	Objective []float64 `json:"objective"`
}

// heldOut is the objective of one set with parameters chosen without it.
type heldOut struct {
	Changes   []string `json:"changes"` // such as "Coverage × 2"
	Objective float64  `json:"objective"`
}

type meanHeldOut struct{ Defaults, Chosen float64 }

// factors are the multiples of each parameter that are tried; 0 switches it off.
var factors = []float64{0, .5, 2}

// worthChoosing is the gain in points, in the mean of the other sets, from which a factor is chosen.
const worthChoosing = .2

// validate measures each parameter with each factor on all sets, which are loaded.
func (b *bench) validate(ctx context.Context, sets []set, memory *inMemory) (validation, error) {
	var v validation
	for _, s := range sets {
		v.Sets = append(v.Sets, s.name)
	}
	measure := func(o rank.Options, which ...set) (objectives []float64, err error) {
		memory.ranking = &o
		defer func() { memory.ranking = nil }()
		for _, s := range which {
			outcomes, _, err := b.askAll(ctx, s, nil)
			if err != nil {
				return nil, err
			}
			objectives = append(objectives, objective(outcomes))
		}
		return objectives, nil
	}
	var err error
	if v.Defaults, err = measure(rank.DefaultOptions(), sets...); err != nil {
		return v, err
	}
	for _, parameter := range parameters() {
		for _, factor := range factors {
			o := rank.DefaultOptions()
			multiply(&o, parameter, factor)
			one := varied{Parameter: parameter, Factor: factor}
			if one.Objective, err = measure(o, sets...); err != nil {
				return v, err
			}
			v.Varied = append(v.Varied, one)
		}
	}
	for i, s := range sets {
		o, changes := v.chooseWithout(i)
		got, err := measure(o, s)
		if err != nil {
			return v, err
		}
		v.HeldOut = append(v.HeldOut, heldOut{changes, got[0]})
		v.Mean.Defaults += v.Defaults[i] / float64(len(sets))
		v.Mean.Chosen += got[0] / float64(len(sets))
	}
	return v, nil
}

// objective is the mean of R@5 and R@10 of turns, in points.
func objective(outcomes []asked) float64 {
	recall := group("", outcomes, validated, func(asked) bool { return true }).Recall
	return percent(recall[0].Turn+recall[1].Turn) / 2
}

// validated are the k of the objective.
var validated = []int{5, 10}

// chooseWithout returns the options with the best factor of each parameter on all sets but one.
func (v validation) chooseWithout(left int) (o rank.Options, changes []string) {
	o = rank.DefaultOptions()
	for _, parameter := range parameters() {
		best, gain := varied{}, worthChoosing
		for _, one := range v.Varied {
			if one.Parameter != parameter {
				continue
			}
			total := 0.0
			for i := range v.Sets {
				if i != left {
					total += one.Objective[i] - v.Defaults[i]
				}
			}
			if mean := total / float64(max(1, len(v.Sets)-1)); mean > gain {
				best, gain = one, mean
			}
		}
		if best.Parameter != "" {
			multiply(&o, parameter, best.Factor)
			changes = append(changes, fmt.Sprintf("%s × %g", parameter, best.Factor))
		}
	}
	return o, changes
}

// parameters returns the names of the weights of the ranking.
func parameters() (names []string) {
	options := reflect.TypeFor[rank.Options]()
	for f := range options.Fields() {
		switch f.Type {
		case reflect.TypeFor[float64](), reflect.TypeFor[rank.Neighbourhood]():
			names = append(names, f.Name)
		}
	}
	return names
}

// multiply multiplies a parameter by a factor.
func multiply(o *rank.Options, parameter string, factor float64) {
	switch p := reflect.ValueOf(o).Elem().FieldByName(parameter).Addr().Interface().(type) {
	case *float64:
		*p *= factor
	case *rank.Neighbourhood:
		p.Onward *= factor
		p.Backward *= factor
	}
}

func (v validation) print(w io.Writer) error {
	fmt.Fprint(w, "mean of R@5 and R@10, difference in points from the defaults\n\n")
	t := newTable(w)
	t.row(slices.Concat([]string{"parameter", "factor"}, v.Sets))
	cells := []string{"defaults", ""}
	for _, o := range v.Defaults {
		cells = append(cells, fmt.Sprintf("%.1f", o))
	}
	t.row(cells)
	for _, one := range v.Varied {
		cells := []string{one.Parameter, fmt.Sprint(one.Factor)}
		for i, o := range one.Objective {
			cells = append(cells, fmt.Sprintf("%+.1f", o-v.Defaults[i]))
		}
		t.row(cells)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprint(w, "\neach set with the factors that are best on the others\n\n")
	t = newTable(w)
	t.row([]string{"", "defaults", "chosen without it", "changes"})
	for i, s := range v.Sets {
		t.row([]string{s, fmt.Sprintf("%.1f", v.Defaults[i]), fmt.Sprintf("%.1f", v.HeldOut[i].Objective), fmt.Sprint(v.HeldOut[i].Changes)})
	}
	t.row([]string{"mean", fmt.Sprintf("%.1f", v.Mean.Defaults), fmt.Sprintf("%.1f", v.Mean.Chosen), ""})
	return t.Flush()
}

var errNotOffline = errors.New("-validate needs -offline: it varies the ranking within this process")
