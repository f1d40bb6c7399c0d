package project

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// TestThreeClusters is the picture of the notes: with the Gaussian kernel,
// 2σ² = 0.1, on three clusters the first two components separate the clusters,
// the next three split each into halves, the following three again, across.
func TestThreeClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	centers := [3][2]float64{{-0.5, -0.2}, {0, 0.6}, {0.5, 0}}
	n := 90
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		c := centers[i/30]
		x.SetRow(i, []float64{c[0] + 0.1*rng.NormFloat64(), c[1] + 0.1*rng.NormFloat64()})
	}
	m, err := PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(0.05)},
		Components: 8}.Fit(context.Background(), data.Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	z := m.Scores()
	// 1-NN on clusters in the plane of the first two: every point is right.
	if e := nearestNeighbourErrors(z.Slice(0, n, 0, 2).(*mat.Dense), func(i int) int { return i / 30 }); e != 0 {
		t.Errorf("%d of %d points lie nearest to another cluster in the first two components", e, n)
	}
	// Share of a component's variance within clusters, and the cluster with most of it.
	within := func(j int) (share float64, at int) {
		total, best := 0.0, 0.0
		for c := range 3 {
			mean := 0.0
			for i := c * 30; i < c*30+30; i++ {
				mean += z.At(i, j) / 30
			}
			s := 0.0
			for i := c * 30; i < c*30+30; i++ {
				s += (z.At(i, j) - mean) * (z.At(i, j) - mean)
			}
			share += s
			if s > best {
				best, at = s, c
			}
		}
		for i := range n {
			total += z.At(i, j) * z.At(i, j)
		}
		return share / total, at
	}
	for j := range 2 {
		if s, _ := within(j); s > 0.3 {
			t.Errorf("component %d: %.2f of its variance is within clusters", j, s)
		}
	}
	for _, trio := range [][]int{{2, 3, 4}, {5, 6, 7}} {
		split := map[int]bool{}
		for _, j := range trio {
			s, at := within(j)
			if s < 0.8 {
				t.Errorf("component %d: only %.2f of its variance is within clusters", j, s)
			}
			split[at] = true
		}
		if len(split) != 3 {
			t.Errorf("components %v split %d clusters", trio, len(split))
		}
	}
}

// nearestNeighbourErrors counts the points whose nearest other has another label.
func nearestNeighbourErrors(z *mat.Dense, label func(int) int) int {
	n, _ := z.Dims()
	errors := 0
	for i := range n {
		best, at := math.Inf(1), -1
		for j := range n {
			if j == i {
				continue
			}
			s := 0.0
			for c, v := range z.RawRowView(i) {
				s += (v - z.At(j, c)) * (v - z.At(j, c))
			}
			if s < best {
				best, at = s, j
			}
		}
		if label(i) != label(at) {
			errors++
		}
	}
	return errors
}

// TestOilFlow repeats the experiment of Lawrence (2005): errors of 1-NN among
// 100 points of the oil flow data in two dimensions.
func TestOilFlow(t *testing.T) {
	table := sharedTable(t, "oilflow100.csv", 0)
	n, c := table.Dims()
	raw := mat.DenseCopyOf(table.Slice(0, n, 0, c-1))
	label := func(i int) int { return int(table.At(i, c-1)) }
	errors := func(k kernel.Kernel[kernel.Vec], x *mat.Dense) int {
		m, err := PCA[kernel.Vec]{Kernel: k, Components: 2}.Fit(context.Background(), data.Rows(x))
		if err != nil {
			t.Fatal(err)
		}
		return nearestNeighbourErrors(m.Scores(), label)
	}
	if e := errors(kernel.Linear{}, raw); e != 20 {
		t.Errorf("PCA makes %d errors, want the 20 of Lawrence (2005)", e)
	}
	scaled := mat.DenseCopyOf(raw)
	for j := range c - 1 {
		col := mat.Col(nil, j, raw)
		a, err := data.FitScaling("standardize", col)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range col {
			scaled.Set(i, j, a.Apply(v))
		}
	}
	for _, l := range []float64{0.5, 1, 1.3, 1.4, 1.5, 1.55, 1.6, 1.7, 2, 3, 5} {
		t.Logf("length-scale %g: %d errors", l, errors(kernel.Gaussian{Lengthscale: l}, scaled))
	}
	if e := errors(kernel.Gaussian{Lengthscale: 1.58}, scaled); e > 13 {
		t.Errorf("kernel PCA makes %d errors, want at most the 13 of Lawrence (2005)", e)
	} else {
		t.Logf("kernel PCA, length-scale 1.58: %d errors", e)
	}
}

// TestDenoiseUSPS adds noise to digits and takes it off again, with the same
// number of components of linear and of kernel PCA.
func TestDenoiseUSPS(t *testing.T) {
	if testing.Short() {
		t.Skip("long: USPS digits")
	}
	train, test := sharedTable(t, "usps_train.csv.gz", 2000), sharedTable(t, "usps_test.csv.gz", 200)
	r, c := train.Dims()
	x := data.Rows(mat.DenseCopyOf(train.Slice(0, r, 1, c)))
	r, _ = test.Dims()
	clean := mat.DenseCopyOf(test.Slice(0, r, 1, c))
	noisy := mat.DenseCopyOf(clean)
	rng := rand.New(rand.NewPCG(11, 0))
	noisy.Apply(func(_, _ int, v float64) float64 { return v + 0.5*rng.NormFloat64() }, noisy)
	ctx := context.Background()
	mse := func(got *mat.Dense) float64 {
		var d mat.Dense
		d.Sub(got, clean)
		f := mat.Norm(&d, 2)
		return f * f / float64(r*(c-1))
	}
	t.Logf("noise: MSE %.4f", mse(noisy))
	for _, q := range []int{64, 128} {
		lin, err := PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: min(q, 256)}.Fit(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		back, err := MapLearner{Kernel: kernel.Linear{}, Lambda: 1e-8}.Fit(ctx, lin.Scores(), x)
		if err != nil {
			t.Fatal(err)
		}
		flat, err := Denoise[kernel.Vec](ctx, lin, back, data.Rows(noisy))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d components: linear PCA MSE %.4f", q, mse(flat))
		for _, l := range []float64{11.3} {
			m, err := PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: l}, Components: q}.Fit(ctx, x)
			if err != nil {
				t.Fatal(err)
			}
			fixed, err := Denoise[kernel.Vec](ctx, m, FixedPoint{Model: m, MaxIterations: 100}, data.Rows(noisy))
			if err != nil {
				t.Fatal(err)
			}
			lm, err := MapLearner{Lambda: 1e-2}.Fit(ctx, m.Scores(), x)
			if err != nil {
				t.Fatal(err)
			}
			learned, err := Denoise[kernel.Vec](ctx, m, lm, data.Rows(noisy))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("  ℓ=%g: fixed point MSE %.4f, learned map %.4f", l, mse(fixed), mse(learned))
			if !(mse(learned) < 0.9*mse(flat)) {
				t.Errorf("learned map: MSE %.4f, not well below the %.4f of linear PCA", mse(learned), mse(flat))
			}
			if q == 128 && !(mse(fixed) < 0.9*mse(flat)) {
				t.Errorf("fixed point: MSE %.4f, not well below the %.4f of linear PCA", mse(fixed), mse(flat))
			}
		}
	}
}
