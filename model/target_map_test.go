package model

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

// mappedCases are models of positive targets by both maps: a machine with conformal intervals, a
// process with a distribution, and a committee.
func mappedCases() map[string]*Model {
	ctx := context.Background()
	x := newPoints(8, 24, 2)
	d := goldenRows(x)
	y := make([]float64, x.Len())
	for i := range y {
		y[i] = math.Exp(x.At(i)[0] * x.At(i)[1])
	}
	d.Columns = append(d.Columns, data.NumberColumn("price", y))
	d.Target = "price"
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	points := must(e.TransformLabelled(d)).Dense
	k := kernel.Gaussian{Lengthscale: 1.5}
	out := map[string]*Model{}
	for _, kind := range []string{"log", "rank"} {
		t := must(data.FitTargetMap(kind, y))
		info := func() Info {
			return Info{Encoder: e, Rows: x.Len(), Residuals: []float64{0.1, 0.2, 0.4}, TargetMap: t}
		}
		plain := must(ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 0.1, Intercept: true}.Fit(ctx, points, t.ApplyAll(y)))
		out["ridge-"+kind] = must(New(plain, info()))
		out["gp-"+kind] = must(New(must(gp.Regression[kernel.Vec]{Kernel: k, Noise: 0.05, FixedNoise: true, FitMean: true,
			HyperOptions: gp.HyperOptions{FixedKernel: true}}.Fit(ctx, points, t.ApplyAll(y))), info()))
		one := must(New(plain, Info{Encoder: e}))
		two := must(New(must(ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 1, Intercept: true}.Fit(ctx,
			points, t.ApplyAll(y))), Info{Encoder: e}))
		out["committee-"+kind] = must(NewCommittee(Committee{Members: []CommitteeMember{{one, 0.75}, {two, 0.25}}}, info()))
	}
	return out
}

// A model of a mapped target says what the same function says without the map, mapped back to the
// bit: values, scores and the ends of intervals.
func TestMappedTargetsComeBack(t *testing.T) {
	d := goldenRows(newPoints(9, 7, 2))
	for name, m := range mappedCases() {
		back := must(Decode(encodeModel(t, m)))
		if s := back.Summary(); s.Format != mappedFormat || s.Transform != m.info.TargetMap.Kind || back.HasStd() ||
			!back.HasIntervals() {
			t.Errorf("%s: %+v", name, s)
		}
		plain := *m
		plain.info.TargetMap = nil
		want := must(plain.Predict(context.Background(), d, Want{Interval: 0.7, Scores: true}))
		for _, from := range []*Model{m, back} {
			got := must(from.Predict(context.Background(), d, Want{Interval: 0.7, Scores: true}))
			if got.Std != nil || got.ObservationStd != nil {
				t.Errorf("%s: deviations of another scale", name)
			}
			for i := range got.Values {
				inverse := m.info.TargetMap.Invert
				if got.Values[i] != inverse(want.Values[i]) || got.Low[i] != inverse(want.Low[i]) ||
					got.High[i] != inverse(want.High[i]) || got.Scores.At(i, 0) != got.Values[i] {
					t.Errorf("%s: row %d is %g in %g to %g", name, i, got.Values[i], got.Low[i], got.High[i])
				}
				if !(got.Low[i] < got.Values[i] && got.Values[i] < got.High[i]) {
					t.Errorf("%s: %g lies outside %g to %g", name, got.Values[i], got.Low[i], got.High[i])
				}
			}
		}
		if _, err := back.Predict(context.Background(), d, Want{Std: true}); !errors.Is(err, ErrNoDeviations) {
			t.Errorf("%s: deviations: %v", name, err)
		}
	}
}

// Rows of known answers are judged in the units of the target; the density of y is that of z times
// dz/dy, which a quadrature of it shows: all of it is 1.
func TestMappedTargetsAreJudged(t *testing.T) {
	for _, kind := range []string{"log", "rank"} {
		m := mappedCases()["gp-"+kind]
		const n, step = 8000, 0.02
		one, y := newPoints(9, 1, 2), make([]float64, n)
		same := mat.NewDense(n, 2, nil)
		for i := range n {
			same.SetRow(i, one.At(0))
			if y[i] = -40 + step*(float64(i)+0.5); kind == "log" {
				y[i] += 40
			}
		}
		d := goldenRows(data.Rows(same))
		d.Columns = append(d.Columns, data.NumberColumn("price", y))
		d.Target = "price"
		p, _, err := m.Judged(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for i, v := range p.LogDensity {
			total += step * math.Exp(v)
			if p.Truth[i] != y[i] || p.Value[i] <= 0 {
				t.Fatalf("%s: %g is predicted of %g", kind, p.Value[i], p.Truth[i])
			}
		}
		if math.Abs(total-1) > 0.02 {
			t.Errorf("%s: the density of the target holds %g", kind, total)
		}
	}
	d := goldenRows(newPoints(9, 2, 2))
	// no logarithm, but an error that can be judged
	d.Columns = append(d.Columns, data.NumberColumn("price", []float64{1, -2}))
	d.Target = "price"
	p, _, err := mappedCases()["gp-log"].Judged(t.Context(), d)
	if err != nil || p.Truth[1] != -2 || !math.IsInf(p.LogDensity[1], -1) || math.IsInf(p.LogDensity[0], 0) {
		t.Errorf("a negative truth: %+v %v", p, err)
	}
}

// Formats without a place for the map refuse it; ONNX has exponentials.
func TestMappedTargetsAreExportedOrRefused(t *testing.T) {
	for name, m := range mappedCases() {
		var b bytes.Buffer
		var unfit *UnfitError
		for _, write := range []func() error{func() error { return m.WriteJSON(&b) },
			func() error { return m.WriteLIBSVM(&b, LIBSVMOptions{}) }} {
			if err := write(); !errors.As(err, &unfit) {
				t.Errorf("%s: %v", name, err)
			}
		}
		err := m.WriteONNX(&b, ONNXOptions{Single: true})
		if wants := name == "ridge-log" || name == "gp-log"; wants != (err == nil) || !wants && !errors.As(err, &unfit) {
			t.Errorf("%s as ONNX: %v", name, err)
		}
		if name == "ridge-rank" && !strings.Contains(err.Error(), "normal score") {
			t.Errorf("%s as ONNX: %v", name, err)
		}
	}
}

func TestMapsOfWhatHasNone(t *testing.T) {
	ridges := mappedCases()["ridge-log"]
	for _, change := range []func(*Info){
		func(i *Info) { i.TargetMap = &data.TargetMap{Kind: "root"} },
		func(i *Info) { i.TargetScale = &data.Affine{Factor: 2} },
	} {
		info := ridges.Info()
		change(&info)
		if _, err := assemble(ridges.body, info); err == nil {
			t.Errorf("%+v was taken", info.TargetMap)
		}
	}
	for _, m := range severalCases() {
		info := m.Info()
		info.TargetMap = &data.TargetMap{Kind: "log"}
		if _, err := assemble(m.body, info); err == nil {
			t.Error("a map of several targets was taken")
		}
	}
}
