package tune

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learnt"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// seen is a kernel that notes which rows it is fitted to.
type seen struct {
	kernel.Gaussian
	to *[][]float64
}

func (k seen) Learn(_ context.Context, e kernel.Examples) (kernel.Kernel[any], error) {
	x, _ := data.VectorsOf(e.Points)
	rows := make([]float64, x.Len())
	for i := range rows {
		rows[i] = x.At(i)[0]
	}
	slices.Sort(rows)
	*k.to = append(*k.to, rows)
	return kernel.OnVectors(k.Gaussian), nil
}

// A kernel that is fitted to rows is fitted, for each fold, to the rows that the fold is fitted to and
// to no other, and for the last fit to all.
func TestKernelsLearnFromTheirFold(t *testing.T) {
	x, y := make(data.Slice[kernel.Vec], 20), make([]float64, 20)
	for i := range x {
		x[i], y[i] = kernel.Vec{float64(i)}, float64(i%2)
	}
	for _, learner := range []string{"svm", "ridge", "logistic", "gp", "nystrom", "knn"} {
		var to [][]float64
		p := learn.Problem[any]{Points: data.Erase(data.Points[kernel.Vec](x)), Task: data.Binary, Y: y}
		s := Search{Problem: p, Candidates: []Candidate{{Learner: learner, Kernel: kernel.OnVectors(seen{to: &to})}},
			Threads: 1}
		r, err := s.Run(context.Background())
		if err != nil {
			t.Errorf("%s: %v", learner, err)
			continue
		}
		want := [][]float64{}
		for _, f := range r.Folds {
			rows := make([]float64, len(f.Train))
			for i, at := range f.Train {
				rows[i] = float64(at)
			}
			slices.Sort(rows)
			want = append(want, rows)
		}
		all := make([]float64, len(x))
		for i := range all {
			all[i] = float64(i)
		}
		want = append(want, all)
		for _, rows := range to {
			if !slices.ContainsFunc(want, func(w []float64) bool { return slices.Equal(w, rows) }) {
				t.Errorf("%s: fitted to %v, which is no fold's", learner, rows)
			}
		}
		for _, rows := range want {
			if !slices.ContainsFunc(to, func(seen []float64) bool { return slices.Equal(seen, rows) }) {
				t.Errorf("%s: never fitted to %v, which a fold or the last fit is fitted to", learner, rows)
			}
		}
	}
}

// Targets that are drawn at random cannot be known: a kernel that looks at them, such as that of a
// forest grown by the targets, may not be right about rows of another fold more often than chance
// allows. Grown on all rows, it would know nearly all of them.
func TestLearntKernelsDoNotKnowTheirFold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 200
	x, y := make(data.Slice[kernel.Vec], n), make([]float64, n)
	for i := range x {
		x[i], y[i] = kernel.Vec{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, float64(rng.IntN(2))
	}
	p := learn.Problem[any]{Points: data.Erase(data.Points[kernel.Vec](x)), Task: data.Binary, Y: y}
	for name, k := range map[string]kernel.Kernel[kernel.Vec]{
		"forest":    learnt.Forest{Trees: 30, Seed: 1},
		"mondrian":  learnt.Mondrian{Trees: 10, Seed: 1},
		"isolation": learnt.Isolation{Trees: 30, Seed: 1},
		"fisher": learnt.Fisher[kernel.Vec]{Model: learnt.Mixture{Components: 3, Covariance: true},
			Information: learnt.Empirical},
	} {
		for _, learner := range []string{"svm", "ridge"} {
			r, err := Search{Problem: p, Candidates: []Candidate{{Learner: learner, Kernel: kernel.OnVectors(k)}},
				Metric: Accuracy(), NoModel: true}.Run(context.Background())
			if err != nil {
				t.Fatalf("%s %s: %v", learner, name, err)
			}
			// Right about 200 tosses of a coin: 0.5 ± 0.035; 0.66 is beyond four and a half of them.
			if got := r.Best.Mean; got > 0.66 {
				t.Errorf("%s %s: accuracy %.3f of targets that nobody can know", learner, name, got)
			}
		}
	}
}

// Rows that are all the same, on either side: no kernel that looks at them finds anything.
func TestNoInformationNoAccuracyLearnt(t *testing.T) {
	for _, l := range []string{"svm", "ridge", "logistic"} {
		p := sameRows(data.Binary, []int{20, 20}, 5, true)
		for _, k := range []kernel.Kernel[kernel.Vec]{learnt.Forest{Trees: 5}, learnt.Mondrian{Trees: 5},
			learnt.Isolation{Trees: 5}, learnt.Fisher[kernel.Vec]{Model: learnt.Normal{}}} {
			r, err := Search{Problem: p, Candidates: []Candidate{{Learner: l, Kernel: kernel.OnVectors(k)}}, Metric: Accuracy(),
				NoModel: true}.Run(context.Background())
			if err != nil {
				t.Logf("%s: %v", l, err)
				continue
			}
			for f, score := range r.Best.Scores {
				test := p.Gather(r.Folds[f].Test)
				b := learn.BaselineOf(test)
				if score > b.Shares[b.Class()]+1e-12 {
					t.Errorf("%s %T: %.3f on fold %d", l, k, score, f+1)
				}
			}
		}
	}
}

// The bits are the same at any number of threads.
func TestLearntKernelsAtAnyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	x, y := make(data.Slice[kernel.Vec], 40), make([]float64, 40)
	for i := range x {
		x[i] = kernel.Vec{rng.NormFloat64(), rng.NormFloat64()}
		y[i] = x[i][0] + 0.1*rng.NormFloat64()
	}
	p := learn.Regress[kernel.Vec](x, y).Erase()
	for _, k := range []kernel.Kernel[kernel.Vec]{learnt.Fisher[kernel.Vec]{Model: learnt.Mixture{Components: 2,
		Covariance: true}}, learnt.Forest{Trees: 7}, learnt.Mondrian{Trees: 7}, learnt.Isolation{Trees: 7}} {
		var want []float64
		for _, threads := range []int{1, 2, 8} {
			r, err := Search{Problem: p, Threads: threads,
				Candidates: []Candidate{{Learner: "ridge", Kernel: kernel.OnVectors(k)}}}.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			all, err := r.Model.PredictAll(context.Background(), p.Points)
			if err != nil {
				t.Fatal(err)
			}
			got := append(slices.Clone(r.Best.Scores), all.Value...)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%T, %d threads: %v, with one %v", k, threads, got, want)
			}
		}
	}
}
