package model

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
)

// A model whose numbers were changed into others that a checksum was made for may compute what is
// no number: that is an error with the row, in every answer.
func TestPredictionsAreFinite(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4}
	d := &data.Dataset{Name: "rows.csv", Target: "y", Columns: []data.Column{data.NumberColumn("x", x),
		data.NumberColumn("y", x)}}
	e := must(data.FitEncoder(d, data.EncoderOptions{Scaling: "none", Task: data.Regression}))
	enc := must(e.TransformLabelled(d))
	fitted := must(ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 1e-6}.Fit(context.Background(), enc.Dense,
		enc.Target))
	m := must(New(fitted, Info{Encoder: e, TargetScale: &data.Affine{Center: 0, Factor: 1e-300}}))
	next := &data.Dataset{Name: "next.csv", Columns: []data.Column{data.NumberColumn("x", []float64{1, 1e299, 2})}}
	_, err := m.Predict(context.Background(), next, Want{})
	var fault *data.Error
	if !errors.As(err, &fault) || !errors.Is(err, data.ErrNotFinite) || fault.Row != 2 || fault.File != "next.csv" ||
		!strings.Contains(err.Error(), "the prediction is") {
		t.Errorf("%v", err)
	}
	next.Columns[0].Numbers[1] = 3
	p, err := m.Predict(context.Background(), next, Want{Scores: true})
	if err != nil || math.IsNaN(p.Values[1]) {
		t.Errorf("%v, %v", p, err)
	}
}

// An interval without an end says nothing, and is an error with the row, too.
func TestIntervalsAreFinite(t *testing.T) {
	zero := make([]float64, 5)
	d := &data.Dataset{Name: "rows.csv", Target: "y", Columns: []data.Column{data.NumberColumn("x", zero),
		data.NumberColumn("y", zero)}}
	e := must(data.FitEncoder(d, data.EncoderOptions{Scaling: "none", Task: data.Regression}))
	enc := must(e.TransformLabelled(d))
	wide := kernel.Scale(1e20, kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 1}))
	fitted := must(gp.Regression[kernel.Vec]{Kernel: wide, Noise: 1, FixedNoise: true,
		HyperOptions: gp.HyperOptions{FixedKernel: true}}.Fit(context.Background(), enc.Dense, enc.Target))
	m := must(New(fitted, Info{Encoder: e, TargetScale: &data.Affine{Center: 0, Factor: 1e-299}}))
	next := &data.Dataset{Name: "next.csv", Columns: []data.Column{data.NumberColumn("x", []float64{0, 9})}}
	if p, err := m.Predict(context.Background(), next, Want{}); err != nil || p.Values[1] != 0 {
		t.Fatalf("%v, %v", p, err)
	}
	_, err := m.Predict(context.Background(), next, Want{Interval: 0.9})
	var fault *data.Error
	if !errors.As(err, &fault) || !errors.Is(err, data.ErrNotFinite) || fault.Row != 2 ||
		!strings.Contains(err.Error(), "the interval is") {
		t.Errorf("%v", err)
	}
}
