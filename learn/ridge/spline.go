package ridge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Spline is the smoothing spline, a Regression with the Sobolev kernel,
//
//	minimise over f   Σ wᵢ (yᵢ - f(xᵢ))² + λ ∫ (f⁽ᵐ⁾)²,
//
// whose solution for m = 2 is a natural cubic spline with knots at the points
// and for m = 1 a piecewise linear function (Kimeldorf and Wahba 1971; Wahba 1990).
//
// The penalty does not see polynomials of degree below m. Points are moved to the
// middle half of [0, 1]; for points x ≥ z = ¼ the function k(z, x) of the kernel of
// order 2 is the straight line 1 - z³/6 + (z + z²/2)·x, so that Intercept and Free = {z}
// span the straight lines, without penalty.
type Spline struct {
	Order   int       // m, 1 or 2; 0 means 2
	Lambda  float64   // λ > 0, in the units of x; 0 means the λ of least generalised cross-validation
	Weights []float64 // nil means 1
	learn.Resources
}

// The middle half of [0, 1].
const splineLow, splineHigh = 0.25, 0.75

// Fit learns from points of one coordinate (see data.Line) and their values.
func (s Spline) Fit(ctx context.Context, x data.Points[kernel.Vec], y []float64) (*SplineRegressor, error) {
	m, err := s.fit(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("smoothing spline: %w", err)
	}
	return m, nil
}

func (s Spline) fit(ctx context.Context, at data.Points[kernel.Vec], y []float64) (*SplineRegressor, error) {
	if s.Order == 0 {
		s.Order = 2
	}
	if s.Order != 1 && s.Order != 2 {
		return nil, fmt.Errorf("Order is %d; give 1 or 2", s.Order)
	}
	if s.Lambda < 0 || math.IsNaN(s.Lambda) || math.IsInf(s.Lambda, 0) {
		return nil, fmt.Errorf("Lambda is %g; give a positive, finite number, or 0 to choose it by cross-validation",
			s.Lambda)
	}
	if err := fitting.CheckTargets(at, y); err != nil {
		return nil, err
	}
	x, err := onLine(at)
	if err != nil {
		return nil, err
	}
	lo, hi := slices.Min(x), slices.Max(x)
	if scale := hi - lo; !(scale > 0) || math.IsInf(scale, 0) {
		return nil, fmt.Errorf("points reach from %g to %g; a spline needs two different ones, a finite distance apart", lo,
			hi)
	}
	m := &SplineRegressor{lo: lo, hi: hi, slope: (splineHigh - splineLow) / (hi - lo), order: s.Order}
	r := Regression[kernel.Vec]{
		Kernel: kernel.Sobolev{Order: s.Order}, Intercept: true,
		Weights: s.Weights, Resources: s.Resources,
	}
	if s.Order == 2 {
		r.Free = data.Slice[kernel.Vec]{{splineLow}}
	}
	// ∫(f⁽ᵐ⁾)²dx = slope^(2m-1)·∫(g⁽ᵐ⁾)²dt for f(x) = g(t), t = ¼ + slope·(x - lo).
	unit := math.Pow(m.slope, float64(2*s.Order-1))
	points := m.points(x)
	if s.Lambda == 0 {
		var path *Path[kernel.Vec]
		if path, err = r.Path(ctx, points, y); err != nil {
			return nil, err
		}
		m.lambda, err = leastGCV(path.path, 1)
		if err != nil {
			return nil, err
		}
		m.ridge, err = path.Model(m.lambda)
		m.lambda /= unit
	} else {
		m.lambda = s.Lambda
		r.Lambda = s.Lambda * unit
		m.ridge, err = r.Fit(ctx, points, y)
	}
	if err != nil {
		return nil, err
	}
	report := m.ridge.Report()
	report.Learner = "smoothing spline" + report.Learner[len("ridge"):]
	if s.Lambda == 0 {
		report.Notes = append(report.Notes, foundByGCV(m.lambda))
	}
	m.ridge = newRegressor(m.ridge.Func(), report)
	return m, m.edges(ctx)
}

func foundByGCV(lambda float64) string {
	return fmt.Sprintf("λ = %.4g has the least generalised cross-validation", lambda)
}

// leastGCV searches log λ, in a unit of λ, by a grid, then by golden section around its best.
func leastGCV(path *path, unit float64) (float64, error) {
	at := func(e float64) float64 {
		v, err := path.GCV(unit * math.Pow(10, e))
		if err != nil {
			return math.Inf(1)
		}
		return v
	}
	best, least := 0.0, math.Inf(1)
	for e := -14.0; e <= 4; e += 0.5 {
		if v := at(e); v < least {
			best, least = e, v
		}
	}
	if math.IsInf(least, 1) {
		return 0, fmt.Errorf("generalised cross-validation is not finite for any λ; give one")
	}
	const golden = 0.6180339887498949
	a, b := best-0.5, best+0.5
	c, d := b-golden*(b-a), a+golden*(b-a)
	fc, fd := at(c), at(d)
	for range 40 {
		if fc < fd {
			b, d, fd = d, c, fc
			c = b - golden*(b-a)
			fc = at(c)
		} else {
			a, c, fc = c, d, fd
			d = a + golden*(b-a)
			fd = at(d)
		}
	}
	return unit * math.Pow(10, (a+b)/2), nil
}

// onLine is the coordinate of each point.
func onLine(at data.Points[kernel.Vec]) ([]float64, error) {
	x := make([]float64, at.Len())
	for i := range x {
		v := at.At(i)
		switch {
		case len(v) != 1:
			return nil, fmt.Errorf("row %d has %d coordinates, and a spline takes one; a thin plate takes several", i, len(v))
		case math.IsNaN(v[0]) || math.IsInf(v[0], 0):
			return nil, fmt.Errorf("row %d is %g; a spline takes one finite number", i, v[0])
		}
		x[i] = v[0]
	}
	return x, nil
}

// SplineRegressor is a fitted Spline.
type SplineRegressor struct {
	ridge         *Regressor[kernel.Vec]
	lo, hi, slope float64 // t = ¼ + slope·(x - lo)
	lambda        float64
	order         int
	atLow, atHigh [2]float64 // value and derivative by t at the outermost points
}

// points maps x into the domain of the kernel; what lies outside the training
// points goes to their ends.
func (m *SplineRegressor) points(x []float64) data.Points[kernel.Vec] {
	t := mat.NewDense(len(x), 1, nil)
	for i, v := range x {
		v = math.Min(math.Max(v, m.lo), m.hi)
		t.Set(i, 0, math.Min(splineLow+m.slope*(v-m.lo), splineHigh))
	}
	return data.Rows(t)
}

// edges takes the values and slopes by which the spline goes on beyond its
// points: a straight line for order 2, a constant for order 1.
func (m *SplineRegressor) edges(ctx context.Context) error {
	for i, t := range []float64{splineLow, splineHigh} {
		e := [2]float64{m.ridge.Func().At(kernel.Vec{t})[0], 0}
		if m.order == 2 {
			var g mat.Dense
			g.ReuseAs(1, 1)
			if err := rkhs.GradTo(ctx, &g, m.ridge.Func(), kernel.Vec{t}); err != nil {
				return err
			}
			e[1] = g.At(0, 0)
		}
		if i == 0 {
			m.atLow = e
		} else {
			m.atHigh = e
		}
	}
	return nil
}

// Predict evaluates the spline at points of one coordinate. Beyond the
// outermost points of the fit it goes on as natural splines do, in straight lines.
func (m *SplineRegressor) Predict(ctx context.Context, x data.Points[kernel.Vec]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the value at point i to dst[i].
func (m *SplineRegressor) PredictTo(ctx context.Context, dst []float64, x data.Points[kernel.Vec]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil || len(dst) == 0 {
		return err
	}
	line, err := onLine(x)
	if err != nil {
		return err
	}
	if err := m.ridge.PredictTo(ctx, dst, m.points(line)); err != nil {
		return err
	}
	for i, v := range line {
		switch {
		case v < m.lo:
			dst[i] = m.atLow[0] + m.atLow[1]*m.slope*(v-m.lo)
		case v > m.hi:
			dst[i] = m.atHigh[0] + m.atHigh[1]*m.slope*(v-m.hi)
		}
	}
	return nil
}

// Lambda is λ as given, or as cross-validation chose it.
func (m *SplineRegressor) Lambda() float64 { return m.lambda }

// Func is the spline as a function of t = ¼ + (x - lo)/(2(hi - lo)), lo and hi
// the outermost points.
func (m *SplineRegressor) Func() *rkhs.Func[kernel.Vec] { return m.ridge.Func() }

// Report says how the fit went.
func (m *SplineRegressor) Report() learn.Report { return m.ridge.Report() }

var _ learn.Model[kernel.Vec] = (*SplineRegressor)(nil)
