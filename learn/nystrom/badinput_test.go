package nystrom

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Duplicates among the centres make K(C, C) singular: they are left out, which is said, and the
// function is that without them.
func TestDuplicatesAmongCenters(t *testing.T) {
	p := learntest.Problem(120, data.Regression, 14)
	once := data.Gather(p.Points, []int{1, 5, 9, 30, 77})
	twice := data.Gather(p.Points, []int{1, 5, 5, 9, 30, 1, 77, 77})
	for _, s := range []Solver{Direct, Falkon} {
		var want []float64
		for i, centers := range []data.Points[kernel.Vec]{once, twice} {
			m, err := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Lambda: 0.1, Given: centers,
				Options: Options{Solver: s, Tol: 1e-12}}.Fit(t.Context(), p.Points, p.Y)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := m.Predict(t.Context(), p.Points)
			if i == 0 {
				want = got
			}
			learntest.AllNear(t, s.String(), got, want, 1e-10)
			said := strings.Contains(strings.Join(m.Report().Warnings, "\n"), "3 of 8 centres depend on the others")
			if said != (i == 1) || m.Func().Centers.Len() != 5 {
				t.Errorf("%v: %d centres, %q", s, m.Func().Centers.Len(), m.Report().Warnings)
			}
		}
	}
}

// What cannot be learnt from is refused with its row; what cannot be asked for, with its name.
func TestRefused(t *testing.T) {
	p := learntest.Problem(40, data.Regression, 6)
	x := mat.NewDense(40, 2, nil)
	for i := range 40 {
		x.SetRow(i, p.Points.At(i))
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(17, 1, math.NaN())
	spoilt := append([]float64(nil), p.Y...)
	spoilt[23] = math.Inf(1)
	good := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Options: Options{Centers: 10}}
	with := func(f func(r *Regression[kernel.Vec])) Regression[kernel.Vec] {
		r := good
		f(&r)
		return r
	}
	for _, c := range []struct {
		r    Regression[kernel.Vec]
		x    data.Points[kernel.Vec]
		y    []float64
		want string
	}{
		{good, nil, p.Y, "no points"},
		{good, data.Rows(x), p.Y[:39], "40 points but 39 targets"},
		{good, data.Rows(bad), p.Y, "row 17, column 1"},
		{good, data.Rows(x), spoilt, "target of row 23"},
		{with(func(r *Regression[kernel.Vec]) { r.Kernel = nil }), data.Rows(x), p.Y, "kernel"},
		{with(func(r *Regression[kernel.Vec]) { r.Lambda = -1 }), data.Rows(x), p.Y, "Lambda is -1"},
		{with(func(r *Regression[kernel.Vec]) { r.Centers = -1 }), data.Rows(x), p.Y, "Centers is -1"},
		{with(func(r *Regression[kernel.Vec]) { r.Solver = 9 }), data.Rows(x), p.Y, "solver"},
		{with(func(r *Regression[kernel.Vec]) { r.Choice = 9 }), data.Rows(x), p.Y, "choice"},
		{with(func(r *Regression[kernel.Vec]) { r.Precision = 9 }), data.Rows(x), p.Y, "precision"},
		{with(func(r *Regression[kernel.Vec]) { r.Tol = math.NaN() }), data.Rows(x), p.Y, "Tol is NaN"},
		{with(func(r *Regression[kernel.Vec]) { r.MaxIterations = -1 }), data.Rows(x), p.Y, "MaxIterations is -1"},
		{with(func(r *Regression[kernel.Vec]) { r.Weights = make([]float64, 40) }), data.Rows(x), p.Y, "weights are 0"},
		{with(func(r *Regression[kernel.Vec]) { r.Weights = []float64{1} }), data.Rows(x), p.Y,
			"40 points but 1 sample weights"},
		{with(func(r *Regression[kernel.Vec]) { r.Given = data.Slice[kernel.Vec]{} }), data.Rows(x), p.Y,
			"Given has no centres"},
		{with(func(r *Regression[kernel.Vec]) { r.Given = data.Slice[kernel.Vec]{{1, 2, 3}} }), data.Rows(x), p.Y, "Given: "},
		{with(func(r *Regression[kernel.Vec]) { r.Given = data.Slice[kernel.Vec]{{1, math.NaN()}} }), data.Rows(x), p.Y,
			"Given: "},
	} {
		if _, err := c.r.Fit(context.Background(), c.x, c.y); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q wanted: %v", c.want, err)
		}
	}
	// Rows of a source are looked at in blocks, and the error says where they began.
	many := learntest.Problem(surveyRows+50, data.Regression, 6)
	at := surveyRows + 20
	rows := many.Points.(data.DenseRows)
	rows.At(at)[0] = math.NaN()
	if _, err := good.FitSource(context.Background(), byHand{rows, many.Y}); err == nil ||
		!strings.Contains(err.Error(), "from 16384 on") || !strings.Contains(err.Error(), "row 20, column 0") {
		t.Error(err)
	}
	// those in memory all at once
	if _, err := good.Fit(context.Background(), rows, many.Y); err == nil ||
		!strings.Contains(err.Error(), "row 16404, column 0") {
		t.Error(err)
	}
	small := with(func(r *Regression[kernel.Vec]) { r.Bytes = 1000 })
	var over *learn.OverBudget
	if _, err := small.Fit(context.Background(), p.Points, p.Y); !errors.As(err, &over) || over.Needs != bytesFor(10, 1) {
		t.Errorf("a budget of 1000 bytes: %v", err)
	}
	if _, err := (Classification[kernel.Vec, string]{Regression: good}).Fit(context.Background(), data.Rows(x),
		make([]string, 40)); !errors.Is(err, learn.ErrOneClass) {
		t.Error("one class:", err)
	}
}

// One point, a constant target and a constant column are learnt.
func TestDegenerate(t *testing.T) {
	for _, s := range []Solver{Direct, Falkon} {
		for _, precision := range []gram.Precision{gram.Double, gram.Single} {
			r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Intercept: true,
				Options: Options{Solver: s, Precision: precision}}
			for name, c := range map[string]struct {
				x data.Points[kernel.Vec]
				y []float64
			}{
				"one point":       {data.Line([]float64{3}), []float64{7}},
				"constant target": {data.Line([]float64{1, 2, 3}), []float64{5, 5, 5}},
				"constant column": {data.Line([]float64{2, 2, 2}), []float64{1, 2, 3}},
			} {
				m, err := r.Fit(t.Context(), c.x, c.y)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				mean := 0.0
				for _, v := range c.y {
					mean += v / float64(len(c.y))
				}
				got, err := m.Predict(t.Context(), c.x)
				if err != nil || math.Abs(got[0]-mean) > 1e-9 || !m.Report().Converged {
					t.Errorf("%v, %s: %v, %v, %+v", s, name, got, err, m.Report())
				}
			}
		}
	}
}
