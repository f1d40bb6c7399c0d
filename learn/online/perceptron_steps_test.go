package online

import (
	"context"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// A perceptron that is stopped after t examples has made the mistakes of the rule written out, and
// no more.
func TestPerceptronStopsAfterExamples(t *testing.T) {
	x := data.Slice[kernel.Vec]{{0.2, 1}, {1, -0.3}, {-0.5, 0.4}, {0.3, 0.3}, {-1, -1}, {0.7, 0.9}, {-0.2, -0.1}}
	y := []int{0, 1, 0, 1, 0, 1, 1}
	k := kernel.Gaussian{Lengthscale: 0.7}
	for examples := 1; examples <= 40; examples++ {
		m, err := Perceptron[kernel.Vec, int]{Kernel: k,
			PerceptronOptions: PerceptronOptions{Examples: examples}}.Fit(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		alpha, clean := make([]float64, len(y)), 0
		for s := 0; s < examples && clean < len(y); s++ {
			i, f := s%len(y), 0.0
			if i == 0 {
				clean = 0
			}
			for j, a := range alpha {
				f += a * k.Eval(x[i], x[j])
			}
			sign := float64(2*y[i] - 1)
			if sign*f > 0 {
				clean++
				continue
			}
			alpha[i] += sign
			want = append(want, i)
		}
		if got := m.MistakeSequence(0); !slices.Equal(got, want) {
			t.Errorf("%d examples: mistakes %v, want %v", examples, got, want)
		}
		if m.Mistakes()[0] != len(want) {
			t.Errorf("%d examples: %d mistakes, want %d", examples, m.Mistakes()[0], len(want))
		}
		if examples < len(y) && m.Report().Converged {
			t.Errorf("%d examples of %d: converged", examples, len(y))
		}
	}
	l, err := LinearPerceptron[kernel.Vec,
		int]{PerceptronOptions: PerceptronOptions{Examples: 1}}.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	if w, _ := l.Decision(context.Background(), x); w.At(0, 0) >= 0 {
		t.Errorf("after one example, a mistake, its own value is %g", w.At(0, 0))
	}
	if _, err := (Perceptron[kernel.Vec, int]{Kernel: k,
		PerceptronOptions: PerceptronOptions{Examples: -1}}).Fit(context.Background(), x, y); err == nil {
		t.Error("-1 examples were taken")
	}
}
