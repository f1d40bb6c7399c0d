package learntest

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// NoisyCorners is points of k classes around corners, some of them mixed up.
func NoisyCorners(n, k int, seed uint64) (data.Points[kernel.Vec], []int) {
	rng := rand.New(rand.NewPCG(seed, 2))
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		y[i] = i % k
		a := 2 * math.Pi * float64(y[i]) / float64(k)
		x.SetRow(i, []float64{1.5*math.Cos(a) + rng.NormFloat64(), 1.5*math.Sin(a) + rng.NormFloat64()})
	}
	return data.Rows(x), y
}

// Noisy is n points with a rough target: hard enough for every family to take
// its time. A third of the labels is a third class when there are three.
func Noisy(n, d, classes int, seed uint64) (*mat.Dense, []float64, []string) {
	x, blob := Blobs(n, d, 5, 2.5, seed)
	y, label := make([]float64, n), make([]string, n)
	for i := range y {
		y[i] = math.Sin(3*x.At(i, 0)) + math.Cos(float64(blob[i])*x.At(i, 1))
		label[i] = string(rune('a' + (blob[i]+int(math.Abs(10*y[i])))%classes))
	}
	return x, y, label
}

// Corners is classes of points around the corners of a triangle.
func Corners(n, classes int, seed uint64) (*mat.Dense, []int) {
	x, _ := Wave(n, 2, seed)
	code := make([]int, n)
	for i := range n {
		code[i] = i % classes
		a := 2 * math.Pi * float64(code[i]) / float64(classes)
		x.Set(i, 0, x.At(i, 0)+2.5*math.Cos(a))
		x.Set(i, 1, x.At(i, 1)+2.5*math.Sin(a))
	}
	return x, code
}

// WeightsWith is n weights of 1, but v at one place.
func WeightsWith(n, at int, v float64) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	w[at] = v
	return w
}

// Wave is a regression problem with structure: n points in d dimensions.
func Wave(n, d int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range y {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		y[i] = math.Sin(2*x.At(i, 0)) + 0.3*x.At(i, d-1) + 0.1*rng.NormFloat64() + 2
	}
	return x, y
}

// NoisySinc is n points of sin(x)/x with x in ±width and Gaussian noise.
func NoisySinc(n int, width, noise float64, seed uint64) (*mat.Dense, []float64) {
	r := rand.New(rand.NewPCG(seed, 3))
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		v := width * (2*float64(i)/float64(n-1) - 1)
		x.Set(i, 0, v)
		y[i] = 1
		if v != 0 {
			y[i] = math.Sin(v) / v
		}
		y[i] += noise * r.NormFloat64()
	}
	return x, y
}

// Ripley draws from the two classes of Ripley (1994), each a mixture of two Gaussians of variance
// 0.03; the least possible error is about 0.08. The notes do not say which two-class data they
// have.
func Ripley(seed uint64, n int) (*mat.Dense, []float64) {
	r := rand.New(rand.NewPCG(seed, 77))
	centres := [2][2][2]float64{{{-0.7, 0.3}, {0.3, 0.3}}, {{-0.3, 0.7}, {0.4, 0.7}}}
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range n {
		class := i % 2
		c := centres[class][r.IntN(2)]
		for j := range 2 {
			x.Set(i, j, c[j]+math.Sqrt(0.03)*r.NormFloat64())
		}
		y[i] = float64(2*class - 1)
	}
	return x, y
}

// Blobs is k noisy classes around random centres.
func Blobs(n, d, k int, noise float64, seed uint64) (*mat.Dense, []int) {
	r := rand.New(rand.NewPCG(seed, 1))
	centre := mat.NewDense(k, d, nil)
	for i := range k {
		for j := range d {
			centre.Set(i, j, 2*r.NormFloat64())
		}
	}
	x, y := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		y[i] = r.IntN(k)
		for j := range d {
			x.Set(i, j, centre.At(y[i], j)+noise*r.NormFloat64())
		}
	}
	return x, y
}

// Ones is n ones.
func Ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// Basis is the columns k(cⱼ, ·), a row for each centre.
func Basis(k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], centres []int) linalg.Matrix[float64] {
	m := linalg.New[float64](len(centres), x.Len())
	kernel.Fill(1, blas64.General(m), kernel.Prepare(context.Background(), k, data.Gather(x, centres), x))
	return m
}
