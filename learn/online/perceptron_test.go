package online

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestPerceptronMistakeBound: on points with y⟨w*, x⟩ ≥ ε, ‖w*‖ = 1, the mistakes
// are at most M/ε², and all points are classified in the end. The kernel version
// makes the same mistakes.
func TestPerceptronMistakeBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d, n := rapid.IntRange(1, 5).Draw(rt, "d"), rapid.IntRange(2, 30).Draw(rt, "n")
		eps := rapid.Float64Range(0.2, 2).Draw(rt, "margin")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		w := make([]float64, d)
		norm := 0.0
		for j := range w {
			w[j] = r.NormFloat64()
			norm += w[j] * w[j]
		}
		norm = math.Sqrt(norm)
		x, y, big, margin := mat.NewDense(n, d, nil), make([]int, n), 0.0, math.Inf(1)
		for i := range n {
			row := x.RawRowView(i)
			s := 0.0
			for j := range row {
				row[j] = 2 * r.NormFloat64()
				s += w[j] * row[j] / norm
			}
			y[i] = 2*(i%2) - 1 // both classes are there
			sign := float64(y[i])
			push := sign*(eps+math.Abs(s)) - s
			s, m := 0.0, 0.0
			for j := range row {
				row[j] += push * w[j] / norm
				s += w[j] * row[j] / norm
				m += row[j] * row[j]
			}
			big, margin = math.Max(big, m), math.Min(margin, sign*s)
		}
		o := PerceptronOptions{Passes: 1 << 20, Shuffle: rapid.Bool().Draw(rt, "shuffle"), Seed: 7}
		m, err := Perceptron[kernel.Vec, int]{Kernel: kernel.Linear{}, PerceptronOptions: o}.Fit(context.Background(),
			data.Rows(x), y)
		if err != nil {
			rt.Fatal(err)
		}
		if bound := big / (margin * margin); float64(m.Mistakes()[0]) > bound*(1+1e-9) {
			rt.Fatalf("%d mistakes, the bound is %g", m.Mistakes()[0], bound)
		}
		for i, v := range modeltest.Predict(t, m, data.Rows(x)) {
			if v != y[i] {
				rt.Fatalf("point %d is predicted %d after the last pass", i, v)
			}
		}
		l, err := LinearPerceptron[kernel.Vec, int]{PerceptronOptions: o}.Fit(context.Background(), data.Rows(x), y)
		if err != nil {
			rt.Fatal(err)
		}
		if got := l.Report().Objective; got != float64(m.Mistakes()[0]) {
			rt.Fatalf("linear perceptron made %g mistakes, the kernel one %d", got, m.Mistakes()[0])
		}
	})
}

// TestVotedPerceptronIsTheSumOfItsFunctions replays the algorithm of the notes
// with explicit weight vectors, on points that are not separable.
func TestVotedPerceptronIsTheSumOfItsFunctions(t *testing.T) {
	x, y := learntest.Blobs(60, 3, 2, 2.5, 5)
	const passes = 4
	var ws [][]float64
	var votes []float64
	w := make([]float64, 3)
	for range passes {
		for i := range y {
			s, sign := 0.0, float64(2*y[i]-1)
			for j, v := range x.RawRowView(i) {
				s += w[j] * v
			}
			if sign*s > 0 {
				votes[len(votes)-1]++
				continue
			}
			next := append([]float64(nil), w...)
			for j, v := range x.RawRowView(i) {
				next[j] += sign * v
			}
			w = next
			ws, votes = append(ws, w), append(votes, 1)
		}
	}
	o := PerceptronOptions{Voted: true, Passes: passes}
	m, err := Perceptron[kernel.Vec, int]{Kernel: kernel.Linear{}, PerceptronOptions: o}.Fit(context.Background(),
		data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	l, err := LinearPerceptron[kernel.Vec, int]{PerceptronOptions: o}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	if m.Report().Converged || len(m.Report().Warnings) == 0 {
		t.Error("points that are not separable were reported separated")
	}
	decision, counted, linear := modeltest.Decision(t, m, data.Rows(x)), modeltest.Votes(t, m, data.Rows(x)),
		modeltest.Decision(t, l, data.Rows(x))
	for i := range y {
		sum, vote := 0.0, 0.0
		for s, w := range ws {
			f := 0.0
			for j, v := range x.RawRowView(i) {
				f += w[j] * v
			}
			sum += votes[s] * f
			if f > 0 {
				vote += votes[s]
			} else {
				vote -= votes[s]
			}
		}
		if d := decision.At(i, 0); math.Abs(d-sum) > 1e-9*(1+math.Abs(sum)) {
			t.Fatalf("decision at %d is %g, want %g", i, d, sum)
		}
		if d := linear.At(i, 0); math.Abs(d-sum) > 1e-9*(1+math.Abs(sum)) {
			t.Fatalf("linear decision at %d is %g, want %g", i, d, sum)
		}
		if v := counted.At(i, 0); v != vote {
			t.Fatalf("votes at %d are %g, want %g", i, v, vote)
		}
	}
}

func TestKernelPerceptronLearnsXor(t *testing.T) {
	x := data.Rows(mat.NewDense(4, 2, []float64{0, 0, 1, 1, 0, 1, 1, 0}))
	y := []string{"same", "same", "different", "different"}
	for _, voted := range []bool{false, true} {
		m, err := Perceptron[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 0.5},
			PerceptronOptions: PerceptronOptions{Voted: voted, Intercept: true}}.Fit(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range modeltest.Predict(t, m, x) {
			if v != y[i] {
				t.Errorf("voted %t: point %d is %s", voted, i, v)
			}
		}
	}
}
