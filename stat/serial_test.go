package stat

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// series is n steps of xₜ = φ·xₜ₋₁ + e.
func series(rng *rand.Rand, n int, phi float64) data.Points[kernel.Vec] {
	v := make(data.Slice[kernel.Vec], n)
	x := rng.NormFloat64() / math.Sqrt(1-phi*phi)
	for i := range v {
		v[i] = kernel.Vec{x}
		x = phi*x + rng.NormFloat64()
	}
	return v
}

// Two series that know nothing of each other but much of their own past: permutations reject far
// more often than their level, shifts do not, by one width or by several.
func TestShiftsKeepTheLevelOfSeries(t *testing.T) {
	draws, n := 200, 200
	if testing.Short() {
		draws = 80
	}
	rejected := map[string]int{}
	for i := range draws {
		rng := rand.New(rand.NewPCG(11, uint64(i)))
		x, y := series(rng, n, 0.7), series(rng, n, 0.7)
		k := kernel.Gaussian{Lengthscale: 2}
		for _, null := range []Null{NullPermutation, NullShift} {
			s := TestSettings{Null: null, Permutations: 199, Seed: uint64(i)}
			one, err := HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k, TestSettings: s}.Test(context.Background(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			kernels := []kernel.Kernel[kernel.Vec]{kernel.Gaussian{Lengthscale: 1}, k}
			several, err := AggregatedHSIC[kernel.Vec, kernel.Vec]{KernelsX: kernels, KernelsY: kernels,
				TestSettings: s}.Test(context.Background(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			if one.Reject {
				rejected["one by "+null.String()]++
			}
			if several.Reject {
				rejected["several by "+null.String()]++
			}
		}
	}
	t.Logf("of %d draws: %v", draws, rejected)
	for what, count := range rejected {
		share := float64(count) / float64(draws)
		if strings.Contains(what, "shift") && share > 0.05+3*math.Sqrt(0.05*0.95/float64(draws)) {
			t.Errorf("%s: %.3f are rejected at 5 %%", what, share)
		}
		if strings.Contains(what, "permutation") && share < 0.15 {
			t.Errorf("%s: %.3f are rejected; this test tells nothing", what, share)
		}
	}
}

// One series that follows the other is found by shifts, and the p-value is no finer than there are
// shifts.
func TestShiftsFindDependence(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 300
	x := series(rng, n, 0.7)
	y := make(data.Slice[kernel.Vec], n)
	for i := range y {
		y[i] = kernel.Vec{x.At(i)[0] + 0.5*rng.NormFloat64()}
	}
	k := kernel.Gaussian{Lengthscale: 1}
	r, err := HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k,
		TestSettings: TestSettings{Null: NullShift, Permutations: 5000}}.Test(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	if shifts := shiftsOf(n); !r.Reject || r.Permutations != shifts || r.P < 1/float64(shifts+1) || r.Null != NullShift {
		t.Errorf("p = %g of %d shifts, %v", r.P, r.Permutations, r.Null)
	}
	if _, err := (HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k,
		TestSettings: TestSettings{Null: NullShift}}).Test(context.Background(), series(rng, 30, 0),
		series(rng, 30, 0)); err == nil || !strings.Contains(err.Error(), "30 rows are too few to be shifted") {
		t.Errorf("30 rows: %v", err)
	}
	if _, err := (MMD[kernel.Vec]{Kernel: k, TestSettings: TestSettings{Null: NullShift}}).Test(context.Background(), x,
		y); err == nil {
		t.Error("MMD has no shifts, and takes them")
	}
}

// Every shift is drawn once, whatever the number of rounds, and none is nearer than a tenth.
func TestShiftsAreDifferent(t *testing.T) {
	for _, n := range []int{50, 73, 200} {
		for _, rounds := range []int{1, 2} {
			for _, asked := range []int{10, 100000} {
				s, err := TestSettings{Null: NullShift, Permutations: asked}.forSeries("test", n, rounds)
				if err != nil {
					t.Fatal(err)
				}
				seen := map[int32]bool{}
				perm := make([]int32, n)
				for _, purpose := range []int{drawPermutation, drawLevel}[:rounds] {
					for b := range s.Permutations {
						s.arrange(perm, purpose, b)
						if perm[0] < int32(n/10) || perm[0] > int32(n-n/10) || perm[1] != (perm[0]+1)%int32(n) {
							t.Errorf("n = %d: a shift by %d", n, perm[0])
						}
						seen[perm[0]] = true
					}
				}
				if len(seen) != rounds*s.Permutations {
					t.Errorf("n = %d: %d of %d shifts are different", n, len(seen), rounds*s.Permutations)
				}
			}
		}
	}
}

// Series are found, independent rows are not, nor are sorted ones, by a number or by classes.
func TestSerialCorrelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		if s := SerialCorrelation(series(rng, 100, 0), nil); s.Found {
			t.Errorf("independent rows, draw %d: %+v", i, s)
		}
	}
	if s := SerialCorrelation(series(rng, 200, 0.8), nil); !s.Found || math.Abs(s.Correlation-0.8) > 0.15 {
		t.Errorf("a series: %+v", s)
	}
	if s := SerialCorrelation(series(rng, 200, -0.8), nil); !s.Found || s.Correlation > -0.6 {
		t.Errorf("a series that swings: %+v", s)
	}
	sorted := slices.SortedFunc(slices.Values(series(rng, 200, 0).(data.Slice[kernel.Vec])), func(a, b kernel.Vec) int {
		return map[bool]int{true: -1, false: 1}[a[0] < b[0]]
	})
	if s := SerialCorrelation(data.Slice[kernel.Vec](sorted), nil); s.Found {
		t.Errorf("sorted rows: %+v", s)
	}
	classes, block := make(data.Slice[kernel.Vec], 150), make([]int, 150)
	for i := range classes {
		block[i] = i / 50
		classes[i] = kernel.Vec{1, 4*float64(block[i]) + rng.NormFloat64()}
	}
	if s := SerialCorrelation(classes, nil); !s.Found || s.Column != 1 {
		t.Errorf("classes one after the other: %+v", s)
	}
	if s := SerialCorrelation(classes, block); s.Found {
		t.Errorf("within classes: %+v", s)
	}
	if s := SerialCorrelation(data.Slice[kernel.Vec]{{1}, {2}}, nil); s.Found {
		t.Errorf("two rows: %+v", s)
	}
}
