package gram

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Nothing unfinished becomes a matrix, a factor or a choice of centres.
func TestNothingIsMadeAfterTheContextEnded(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	x := data.Points[kernel.Vec](points(40, 3, 1))
	k := kernel.Kernel[kernel.Vec](kernel.Gaussian{})
	a, err := Nystrom(context.Background(), k, x, []int{1, 2, 3}, LowRankOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fourier, err := NewFourierMap(k, 3, 4, false, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(ctx context.Context) error{
		"full":  func(ctx context.Context) error { _, err := New(ctx, k, x, Options{Layout: Full}); return err },
		"half":  func(ctx context.Context) error { _, err := New(ctx, k, x, Options{Layout: Half}); return err },
		"lazy":  func(ctx context.Context) error { _, err := New(ctx, k, x, Options{Layout: Lazy}); return err },
		"cross": func(ctx context.Context) error { _, err := Cross(ctx, k, x, x, Options{}); return err },
		"nystrom": func(ctx context.Context) error {
			_, err := Nystrom(ctx, k, x, []int{0, 1}, LowRankOptions{})
			return err
		},
		"cholesky": func(ctx context.Context) error {
			_, err := IncompleteCholesky(ctx, k, x, LowRankOptions{})
			return err
		},
		"fourier": func(ctx context.Context) error {
			_, err := FourierFeatures(ctx, k, x, 5, true, LowRankOptions{})
			return err
		},
		"k-means":  func(ctx context.Context) error { _, err := KMeansCenters(ctx, k, x, 3, 0, 1); return err },
		"leverage": func(ctx context.Context) error { _, err := LeverageCenters(ctx, k, x, 3, 0, 0, 1); return err },
		"scores":   func(ctx context.Context) error { _, err := LeverageScores(ctx, k, x, 1, 10, 0, 1); return err },
		"map":      func(ctx context.Context) error { _, err := a.Map.Features(ctx, x); return err },
		"waves":    func(ctx context.Context) error { _, err := fourier.Features(ctx, x); return err },
		"rows":     func(ctx context.Context) error { _, err := a.Cross(ctx, x); return err },
	} {
		if err := f(context.Background()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := f(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v of a context that has ended", name, err)
		}
	}
}

// Feature maps name the row that they cannot map.
func TestFeatureMapsNameTheRow(t *testing.T) {
	x := data.Points[kernel.Vec](points(10, 2, 1))
	k := kernel.Kernel[kernel.Vec](kernel.Gaussian{})
	a, err := Nystrom(context.Background(), k, x, []int{1, 2, 3}, LowRankOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fourier, err := NewFourierMap(k, 2, 4, false, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]FeatureMap[kernel.Vec]{"nystrom": a.Map, "fourier": fourier} {
		for want, bad := range map[string]data.Points[kernel.Vec]{
			"row 1, column 0 is NaN": data.Slice[kernel.Vec]{{1, 2}, {math.NaN(), 1}},
			"row 0 has 3":            data.Slice[kernel.Vec]{{1, 2, 3}},
			"no points":              data.Slice[kernel.Vec]{},
		} {
			if _, err := m.Features(context.Background(), bad); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one about %q", name, err, want)
			}
		}
		if err := m.FeaturesTo(context.Background(), mat.NewDense(1, 1, nil), x); err == nil {
			t.Errorf("%s: a matrix of another shape was taken", name)
		}
	}
}

// A dense Gram matrix is read by gonum as it stands; a rectangle is not called symmetric.
func TestDenseIsAMatrix(t *testing.T) {
	x, y := data.Points[kernel.Vec](points(12, 2, 1)), data.Points[kernel.Vec](points(5, 2, 2))
	k := kernel.Kernel[kernel.Vec](kernel.Gaussian{})
	for _, p := range []Precision{Double, Single} {
		g, err := New(context.Background(), k, x, Options{Layout: Full, Precision: p})
		if err != nil {
			t.Fatal(err)
		}
		s := g.(mat.Symmetric)
		var c mat.Cholesky
		if s.SymmetricDim() != 12 || !c.Factorize(s) || s.T().At(2, 3) != s.At(3, 2) {
			t.Errorf("%v: not read as a symmetric matrix", p)
		}
		for i := range 12 {
			if want := k.Eval(x.At(i), x.At(3)); math.Abs(s.At(i, 3)-want) > 1e-6 {
				t.Errorf("%v: entry (%d, 3) is %g, want %g", p, i, s.At(i, 3), want)
			}
		}
		r, err := Cross(context.Background(), k, x, y, Options{Layout: Full, Precision: p})
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v: K(X, Y) was taken for symmetric", p)
				}
			}()
			r.(mat.Symmetric).SymmetricDim()
		}()
	}
}

// K = 10¹²·1·1ᵀ + I: centring must leave H, although K·v has entries of 10¹² times the mean of v.
func TestCenteringKeepsDigitsUnderALargeMean(t *testing.T) {
	const n = 50
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			m.Set(i, j, 1e12)
		}
		m.Set(i, i, 1e12+1)
	}
	g, err := Precomputed(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Center(g)
	if err != nil {
		t.Fatal(err)
	}
	v, dst, mean := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), 0.0
	for i := range n {
		v.Set(i, 0, 1e6+math.Sin(float64(i)))
		mean += v.At(i, 0) / n
	}
	c.MulTo(dst, v, false)
	sum := 0.0
	for i := range n {
		sum += dst.At(i, 0)
		if want := v.At(i, 0) - mean; math.Abs(dst.At(i, 0)-want) > 1e-2 {
			t.Errorf("entry %d is %g, want %g", i, dst.At(i, 0), want)
		}
	}
	if math.Abs(sum) > 1e-10 {
		t.Errorf("entries sum to %g", sum)
	}
}
