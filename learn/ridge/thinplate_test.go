package ridge

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

func scattered(n, d int, far float64) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, far+3*math.Sin(float64(7*i+3)*float64(j+2)*0.37+float64(i*i)*0.11))
		}
	}
	return x
}

// The spline solves the bordered system of its definition, (E + λW⁻¹)c + Pd = y and Pᵀc = 0, with
// r² log r/(8π) in the plane and -r/(8π) in space, solved here as it stands. Far from the origin
// and with weights, too.
func TestThinPlateSolvesItsSystem(t *testing.T) {
	const n, lambda = 30, 0.05
	for _, d := range []int{2, 3} {
		for _, far := range []float64{0, 100} {
			x := scattered(n, d, far)
			y, w := make([]float64, n), make([]float64, n)
			for i := range n {
				y[i], w[i] = math.Sin(x.At(i, 0))+x.At(i, 1), 1+float64(i%3)
			}
			green := func(a, b []float64) float64 {
				r := 0.0
				for j := range a {
					r += (a[j] - b[j]) * (a[j] - b[j])
				}
				if r == 0 {
					return 0
				}
				if d == 3 {
					return -math.Sqrt(r) / (8 * math.Pi)
				}
				return r * math.Log(r) / (16 * math.Pi)
			}
			a, right := mat.NewDense(n+d+1, n+d+1, nil), mat.NewVecDense(n+d+1, nil)
			for i := range n {
				right.SetVec(i, y[i])
				for j := range n {
					a.Set(i, j, green(x.RawRowView(i), x.RawRowView(j)))
				}
				a.Set(i, i, lambda/w[i])
				for j := range d + 1 {
					p := 1.0
					if j > 0 {
						p = x.At(i, j-1) - far
					}
					a.Set(i, n+j, p)
					a.Set(n+j, i, p)
				}
			}
			var c mat.VecDense
			if err := c.SolveVec(a, right); err != nil {
				t.Fatal(err)
			}
			m, err := ThinPlate{Lambda: lambda, Weights: w}.Fit(t.Context(), data.Rows(x), y)
			if err != nil {
				t.Fatal(err)
			}
			at := scattered(9, d, far+0.3)
			got, err := m.Predict(t.Context(), data.Rows(at))
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				want := c.AtVec(n)
				for j := range d {
					want += c.AtVec(n+1+j) * (at.At(i, j) - far)
				}
				for j := range n {
					want += c.AtVec(j) * green(at.RawRowView(i), x.RawRowView(j))
				}
				if math.Abs(got[i]-want) > 1e-7 {
					t.Errorf("%d coordinates about %g: %g, the system gives %g", d, far, got[i], want)
				}
			}
		}
	}
}

// On a line it is the smoothing spline, with the same λ and by cross-validation.
func TestThinPlateOnALine(t *testing.T) {
	const n = 30
	line, y := make([]float64, n), make([]float64, n)
	for i := range n {
		line[i] = 5 + 0.4*float64(i) + 0.1*math.Sin(float64(i*i))
		y[i] = math.Sin(line[i]) + 0.1*math.Cos(float64(31*i))
	}
	for _, lambda := range []float64{0, 0.01, 1} {
		plate, err := ThinPlate{Lambda: lambda}.Fit(t.Context(), data.Line(line), y)
		if err != nil {
			t.Fatal(err)
		}
		spline, err := Spline{Lambda: lambda}.Fit(t.Context(), data.Line(line), y)
		if err != nil {
			t.Fatal(err)
		}
		at := data.Line([]float64{3, 5.5, 9.87, 12, 17, 20})
		got, _ := plate.Predict(t.Context(), at)
		want, _ := spline.Predict(t.Context(), at)
		tol := 1e-6
		if lambda == 0 {
			tol = 1e-3 // two searches for one λ
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > tol {
				t.Errorf("λ = %g at %v: %g, the spline is %g", lambda, at.At(i), got[i], want[i])
			}
		}
	}
}

// A plane is not penalised: it comes back whatever λ is. And what cannot be fitted says why.
func TestThinPlatePlanesAndRefusals(t *testing.T) {
	x := scattered(12, 2, -4)
	y := make([]float64, 12)
	for i := range y {
		y[i] = 3 - 2*x.At(i, 0) + 0.5*x.At(i, 1)
	}
	m, err := ThinPlate{Lambda: 1e6}.Fit(t.Context(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Predict(t.Context(), data.Slice[kernel.Vec]{{10, 20}})
	if err != nil || math.Abs(got[0]-(3-20+10)) > 1e-5 {
		t.Errorf("the plane at (10, 20) is %v, want -7 (%v)", got, err)
	}
	one := mat.NewDense(12, 2, nil)
	for want, f := range map[string]func() error{
		"Lambda is -1": func() error {
			_, err := ThinPlate{Lambda: -1}.Fit(t.Context(), data.Rows(x), y)
			return err
		},
		"set order=2": func() error { _, err := ThinPlate{Order: 1}.Fit(t.Context(), data.Rows(x), y); return err },
		"2 points for the 3": func() error {
			_, err := ThinPlate{}.Fit(t.Context(), data.Rows(x.Slice(0, 2, 0, 2).(*mat.Dense)), y[:2])
			return err
		},
		"the 12 points lie on a line": func() error {
			_, err := ThinPlate{Lambda: 1}.Fit(t.Context(), data.Rows(one), y)
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

// The same bits at any number of threads, and from its plain data.
func TestThinPlateBits(t *testing.T) {
	x := scattered(60, 2, 1)
	y := make([]float64, 60)
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)) * x.At(i, 1)
	}
	var first []float64
	for _, threads := range []int{1, 2, 8} {
		m, err := ThinPlate{Lambda: 0.1, Resources: learn.Resources{Threads: threads}}.Fit(t.Context(), data.Rows(x), y)
		if err != nil {
			t.Fatal(err)
		}
		saved := m.Saved()
		back, err := learn.RestoreRegressor(saved)
		if err != nil || saved.Learner != "thin-plate" {
			t.Fatalf("%q: %v", saved.Learner, err)
		}
		got, err := back.(learn.Regressor[kernel.Vec]).Predict(t.Context(), data.Rows(scattered(9, 2, 1.5)))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		for i, v := range got {
			if v != first[i] {
				t.Errorf("%d threads: %g, one has %g", threads, v, first[i])
			}
		}
	}
}

// Points on a line do not fix a plane: beside it the spline was 1e18, for a polynomial that is 0 at
// the points but for rounding had a coefficient.
func TestThinPlateOfPointsOnALine(t *testing.T) {
	for _, at := range []float64{0, 1, -3.3, 1e6} {
		for _, slope := range []float64{0, 1} {
			x, y := mat.NewDense(12, 2, nil), make([]float64, 12)
			for i := range y {
				x.Set(i, 1, math.Sin(float64(i)))
				x.Set(i, 0, at+slope*x.At(i, 1))
				y[i] = math.Cos(float64(i))
			}
			for _, lambda := range []float64{0, 0.01} {
				if _, err := (ThinPlate{Lambda: lambda}).Fit(t.Context(), data.Rows(x), y); err == nil ||
					!strings.Contains(err.Error(), "lie on a line") {
					t.Errorf("%g + %g·x₂, λ = %g: %v", at, slope, lambda, err)
				}
			}
		}
	}
}
