package density

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

func uniformColumn(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = (float64(i) + 0.5) / float64(n)
	}
	return x
}

func TestBoundaryCorrections(t *testing.T) {
	ctx := context.Background()
	x := uniformColumn(400)
	for _, s := range Smoothers() {
		for _, b := range []Boundary{BoundaryReflect, BoundaryRenormalise} {
			m, err := KDE{Smoother: s, Bandwidth: 0.05, Lower: []float64{0}, Upper: []float64{1}, Boundary: b}.Fit(ctx,
				column(x))
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Density(ctx, column([]float64{0, 0.01, 0.5, 1, -0.1, 1.1}))
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				want := 1.0
				if i > 3 {
					want = 0
				}
				if math.Abs(v-want) > 0.02 { // without correction 0.5 at the ends
					t.Errorf("%v correction %d: density %d is %g, want %g", s, b, i, v, want)
				}
			}
			if b == BoundaryReflect {
				const fine = 3989 // no multiple of the sample's step, or a boxcar's jumps fall on the grid
				grid := uniformColumn(fine)
				p, _ := m.Density(ctx, column(grid))
				sum := 0.0
				for _, v := range p {
					sum += v / fine
				}
				if math.Abs(sum-1) > 1e-3 {
					t.Errorf("%v reflected integrates to %g", s, sum)
				}
			}
			for _, v := range sampled(t, m, 2000, 1).RawMatrix().Data {
				if v < 0 || v > 1 {
					t.Fatalf("%v correction %d: a draw at %g", s, b, v)
				}
			}
		}
	}
	if _, err := (KDE{Bandwidth: 1, Lower: []float64{0.5}}).Fit(ctx, column(x)); err == nil {
		t.Error("points outside the support were accepted")
	}
	if _, err := (KDE{Bandwidth: 1, Lower: []float64{1}, Upper: []float64{0}}).Fit(ctx, column(x)); err == nil {
		t.Error("an empty support was accepted")
	}
}

func sampled(t *testing.T, m *KDEModel, n int, seed uint64) *mat.Dense {
	t.Helper()
	draws, err := m.Sample(context.Background(), n, seed)
	if err != nil {
		t.Fatal(err)
	}
	return draws
}

func TestSampleRefuses(t *testing.T) {
	m, err := KDE{Bandwidth: 1}.Fit(context.Background(), column([]float64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := m.Sample(context.Background(), 0, 1); err == nil {
		t.Error("a sample of nothing was drawn")
	}
	if err := m.SampleTo(context.Background(), mat.NewDense(3, 2, nil), 1); err == nil {
		t.Error("a density on the line filled a plane")
	}
	if _, err := m.Sample(ended, 3, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gave %v", err)
	}
}

func TestSamplesFollowTheEstimate(t *testing.T) {
	ctx := context.Background()
	x := data.Slice[[]float64]{{0, 0}, {4, 1}, {9, 9}}
	h := mat.NewSymDense(2, []float64{1, 0.6, 0.6, 0.5})
	m, err := KDE{BandwidthMatrix: h, Weights: []float64{1, 3, 0}}.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	const n = 40_000
	draws := sampled(t, m, n, 3)
	// mean Σwᵢxᵢ, covariance H + that of the points
	wantMean := []float64{3, 0.75}
	wantCov := [][]float64{{1 + 3, 0.6 + 0.75}, {0.6 + 0.75, 0.5 + 0.1875}}
	mean := make([]float64, 2)
	for i := range n {
		for j := range 2 {
			mean[j] += draws.At(i, j) / n
		}
	}
	for j := range 2 {
		if math.Abs(mean[j]-wantMean[j]) > 5*math.Sqrt(wantCov[j][j]/n) {
			t.Errorf("mean %d is %g, want %g", j, mean[j], wantMean[j])
		}
		for k := range 2 {
			c := 0.0
			for i := range n {
				c += (draws.At(i, j) - mean[j]) * (draws.At(i, k) - mean[k]) / n
			}
			if math.Abs(c-wantCov[j][k]) > 0.1 {
				t.Errorf("covariance %d,%d is %g, want %g", j, k, c, wantCov[j][k])
			}
		}
	}
	if !mat.Equal(draws, sampled(t, m, n, 3)) {
		t.Error("the same seed gave other draws")
	}
}

func TestCrossValidatedBandwidthIsTheBestOnAGrid(t *testing.T) {
	ctx := context.Background()
	if testing.Short() {
		t.Skip("skipped with -short: integrals on a grid for many bandwidths")
	}
	x := cloud(31, 120, 2)
	for _, s := range []Smoother{Gaussian, Epanechnikov, Logistic} {
		for _, rule := range []BandwidthRule{LikelihoodRule, LeastSquaresRule} {
			m, err := KDE{Smoother: s, Rule: rule}.Fit(ctx, data.RowsOf(x))
			if err != nil {
				t.Fatal(err)
			}
			h := m.Bandwidths()
			own := plainScore(t, s, rule, h, 1)
			for f := 0.7; f < 1.5; f += 0.1 {
				if other := plainScore(t, s, rule, h, f); other < own-1e-3*math.Abs(own) {
					t.Errorf("%v %v: score %g, but %g at %g times the bandwidth", s, rule, own, other, f)
				}
			}
		}
	}
}

// plainScore leaves points out one by one, and integrates p² on a grid.
func plainScore(t *testing.T, s Smoother, rule BandwidthRule, h []float64, f float64) float64 {
	t.Helper()
	ctx := context.Background()
	x := cloud(31, 120, 2)
	widths := []float64{f * h[0], f * h[1]}
	total := 0.0
	for i := range x.Rows {
		var rest data.Slice[[]float64]
		for j := range x.Rows {
			if j != i {
				rest = append(rest, x.Row(j))
			}
		}
		m, err := KDE{Smoother: s, Bandwidths: widths}.Fit(ctx, rest)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := m.LogDensity(ctx, data.Slice[[]float64]{x.Row(i)})
		if rule == LikelihoodRule {
			total -= p[0] / float64(x.Rows)
		} else {
			total -= 2 * math.Exp(p[0]) / float64(x.Rows)
		}
	}
	if rule == LeastSquaresRule {
		m, _ := KDE{Smoother: s, Bandwidths: widths}.Fit(ctx, data.RowsOf(x))
		var grid data.Slice[[]float64]
		const cells, low, high = 140, -7.0, 9.0
		for a := range cells {
			for b := range cells {
				grid = append(grid, []float64{low + (high-low)*float64(a)/cells, low + (high-low)*float64(b)/cells})
			}
		}
		p, _ := m.Density(ctx, grid)
		for _, v := range p {
			total += v * v * math.Pow((high-low)/cells, 2)
		}
	}
	return total
}

func TestDensityRefusesBadInput(t *testing.T) {
	ctx := context.Background()
	good := data.Slice[[]float64]{{0, 1}, {1, 3}, {2, 2}, {5, 0}}
	for name, try := range map[string]func() error{
		"empty":           func() error { _, err := (KDE{}).Fit(ctx, data.Slice[[]float64]{}); return err },
		"no columns":      func() error { _, err := (KDE{}).Fit(ctx, data.Slice[[]float64]{{}, {}}); return err },
		"one point":       func() error { _, err := (KDE{}).Fit(ctx, data.Slice[[]float64]{{1}}); return err },
		"constant column": func() error { _, err := (KDE{}).Fit(ctx, data.Slice[[]float64]{{1, 2}, {1, 3}}); return err },
		"NaN": func() error {
			_, err := (KDE{Bandwidth: 1}).Fit(ctx, data.Slice[[]float64]{{1}, {math.NaN()}})
			return err
		},
		"1e308": func() error {
			_, err := (KDE{Bandwidth: 1}).Fit(ctx, data.Slice[[]float64]{{1}, {1e308}})
			return err
		},
		"ragged":     func() error { _, err := (KDE{Bandwidth: 1}).Fit(ctx, data.Slice[[]float64]{{1}, {1, 2}}); return err },
		"width":      func() error { _, err := (KDE{Bandwidth: -1}).Fit(ctx, good); return err },
		"widths":     func() error { _, err := (KDE{Bandwidths: []float64{1}}).Fit(ctx, good); return err },
		"two widths": func() error { _, err := (KDE{Bandwidth: 1, Bandwidths: []float64{1, 1}}).Fit(ctx, good); return err },
		"matrix": func() error {
			_, err := (KDE{BandwidthMatrix: mat.NewSymDense(2, []float64{1, 2, 2, 1})}).Fit(ctx, good)
			return err
		},
		"weights": func() error { _, err := (KDE{Bandwidth: 1, Weights: []float64{0, 0, 0, 0}}).Fit(ctx, good); return err },
		"sj 2-D":  func() error { _, err := (KDE{Rule: SheatherJonesRule}).Fit(ctx, good); return err },
		"duplicates cv": func() error {
			_, err := (KDE{Rule: LikelihoodRule}).Fit(ctx, column([]float64{1, 1, 2, 2, 3, 3}))
			return err
		},
		"knn":     func() error { _, err := (KNN{K: 9}).Fit(ctx, good); return err },
		"mixture": func() error { _, err := (Mixture{Components: 5}).Fit(ctx, good); return err },
	} {
		if err := try(); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	// One point and n < d are fine with a bandwidth.
	m, err := KDE{Bandwidth: 2}.Fit(ctx, data.Slice[[]float64]{{1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := m.LogDensity(ctx, data.Slice[[]float64]{{1, 2, 3}})
	agree(t, "log-density of one point at itself", p, []float64{-1.5*math.Log(2*math.Pi) - 3*math.Ln2}, 1e-14)
	if _, err := m.LogDensity(ctx, data.Slice[[]float64]{{1}}); err == nil {
		t.Error("a query of one column was accepted")
	}
}
