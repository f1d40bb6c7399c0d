package data

import (
	"math"
	"strings"
	"testing"
)

// The column of noise is no feature, is needed by a fit and not by a prediction, and has variances.
func TestNoiseColumn(t *testing.T) {
	d := &Dataset{Name: "d", Target: "y", Noise: "v", Columns: []Column{NumberColumn("x", []float64{1, 2, 3}),
		NumberColumn("v", []float64{0, 0.5, 2}), NumberColumn("y", []float64{1, 3, 2.5})}}
	e, err := FitEncoder(d, EncoderOptions{Task: Regression})
	if err != nil {
		t.Fatal(err)
	}
	if e.Dim != 1 || e.Noise != "v" || !strings.Contains(d.Summary(), `noise "v"`) {
		t.Errorf("%d features, noise %q, %s", e.Dim, e.Noise, d.Summary())
	}
	for name, transform := range map[string]func(*Dataset) (*Encoded, error){"labelled": e.TransformLabelled,
		"new": e.Transform} {
		x, err := transform(d.Gather([]int{2, 0}))
		if err != nil || len(x.Noise) != 2 || x.Noise[0] != 2 || x.Noise[1] != 0 {
			t.Errorf("%s: noise %v, %v", name, x.Noise, err)
		}
	}
	without := &Dataset{Name: "new", Target: "y", Columns: []Column{d.Columns[0], d.Columns[2]}}
	if x, err := e.Transform(without); err != nil || x.Noise != nil {
		t.Errorf("new rows without it: %v", err)
	}
	if _, err := e.TransformLabelled(without); err == nil || !strings.Contains(err.Error(), `no column "v"`) {
		t.Errorf("a fit without it: %v", err)
	}
	if v, err := d.RowNoise([]int{1}); err != nil || len(v) != 1 || v[0] != 0.5 {
		t.Errorf("%v, %v", v, err)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		d.Columns[1].Numbers[1] = bad
		if _, err := e.Transform(d); err == nil || !strings.Contains(err.Error(), "a variance is finite and not negative") {
			t.Errorf("%g: %v", bad, err)
		}
	}
}
