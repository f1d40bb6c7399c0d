package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// A held variable and the sums of the groups are equations of a Newton step on
// all free variables: the step with them is that of the smaller system.
func TestHeldVariables(t *testing.T) {
	const m = 12
	rng := rand.New(rand.NewPCG(5, 0))
	root := linalg.New[float64](m, m+3)
	for i := range root.Data {
		root.Data[i] = rng.NormFloat64()
	}
	k := linalg.New[float64](m, m)
	linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1, root, root, 0, k)
	whole := linalg.New[float64](m, m)
	copy(whole.Data, k.Data)
	z := linalg.New[float64](m, 1)
	for i := range m {
		z.Set(i, 0, rng.NormFloat64())
	}
	c, err := linalg.NewCholesky(1, k)
	if err != nil {
		t.Fatal(err)
	}
	h := &heldVariables{set: make([]int, m)}
	var first, second []int
	for i := range m {
		if i%3 == 0 {
			first = append(first, i)
		} else {
			second = append(second, i)
		}
	}
	h.add(first)
	h.add(second)
	held := map[int]bool{}
	for _, stop := range []int{-1, 4, 9, 5} {
		if stop >= 0 {
			h.hold(stop)
			held[stop] = true
		}
		r := linalg.New[float64](m, 1)
		copy(r.Data, z.Data)
		c.Solve(1, r)
		h.solve(1, c)
		delta, ok := h.balanced(r)
		if !ok {
			t.Fatal("no step")
		}
		for _, group := range [][]int{first, second} {
			// Within a group, z - Kδ is one number for all that are not held.
			sum, low, high := 0.0, math.Inf(1), math.Inf(-1)
			for _, a := range group {
				sum += delta[a]
				left := z.At(a, 0)
				for j, d := range delta {
					left -= whole.At(a, j) * d
				}
				if held[a] {
					if delta[a] != 0 {
						t.Errorf("held variable %d moves by %g", a, delta[a])
					}
					continue
				}
				low, high = min(low, left), max(high, left)
			}
			if math.Abs(sum) > 1e-10 || high-low > 1e-9 {
				t.Errorf("after holding %d: the sum moves by %g, what is left is from %g to %g", stop, sum, low, high)
			}
		}
	}
	// With all but one of a group held, the last cannot move either.
	for _, a := range first {
		if !held[a] {
			h.hold(a)
		}
	}
	r := linalg.New[float64](m, 1)
	copy(r.Data, z.Data)
	c.Solve(1, r)
	h.solve(1, c)
	if delta, ok := h.balanced(r); ok {
		for _, a := range first {
			if delta[a] != 0 {
				t.Errorf("variable %d of a held group moves by %g", a, delta[a])
			}
		}
	}
}
