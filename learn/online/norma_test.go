package online

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
)

// TestNormaIsGradientDescent replays every loss and schedule with an explicit
// feature map (the linear kernel), the slopes by finite differences of the loss.
func TestNormaIsGradientDescent(t *testing.T) {
	x, label := learntest.Blobs(80, 2, 2, 1, 6)
	x.Scale(0.2, x)
	for loss := Hinge; loss <= Novelty; loss++ {
		for schedule := InverseRoot; schedule <= Inverse; schedule++ {
			for _, nu := range []float64{0, 0.3} {
				c := Norma[kernel.Vec]{Kernel: kernel.Linear{}, Loss: loss, Schedule: schedule, Lambda: 0.1, Eta: 0.4, Nu: nu,
					Intercept: true}
				o, err := c.Start()
				if err != nil {
					t.Fatal(err)
				}
				full, _ := c.withDefaults()
				w, b, rho := make([]float64, 2), 0.0, o.s.Rho
				for i := range label {
					row := x.RawRowView(i)
					y := float64(2*label[i] - 1)
					f := w[0]*row[0] + w[1]*row[1] + b
					want := f
					if loss == Novelty {
						want -= rho
					}
					got, err := o.Observe(row, y)
					if err != nil {
						t.Fatal(err)
					}
					if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
						t.Fatalf("%v, schedule %d, ν %g: decision %d is %g, want %g", loss, schedule, nu, i, got, want)
					}
					eta := 0.4
					switch schedule {
					case InverseRoot:
						eta /= math.Sqrt(float64(i + 1))
					case Inverse:
						eta = 1 / (0.1 * (float64(i) + 25))
					}
					value := func(f, r float64) float64 { l, _, _ := full.gradient(f, y, r); return l }
					const h = 1e-6
					slope := math.Round((value(f+h, rho)-value(f-h, rho))/(2*h)*1e8) / 1e8
					_, exact, byRho := full.gradient(f, y, rho)
					if math.Abs(slope-exact) > 1e-5*(1+math.Abs(exact)) && math.Abs(math.Abs(f)-rho) > 1e-4 {
						t.Fatalf("%v: slope %g, by differences %g", loss, exact, slope)
					}
					if nu > 0 || loss == Novelty {
						if d := (value(f, rho+h) - value(f, rho-h)) / (2 * h); math.Abs(d-byRho) > 1e-5 && rho > 2*h {
							t.Fatalf("%v: slope by ρ %g, by differences %g", loss, byRho, d)
						}
					}
					for j := range w {
						w[j] = (1-eta*0.1)*w[j] - eta*exact*row[j]
					}
					b -= eta * exact
					rho -= eta * byRho
					if loss != Novelty {
						rho = math.Max(rho, 0)
					}
				}
				p := modeltest.Predict(t, o.Model(), data.Rows(x))
				for i := range p {
					if d := o.Decision(x.RawRowView(i)); math.Abs(p[i]-d) > 1e-9*(1+math.Abs(d)) {
						t.Fatalf("model predicts %g, learner %g", p[i], d)
					}
				}
			}
		}
	}
}

func TestNormaResumesExactly(t *testing.T) {
	x, label := learntest.Blobs(300, 2, 2, 1, 7)
	for _, rule := range []BudgetRule{DropSmallest, DropOldest, ProjectSmallest} {
		c := Norma[kernel.Vec]{Kernel: kernel.Gaussian{}, Schedule: Constant, Lambda: 0.5, Budget: 15, BudgetRule: rule,
			Truncate: 100}
		straight, err := c.Start()
		if err != nil {
			t.Fatal(err)
		}
		broken, _ := c.Start()
		for i := range label {
			y := float64(2*label[i] - 1)
			a, err := straight.Observe(x.RawRowView(i), y)
			if err != nil {
				t.Fatal(err)
			}
			if i%50 == 20 { // through a file
				text, err := json.Marshal(broken.State())
				if err != nil {
					t.Fatal(err)
				}
				var s State[kernel.Vec]
				if err := json.Unmarshal(text, &s); err != nil {
					t.Fatal(err)
				}
				if broken, err = c.Resume(s); err != nil {
					t.Fatal(err)
				}
			}
			if b, _ := broken.Observe(x.RawRowView(i), y); a != b {
				t.Fatalf("rule %d, example %d: %g after resuming, %g without", rule, i, b, a)
			}
			if n := len(straight.s.Coef); n > 15 {
				t.Fatalf("%d terms with a budget of 15", n)
			}
		}
		if straight.s.Broken == 0 {
			t.Errorf("rule %d: the budget was never used", rule)
		}
	}
}

// TestNormaTruncation: what truncation leaves out is bounded by the shrinking of the terms,
// Σ_{s>τ} η|ℓ'|(1-ηλ)^s √k ≤ (1-ηλ)^τ/λ.
func TestNormaTruncation(t *testing.T) {
	x, label := learntest.Blobs(400, 2, 2, 1, 8)
	fit := func(cut int) *Machine[kernel.Vec] {
		o, err := Norma[kernel.Vec]{Kernel: kernel.Gaussian{}, Loss: LogisticLoss, Schedule: Constant, Eta: 0.5, Lambda: 0.1,
			Truncate: cut}.Start()
		if err != nil {
			t.Fatal(err)
		}
		n, err := o.ObserveAll(context.Background(), func(yield func(kernel.Vec, float64) bool) {
			for i := range label {
				if !yield(x.RawRowView(i), float64(2*label[i]-1)) {
					return
				}
			}
		})
		if err != nil || n != 400 {
			t.Fatal(n, err)
		}
		return o
	}
	whole, cut := fit(0), fit(200)
	if len(cut.s.Coef) != 200 || len(whole.s.Coef) != 400 {
		t.Fatalf("%d and %d terms", len(cut.s.Coef), len(whole.s.Coef))
	}
	bound := 2 * math.Pow(0.95, 200) / 0.1 / 0.1
	for i := range label {
		if d := math.Abs(whole.Decision(x.RawRowView(i)) - cut.Decision(x.RawRowView(i))); d > bound {
			t.Fatalf("truncation moves the decision by %g, bound %g", d, bound)
		}
	}
}

func TestNormaNoveltyShare(t *testing.T) {
	x, _ := learntest.Blobs(3000, 2, 1, 1, 9)
	o, err := Norma[kernel.Vec]{Kernel: kernel.Gaussian{}, Loss: Novelty, Nu: 0.2, Eta: 0.1, Lambda: 0.1}.Start()
	if err != nil {
		t.Fatal(err)
	}
	novel := 0
	for i := range 3000 {
		d, err := o.Observe(x.RawRowView(i), 0)
		if err != nil {
			t.Fatal(err)
		}
		if i >= 1000 && d < 0 {
			novel++
		}
	}
	if share := float64(novel) / 2000; share < 0.15 || share > 0.25 {
		t.Errorf("share of novelties is %g, ν is 0.2", share)
	}
}

func TestNormaRefuses(t *testing.T) {
	k := kernel.Gaussian{}
	for _, c := range []Norma[kernel.Vec]{{}, {Kernel: k, Lambda: -1}, {Kernel: k, Eta: 200}, {Kernel: k, Nu: 1},
		{Kernel: k, Loss: 9}, {Kernel: k, Budget: -1}} {
		if _, err := c.Start(); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	o, err := Norma[kernel.Vec]{Kernel: k}.Start()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		x kernel.Vec
		y float64
	}{{kernel.Vec{math.NaN()}, 1}, {kernel.Vec{1}, 2}, {kernel.Vec{1}, math.Inf(1)}} {
		if _, err := o.Observe(e.x, e.y); err == nil {
			t.Errorf("%v was accepted", e)
		}
	}
	if _, err := o.Observe(kernel.Vec{1}, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Observe(kernel.Vec{1, 2}, 1); err == nil {
		t.Error("a row of another length was accepted")
	}
	row := kernel.Vec{3}
	if _, err := o.Observe(row, -1); err != nil {
		t.Fatal(err)
	}
	before := o.Decision(kernel.Vec{3})
	row[0] = 100
	if o.Decision(kernel.Vec{3}) != before {
		t.Error("the learner holds on to the caller's slice")
	}
}
