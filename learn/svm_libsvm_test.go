package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// libsvmCase is what bench/fixtures/svm_libsvm.py recorded of svm-train 3.x.
type libsvmCase struct {
	Data, Options string
	Objective     []float64
	Exact         *float64
	Rho           []float64
	NSV           int
	Bounded       []int
	Labels        []int
	N             int
	Values        [][]float64
}

func libsvmCases(t *testing.T) []libsvmCase {
	text, err := os.ReadFile("testdata/svm_libsvm.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []libsvmCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// option reads the number after a flag of svm-train.
func (c libsvmCase) option(flag string, otherwise float64) float64 {
	f := strings.Fields(c.Options)
	for i := range f {
		if f[i] == flag {
			v, err := strconv.ParseFloat(f[i+1], 64)
			if err != nil {
				panic(err)
			}
			return v
		}
	}
	return otherwise
}

func (c libsvmCase) points(t *testing.T) (data.DenseRows, []float64) {
	switch c.Data {
	case "abalone", "cpusmall":
		x, y := tableData(t, c.Data+".csv", map[string]bool{"sex": true}, false)
		standardise(x)
		return data.Rows(x), y
	case "usps":
		x, y := tableData(t, "usps_train.csv", nil, true)
		return data.Rows(x), y
	}
	x, y := svmlightData(t, c.Data)
	return asDense(x), y
}

// TestOptimumIsLIBSVMs holds dual objective, support vectors and decision
// values against svm-train at the same tolerance.
func TestOptimumIsLIBSVMs(t *testing.T) {
	for _, c := range libsvmCases(t) {
		t.Run(fmt.Sprint(c.Data, " ", c.Options), func(t *testing.T) {
			tol := c.option("-e", 1e-3)
			if testing.Short() && c.N > 2000 {
				t.Skip("NOT TESTED with -short: takes seconds")
			}
			x, y := c.points(t)
			if x.Len() != c.N {
				t.Fatalf("%d points, fixture has %d", x.Len(), c.N)
			}
			k := kernel.Gaussian{Lengthscale: math.Sqrt(1 / (2 * c.option("-g", 1)))}
			o := SVMOptions{Tol: tol}
			show := data.Gather[kernel.Vec](x, firstFew(len(c.Values)))
			var objective []float64
			var nsv int
			var got [][]float64
			sign := 1.0
			ctx := context.Background()
			switch c.option("-s", 0) {
			case 0, 1:
				labels := make([]int, len(y))
				for i, v := range y {
					labels[i] = int(v)
				}
				s := SVC[kernel.Vec, int]{Kernel: k, C: c.option("-c", 1), SVMOptions: o,
					ClassWeights: map[int]float64{1: c.option("-w1", 1), -1: c.option("-w-1", 1)}}
				if c.option("-s", 0) == 1 {
					s.Nu = c.option("-n", 0.5)
				}
				m, err := s.Fit(ctx, x, labels)
				if err != nil {
					t.Fatal(err)
				}
				objective, nsv = m.Objectives(), len(m.Support())
				if s.Nu == 0 && !(m.DualityGap() >= -1e-9 && m.DualityGap() < 0.05) {
					t.Errorf("duality gap %g", m.DualityGap())
				}
				d := m.Decision(nil, show)
				for i := range show.Len() {
					got = append(got, d.RawRowView(i))
				}
				// LIBSVM's positive class is the first to appear.
				if len(c.Labels) == 2 && c.Labels[0] < c.Labels[1] {
					sign = -1
				}
				if m.Report().Certificate > tol {
					t.Errorf("certificate %g above %g", m.Report().Certificate, tol)
				}
			case 2:
				m, err := OneClass[kernel.Vec]{Kernel: k, Nu: c.option("-n", 0.5), SVMOptions: o}.Fit(ctx, x)
				if err != nil {
					t.Fatal(err)
				}
				objective, nsv = []float64{m.Report().Objective}, len(m.Support())
				for _, v := range m.Decision(nil, show) {
					got = append(got, []float64{v})
				}
			case 3, 4:
				s := SVR[kernel.Vec]{Kernel: k, C: c.option("-c", 1), Epsilon: c.option("-p", 0.1), SVMOptions: o}
				if c.option("-s", 0) == 4 {
					s.Nu = c.option("-n", 0.5)
				}
				m, err := s.Fit(ctx, x, y)
				if err != nil {
					t.Fatal(err)
				}
				objective, nsv = []float64{m.Report().Objective}, len(m.Support())
				for _, v := range m.Predict(nil, show) {
					got = append(got, []float64{v})
				}
			}
			bar := 1e-5
			if tol <= 1e-6 {
				bar = 1e-7
			}
			if c.option("-s", 0) == 1 {
				objective = nil // svm-train's is scaled by ρ; the decision values stand for it
			}
			want := c.Objective
			if c.Exact != nil {
				want = []float64{*c.Exact}
			}
			for i, v := range objective {
				if d := math.Abs(v-want[i]) / math.Abs(want[i]); d > bar {
					t.Errorf("objective %d is %.9g, LIBSVM %.9g: relative difference %.2g", i, v, want[i], d)
				}
			}
			if d := math.Abs(float64(nsv - c.NSV)); d > 2+0.01*float64(c.NSV) {
				t.Errorf("%d support vectors, LIBSVM %d", nsv, c.NSV)
			}
			worst := 0.0
			for i, row := range c.Values {
				for j, v := range row {
					worst = max(worst, math.Abs(sign*got[i][j]-v))
				}
			}
			if allowed := max(1e-3, 2*tol*scaleOf(c.Values)); worst > allowed {
				t.Errorf("decision values differ by up to %.3g", worst)
			}
			t.Logf("objective %v, %d support vectors (LIBSVM %v, %d), decision values within %.2g", objective, nsv, want, c.NSV, worst)
		})
	}
}

// scaleOf is 1 for decision values, the size of the values for regression.
func scaleOf(v [][]float64) float64 {
	s := 1.0
	for _, row := range v {
		s = max(s, math.Abs(row[0]))
	}
	return s
}

func firstFew(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
