package ridge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// ThinPlate is the thin-plate smoothing spline of few coordinates,
//
//	minimise over f   Σ wᵢ (yᵢ - f(xᵢ))² + λ ∫ Σ_{|α|=m} (m!/α!)·(D^αf)²,   2m > d,
//
// a network of Green's functions of the penalty's operator, one at each point, beside a polynomial
// of degree below m that is not penalised: (E + λW⁻¹)c + Pd = y, Pᵀc = 0 (Duchon 1977; Poggio and
// Girosi 1990). On a line it is Spline. It is a Regression with kernel.ThinPlate whose anchors lie
// about the points and are free of penalty.
type ThinPlate struct {
	Order   int       // m; 0 means the least with 2m > d, but at least 2
	Lambda  float64   // λ > 0, in the units of x; 0 means the λ of least generalised cross-validation
	Weights []float64 // nil means 1
	learn.Resources
}

// Fit learns from points and their values.
func (s ThinPlate) Fit(ctx context.Context, x data.Points[kernel.Vec], y []float64) (*Regressor[kernel.Vec], error) {
	m, err := s.fit(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("thin plate: %w", err)
	}
	return m, nil
}

func (s ThinPlate) fit(ctx context.Context, x data.Points[kernel.Vec], y []float64) (*Regressor[kernel.Vec], error) {
	if s.Lambda < 0 || math.IsNaN(s.Lambda) || math.IsInf(s.Lambda, 0) {
		return nil, fmt.Errorf("Lambda is %g; give a positive, finite number, or 0 to choose it by cross-validation",
			s.Lambda)
	}
	if err := fitting.CheckTargets(x, y); err != nil {
		return nil, err
	}
	k := kernel.ThinPlate{Order: s.Order}
	if err := kernel.Check[kernel.Vec](k, x); err != nil {
		return nil, err
	}
	d := len(x.At(0))
	k.Origin, k.Unit = middle(x, d)
	r := Regression[kernel.Vec]{Kernel: k, Lambda: s.Lambda, Free: k.Anchors(d), Weights: s.Weights,
		Resources: s.Resources}
	if n := x.Len(); r.Free.Len() > n {
		return nil, fmt.Errorf("%d points for the %d polynomials that are not penalised in %d columns; give more points or "+
			"fewer columns", n, r.Free.Len(), d)
	}
	if err := tellsApart(ctx, k, x, s.Threads); err != nil {
		return nil, err
	}
	if s.Lambda > 0 {
		return named(r.Fit(ctx, x, y))
	}
	path, err := r.Path(ctx, x, y)
	if err != nil {
		return nil, err
	}
	// E is in units of length to the power 2m - d.
	order := cmp.Or(s.Order, max(2, d/2+1))
	lambda, err := leastGCV(path.path, math.Pow(k.Unit, float64(2*order-d)))
	if err != nil {
		return nil, err
	}
	m, err := named(path.Model(lambda))
	if err != nil {
		return nil, err
	}
	report := m.Report()
	report.Notes = append(report.Notes, foundByGCV(lambda))
	return newRegressor(m.Func(), report), nil
}

// tellsApart refuses points on which a polynomial of degree below m is 0, or would be but for the
// rounding of coordinates far from the origin: those of a line in the plane, say. Its coefficient
// would be a target divided by that rounding. About their middle the Lagrange polynomials are of
// the size of 1.
func tellsApart(ctx context.Context, k kernel.ThinPlate, x data.Points[kernel.Vec], threads int) error {
	d, far := len(k.Origin), 1.0
	about := make(data.Slice[kernel.Vec], x.Len())
	for i := range about {
		about[i] = make(kernel.Vec, d)
		for j, v := range x.At(i) {
			about[i][j] = (v - k.Origin[j]) / k.Unit
			far = max(far, math.Abs(v/k.Unit))
		}
	}
	unit := kernel.ThinPlate{Order: k.Order}
	anchors := unit.Anchors(d)
	p := linalg.New[float64](x.Len(), anchors.Len())
	unit.Block(linalg.Dense(p), about, anchors)
	largest := slices.Max(fitting.ColumnNorms(p))
	qr, err := linalg.NewQRContext(ctx, threads, p)
	if err != nil {
		return err
	}
	for j := range anchors {
		if !(math.Abs(qr.R().At(j, j)) > 1e-13*far*largest) {
			return fmt.Errorf("the %d points lie on a line, or another curve on which polynomials that go without penalty are "+
				"0; leave out columns that are constant or follow from others", x.Len())
		}
	}
	return nil
}

// middle is the mean of points and the root of their mean squared distance from it in a coordinate,
// 1 where they do not differ.
func middle(x data.Points[kernel.Vec], d int) (kernel.Vec, float64) {
	n := float64(x.Len())
	mean := make(kernel.Vec, d)
	for i := range x.Len() {
		for j, v := range x.At(i) {
			mean[j] += v / n
		}
	}
	square := 0.0
	for i := range x.Len() {
		for j, v := range x.At(i) {
			square += (v - mean[j]) * (v - mean[j]) / (n * float64(d))
		}
	}
	if !(square > 0) || math.IsInf(square, 0) {
		return mean, 1
	}
	return mean, math.Sqrt(square)
}

// named has the report say what it is.
func named(m *Regressor[kernel.Vec], err error) (*Regressor[kernel.Vec], error) {
	if err != nil {
		return nil, err
	}
	report := m.Report()
	report.Learner = "thin plate" + report.Learner[len("ridge"):]
	return newRegressor(m.Func(), report), nil
}
