package cli

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

// grid replaces the values that the search would try.
func (o *fitOptions) grid(out *tune.AutoOptions) error {
	for _, g := range o.Grid {
		name, list, ok := strings.Cut(g, "=")
		v, err := parseAxis(list)
		if !ok || err != nil {
			return usage("--grid: %q; write NAME=1,2,4 or NAME=0.1:10:5", g)
		}
		out.Axes = append(out.Axes, tune.Axis{Name: name, Values: v})
	}
	return nil
}

// parseAxis reads 1,2,4 or LOW:HIGH:COUNT.
func parseAxis(text string) ([]float64, error) {
	if parts := strings.Split(text, ":"); len(parts) == 3 {
		low, err1 := strconv.ParseFloat(parts[0], 64)
		high, err2 := strconv.ParseFloat(parts[1], 64)
		count, err3 := strconv.Atoi(parts[2])
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, err
		}
		if !(low > 0 && high >= low && high <= math.MaxFloat64) || count < 1 || count > 1000 {
			return nil, errors.New("bounds must be positive and in order")
		}
		return learn.LogSpace(low, high, count), nil
	}
	var out []float64
	for _, s := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return nil, err
		}
		if v-v != 0 {
			return nil, errors.New("values must be finite")
		}
		out = append(out, v)
	}
	return out, nil
}
