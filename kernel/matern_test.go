package kernel

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
)

// The table is bench/fixtures/matern.py's: 25 digits, checked there against scipy.
func TestMaternAgainstTabulatedBesselValues(t *testing.T) {
	f, err := os.Open("testdata/matern.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 200 {
		t.Fatalf("only %d rows", len(rows))
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, row := range rows {
		nu, z, want := number(row[0]), number(row[1]), number(row[2])
		r := z / math.Sqrt(2*nu)
		got := Matern{Nu: nu}.Eval(Vec{r}, Vec{0})
		m := []float64{r * r}
		Matern{Nu: nu}.Profile(m)
		for _, v := range []float64{got, m[0]} {
			if want < 1e-300 {
				if v > 1e-290 {
					t.Errorf("ν = %g, z = %g: %g, want %g", nu, z, v, want)
				}
				continue
			}
			// r² is rounded, so z carries a relative 1e-16, and e^{-z} magnifies it by z.
			if e := math.Abs(v/want - 1); e > 1e-10 {
				t.Errorf("ν = %g, z = %g: %.17g, want %.17g (relative error %.2g)", nu, z, v, want, e)
			}
		}
	}
}

func TestMaternClosedFormsAndLimits(t *testing.T) {
	for _, r := range []float64{0, 1e-9, 0.01, 0.3, 1, 2.7, 9} {
		x, y := Vec{r}, Vec{0}
		s3, s5 := math.Sqrt(3)*r, math.Sqrt(5)*r
		for nu, want := range map[float64]float64{
			0.5: math.Exp(-r),
			1.5: (1 + s3) * math.Exp(-s3),
			2.5: (1 + s5 + s5*s5/3) * math.Exp(-s5),
		} {
			if got := (Matern{Nu: nu}).Eval(x, y); math.Abs(got-want) > 1e-14 {
				t.Errorf("ν = %g, r = %g: %g, want %g", nu, r, got, want)
			}
			// The Bessel route agrees with the closed form.
			if got := maternCorrelation(nu, math.Sqrt(2*nu)*r); math.Abs(got-want) > 1e-12 {
				t.Errorf("ν = %g, r = %g by K_ν: %g, want %g", nu, r, got, want)
			}
		}
		gauss := Gaussian{}.Eval(x, y)
		for _, nu := range []float64{1e6, 1e9, 1e15} {
			if got := (Matern{Nu: nu}).Eval(x, y); math.Abs(got-gauss) > 10/nu+1e-15 {
				t.Errorf("ν = %g, r = %g: %g, the Gaussian limit is %g", nu, r, got, gauss)
			}
		}
		// The two routes meet at the change of method.
		a, b := maternCorrelation(largeNu, math.Sqrt(2*largeNu)*r), maternLarge(largeNu, r*r)
		if math.Abs(a-b) > 1e-12 {
			t.Errorf("r = %g: %g by recurrence, %g by the uniform expansion", r, a, b)
		}
	}
}

// The table used for whole Gram blocks agrees with the function it tabulates.
func TestMaternTable(t *testing.T) {
	for _, nu := range []float64{0.07, 0.3, 0.9, 1, 1.9, 3.2, 8.8, 24.3} {
		k := Matern{Nu: nu, Lengthscale: 1.7}
		table := k.prepareProfile()
		m := []float64{0}
		for r := 1e-7; r < 1e4; r *= 1.02 {
			m = append(m, r*r)
		}
		got := append([]float64(nil), m...)
		table.Profile(got)
		k.Profile(m)
		for i := range m {
			if e := math.Abs(got[i] - m[i]); e > 1e-12*m[i]+1e-300 && e > 2e-13 {
				t.Fatalf("ν = %g: value %d is %.17g by the table, %.17g by K_ν", nu, i, got[i], m[i])
			}
		}
	}
	if _, ok := (Matern{Nu: 2.5}).prepareProfile().(maternTable); ok {
		t.Error("a closed form is tabulated")
	}
}
