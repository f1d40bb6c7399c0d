package stat

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// normals is rows of two numbers about a mean.
func normals(rng *rand.Rand, n int, mean float64) *mat.Dense {
	m := mat.NewDense(n, 2, nil)
	for i := range n {
		m.SetRow(i, []float64{mean + rng.NormFloat64(), rng.NormFloat64()})
	}
	return m
}

func featuresOf(t *testing.T, f *gram.FourierMap, x *mat.Dense) *mat.Dense {
	t.Helper()
	phi, err := f.Features(context.Background(), data.Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	return phi
}

// momentsOf adds rows up in two parts.
func momentsOf(t *testing.T, phi *mat.Dense) *FeatureMoments {
	t.Helper()
	n, d := phi.Dims()
	all := NewFeatureMoments(d)
	for _, part := range [][2]int{{0, n / 3}, {n / 3, n}} {
		m := NewFeatureMoments(d)
		if err := m.Add(mat.DenseCopyOf(phi.Slice(part[0], part[1], 0, d)), 1); err != nil {
			t.Fatal(err)
		}
		if err := all.Merge(m); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func fourier(t *testing.T, d int, seed uint64) *gram.FourierMap {
	t.Helper()
	f, err := gram.NewFourierMap(kernel.Gaussian{Lengthscale: 1}, d, 8, false, 1, seed)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFeatureStatisticsAreDoubleLoops: the statistics are those of the kernel ⟨φ, φ⟩, by their
// definitions.
func TestFeatureStatisticsAreDoubleLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	f := fourier(t, 2, 3)
	x, y := featuresOf(t, f, normals(rng, 40, 0)), featuresOf(t, f, normals(rng, 31, 0.5))
	mean := func(a, b *mat.Dense, same bool) float64 {
		n, _ := a.Dims()
		m, _ := b.Dims()
		sum, count := 0.0, 0.0
		for i := range n {
			for j := range m {
				if !same || i != j {
					sum += mat.Dot(a.RowView(i), b.RowView(j))
					count++
				}
			}
		}
		return sum / count
	}
	r, err := MMDByFeatures(context.Background(), momentsOf(t, x), momentsOf(t, y), TestSettings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := mean(x, x, true) + mean(y, y, true) - 2*mean(x, y, false); math.Abs(r.Statistic-want) > 1e-13 {
		t.Errorf("MMD² %.15g, want %.15g", r.Statistic, want)
	}

	u, v := featuresOf(t, f, normals(rng, 40, 0)), x
	both := mat.NewDense(40, 32, nil)
	for i := range 40 {
		copy(both.RawRowView(i), u.RawRowView(i))
		copy(both.RawRowView(i)[16:], v.RawRowView(i))
	}
	r, err = HSICByFeatures(context.Background(), momentsOf(t, both), 16, TestSettings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	centred := func(a *mat.Dense) *mat.Dense { // HKH
		var k mat.Dense
		k.Mul(a, a.T())
		h := mat.NewDense(40, 40, nil)
		for i := range 40 {
			for j := range 40 {
				h.Set(i, j, -1.0/40)
				if i == j {
					h.Set(i, j, 1-1.0/40)
				}
			}
		}
		var out mat.Dense
		out.Product(h, &k, h)
		return &out
	}
	var product mat.Dense
	product.Mul(centred(u), centred(v))
	if want := mat.Trace(&product) / 1600; math.Abs(r.Statistic-want) > 1e-13 {
		t.Errorf("HSIC %.15g, want %.15g", r.Statistic, want)
	}
}

// TestFeatureTestsKeepTheirLevel: of samples with nothing to find about a twentieth is rejected, of
// others most.
func TestFeatureTestsKeepTheirLevel(t *testing.T) {
	if testing.Short() {
		t.Skip("1200 tests")
	}
	const trials = 300
	rng := rand.New(rand.NewPCG(2, 2))
	f := fourier(t, 2, 5)
	count := func(test func(i int) (*TestResult, error)) int {
		rejected := 0
		for i := range trials {
			r, err := test(i)
			if err != nil {
				t.Fatal(err)
			}
			if r.Reject {
				rejected++
			}
		}
		return rejected
	}
	mmd := func(shift float64) int {
		return count(func(i int) (*TestResult, error) {
			return MMDByFeatures(context.Background(), momentsOf(t, featuresOf(t, f, normals(rng, 60, 0))),
				momentsOf(t, featuresOf(t, f, normals(rng, 90, shift))),
				TestSettings{Permutations: 199, Seed: uint64(i), Threads: 1})
		})
	}
	hsic := func(slope float64) int {
		return count(func(i int) (*TestResult, error) {
			both := mat.NewDense(80, 32, nil)
			u, v := normals(rng, 80, 0), normals(rng, 80, 0)
			for i := range 80 {
				v.Set(i, 0, v.At(i, 0)+slope*u.At(i, 0)*u.At(i, 0))
			}
			pu, pv := featuresOf(t, f, u), featuresOf(t, f, v)
			for i := range 80 {
				copy(both.RawRowView(i), pu.RawRowView(i))
				copy(both.RawRowView(i)[16:], pv.RawRowView(i))
			}
			return HSICByFeatures(context.Background(), momentsOf(t, both), 16,
				TestSettings{Permutations: 199, Seed: uint64(i), Threads: 1})
		})
	}
	// Of 300 trials at 5 % fewer than 4 or more than 30 are rejected once in a thousand times.
	for name, got := range map[string]int{"MMD": mmd(0), "HSIC": hsic(0)} {
		if got < 4 || got > 30 {
			t.Errorf("%s rejects %d of %d samples with nothing to find", name, got, trials)
		}
	}
	for name, got := range map[string]int{"MMD": mmd(1), "HSIC": hsic(1)} {
		if got < trials*3/4 {
			t.Errorf("%s rejects %d of %d samples that differ", name, got, trials)
		}
	}
}

// TestFeatureTestsRefuse: too few rows, features that do not match.
func TestFeatureTestsRefuse(t *testing.T) {
	ctx := context.Background()
	few, other := NewFeatureMoments(3), NewFeatureMoments(4)
	if err := few.Add(mat.NewDense(5, 4, nil), 1); err == nil {
		t.Error("rows of other features")
	}
	if err := few.Merge(other); err == nil {
		t.Error("moments of other features")
	}
	if _, err := MMDByFeatures(ctx, few, few, TestSettings{}); err == nil {
		t.Error("no rows")
	}
	few.N, other.N = 10, 10
	if _, err := MMDByFeatures(ctx, few, other, TestSettings{}); err == nil {
		t.Error("samples of other features")
	}
	for _, first := range []int{0, 3} {
		if _, err := HSICByFeatures(ctx, few, first, TestSettings{}); err == nil {
			t.Errorf("%d of 3 features", first)
		}
	}
	if r, err := MMDByFeatures(ctx, few, few, TestSettings{}); err != nil || r.Reject {
		t.Errorf("constant features: %v, %v", r, err)
	}
}
