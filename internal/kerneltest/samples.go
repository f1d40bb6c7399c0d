package kerneltest

import (
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Vectors is n standard normal points in dim dimensions, always the same for a seed.
func Vectors(seed uint64, n, dim int) data.Points[kernel.Vec] {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return data.Rows(m)
}

// UnitCube is n uniform points in (0, 1)ᵈ, always the same for a seed.
func UnitCube(seed uint64, n, dim int) data.Points[kernel.Vec] {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			m.Set(i, j, 0.02+0.96*rng.Float64())
		}
	}
	return data.Rows(m)
}

// Codes is n rows of category codes -1 (never seen), 0, 1, 2, always the same for a seed.
func Codes(seed uint64, n, dim int) data.Points[kernel.Vec] {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			m.Set(i, j, float64(rng.IntN(4)-1))
		}
	}
	return data.Rows(m)
}

// Ball is n points with norms below 0.95, always the same for a seed.
func Ball(seed uint64, n, dim int) data.Points[kernel.Vec] {
	v := Vectors(seed, n, dim)
	for i := range n {
		x := v.At(i)
		s := kernel.Inner.Between(x, x)
		for j := range x {
			x[j] *= 0.95 / (1 + s)
		}
	}
	return v
}

// Adversarial are samples that break functions that are nearly kernels: clusters of
// near-duplicates, points far from the origin, a lattice, points on a line, the corners of
// a cube, points of very different sizes.
func Adversarial(dim int) []data.Points[kernel.Vec] {
	rng := rand.New(rand.NewPCG(99, uint64(dim)))
	make2 := func(n int, f func(i, j int) float64) data.Points[kernel.Vec] {
		m := mat.NewDense(n, dim, nil)
		for i := range n {
			for j := range dim {
				m.Set(i, j, f(i, j))
			}
		}
		return data.Rows(m)
	}
	return []data.Points[kernel.Vec]{
		make2(18, func(i, j int) float64 { return float64(i%3) + 1e-6*rng.NormFloat64() }),
		make2(18, func(i, j int) float64 { return 100 + rng.NormFloat64() }),
		make2(20, func(i, j int) float64 { return float64((i >> j) & 1) }),
		make2(21, func(i, j int) float64 { return 0.3 * float64(i-10) }),
		make2(24, func(i, j int) float64 { return rng.NormFloat64() * float64(int(1)<<(i%8)) / 16 }),
		make2(16, func(i, j int) float64 { return 0.95 * rng.Float64() }),
	}
}
