package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
)

func evidenceSet(n int) learn.Problem[any] {
	rng := rand.New(rand.NewPCG(3, 3))
	x, y := make([][]float64, n), make([]float64, n)
	for i := range x {
		x[i] = []float64{4 * rng.Float64(), rng.NormFloat64()}
		y[i] = math.Sin(2*x[i][0]) + 0.1*rng.NormFloat64()
	}
	return learn.Problem[any]{Points: data.Erase(data.Slice[kernel.Vec](x)), Task: data.Regression, Y: y}
}

// By evidence each kernel is judged by its marginal likelihood on all rows, as
// the learner itself finds it, and the model of the winner is that fit.
func TestEvidence(t *testing.T) {
	p := evidenceSet(60)
	wavy := kernel.Scale[kernel.Vec](1, kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{1, 1}})
	journal := filepath.Join(t.TempDir(), "journal")
	s := Search{Problem: p, Protocol: Protocol{Evidence: true}, Journal: journal,
		Candidates: []Candidate{{Learner: "gp", Kernel: vec(kernel.Scale[kernel.Vec](1, kernel.Linear{}))},
			{Learner: "gp", Kernel: vec(wavy)}}}
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	m, err := gp.Regression[any]{Kernel: vec(wavy), FitMean: true}.Fit(context.Background(), p.Points, p.Y)
	if err != nil {
		t.Fatal(err)
	}
	if r.Chosen.Candidate != 1 || r.Chosen.Mean != m.LogMarginal() || r.Metric.Name != "evidence" || r.Fits != 2 {
		t.Errorf("chosen %v with %v, want %v; %d fits", r.Chosen, r.Chosen.Mean, m.LogMarginal(), r.Fits)
	}
	if got := r.Model.Model.(*gp.Regressor[any]).LogMarginal(); got != m.LogMarginal() || r.Model.Rows != 60 {
		t.Errorf("the model's evidence is %v of %d rows, want %v", got, r.Model.Rows, m.LogMarginal())
	}
	again, err := s.Run(context.Background()) // from the journal: the last fit is done afresh
	if err != nil || again.Resumed != 2 || again.Fits != 2 {
		t.Fatalf("resumed %d, %d fits, %v", again.Resumed, again.Fits, err)
	}
	if got := again.Model.Model.(*gp.Regressor[any]).LogMarginal(); got != m.LogMarginal() {
		t.Errorf("resumed: the model's evidence is %v, want %v", got, m.LogMarginal())
	}
	nested, err := Nested(context.Background(), Search{Problem: p, Protocol: Protocol{Evidence: true},
		Candidates: s.Candidates[1:]}, Protocol{Folds: 3})
	if err != nil || nested.Metric.Name != "rmse" || !(nested.Mean < 0.2) {
		t.Errorf("nested: %+v, %v", nested, err)
	}
}

func TestEvidenceRefuses(t *testing.T) {
	gp := Candidate{Learner: "gp", Kernel: vec(kernel.Gaussian{})}
	base := Search{Problem: evidenceSet(12), Protocol: Protocol{Evidence: true}, Candidates: []Candidate{gp}}
	for want, change := range map[string]func(s *Search){
		"ridge has no marginal likelihood": func(s *Search) {
			s.Candidates = append(s.Candidates, Candidate{Learner: "ridge", Kernel: vec(kernel.Gaussian{})})
		},
		"leave the folds out":        func(s *Search) { s.Protocol.Folds = 5 },
		`leave the metric "mae" out`: func(s *Search) { s.Metric = MAE() },
	} {
		s := base
		change(&s)
		if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
