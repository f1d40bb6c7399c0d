package tune

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn"
)

// cubic is a learner whose fit takes (rows/1000)³ times a time, with a look at the context every
// second.
func cubic(c *workClock, thousand time.Duration) *learn.Learner {
	return &learn.Learner{Name: "cubic", Values: true, Classes: true,
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			n := float64(p.Len()) / 1000
			for left := time.Duration(n * n * n * float64(thousand)); left > 0; left -= time.Second {
				if c.pass(min(left, time.Second)); ctx.Err() != nil {
					return nil, ctx.Err()
				}
			}
			l, err := (Candidate{Learner: "nystrom"}).entry()
			if err != nil {
				return nil, err
			}
			s.Params = map[string]float64{"lambda": 0.1, "centres": 60} // better the more rows there are
			return l.Fit(ctx, s, p)
		}}
}

// A learner that was named and takes too long on all rows is fitted on as many as there is time
// for, the budget holds within a tenth, and what the result is of is said.
func TestNamedLearnerOnFewerRows(t *testing.T) {
	const n = 2560
	for _, c := range []struct {
		thousand time.Duration // of a fit of a thousand rows
		least    int           // rows of the model
	}{{time.Second, 450}, {20 * time.Second, 250}, {10 * time.Minute, 200}} {
		clock := newWorkClock()
		const budget = time.Minute
		s := Search{Problem: toy(n, data.Regression, 2), Budget: budget, Threads: 1, clock: clock,
			Candidates: []Candidate{{Learner: "cubic", Use: cubic(clock, c.thousand), Kernel: vec(kernel.Gaussian{}),
				Axes: []Axis{Over("gaussian.lengthscale", 0.5, 1, 2)}}}}
		r, err := s.Run(t.Context())
		if err != nil {
			t.Fatalf("%v: %v", c.thousand, err)
		}
		if r.Model.Learner != "cubic" || r.Chosen.Learner != "cubic" || r.Model.Rows < c.least || r.StandIn != "" {
			t.Errorf("%v: a model of %s on %d rows, chosen %v, stand-in %q", c.thousand, r.Model.Learner, r.Model.Rows, r.Chosen,
				r.StandIn)
		}
		if r.Elapsed > budget*11/10 {
			t.Errorf("%v: took %v", c.thousand, r.Elapsed)
		}
		if r.Model.Rows < n && (!r.Interrupted || len(r.Warnings) == 0) {
			t.Errorf("%v: %d of %d rows, and it does not say so", c.thousand, r.Model.Rows, n)
		}
	}
}

// Nothing can be had of a learner that takes longer than the budget on any rows: it is refused, and
// nothing takes its place.
func TestNamedLearnerWithoutTime(t *testing.T) {
	clock := newWorkClock()
	s := Search{Problem: toy(1000, data.Regression, 2), Budget: time.Second, Threads: 1, clock: clock,
		Candidates: []Candidate{{Learner: "cubic", Use: cubic(clock, 1000*time.Hour), Kernel: vec(kernel.Gaussian{}),
			Axes: []Axis{Over("gaussian.lengthscale", 0.5, 1, 2)}}}}
	r, err := s.Run(t.Context())
	if err == nil {
		t.Fatalf("a model of %s on %d rows", r.Model.Learner, r.Model.Rows)
	}
	if unfit := (*NotFitted)(nil); !errors.As(err, &unfit) || !slices.Equal(unfit.Learners, []string{"cubic"}) {
		t.Errorf("%v does not say that cubic could not be fitted", err)
	}
}

// A search that has a share of the time, as one on some of the rows has, gives its first answer all
// of it: there is nothing to come without one.
func TestFirstAnswerOfAShareOfTheTime(t *testing.T) {
	clock := newWorkClock()
	s := Search{Problem: toy(2560, data.Regression, 2), Budget: 2 * time.Second, whole: clock.now().Add(20 * time.Second),
		NoModel: true, Threads: 1, clock: clock,
		Candidates: []Candidate{{Learner: "cubic", Use: cubic(clock, time.Hour), Kernel: vec(kernel.Gaussian{}),
			Axes: []Axis{Over("gaussian.lengthscale", 0.5, 1, 2)}}}}
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Chosen.Learner != "cubic" || r.Model == nil || r.Model.Rows < 50 || r.Elapsed > 20*time.Second {
		t.Errorf("%v on %v after %v", r.Chosen, r.Model, r.Elapsed)
	}
}

// shaped is a candidate whose quality is a function of its length-scale alone, best at 3, and whose
// fit takes a time that grows as the square of the rows.
func shaped(c *workClock, thousand time.Duration) Candidate {
	return Candidate{Learner: "shaped", Kernel: vec(kernel.Gaussian{}),
		Axes: []Axis{{Name: "gaussian.lengthscale", Values: learn.LogSpace(0.1, 10, 40)}},
		Custom: &Custom{Fit: func(ctx context.Context, k kernel.Kernel[any], _ map[string]float64,
			p learn.Problem[any]) (Predictor, error) {
			n := float64(p.Len()) / 1000
			if c.pass(time.Duration(n * n * float64(thousand))); ctx.Err() != nil {
				return nil, ctx.Err()
			}
			mean := learn.Mean(p.Y, nil)
			off := math.Abs(math.Log(kernel.Params(k)[0].Value / 3))
			return PredictorFunc(func(_ context.Context, x data.Points[any]) (learn.Predictions, error) {
				out := learn.Predictions{Value: make([]float64, x.Len())}
				for i := range out.Value {
					out.Value[i] = mean + off
				}
				return out, nil
			}), nil
		}}}
}

// The longer a search may take the better is what it finds on the folds, or the same; and scouting
// finds the best setting in a time in which a few are judged on all rows.
func TestMoreTimeIsNoWorse(t *testing.T) {
	const n = 2400
	before, whole := math.Inf(1), 0.0
	for i, budget := range []time.Duration{4, 8, 16, 32, 64, 1000} {
		clock := newWorkClock()
		s := Search{Problem: toy(n, data.Regression, 2), Budget: budget * time.Second, Threads: 1, clock: clock, scouts: true,
			Candidates: []Candidate{shaped(clock, 100*time.Millisecond)}}
		r, err := s.Run(t.Context())
		if err != nil {
			t.Fatalf("%v s: %v", budget, err)
		}
		if r.Chosen.Mean > before {
			t.Errorf("%v s: %g, and less time had %g", budget, r.Chosen.Mean, before)
		}
		if r.Elapsed > budget*time.Second*11/10 {
			t.Errorf("%v s: took %v", budget, r.Elapsed)
		}
		if before = r.Chosen.Mean; i == 5 {
			whole = before
		}
		t.Logf("%v s: %d cells, %v, %g, %v", budget, len(r.Cells), r.Chosen, r.Chosen.Mean, r.Elapsed)
	}
	clock := newWorkClock()
	s := Search{Problem: toy(n, data.Regression, 2), Budget: 32 * time.Second, Threads: 1, clock: clock, scouts: true,
		Candidates: []Candidate{shaped(clock, 100*time.Millisecond)}}
	if r := mustRun(t, s); r.Chosen.Mean != whole || len(r.Cells) > 20 {
		t.Errorf("scouted, %d cells have %g; all have %g", len(r.Cells), r.Chosen.Mean, whole)
	}
}

// A search that begins with a linear machine, as those of texts and strings do, has that machine on
// some of the rows for its first answer, and not few centres of a kernel.
func TestFirstAnswerIsTheLinearMachine(t *testing.T) {
	clock := newWorkClock()
	fewest := math.MaxInt
	slow := &learn.Learner{Name: linearTexts, Classes: true, OwnKernel: true,
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			fewest = min(fewest, p.Len())
			n := float64(p.Len()) / 1000
			for left := time.Duration(n * n * n * float64(time.Second)); left > 0; left -= time.Second / 10 {
				if clock.pass(min(left, time.Second/10)); ctx.Err() != nil {
					return nil, ctx.Err()
				}
			}
			l, err := (Candidate{Learner: linearTexts}).entry()
			if err != nil {
				return nil, err
			}
			s.Params = map[string]float64{"C": 1}
			return l.Fit(ctx, s, p)
		}}
	s := Search{Problem: toy(2560, data.Binary, 2), Budget: 20 * time.Second, Threads: 1, clock: clock, standIn: true,
		Candidates: []Candidate{{Learner: linearTexts, Use: slow, Kernel: vec(kernel.Linear{})}}}
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Model.Learner != linearTexts || r.Model.Rows >= 2560 || fewest > centerRows || r.StandIn == "" {
		t.Errorf("a model of %s on %d rows, at least %d, stand-in %q", r.Model.Learner, r.Model.Rows, fewest, r.StandIn)
	}
}

// Of objects, whose kernels may take any time, the first answer begins with few rows, with each of
// the linear machines that a search begins with, and goes on with the best of them; on vectors a
// step of a thousand rows would have taken all of the time here.
func TestFirstAnswerOfObjects(t *testing.T) {
	clock := newWorkClock()
	fewest := math.MaxInt
	slow := &learn.Learner{Name: linearTexts, Classes: true,
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			fewest = min(fewest, p.Len())
			n := float64(p.Len()) / 1000
			for left := time.Duration(n * n * n * float64(20*time.Second)); left > 0; left -= time.Second / 20 {
				if clock.pass(min(left, time.Second/20)); ctx.Err() != nil {
					return nil, ctx.Err()
				}
			}
			l, err := (Candidate{Learner: linearTexts}).entry()
			if err != nil {
				return nil, err
			}
			s.Params = map[string]float64{"C": 1}
			return l.Fit(ctx, s, p)
		}}
	d := genes(1200)
	c, err := d.Column("text")
	if err != nil {
		t.Fatal(err)
	}
	strings, y := make(data.Slice[string], d.Len()), make([]float64, d.Len())
	for i := range strings {
		strings[i], y[i] = c.String(i), float64(i%2)
	}
	machine := func(letters int) Candidate {
		return Candidate{Learner: linearTexts, Use: slow,
			Kernel: kernel.Erase(kernel.Kernel[string](seq.Spectrum{K: letters}))}
	}
	s := Search{Problem: learn.Problem[any]{Points: data.Erase(strings), Y: y, Task: data.Binary,
		Classes: []string{"yes", "no"}}, Budget: 2 * time.Second, Threads: 1, clock: clock, standIn: true,
		Candidates: []Candidate{machine(1), machine(3)}}
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if fewest > 60 || r.Model.Rows < 60 || r.Model.Rows >= 1200 ||
		!slices.Equal(kernel.Values(r.Model.Kernel), []float64{3}) || r.Elapsed > s.Budget*11/10 {
		t.Errorf("a first answer of %d rows, then a model of %d by %v after %v", fewest, r.Model.Rows, r.Chosen, r.Elapsed)
	}
}

// A cell that was judged, and that there is no time to fit on all rows, is fitted on a third of them
// where what is in hand is a first answer on fifty: of objects a search would have come to nothing.
func TestNoTimeForAllObjects(t *testing.T) {
	const n = 1200
	clock := newWorkClock()
	slow := &learn.Learner{Name: linearTexts, Classes: true, OwnKernel: true,
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			left := time.Duration(p.Len()) * time.Millisecond
			if p.Len() == n {
				left = time.Hour
			}
			for ; left > 0; left -= time.Second / 20 {
				if clock.pass(min(left, time.Second/20)); ctx.Err() != nil {
					return nil, ctx.Err()
				}
			}
			l, err := (Candidate{Learner: linearTexts}).entry()
			if err != nil {
				return nil, err
			}
			s.Params = map[string]float64{"C": 1}
			return l.Fit(ctx, s, p)
		}}
	d := genes(n)
	c, err := d.Column("text")
	if err != nil {
		t.Fatal(err)
	}
	strings, y := make(data.Slice[string], n), make([]float64, n)
	for i := range strings {
		strings[i], y[i] = c.String(i), float64(i%2)
	}
	s := Search{Problem: learn.Problem[any]{Points: data.Erase(strings), Y: y, Task: data.Binary,
		Classes: []string{"yes", "no"}}, Budget: 10 * time.Second, Threads: 1, clock: clock, standIn: true,
		Candidates: []Candidate{{Learner: linearTexts, Use: slow,
			Kernel: kernel.Erase(kernel.Kernel[string](seq.Spectrum{K: 3}))}}}
	// what is in hand is worse than what is judged later
	score, judged := Accuracy().Score, 0
	s.Metric = Accuracy()
	s.Metric.Score = func(p learn.Predictions) float64 { judged++; return score(p) * min(1, 0.5+float64(judged)/1000) }
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Model.Rows != n/3 || !r.Interrupted || len(r.Warnings) != 1 || r.Elapsed > s.Budget*11/10 {
		t.Errorf("a model of %d rows after %v: %q", r.Model.Rows, r.Elapsed, r.Warnings)
	}
}

// What a list of candidates begins with, the quick ones, is tried first: a search that is stopped
// early has heard all of them, in their order.
func TestQuickCandidatesComeFirst(t *testing.T) {
	var trials []trial
	for c := range 7 {
		trials = append(trials, product(c, [][]float64{{1, 2, 3}, {4, 5}})...)
	}
	for i, got := range spread(trials, func(t trial) bool { return t.theta[1] == 5 })[:7] {
		if got.candidate != i || got.theta[1] != 5 {
			t.Errorf("trial %d is %v", i+1, got)
		}
	}
}
