package gram

import (
	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"gonum.org/v1/gonum/mat"
)

// Centered is the Gram matrix of the points moved so that their mean in
// feature space is zero: K̃ = H·K·H with H = I - 1·1ᵀ/n, entry by entry
//
//	K̃ᵢⱼ = Kᵢⱼ - mᵢ - mⱼ + μ,  mᵢ = Σⱼ Kᵢⱼ/n,  μ = Σᵢ mᵢ/n.
//
// Nothing is copied: the underlying matrix is asked, and means are taken off
// on the way.
type Centered struct {
	g    Accessor
	mean []float64 // m
	all  float64   // μ
}

// Center centres K(X, X), by one product with it.
func Center(g Accessor) (*Centered, error) {
	r, c := g.Dims()
	if r != c {
		return nil, fault.Errorf("gram",
			"only K(X, X) can be centred by itself, this is %d×%d; centre K(test, X) with the Cross method of the "+
				"centred K(X, X)", r, c)
	}
	s := &Centered{g: g, mean: rowMeans(g)}
	for _, v := range s.mean {
		s.all += v
	}
	s.all /= float64(r)
	return s, nil
}

// rowMeans is K·1/c.
func rowMeans(g Gram) []float64 {
	r, c := g.Dims()
	one := mat.NewDense(c, 1, nil)
	for i := range c {
		one.Set(i, 0, 1/float64(c))
	}
	m := make([]float64, r)
	g.MulTo(mat.NewDense(r, 1, m), one, false)
	return m
}

// Means returns the row means m of K and their mean μ, all that is needed to
// centre new points: do not write to the slice.
func (s *Centered) Means() (rows []float64, all float64) { return s.mean, s.all }

// Dims returns the shape.
func (s *Centered) Dims() (int, int) { return s.g.Dims() }

// MulTo sets dst = H·K·H·v.
func (s *Centered) MulTo(dst, v *mat.Dense, trans bool) {
	h := linalg.Of(v).Clone()
	removeColumnMeans(h)
	s.g.MulTo(dst, linalg.Dense(h), trans)
	removeColumnMeans(linalg.Of(dst))
}

// removeColumnMeans is H·m in place; twice, so that what rounding leaves of a large mean is gone
// too.
func removeColumnMeans(m linalg.Matrix[float64]) {
	mean := make([]float64, m.Cols)
	for range 2 {
		clear(mean)
		for i := range m.Rows {
			simd.Axpy(1/float64(m.Rows), m.Row(i), mean)
		}
		for i := range m.Rows {
			simd.Axpy(-1, mean, m.Row(i))
		}
	}
}

// Diag sets dst to the diagonal.
func (s *Centered) Diag(dst []float64) {
	s.g.Diag(dst)
	for i := range dst {
		dst[i] += s.all - 2*s.mean[i]
	}
}

// Column sets dst to column j.
func (s *Centered) Column(dst []float64, j int) {
	s.g.Column(dst, j)
	for i := range dst {
		dst[i] += s.all - s.mean[i] - s.mean[j]
	}
}

// Row sets dst to row i.
func (s *Centered) Row(dst []float64, i int) { s.Column(dst, i) }

// Block sets dst[a, b] = K̃[i+a, j+b].
func (s *Centered) Block(dst *mat.Dense, i, j int) {
	s.g.Block(dst, i, j)
	o := linalg.Of(dst)
	for a := range o.Rows {
		row := o.Row(a)
		for b := range row {
			row[b] += s.all - s.mean[i+a] - s.mean[j+b]
		}
	}
}

// Describe says how the matrix is kept, and why.
func (s *Centered) Describe() string { return "centred " + s.g.Describe() }

// Cross centres K(test, X), rows test points and columns the points X of s,
// with the means of X (never those of the test points):
//
//	K̃*ᵢⱼ = K*ᵢⱼ - Σⱼ K*ᵢⱼ/n - mⱼ + μ,
//
// that is K̃* = (K* - 1·mᵀ)·H.
func (s *Centered) Cross(star Accessor) (*CrossCentered, error) {
	_, c := star.Dims()
	if c != len(s.mean) {
		return nil, fault.Errorf("gram", "K(test, X) has %d columns but X has %d points", c, len(s.mean))
	}
	return &CrossCentered{g: star, train: s, mean: rowMeans(star)}, nil
}

// CrossCentered is K(test, X) centred with the means of X.
type CrossCentered struct {
	g     Accessor
	train *Centered
	mean  []float64 // of each test row over X
}

// Dims returns the shape.
func (s *CrossCentered) Dims() (int, int) { return s.g.Dims() }

// MulTo sets dst = (K* - 1·mᵀ)·H·v, or its transpose H·(K*ᵀ - m·1ᵀ)·v.
func (s *CrossCentered) MulTo(dst, v *mat.Dense, trans bool) {
	d, w := linalg.Of(dst), linalg.Of(v)
	if trans {
		s.g.MulTo(dst, v, true)
		sum := make([]float64, w.Cols)
		for i := range w.Rows {
			for j, e := range w.Row(i) {
				sum[j] += e
			}
		}
		for i := range d.Rows {
			row := d.Row(i)
			for j := range row {
				row[j] -= s.train.mean[i] * sum[j]
			}
		}
		removeColumnMeans(d)
		return
	}
	h := w.Clone()
	removeColumnMeans(h)
	s.g.MulTo(dst, linalg.Dense(h), false)
	dot := make([]float64, h.Cols)
	for i := range h.Rows {
		for j, e := range h.Row(i) {
			dot[j] += s.train.mean[i] * e
		}
	}
	for i := range d.Rows {
		row := d.Row(i)
		for j := range row {
			row[j] -= dot[j]
		}
	}
}

func (s *CrossCentered) shift(i, j int) float64 {
	return s.train.all - s.mean[i] - s.train.mean[j]
}

// Diag sets dst to the diagonal.
func (s *CrossCentered) Diag(dst []float64) {
	s.g.Diag(dst)
	for i := range dst {
		dst[i] += s.shift(i, i)
	}
}

// Column sets dst to column j.
func (s *CrossCentered) Column(dst []float64, j int) {
	s.g.Column(dst, j)
	for i := range dst {
		dst[i] += s.shift(i, j)
	}
}

// Row sets dst to row i.
func (s *CrossCentered) Row(dst []float64, i int) {
	s.g.Row(dst, i)
	for j := range dst {
		dst[j] += s.shift(i, j)
	}
}

// Block sets dst[a, b] = K̃*[i+a, j+b].
func (s *CrossCentered) Block(dst *mat.Dense, i, j int) {
	s.g.Block(dst, i, j)
	o := linalg.Of(dst)
	for a := range o.Rows {
		row := o.Row(a)
		for b := range row {
			row[b] += s.shift(i+a, j+b)
		}
	}
}

// SelfDiag replaces each k(x*, x*) in dst, one for each test row, by its value
// after centring: k(x*, x*) - 2·Σⱼ K*ⱼ/n + μ, the squared distance of the test
// point from the mean of X in feature space.
func (s *CrossCentered) SelfDiag(dst []float64) {
	for i := range dst {
		dst[i] += s.train.all - 2*s.mean[i]
	}
}

// Describe says how the matrix is kept, and why.
func (s *CrossCentered) Describe() string { return "centred " + s.g.Describe() }
