package svm

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
)

// ν-SVC solves ½βᵀKβ with 0 ≤ yβ ≤ 1 and Σ|β| = νn, half on each side; the machine is that divided
// by its margin ρ. Where classes overlap and ν is small, ρ is far below the tolerance: what is
// divided by ρ (and LIBSVM's printed objective, by ρ²) is then of no use, in LIBSVM as here, but
// the programme is solved, which is what is looked at, and the report says so.
func TestNuOfSmallMargin(t *testing.T) {
	x, y := learntest.Blobs(160, 2, 2, 1, 4)
	k := kernel.Gaussian{Lengthscale: 1}
	fit := func(nu, tol float64) *Classifier[kernel.Vec, int] {
		return fitSVC(t, Classification[kernel.Vec, int]{Kernel: k, Nu: nu, Options: Options{Tol: tol}}, x, y)
	}
	warned := func(m *Classifier[kernel.Vec, int]) bool {
		return strings.Contains(strings.Join(m.Report().Warnings, " "), "the margin ρ")
	}
	n, _ := x.Dims()
	for _, c := range []struct{ nu, tol float64 }{{0.05, 1e-3}, {0.05, 1e-5}, {0.6, 1e-3}} {
		m := fit(c.nu, c.tol)
		beta := m.each[0].beta
		// z = -Kβ by a double loop.
		var sum [2]float64
		high, low := [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}
		objective := 0.0
		for i := range n {
			z, side := 0.0, 0
			for j := range n {
				z -= beta[j] * k.Eval(x.RawRowView(i), x.RawRowView(j))
			}
			sign := 1.0
			if y[i] == m.Classes()[0] {
				sign, side = -1, 1
			}
			a := sign * beta[i]
			if a < 0 || a > 1 {
				t.Fatalf("ν = %g: |β| of row %d is %g", c.nu, i, a)
			}
			sum[side] += a
			objective -= 0.5 * beta[i] * z
			if sign > 0 && a < 1 || sign < 0 && a > 0 {
				high[side] = max(high[side], z)
			}
			if sign > 0 && a > 0 || sign < 0 && a < 1 {
				low[side] = min(low[side], z)
			}
		}
		for side := range sum {
			if want := c.nu * float64(n) / 2; math.Abs(sum[side]-want) > 1e-9*want {
				t.Errorf("ν = %g: Σ|β| of side %d is %g, want %g", c.nu, side, sum[side], want)
			}
			if v := high[side] - low[side]; v > c.tol || v > m.Report().Certificate+1e-9 {
				t.Errorf("ν = %g: KKT violation %g of side %d, tolerance %g, reported %g", c.nu, v, side, c.tol,
					m.Report().Certificate)
			}
		}
		if got := m.Report().Objective; math.Abs(got-objective) > 1e-6*(1+objective) {
			t.Errorf("ν = %g: objective %g, by a double loop %g", c.nu, got, objective)
		}
		rho := m.each[0].width
		if small := rho < 10*m.Report().Certificate; warned(m) != small {
			t.Errorf("ν = %g, tolerance %g: ρ = %g, violation %g, warnings %q", c.nu, c.tol, rho, m.Report().Certificate,
				m.Report().Warnings)
		}
	}
	if !warned(fit(0.05, 1e-3)) || warned(fit(0.6, 1e-3)) {
		t.Error("the case is not the one meant: ν = 0.05 has a margin below the tolerance, ν = 0.6 has not")
	}
}
