package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
)

// rejections counts rejections over seeded repeats; one is given the generator
// of its repeat and settings of one thread.
func rejections(t *testing.T, repeats int, one func(rng *rand.Rand, s TestSettings) (bool, error)) int {
	t.Helper()
	var count, failed atomic.Int64
	var message atomic.Value
	par.For(0, repeats, 1, func(i, _ int) {
		reject, err := one(generator(uint64(1000+i)), TestSettings{Seed: uint64(i), Threads: 1, Permutations: 199})
		if err != nil {
			failed.Add(1)
			message.Store(err.Error())
		}
		if reject {
			count.Add(1)
		}
	})
	if failed.Load() > 0 {
		t.Fatal(message.Load())
	}
	return int(count.Load())
}

// binomialInterval holds a binomial count with probability 99 %: half a per cent in
// each tail.
func binomialInterval(n int, p float64) (low, high int) {
	sum, term := 0.0, math.Pow(1-p, float64(n))
	low = -1
	for k := 0; ; k++ {
		sum += term
		if low < 0 && sum > 0.005 {
			low = k
		}
		if sum >= 0.995 {
			return low, k
		}
		term *= float64(n-k) / float64(k+1) * p / (1 - p)
	}
}

type repeat = func(rng *rand.Rand, s TestSettings) (bool, error)

// decision makes a repeat out of a test.
func decision(r *TestResult, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	return r.Reject, nil
}

// At level 5 % the hypothesis is rejected in 5 % of 1000 repeats where it
// holds, for every test and null; -short has 250 repeats of two of them, whose
// interval is wider.
func TestLevel(t *testing.T) {
	var names []string
	cases := map[string]repeat{}
	add := func(name string, f repeat) { names, cases[name] = append(names, name), f }
	mmd := func(e MMDEstimate, null Null, m, n int) {
		add(fmt.Sprintf("MMD %v %v m=%d n=%d", e, null, m, n), func(rng *rand.Rand, s TestSettings) (bool, error) {
			x, y := normal(rng, m, 2, 0, 1), normal(rng, n, 2, 0, 1)
			k, err := MedianKernel(x, y)
			if err != nil {
				return false, err
			}
			s.Null = null
			return decision(MMD[vec]{Kernel: k, Estimate: e, TestSettings: s}.Test(background, x, y))
		})
	}
	for _, e := range []MMDEstimate{Unbiased, Biased} {
		mmd(e, NullPermutation, 20, 30)
		mmd(e, NullGamma, 50, 40)
		mmd(e, NullSpectral, 60, 50)
	}
	mmd(Linear, NullPermutation, 40, 40)
	mmd(Linear, NullNormal, 400, 400)
	mmd(Block, NullPermutation, 40, 40)
	mmd(Block, NullGamma, 400, 400)
	mmd(Block, NullNormal, 400, 400)
	add("MMD of the kernel of most power", func(rng *rand.Rand, s TestSettings) (bool, error) {
		x, y := normal(rng, 40, 1, 0, 1), normal(rng, 40, 1, 0, 1)
		ks, err := GaussianScales(x, y, 5)
		if err != nil {
			return false, err
		}
		sel, err := SelectByPower(background, ks, x, y, PowerOptions{Seed: s.Seed, Threads: 1})
		if err != nil {
			return false, err
		}
		return decision(MMD[vec]{Kernel: sel.Kernel, TestSettings: s}.Test(background, sel.TestX, sel.TestY))
	})
	add("MMD aggregated", func(rng *rand.Rand, s TestSettings) (bool, error) {
		x, y := normal(rng, 20, 1, 0, 1), normal(rng, 25, 1, 0, 1)
		ks, err := GaussianScales(x, y, 5)
		if err != nil {
			return false, err
		}
		r, err := AggregatedMMD[vec]{Kernels: ks, TestSettings: s}.Test(background, x, y)
		return err == nil && r.Reject, err
	})
	k := kernel.Gaussian{Lengthscale: 1}
	for _, unbiased := range []bool{false, true} {
		for _, null := range []Null{NullPermutation, NullGamma, NullSpectral} {
			n := map[Null]int{NullPermutation: 25, NullGamma: 50, NullSpectral: 80}[null]
			add(fmt.Sprintf("HSIC unbiased=%v %v n=%d", unbiased, null, n), func(rng *rand.Rand, s TestSettings) (bool, error) {
				s.Null = null
				return decision(HSIC[vec, vec]{KernelX: k, KernelY: k, Unbiased: unbiased, TestSettings: s}.Test(background,
					normal(rng, n, 1, 0, 1), normal(rng, n, 1, 0, 1)))
			})
		}
	}
	add("HSIC aggregated", func(rng *rand.Rand, s TestSettings) (bool, error) {
		return aggregatedDecision(normal(rng, 25, 1, 0, 1), normal(rng, 25, 1, 0, 1), 3, s)
	})
	add("HSIC aggregated, low rank", func(rng *rand.Rand, s TestSettings) (bool, error) {
		s.Permutations = 99
		return aggregatedDecision(normal(rng, 200, 1, 0, 1), normal(rng, 200, 1, 0, 1), 2, s)
	})
	add("dHSIC of three", func(rng *rand.Rand, s TestSettings) (bool, error) {
		return decision(DHSIC{s}.Test(background, NewVariable[vec](k, normal(rng, 25, 1, 0, 1)),
			NewVariable[vec](k, normal(rng, 25, 1, 0, 1)), NewVariable[vec](k, normal(rng, 25, 1, 0, 1))))
	})
	for _, m := range []DependenceMeasure{COCO, Correlation, GeneralisedVariance} {
		add(m.String(), func(rng *rand.Rand, s TestSettings) (bool, error) {
			return decision(Dependence{Measure: m, TestSettings: s}.Test(background,
				NewVariable[vec](k, normal(rng, 20, 1, 0, 1)), NewVariable[vec](k, normal(rng, 20, 1, 0, 1))))
		})
	}
	for _, null := range []Null{NullPermutation, NullGamma} {
		add("conditional independence "+null.String(), func(rng *rand.Rand, s TestSettings) (bool, error) {
			s.Null = null
			x, y, z := throughZ(rng, 80, 0)
			r, err := ConditionalIndependence[vec]{Kernels: []kernel.Kernel[vec]{kernel.Gaussian{Lengthscale: 1},
				kernel.Gaussian{Lengthscale: 3}}, TestSettings: s}.Test(background, x, y, z)
			return err == nil && r.Reject, err
		})
	}
	if low, high := binomialInterval(1000, 0.05); low < 30 || high > 72 {
		t.Fatalf("interval [%d, %d]", low, high)
	}
	repeats := 1000
	if testing.Short() {
		repeats = 250
	}
	low, high := binomialInterval(repeats, 0.05)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != names[0] && name != "HSIC unbiased=false gamma n=50" {
				t.Skip("repeats of every test; run without -short")
			}
			got := rejections(t, repeats, cases[name])
			t.Logf("%d of %d", got, repeats)
			if got < low || got > high {
				t.Errorf("%d rejections of %d at 5 %%, want %d to %d", got, repeats, low, high)
			}
		})
	}
}

// throughZ is x and y that depend on z, and on each other only by strength.
func throughZ(rng *rand.Rand, n int, strength float64) (x, y, z data.DenseRows) {
	x, y, z = normal(rng, n, 1, 0, 0.5), normal(rng, n, 1, 0, 0.5), normal(rng, n, 1, 0, 1)
	for i := range n {
		v := z.At(i)[0]
		e := x.At(i)[0]
		x.At(i)[0] += math.Sin(2 * v)
		y.At(i)[0] += v*v/2 + strength*e
	}
	return x, y, z
}

// Power rises with the difference, from the level to near certainty, as in
// the papers that the tests are from.
func TestPowerCurvesRise(t *testing.T) {
	if testing.Short() {
		t.Skip("many repeats of every test; run without -short")
	}
	k := kernel.Gaussian{Lengthscale: 1}
	pair := func(make func(rng *rand.Rand, at float64) (x, y data.DenseRows),
		test func(x, y data.DenseRows, s TestSettings) (bool, error)) func(at float64) repeat {
		return func(at float64) repeat {
			return func(rng *rand.Rand, s TestSettings) (bool, error) {
				x, y := make(rng, at)
				return test(x, y, s)
			}
		}
	}
	mmd := func(e MMDEstimate, null Null) func(x, y data.DenseRows, s TestSettings) (bool, error) {
		return func(x, y data.DenseRows, s TestSettings) (bool, error) {
			s.Null = null
			return decision(MMD[vec]{Kernel: k, Estimate: e, TestSettings: s}.Test(background, x, y))
		}
	}
	shift := func(n int) func(rng *rand.Rand, at float64) (x, y data.DenseRows) {
		return func(rng *rand.Rand, at float64) (x, y data.DenseRows) {
			return normal(rng, n, 1, 0, 1), normal(rng, n, 1, at, 1)
		}
	}
	spread := func(rng *rand.Rand, at float64) (x, y data.DenseRows) {
		return normal(rng, 60, 1, 0, 1), normal(rng, 60, 1, 0, 1+at)
	}
	hsic := func(null Null) func(x, y data.DenseRows, s TestSettings) (bool, error) {
		return func(x, y data.DenseRows, s TestSettings) (bool, error) {
			s.Null = null
			return decision(HSIC[vec, vec]{KernelX: k, KernelY: k, TestSettings: s}.Test(background, x, y))
		}
	}
	measure := func(m DependenceMeasure) func(x, y data.DenseRows, s TestSettings) (bool, error) {
		return func(x, y data.DenseRows, s TestSettings) (bool, error) {
			return decision(Dependence{Measure: m, TestSettings: s}.Test(background, NewVariable[vec](k, x),
				NewVariable[vec](k, y)))
		}
	}
	for _, c := range []struct {
		name string
		at   []float64
		test func(at float64) repeat
	}{
		{"mean, unbiased", []float64{0, 0.3, 0.6, 1}, pair(shift(60), mmd(Unbiased, NullPermutation))},
		{"mean, gamma", []float64{0, 0.3, 0.6, 1}, pair(shift(60), mmd(Biased, NullGamma))},
		{"mean, block", []float64{0, 0.4, 0.8, 1.2}, pair(shift(100), mmd(Block, NullPermutation))},
		{"mean, linear", []float64{0, 0.6, 1.2, 2}, pair(shift(100), mmd(Linear, NullPermutation))},
		{"variance, unbiased", []float64{0, 0.5, 1, 2}, pair(spread, mmd(Unbiased, NullPermutation))},
		{"rotation, HSIC", []float64{0, 0.25, 0.5, 1}, pair(rotated, hsic(NullPermutation))},
		{"rotation, HSIC gamma", []float64{0, 0.25, 0.5, 1}, pair(rotated, hsic(NullGamma))},
		{"rotation, KGV", []float64{0, 0.06, 0.12, 0.3}, pair(rotated, measure(GeneralisedVariance))},
		{"rotation, KCC", []float64{0, 0.06, 0.12, 0.3}, pair(rotated, measure(Correlation))},
		{"rotation, COCO", []float64{0, 0.25, 0.5, 1}, pair(rotated, measure(COCO))},
		{"given z", []float64{0, 0.25, 0.5, 1}, func(at float64) repeat {
			return func(rng *rand.Rand, s TestSettings) (bool, error) {
				s.Null = NullGamma
				x, y, z := throughZ(rng, 80, at)
				r, err := ConditionalIndependence[vec]{Kernels: []kernel.Kernel[vec]{k}, TestSettings: s}.Test(background, x, y, z)
				return err == nil && r.Reject, err
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			const repeats = 100
			var curve []int
			for _, at := range c.at {
				curve = append(curve, rejections(t, repeats, c.test(at)))
			}
			t.Logf("%v of %d at %v", curve, repeats, c.at)
			if curve[0] > 12 || curve[3] < 85 || curve[1] > curve[2]+5 || curve[2] > curve[3]+5 || curve[1] >= curve[3] {
				t.Errorf("%v of %d rejections at %v do not rise from the level to certainty", curve, repeats, c.at)
			}
		})
	}
}

// rotated is the benchmark of Gretton et al. 2007: two independent sources, not
// normal, mixed by a rotation of angle at·π/4. They stay uncorrelated.
func rotated(rng *rand.Rand, at float64) (x, y data.DenseRows) {
	const n = 128
	x, y = data.RowsOf(linalg.New[float64](n, 1)), data.RowsOf(linalg.New[float64](n, 1))
	c, s := math.Cos(at*math.Pi/4), math.Sin(at*math.Pi/4)
	source := func() float64 { // two peaks, variance about one
		return math.Copysign(0.95, rng.Float64()-0.5) + 0.3*rng.NormFloat64()
	}
	for i := range n {
		a, b := source(), source()
		x.At(i)[0], y.At(i)[0] = c*a-s*b, s*a+c*b
	}
	return x, y
}

// blobs is the benchmark of Gretton et al. 2012 (optimal kernel choice): a grid
// of normals, in y stretched along the diagonal. The median distance is that
// of the grid, which is not where the difference is.
func blobs(rng *rand.Rand, n int, stretch float64, y bool) data.DenseRows {
	x := normal(rng, n, 2, 0, 1)
	for i := range n {
		p := x.At(i)
		if y {
			a, b := (p[0]+p[1])/math.Sqrt2*math.Sqrt(stretch), (p[0]-p[1])/math.Sqrt2
			p[0], p[1] = (a+b)/math.Sqrt2, (a-b)/math.Sqrt2
		}
		p[0] += 10 * float64(rng.IntN(3))
		p[1] += 10 * float64(rng.IntN(3))
	}
	return x
}

// On the blobs the median width is blind; the width of most power on a split
// and the aggregate are not.
func TestWidthsOnBlobs(t *testing.T) {
	if testing.Short() {
		t.Skip("many repeats; run without -short")
	}
	const repeats, n = 40, 250
	sample := func(rng *rand.Rand) (x, y data.DenseRows) { return blobs(rng, n, 6, false), blobs(rng, n, 6, true) }
	median := rejections(t, repeats, func(rng *rand.Rand, s TestSettings) (bool, error) {
		x, y := sample(rng)
		k, err := MedianKernel(x, y)
		if err != nil {
			return false, err
		}
		return decision(MMD[vec]{Kernel: k, TestSettings: s}.Test(background, x, y))
	})
	aggregated := rejections(t, repeats, func(rng *rand.Rand, s TestSettings) (bool, error) {
		x, y := sample(rng)
		ks, err := GaussianScales(x, y, 10)
		if err != nil {
			return false, err
		}
		r, err := AggregatedMMD[vec]{Kernels: ks, TestSettings: s}.Test(background, x, y)
		return err == nil && r.Reject, err
	})
	chosen := rejections(t, repeats, func(rng *rand.Rand, s TestSettings) (bool, error) {
		x, y := sample(rng)
		ks, err := GaussianScales(x, y, 10)
		if err != nil {
			return false, err
		}
		sel, err := SelectByPower(background, ks, x, y, PowerOptions{Seed: s.Seed, Threads: 1})
		if err != nil {
			return false, err
		}
		return decision(MMD[vec]{Kernel: sel.Kernel, TestSettings: s}.Test(background, sel.TestX, sel.TestY))
	})
	t.Logf("of %d: median %d, aggregated %d, chosen %d", repeats, median, aggregated, chosen)
	if aggregated < 30 || chosen < 20 || median > aggregated/2 {
		t.Errorf("of %d blobs: median width %d, aggregated %d, chosen on a split %d", repeats, median, aggregated, chosen)
	}
}
