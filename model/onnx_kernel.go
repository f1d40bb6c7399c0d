package model

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

const onnxFormat = "ONNX"

// onnxPair is the points (N×d, a value of the graph) against the centres (m×d,
// known now), or against themselves: then kernel values are a column, k(x, x).
type onnxPair struct {
	g       *graph
	x       string
	d       int
	centers linalg.Matrix[float64]
	self    bool
	inner   string // cached
	square  string
}

// on is the pair after a map of both sides.
func (p *onnxPair) on(x string, d int, centers linalg.Matrix[float64]) *onnxPair {
	return &onnxPair{g: p.g, x: x, d: d, centers: centers, self: p.self}
}

// products is the inner products.
func (p *onnxPair) products() string {
	if p.inner != "" {
		return p.inner
	}
	g := p.g
	if p.self {
		p.inner = g.sum(g.op("Mul", p.x, p.x), 1, true)
		return p.inner
	}
	t := linalg.New[float64](p.d, p.centers.Rows)
	for i := range p.centers.Rows {
		for j, v := range p.centers.Row(i) {
			t.Set(j, i, v)
		}
	}
	p.inner = g.product(p.x, t.Data, p.d, p.centers.Rows)
	return p.inner
}

// squares is the squared distances ‖x‖² + ‖c‖² - 2⟨x, c⟩, not below 0, of points less the mean of
// the centres: far from the origin the three terms would cancel all digits of a distance.
func (p *onnxPair) squares() string {
	if p.square != "" {
		return p.square
	}
	g := p.g
	if p.self {
		p.square = g.op("Mul", g.sum(p.x, 1, true), g.scalar(0))
		return p.square
	}
	mean := make([]float64, p.d)
	for i := range p.centers.Rows {
		for j, v := range p.centers.Row(i) {
			mean[j] += (v - mean[j]) / float64(i+1)
		}
	}
	centers, norms := linalg.New[float64](p.centers.Rows, p.d), make([]float64, p.centers.Rows)
	for i := range norms {
		for j, v := range p.centers.Row(i) {
			v -= mean[j]
			centers.Set(i, j, v)
			norms[i] += v * v
		}
	}
	shifted := p.on(g.op("Sub", p.x, g.store(mean, 1, p.d)), p.d, centers)
	own := g.sum(g.op("Mul", shifted.x, shifted.x), 1, true)
	sum := g.op("Add", own, g.store(norms, 1, len(norms)))
	p.square = g.op("Max", g.op("Sub", sum, g.op("Mul", shifted.products(), g.scalar(2))), g.scalar(0))
	return p.square
}

// stepwise is the most coordinates whose differences are squared and added one after another.
const stepwise = 64

// distances is √Σ(x-c)² for kernels that have an edge where points meet. A root makes of the
// rounding of squares, which is relative to the norms, one of half as many digits; so the
// differences are taken coordinate by coordinate, unless they are many.
func (p *onnxPair) distances() string {
	g := p.g
	if p.self || p.d > stepwise {
		return g.op("Sqrt", p.squares())
	}
	sum := ""
	for j := range p.d {
		column := make([]float64, p.centers.Rows)
		for i := range column {
			column[i] = p.centers.At(i, j)
		}
		difference := g.op("Sub", g.gather(p.x, 1, int64(j)), g.store(column, 1, len(column)))
		if square := g.op("Mul", difference, difference); sum == "" {
			sum = square
		} else {
			sum = g.op("Add", sum, square)
		}
	}
	return g.op("Sqrt", sum)
}

// both is the points and the centres in a shape where coordinates broadcast
// against each other: N×1×d and 1×m×d.
func (p *onnxPair) both() (x, c string) {
	g := p.g
	x = g.op("Unsqueeze", p.x, g.indices(1))
	if p.self {
		return x, x
	}
	return x, g.store(p.centers.Clone().Data, 1, p.centers.Rows, p.d)
}

// coordinates is Σ over the coordinates of term(x, c).
func (p *onnxPair) coordinates(term func(x, c string) string) string {
	x, c := p.both()
	return p.g.sum(term(x, c), 2, false)
}

func (p *onnxPair) exp(z string, factor float64) string {
	return p.g.op("Exp", p.times(z, factor))
}

func (p *onnxPair) affine(z string, a, b float64) string {
	return p.g.op("Add", p.times(z, a), p.g.scalar(b))
}

// times multiplies kernel values by a number. It is written once for each
// centre: onnxruntime takes a single factor beside a MatMul into that, in single precision.
func (p *onnxPair) times(z string, factor float64) string {
	if p.self || p.centers.Rows == 1 {
		return p.g.op("Mul", z, p.g.scalar(factor))
	}
	return p.g.op("Mul", z, p.g.repeated(factor, p.centers.Rows))
}

func (p *onnxPair) power(z string, e float64) string { return p.g.op("Pow", z, p.g.scalar(e)) }

// over is a/b, or 0 where b is 0.
func (p *onnxPair) over(a, b string) string {
	g := p.g
	zero := g.op("Equal", b, g.scalar(0))
	return g.op("Where", zero, g.scalar(0), g.op("Div", a, g.op("Where", zero, g.scalar(1), b)))
}

func orOne(v float64) float64 {
	if v == 0 {
		return 1
	}
	return v
}

// values is the kernel values of the pair.
func (p *onnxPair) values(k kernel.Kernel[kernel.Vec]) (string, error) {
	g := p.g
	switch k := k.(type) {
	case kernel.Linear:
		return p.products(), nil
	case kernel.Polynomial:
		degree := k.Degree
		if degree == 0 {
			degree = 2
		}
		return p.power(p.affine(p.products(), orOne(k.Gamma), k.Offset), float64(degree)), nil
	case kernel.Exponential:
		return p.exp(p.products(), orOne(k.Gamma)), nil
	case kernel.Sigmoid:
		return g.op("Tanh", p.affine(p.products(), orOne(k.Gamma), k.Offset)), nil
	case kernel.Hartley:
		return p.times(g.op("Sin", p.affine(p.products(), 1, math.Pi/4)), math.Sqrt2), nil
	case kernel.Gaussian:
		l := orOne(k.Lengthscale)
		return p.exp(p.squares(), -1/(2*l*l)), nil
	case kernel.Laplace:
		return p.exp(p.distances(), -1/orOne(k.Lengthscale)), nil
	case kernel.RationalQuadratic:
		a, l := orOne(k.Alpha), orOne(k.Lengthscale)
		return p.power(p.affine(p.squares(), 1/(2*a*l*l), 1), -a), nil
	case kernel.Matern:
		return p.matern(k)
	case kernel.LaplaceL1:
		r := p.coordinates(func(x, c string) string { return g.op("Abs", g.op("Sub", x, c)) })
		return p.exp(r, -1/orOne(k.Lengthscale)), nil
	case kernel.Periodic:
		l := orOne(k.Lengthscale)
		s := p.coordinates(func(x, c string) string {
			t := g.op("Sin", g.op("Mul", g.op("Sub", x, c), g.scalar(math.Pi/orOne(k.Period))))
			return g.op("Mul", t, t)
		})
		return p.exp(s, -2/(l*l)), nil
	case kernel.ChiSquare:
		r := p.coordinates(func(x, c string) string {
			d := g.op("Sub", x, c)
			return p.over(g.op("Mul", d, d), g.op("Add", x, c))
		})
		return p.exp(r, -orOne(k.Gamma)), nil
	case kernel.AdditiveChiSquare:
		return p.coordinates(func(x, c string) string {
			return p.over(g.op("Mul", g.op("Mul", x, c), g.scalar(2)), g.op("Add", x, c))
		}), nil
	case kernel.Intersection:
		return p.coordinates(func(x, c string) string { return g.op("Min", x, c) }), nil
	case kernel.Cosine:
		return p.normalized(kernel.Linear{})
	case kernel.QuadraticForm:
		return p.quadratic(k.A)
	}
	return p.composed(k)
}

// matern is the closed form for ν = n + ½:
// e^{-z} n!/(2n)! Σ (n+i)!/(i!(n-i)!) (2z)^{n-i}, z = √(2ν) r/ℓ.
func (p *onnxPair) matern(k kernel.Matern) (string, error) {
	n := int(k.Nu)
	if float64(n)+0.5 != k.Nu || n > 10 {
		return "", unfit(onnxFormat, "the Matérn kernel with nu=%g has no closed form there; nu = 0.5, 1.5, … 10.5 have",
			k.Nu)
	}
	g := p.g
	z := g.op("Mul", p.distances(), g.scalar(math.Sqrt(2*k.Nu)/orOne(k.Lengthscale)))
	lead := 1.0
	coef := []float64{1}
	for j := 1; j <= n; j++ {
		i := float64(n - j + 1)
		lead *= 2 * i / ((float64(n) + i) * (float64(n) - i + 1))
		coef = append(coef, lead)
	}
	sum := g.scalar(coef[n])
	for j := n - 1; j >= 0; j-- {
		sum = g.op("Add", g.op("Mul", sum, z), g.scalar(coef[j]))
	}
	return g.op("Mul", sum, p.exp(z, -1)), nil
}

func (p *onnxPair) quadratic(a *mat.SymDense) (string, error) {
	n := a.SymmetricDim()
	if n != p.d {
		return "", fmt.Errorf("a form of %d coordinates on %d", n, p.d)
	}
	full := make([]float64, n*n)
	for i := range n {
		for j := range n {
			full[i*n+j] = a.At(i, j)
		}
	}
	g := p.g
	ax := g.product(p.x, full, n, n)
	if p.self {
		return g.sum(g.op("Mul", ax, p.x), 1, true), nil
	}
	return p.on(ax, n, p.centers).products(), nil
}

// normalized is k(x, c)/√(k(x, x)·k(c, c)), 0 where one of them is 0.
func (p *onnxPair) normalized(k kernel.Kernel[kernel.Vec]) (string, error) {
	g := p.g
	own, err := (&onnxPair{g: g, x: p.x, d: p.d, centers: p.centers, self: true}).values(k)
	if err != nil {
		return "", err
	}
	if p.self {
		return p.over(own, own), nil
	}
	v, err := p.values(k)
	if err != nil {
		return "", err
	}
	diag := make([]float64, p.centers.Rows)
	for i := range diag {
		diag[i] = math.Sqrt(k.Eval(p.centers.Row(i), p.centers.Row(i)))
	}
	return p.over(v, g.op("Mul", g.op("Sqrt", own), g.store(diag, 1, len(diag)))), nil
}
