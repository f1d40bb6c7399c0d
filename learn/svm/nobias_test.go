package svm

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
)

// Without a bias the machine is its dual within bounds: the gap to the primal closes, no constant
// is left, and for points that come with their mirror images of the other class, where the best
// bias is 0, it is the machine with one.
func TestWithoutBias(t *testing.T) {
	x, label := learntest.Blobs(60, 2, 3, 1.2, 9)
	c := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1}, C: 3, NoBias: true,
		Options: Options{Tol: 1e-7}}
	m, err := c.Fit(context.Background(), data.Rows(x), label)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range m.Func().Bias {
		if b != 0 {
			t.Errorf("machine %d has the bias %g", i, b)
		}
		if g := m.each[i].gap; !(math.Abs(g) < 1e-5) {
			t.Errorf("machine %d has a relative duality gap of %g", i, g)
		}
	}
	if m.Report().Certificate > 1e-7 || !m.Report().Converged {
		t.Errorf("%+v", m.Report())
	}
	var points data.Slice[kernel.Vec]
	var y []int
	for i := range 20 {
		a, b := math.Sin(float64(i))+0.3, math.Cos(3*float64(i))
		points, y = append(points, kernel.Vec{a, b}, kernel.Vec{-a, -b}), append(y, 1, 0)
	}
	c.Kernel, c.C = kernel.Linear{}, 2
	free, err := c.Fit(context.Background(), points, y)
	if err != nil {
		t.Fatal(err)
	}
	c.NoBias = false
	with, err := c.Fit(context.Background(), points, y)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := free.Decision(context.Background(), points)
	q, _ := with.Decision(context.Background(), points)
	for i := range y {
		if math.Abs(p.At(i, 0)-q.At(i, 0)) > 1e-4 {
			t.Errorf("point %d: %g, with a bias %g", i, p.At(i, 0), q.At(i, 0))
		}
	}
	for _, bad := range []Classification[kernel.Vec, int]{{NoBias: true, Nu: 0.1}, {NoBias: true, C: math.Inf(1)},
		{NoBias: true, Probability: true}} {
		bad.Kernel = kernel.Linear{}
		if _, err := bad.Fit(context.Background(), points, y); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}
