package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// strategies is every way to search, small.
func strategies() []Strategy {
	return []Strategy{Grid{Refine: 1}, Random{Cells: 8}, Bayes{Cells: 9, Start: 6}, Halving{Least: 20, Eta: 2}}
}

// sameResult fails unless two results have the same cells in the same order,
// the same choice and models that predict the same, all to the bit.
func sameResult(t *testing.T, what string, got, want *Result, p learn.Problem[any]) {
	t.Helper()
	if len(got.Cells) != len(want.Cells) {
		t.Fatalf("%s: %d cells, want %d", what, len(got.Cells), len(want.Cells))
	}
	for i, c := range got.Cells {
		w := want.Cells[i]
		if key(c.Candidate, c.theta) != key(w.Candidate, w.theta) || c.String() != w.String() || c.Label != w.Label ||
			c.Fits != w.Fits || c.GivenUp != w.GivenUp || c.Failed != w.Failed {
			t.Fatalf("%s: cell %d is %+v, want %+v", what, i, c, w)
		}
		for f := range c.Scores {
			if math.Float64bits(c.Scores[f]) != math.Float64bits(w.Scores[f]) {
				t.Fatalf("%s: %v fold %d: %v, want %v", what, c, f, c.Scores[f], w.Scores[f])
			}
		}
		if math.Float64bits(c.Mean) != math.Float64bits(w.Mean) || math.Float64bits(c.SE) != math.Float64bits(w.SE) {
			t.Fatalf("%s: %v: %v ± %v, want %v ± %v", what, c, c.Mean, c.SE, w.Mean, w.SE)
		}
	}
	if got.Best.String() != want.Best.String() || got.Chosen.String() != want.Chosen.String() || got.Fits != want.Fits {
		t.Fatalf("%s: chosen %v of %d fits, want %v of %d", what, got.Chosen, got.Fits, want.Chosen, want.Fits)
	}
	a, err := got.Model.PredictAll(context.Background(), p.Points)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := want.Model.PredictAll(context.Background(), p.Points)
	for i := range a.Score {
		if math.Float64bits(a.Score[i]) != math.Float64bits(b.Score[i]) {
			t.Fatalf("%s: the models differ at %d", what, i)
		}
	}
}

// journalCells counts the cells in a journal, and fails on one that is there twice.
func journalCells(t *testing.T, text []byte) (cells int) {
	t.Helper()
	seen := map[string]bool{}
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		if i == 0 {
			continue
		}
		var l journalLine
		read, err := readJournal(bytes.NewReader(append(append(bytes.Clone(bytes.SplitN(text, []byte("\n"), 2)[0]), '\n'),
			append(line, '\n')...)), headOf(t, text))
		if err != nil || len(read.lines) != 1 {
			t.Fatalf("line %d: %v", i+1, err)
		}
		l = read.lines[0]
		for _, c := range l.Cells {
			id := l.Part + " " + key(c.Candidate, c.Theta)
			if seen[id] {
				t.Fatalf("line %d: %s was judged twice", i+1, c.Cell)
			}
			seen[id] = true
			cells++
		}
	}
	return cells
}

func headOf(t *testing.T, text []byte) string {
	t.Helper()
	_, rest, ok := strings.Cut(string(bytes.SplitN(text, []byte("\n"), 2)[0]), `"search":"`)
	if !ok {
		t.Fatal("no head")
	}
	return rest[:64]
}

// Killed after any line of its journal, with a part of the next one written, a
// search goes on to the same result to the bit, and no cell is judged twice.
func TestJournalKilledAnywhere(t *testing.T) {
	t.Parallel()
	for _, l := range []string{"svm", "ridge"} {
		for _, strategy := range strategies() {
			for _, race := range []bool{false, true} {
				if testing.Short() && race != (l == "ridge") {
					continue
				}
				name := fmt.Sprintf("%s %T race=%v", l, strategy, race)
				file := filepath.Join(t.TempDir(), "journal")
				s := Search{Problem: toy(60, data.Binary, 2), Candidates: []Candidate{grid(l)}, Strategy: strategy, Race: race,
					Journal: file}
				want := mustRun(t, s)
				whole, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				total := journalCells(t, whole)
				if total < len(want.Cells) {
					t.Fatalf("%s: %d cells in the journal, %d in the result", name, total, len(want.Cells))
				}
				lines := bytes.SplitAfter(whole, []byte("\n"))
				for cut := 0; cut < len(lines); cut += datatest.Size(1, 2) {
					kept := bytes.Join(lines[:cut], nil)
					cells := 0
					if cut > 0 {
						cells = journalCells(t, kept)
					}
					half := lines[cut][:len(lines[cut])/2]
					if err := os.WriteFile(file, append(bytes.Clone(kept), half...), 0o666); err != nil {
						t.Fatal(err)
					}
					what := fmt.Sprintf("%s, killed after line %d", name, cut)
					r := mustRun(t, s)
					sameResult(t, what, r, want, s.Problem)
					if r.Resumed != cells {
						t.Fatalf("%s: %d cells resumed, the journal has %d", what, r.Resumed, cells)
					}
					now, _ := os.ReadFile(file)
					if journalCells(t, now) != total {
						t.Fatalf("%s: %d cells in the journal, want %d", what, journalCells(t, now), total)
					}
				}
			}
		}
	}
}

// Stopped by its context after every k-th group, a search continues, and all
// its runs together fit every machine once.
func TestJournalCancelledAnywhere(t *testing.T) {
	t.Parallel()
	for _, strategy := range strategies() {
		var fits atomic.Int64
		c := Candidate{Learner: "counted", Kernel: vec(kernel.Gaussian{}),
			Axes: []Axis{{Name: "gaussian.lengthscale", Values: []float64{0.5, 1, 2}},
				{Name: "shift", Values: []float64{0.1, 1}}},
			Custom: &Custom{
				Params: []kernel.Param{{Name: "shift", Value: 1, Domain: fitting.Positive}},
				Fit: func(_ context.Context, k kernel.Kernel[any], params map[string]float64, p learn.Problem[any]) (Predictor,
					error) {
					fits.Add(1)
					width := kernel.Values(k)[0]
					return PredictorFunc(func(_ context.Context, x data.Points[any]) (learn.Predictions, error) {
						out := learn.Predictions{Value: make([]float64, x.Len())}
						for i := range out.Value {
							out.Value[i] = math.Sin(width*x.At(i).(kernel.Vec)[0]) + params["shift"]
						}
						return out, nil
					}), nil
				}}}
		s := Search{Problem: toy(80, data.Regression, 2), Candidates: []Candidate{c}, Strategy: strategy, Threads: 1,
			NoModel: true}
		want := mustRun(t, s)
		once := fits.Load()
		for k := 1; ; k++ {
			fits.Store(0)
			s.Journal = filepath.Join(t.TempDir(), "journal")
			runs, rest := 1, 0
			var r *Result
			for ; ; runs++ {
				ctx, cancel := context.WithCancel(context.Background())
				events := 0
				s.Trace = func(Event) {
					if events++; events == k {
						cancel()
					}
				}
				var err error
				r, err = s.Run(ctx)
				cancel()
				if err != nil && !strings.Contains(err.Error(), "before any cell") {
					t.Fatal(err) // rounds before the last of successive halving leave no cell
				}
				if err == nil && !r.Interrupted {
					rest = events
					break
				}
			}
			if fits.Load() != once {
				t.Fatalf("%T stopped after every %d groups: %d fits in %d runs, want %d", strategy, k, fits.Load(), runs, once)
			}
			if r.Fits != want.Fits || r.Best.String() != want.Best.String() || r.Best.Mean != want.Best.Mean ||
				len(r.Cells) != len(want.Cells) {
				t.Fatalf("%T stopped after every %d groups: %v, want %v", strategy, k, r.Best, want.Best)
			}
			if runs == 1 || rest < k && runs == 2 && k > 4 {
				break
			}
		}
	}
}

func TestJournalOfAnotherSearch(t *testing.T) {
	s := simple("ridge", data.Binary)
	s.Journal = filepath.Join(t.TempDir(), "journal")
	mustRun(t, s)
	s.Problem = toy(120, data.Binary, 9)
	if _, err := s.Run(context.Background()); !errors.Is(err, ErrOtherSearch) {
		t.Errorf("the journal of another search was taken: %v", err)
	}
}

// Scores that JSON has no number for come back.
func TestJournalScores(t *testing.T) {
	for _, v := range []float64{0, math.Copysign(0, -1), 1e-320, 0.1, math.MaxFloat64, math.Inf(1), math.Inf(-1),
		math.NaN()} {
		b, err := journalScore(v).MarshalJSON()
		var back journalScore
		if err == nil {
			err = back.UnmarshalJSON(b)
		}
		if err != nil || math.Float64bits(float64(back)) != math.Float64bits(v) && !math.IsNaN(v) ||
			math.IsNaN(v) != math.IsNaN(float64(back)) {
			t.Errorf("%v became %s, %v, %v", v, b, float64(back), err)
		}
	}
}
