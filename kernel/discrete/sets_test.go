package discrete_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"gonum.org/v1/gonum/mat"
)

// randomSets are distinct subsets of {0 … universe-1}, the empty one among them, elements in any
// order.
func randomSets(n, universe int) data.Slice[[]int] {
	rng := rand.New(rand.NewPCG(3, 1))
	out := data.Slice[[]int]{{}}
	seen := map[string]bool{"[]": true}
	for len(out) < n {
		p := rng.Perm(universe)[:rng.IntN(universe+1)]
		bits := make([]bool, universe)
		for _, e := range p {
			bits[e] = true
		}
		if name := fmt.Sprint(bits); !seen[name] {
			seen[name] = true
			out = append(out, p)
		}
	}
	return out
}

func contains(x []int, e int) bool {
	for _, v := range x {
		if v == e {
			return true
		}
	}
	return false
}

// against compares a kernel with an oracle on all pairs, by values and by blocks.
func against[T any](t *testing.T, k kernel.Kernel[T], x data.Slice[T], tol float64, want func(a, b T) float64) {
	t.Helper()
	got := mat.NewDense(len(x), len(x), nil)
	kernel.Block(context.Background(), k, got, data.Points[T](x), data.Points[T](x))
	for i, a := range x {
		for j, b := range x {
			w := want(a, b)
			if v := k.Eval(a, b); !(math.Abs(v-w) <= tol*(1+math.Abs(w))) {
				t.Fatalf("k(%v, %v) = %v, want %v", a, b, v, w)
			}
			if v := got.At(i, j); !(math.Abs(v-w) <= tol*(1+math.Abs(w))) {
				t.Fatalf("block at %v, %v: %v, want %v", a, b, v, w)
			}
		}
	}
}

// All subsets of the universe, one by one.
func TestSubsetsListedOneByOne(t *testing.T) {
	const universe = 8
	against(t, kernel.Kernel[[]int](discrete.SharedSubsets[int]{Weight: 0.7}), randomSets(20, universe), 1e-12,
		func(a, b []int) float64 {
			sum := 0.0
			for s := range 1 << universe {
				weight := 1.0
				for e := range universe {
					if s>>e&1 == 1 {
						weight *= 0.7
						if !contains(a, e) || !contains(b, e) {
							weight = 0
						}
					}
				}
				sum += weight
			}
			return sum
		})
}

func TestJaccardByCounts(t *testing.T) {
	bags := data.Slice[[]int]{{}, {1}, {1, 1, 1}, {2, 1, 1}, {1, 2, 3, 2}, {5}, {3, 3, 2, 1, 5, 5}}
	against(t, kernel.Kernel[[]int](discrete.Jaccard[int]{}), bags, 1e-15, func(a, b []int) float64 {
		low, high := 0, 0
		for e := range 6 {
			n, m := 0, 0
			for _, v := range a {
				if v == e {
					n++
				}
			}
			for _, v := range b {
				if v == e {
					m++
				}
			}
			low, high = low+min(n, m), high+max(n, m)
		}
		if high == 0 {
			return 1
		}
		return float64(low) / float64(high)
	})
}

func measure(e int) float64 { return 0.1 + float64(e)/10 }

func TestOrnsteinUhlenbeckBySymmetricDifference(t *testing.T) {
	k := discrete.OrnsteinUhlenbeck[int]{Rate: 0.8, Measure: measure}
	against(t, kernel.Kernel[[]int](k), randomSets(20, 8), 1e-12, func(a, b []int) float64 {
		apart := 0.0
		for e := range 8 {
			if contains(a, e) != contains(b, e) {
				apart += measure(e)
			}
		}
		return math.Exp(-0.8 * apart)
	})
}

// randomBags are bags of points in the plane, an empty one among them; coordinates are away from
// the borders of unit cells.
func randomBags(n int) data.Slice[[]kernel.Vec] {
	rng := rand.New(rand.NewPCG(5, 1))
	out := data.Slice[[]kernel.Vec]{{}}
	for len(out) < n {
		var bag []kernel.Vec
		for range 1 + rng.IntN(6) {
			bag = append(bag, kernel.Vec{4 * rng.NormFloat64(), 4 * rng.NormFloat64()})
		}
		out = append(out, bag)
	}
	return out
}

// Σ Σ ⟨x, y⟩³ is the inner product of the tensors Σ x⊗x⊗x.
func TestMultiInstanceByTensors(t *testing.T) {
	tensor := func(bag []kernel.Vec) []float64 {
		out := make([]float64, 8)
		for _, p := range bag {
			for i := range out {
				out[i] += p[i&1] * p[i>>1&1] * p[i>>2&1]
			}
		}
		return out
	}
	k := discrete.MultiInstance[kernel.Vec]{Kernel: kernel.Linear{}, Power: 3}
	against(t, kernel.Kernel[[]kernel.Vec](k), randomBags(15), 1e-10, func(a, b []kernel.Vec) float64 {
		return kernel.Inner.Between(tensor(a), tensor(b))
	})
}

// Bags larger than a block of the Gram matrix of instances, beside small ones.
func TestMultiInstanceLargeBags(t *testing.T) {
	x := randomBags(6)
	big := func(n int) (out []kernel.Vec) {
		v := kerneltest.Vectors(4, n, 2)
		for i := range n {
			out = append(out, v.At(i))
		}
		return out
	}
	x = append(x, big(130), big(1500), nil, big(64))
	k := discrete.MultiInstance[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Power: 2}
	against(t, kernel.Kernel[[]kernel.Vec](k), x, 1e-10, func(a, b []kernel.Vec) float64 {
		s := 0.0
		for _, p := range a {
			for _, q := range b {
				s += math.Exp(-kernel.SqDist.Between(p, q) / 4) // the square of exp(-r/8)
			}
		}
		return s
	})
}

// The definition: histograms of every level, new matches weighed by 2⁻ⁱ.
func TestPyramidByHistograms(t *testing.T) {
	x := randomBags(20)
	for _, k := range []discrete.PyramidMatch{{Side: 0.5, Levels: 6}, {Levels: 0},
		{Side: 2, Levels: 3, Origin: kernel.Vec{0.3, -17}}} {
		side := k.Side
		if side == 0 {
			side = 1
		}
		histogram := func(bag []kernel.Vec, level int) map[string]int {
			out := map[string]int{}
			for _, p := range bag {
				var at [2]float64
				for c, v := range p {
					if k.Origin != nil {
						v -= k.Origin[c]
					}
					at[c] = math.Floor(v / (side * math.Pow(2, float64(level))))
				}
				out[fmt.Sprint(at)]++
			}
			return out
		}
		against(t, kernel.Kernel[[]kernel.Vec](k), x, 1e-15, func(a, b []kernel.Vec) float64 {
			sum, before := 0.0, 0
			for level := range k.Levels + 1 {
				u, met := histogram(a, level), 0
				for cell, n := range histogram(b, level) {
					met += min(n, u[cell])
				}
				sum += math.Pow(0.5, float64(level)) * float64(met-before)
				before = met
			}
			return sum
		})
	}
}

// The pyramid of a sample ends in one cell: every point of the smaller set finds a match.
func TestPyramidOfASampleEndsInOneCell(t *testing.T) {
	x := randomBags(20)
	k, err := discrete.NewPyramidMatch(x, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range x {
		if got := k.Eval(a, a); got != float64(len(a)) {
			t.Errorf("a set of %d points matches itself %g times", len(a), got)
		}
		for _, b := range x[:i] {
			if v, least := k.Eval(a, b), float64(min(len(a), len(b)))*math.Pow(0.5, float64(k.Levels)); v < least {
				t.Errorf("%g, want at least %g", v, least)
			}
		}
	}
	if c, err := discrete.NewPyramidMatch(data.Slice[[]kernel.Vec]{{{1}, {1}}}, 1); err != nil || c.Levels != 0 {
		t.Errorf("one point twice: %+v, %v", c, err)
	}
	if _, err := discrete.NewPyramidMatch(data.Slice[[]kernel.Vec]{{{1}, {1e300}}}, 1); err == nil ||
		!strings.Contains(err.Error(), "row 0, point 1, column 0 is 1e+300") {
		t.Errorf("too far: %v", err)
	}
}

func TestSetKernelsConform(t *testing.T) {
	sets, bags := randomSets(16, 8), randomBags(14)
	o := kerneltest.Options[[]int]{Points: sets}
	for _, k := range []kernel.Kernel[[]int]{discrete.SharedSubsets[int]{}, discrete.SharedSubsets[int]{Weight: 0.5},
		discrete.Jaccard[int]{},
		discrete.OrnsteinUhlenbeck[int]{}, discrete.OrnsteinUhlenbeck[int]{Rate: 0.3, Measure: measure}} {
		kerneltest.Run(t, k, o)
		kerneltest.Run(t, kernel.Normalize(k), o)
	}
	b := kerneltest.Options[[]kernel.Vec]{Points: bags}
	for _, k := range []kernel.Kernel[[]kernel.Vec]{discrete.MultiInstance[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 3}},
		discrete.MultiInstance[kernel.Vec]{Kernel: kernel.Linear{}, Power: 2}, discrete.PyramidMatch{Side: 0.5, Levels: 5}} {
		kerneltest.Run(t, k, b)
		kerneltest.Run(t, kernel.Normalize(k), b)
	}
}

func TestRefusedSets(t *testing.T) {
	long := par.Indices(0, 1200)
	vec := data.Slice[[]kernel.Vec]{{{1, 2}}, {}, {{1, 2}, {3}}}
	nan := data.Slice[[]kernel.Vec]{{{1, 2}}, {{1, math.NaN()}}}
	for want, err := range map[string]error{
		"sharedsubsets: row 1, position 2: 7 is there at position 0": kernel.Check[[]int](discrete.SharedSubsets[int]{},
			data.Slice[[]int]{{}, {7, 1, 7}}),
		"row 0 has 1200 elements": kernel.Check[[]int](discrete.SharedSubsets[int]{},
			data.Slice[[]int]{long}),
		"setou: row 0, position 1: the measure is -1": kernel.Check[[]int](discrete.OrnsteinUhlenbeck[int]{Measure: func(e int) float64 { return -float64(e) }},
			data.Slice[[]int]{{0, 1}}),
		"row 0, position 0 is not a number": discrete.SharedSubsets[float64]{}.CheckPoints(data.Slice[[]float64]{{math.NaN()}}),
		"rate = -1":                         discrete.OrnsteinUhlenbeck[int]{Rate: -1}.Validate(),
		"weight = NaN":                      discrete.SharedSubsets[int]{Weight: math.NaN()}.Validate(),
		"power = -1":                        discrete.MultiInstance[int]{Power: -1}.Validate(),
		"no kernel on instances":            discrete.MultiInstance[int]{}.Validate(),
		"multiinstance: bag 2: kernel: row 1 has 1": kernel.Check[[]kernel.Vec](discrete.MultiInstance[kernel.Vec]{Kernel: kernel.Linear{}},
			vec),
		"multiinstance: bag 1: kernel: row 0, col": kernel.Check[[]kernel.Vec](discrete.MultiInstance[kernel.Vec]{Kernel: kernel.Linear{}},
			nan),
		"pyramid: row 2, point 1 has 1 coordinates": kernel.Check[[]kernel.Vec](discrete.PyramidMatch{}, vec),
		"pyramid: row 1, point 0, column 1 is NaN":  kernel.Check[[]kernel.Vec](discrete.PyramidMatch{}, nan),
		"pyramid: row 0, point 0 has 2 coordinates,": kernel.Check[[]kernel.Vec](discrete.PyramidMatch{Origin: kernel.Vec{0}},
			vec),
		"levels = 99":      discrete.PyramidMatch{Levels: 99}.Validate(),
		"origin[0] = +Inf": discrete.PyramidMatch{Origin: kernel.Vec{math.Inf(1)}}.Validate(),
		"side = -1":        discrete.PyramidMatch{Side: -1}.Validate(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
