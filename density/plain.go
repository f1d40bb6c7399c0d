package density

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

type plain = rkhs.Plain[[]float64]

// Plain returns the estimate as plain data: the points themselves, the bandwidth that was settled
// and Abramson's factors.
func (m *KDEModel) Plain() (rkhs.Plain[[]float64], error) {
	c := m.config
	p := plain{
		Kind: savedkind.KDE, Texts: map[string]string{"smoother": c.Smoother.String()},
		Numbers: map[string]float64{"product": 0, "adaptive": c.Adaptive, "boundary": float64(c.Boundary),
			"method": float64(c.Method), "relative": c.RelTol, "absolute": c.AbsTol},
		Arrays: map[string]*mat.Dense{"points": linalg.Dense(m.x)},
	}
	if c.Product {
		p.Numbers["product"] = 1
	}
	for name, v := range map[string][]float64{"widths": m.metric.Widths, "weights": m.weights, "scales": m.scales,
		"lower": c.Lower, "upper": c.Upper} {
		if v != nil {
			p.Arrays[name] = rkhs.ListArray(v)
		}
	}
	if c.BandwidthMatrix != nil {
		p.Arrays["bandwidth matrix"] = mat.DenseCopyOf(c.BandwidthMatrix)
	}
	return p, nil
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *KDEModel) Restore(p rkhs.Plain[[]float64]) error {
	told, err := restoreKDE(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreKDE makes a KDEModel of plain data.
func restoreKDE(p rkhs.Plain[[]float64]) (*KDEModel, error) {
	m := &KDEModel{report: learn.Report{Learner: "kde", Converged: true}}
	x, err := p.Array("points", -1, -1)
	if err != nil {
		return nil, err
	}
	if m.x, err = apply.OwnPoints(data.RowsOf(linalg.Of(x))); err != nil {
		return nil, err
	}
	n, d := m.x.Rows, m.x.Cols
	if m.config, err = kdeConfig(p, d); err != nil {
		return nil, err
	}
	c := m.config
	if m.weights, err = positives(p, "weights", n, true); err != nil {
		return nil, err
	}
	scales, err := positives(p, "scales", n, false)
	if err != nil {
		return nil, err
	}
	if (scales != nil) != (c.Adaptive != 0) {
		return nil, fmt.Errorf("factors of each point go with an exponent, which is %g", c.Adaptive)
	}
	widths, err := positives(p, "widths", d, false)
	if err != nil {
		return nil, err
	}
	if widths == nil && c.BandwidthMatrix == nil {
		return nil, fmt.Errorf("array %q is missing", "widths")
	}
	if m.metric, _, err = smoothing.GivenBandwidth(0, widths, c.BandwidthMatrix, d); err != nil {
		return nil, err
	}
	if err := m.inBounds(); err != nil {
		return nil, err
	}
	m.prepare(scales)
	return m, nil
}

// kdeConfig reads what was asked for.
func kdeConfig(p plain, d int) (c KDE, err error) {
	if c.Smoother, err = ParseSmoother(p.Texts["smoother"]); err != nil {
		return c, err
	}
	whole := func(name string, most int) int {
		v, bad := p.Whole(name, 0, most)
		if bad != nil && err == nil {
			err = bad
		}
		return v
	}
	number := func(name string) float64 {
		v, bad := p.Number(name)
		if bad != nil && err == nil {
			err = bad
		}
		return v
	}
	c.Product = whole("product", 1) == 1
	c.Boundary, c.Method = Boundary(whole("boundary", int(BoundaryRenormalise))), Method(whole("method", int(Binned)))
	c.Adaptive, c.RelTol, c.AbsTol = number("adaptive"), number("relative"), number("absolute")
	if err != nil {
		return c, err
	}
	for name, to := range map[string]*[]float64{"lower": &c.Lower, "upper": &c.Upper} {
		if a := p.Arrays[name]; a != nil && !a.IsEmpty() { // infinite where the support is open
			if r, cols := a.Dims(); r != 1 || cols != d {
				return c, fmt.Errorf("array %q is %d×%d for %d columns", name, r, cols, d)
			}
			*to = a.RawRowView(0)
		}
	}
	if p.Arrays["bandwidth matrix"] != nil {
		h, err := p.Array("bandwidth matrix", d, d)
		if err != nil {
			return c, err
		}
		if c.Product && c.Smoother != Gaussian || c.bounded() {
			return c, fmt.Errorf("a bandwidth matrix beside what goes by column")
		}
		c.BandwidthMatrix = mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				c.BandwidthMatrix.SetSym(i, j, h.At(i, j))
			}
		}
	}
	return c, c.check(d)
}

// positives reads numbers that may be missing and are positive, or not negative and not all zero.
func positives(p plain, name string, n int, zero bool) ([]float64, error) {
	if p.Arrays[name] == nil {
		return nil, nil
	}
	v, err := p.List(name, n)
	if err != nil {
		return nil, err
	}
	sum := 0.0
	for i, x := range v {
		if !(x > 0) && !(zero && x == 0) {
			return nil, fmt.Errorf("array %q: entry %d is %g", name, i, x)
		}
		sum += x
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return nil, fmt.Errorf("array %q adds up to %g", name, sum)
	}
	return v, nil
}

// Plain returns the points and how many a ball holds.
func (m *KNNModel) Plain() (rkhs.Plain[[]float64], error) {
	x := linalg.New[float64](m.tree.N, m.tree.Dim)
	for place, i := range m.tree.Index {
		m.tree.Point(x.Row(i), place)
	}
	return plain{Kind: savedkind.KNN, Numbers: map[string]float64{"k": float64(m.k)},
		Arrays: map[string]*mat.Dense{"points": linalg.Dense(x)}}, nil
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *KNNModel) Restore(p rkhs.Plain[[]float64]) error {
	told, err := restoreKNN(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreKNN makes a KNNModel of plain data.
func restoreKNN(p rkhs.Plain[[]float64]) (*KNNModel, error) {
	x, err := p.Array("points", -1, -1)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	m := &KNNModel{}
	if m.k, err = p.Whole("k", 1, n); err != nil {
		return nil, err
	}
	points, err := apply.OwnPoints(data.RowsOf(linalg.Of(x)))
	if err != nil {
		return nil, err
	}
	m.tree = newKNNTree(points)
	return m, nil
}
