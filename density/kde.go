package density

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// KDE is the Parzen-Rosenblatt kernel density estimator,
//
//	p(x) = Σ wᵢ·|H|^{-1/2}·k(H^{-1/2}(x - xᵢ)),  Σ wᵢ = 1
//
// (Rosenblatt 1956, Parzen 1962). The zero value is a Gaussian kernel with
// equal weights and Silverman's bandwidth.
type KDE struct {
	Smoother Smoother
	Product  bool // in several dimensions, Π k(uⱼ) rather than c·k(‖u‖)

	// The bandwidth: at most one of these; Rule chooses when there is none.
	Bandwidth       float64       // the same for every column
	Bandwidths      []float64     // one a column
	BandwidthMatrix *mat.SymDense // H, for the Gaussian the covariance of the kernel
	Rule            BandwidthRule

	Weights []float64 // one a point, any positive scale; nil means equal

	// Adaptive is Abramson's exponent α: the kernel at xᵢ is wider by the factor
	// λᵢ = (p̃(xᵢ)/g)^{-α}, with a pilot p̃ of the same bandwidth and g its geometric
	// mean (Abramson 1982, who takes α = ½). Zero keeps one width.
	Adaptive float64

	// Lower and Upper bound the support in each column, ±Inf where it is open;
	// nil means open everywhere. Boundary says what is done there.
	Lower, Upper []float64
	Boundary     Boundary

	Method Method
	// RelTol and AbsTol allow |computed - p(x)| ≤ RelTol·p(x) + AbsTol, which is
	// guaranteed, beyond rounding. Zero for both means as exact as brute force, to
	// rounding: the tree then leaves out less than 1e-15 of the sum.
	RelTol, AbsTol float64

	Threads int // 0 means all
	// Device makes the sums of Gaussian and exponential kernels of one width where that is worth
	// the while (gram.OpenDevice): in double precision, in single where RelTol allows 1e-4. It
	// takes the place of Brute and, from 3 columns on, of what Auto would do. nil means processors
	// alone.
	Device *gram.Device
}

// Method is a way of evaluating the sum.
type Method int

// The methods. All but Brute honour RelTol and AbsTol for every query: where
// its own error bound does not suffice, a method hands the query to the tree.
const (
	Auto      Method = iota // the tree in few dimensions, else brute force
	Brute                   // every pair, by vector instructions
	Tree                    // a k-d tree with bounds on every node
	FastGauss               // Hermite series in boxes: Gaussian, 1 to 3 columns, worthwhile for many points
	Binned                  // linear binning and FFT: one column and a kernel with a bounded second derivative
)

// Boundary is what is done where the support ends.
type Boundary int

// The corrections.
const (
	// BoundaryReflect folds the mass that falls outside back in: the estimate
	// integrates to one and has slope zero at the bound (Schuster 1985).
	BoundaryReflect Boundary = iota
	// BoundaryRenormalise divides by the mass of the kernel at x that lies
	// inside, which removes the bias of order one at the bound (Jones 1993).
	BoundaryRenormalise
)

// KDEModel is a fitted KDE. It is immutable and safe for concurrent use.
type KDEModel struct {
	config  KDE
	x       linalg.Matrix[float64]
	weights []float64 // add up to one; nil means equal
	scales  []float64 // λ, nil without Adaptive
	metric  smoothing.Metric
	sum     *smoothing.Sum      // its total is one times the λ^{-d}
	logNorm float64             // log of the constant of one kernel
	tol     smoothing.Tolerance // of the sum
	boxes   *smoothing.FastGauss
	bins    *smoothing.Binned
	images  [][]image
	report  learn.Report
}

// Fit stores the points and settles the bandwidth.
func (c KDE) Fit(ctx context.Context, x data.Points[[]float64]) (*KDEModel, error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("kde: %w", err)
	}
	return m, nil
}

func (c KDE) fit(ctx context.Context, x data.Points[[]float64]) (*KDEModel, error) {
	start := time.Now()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := &KDEModel{config: c}
	var err error
	if m.x, err = apply.OwnPoints(x); err != nil {
		return nil, err
	}
	d := m.x.Cols
	if m.weights, err = apply.OwnWeights(c.Weights, m.x.Rows); err != nil {
		return nil, err
	}
	if err = c.check(d); err != nil {
		return nil, err
	}
	ok := false
	if m.metric, ok, err = smoothing.GivenBandwidth(c.Bandwidth, c.Bandwidths, c.BandwidthMatrix, d); err != nil {
		return nil, err
	}
	if c.BandwidthMatrix != nil && (c.Product && c.Smoother != Gaussian || c.Lower != nil || c.Upper != nil) {
		return nil, fmt.Errorf("BandwidthMatrix cannot be combined with Product, Lower or Upper, which go by column; " +
			"use Bandwidths")
	}
	if !ok {
		widths, err := c.Rule.widths(ctx, m.x, m.weights, c.Smoother, c.Product, c.Threads)
		if err != nil {
			return nil, err
		}
		m.metric = smoothing.Metric{Widths: widths}
	}
	if err = m.inBounds(); err != nil {
		return nil, err
	}
	m.prepare(nil)
	if c.Adaptive != 0 {
		if err = m.adapt(ctx); err != nil {
			return nil, err
		}
	}
	m.report = learn.Report{Learner: "kde", Converged: true, Elapsed: time.Since(start), Bytes: int64(16 * len(m.x.Data)),
		Warnings: c.Device.Notes()}
	return m, nil
}

func (c KDE) check(d int) error {
	switch {
	case !c.Smoother.Valid():
		return fmt.Errorf("there is no smoothing kernel %v", c.Smoother)
	case !(c.Adaptive >= 0 && c.Adaptive <= 1):
		return fmt.Errorf("Adaptive is %g; give an exponent between 0 and 1, ½ for Abramson's", c.Adaptive)
	case !(c.RelTol >= 0 && c.RelTol < 1):
		return fmt.Errorf("RelTol is %g; give a number in [0, 1)", c.RelTol)
	case !(c.AbsTol >= 0) || math.IsInf(c.AbsTol, 1):
		return fmt.Errorf("AbsTol is %g; give a number that is not negative", c.AbsTol)
	case c.Method < Auto || c.Method > Binned:
		return fmt.Errorf("there is no method %d", c.Method)
	case c.Method == FastGauss && (c.Smoother != Gaussian || d > smoothing.MaxFastGaussDim || c.Adaptive != 0):
		return fmt.Errorf("FastGauss is for the Gaussian kernel of one width in up to %d columns; use Tree",
			smoothing.MaxFastGaussDim)
	case c.Method == Binned && (d != 1 || math.IsInf(c.Smoother.kernel().Curvature(), 1) || c.Adaptive != 0):
		return fmt.Errorf("Binned is for one column, one width and a kernel with a bounded second derivative (not "+
			"%v); use Tree", c.Smoother)
	}
	return c.checkBounds(d)
}

// prepare makes the sum over the points divided by the bandwidth, with the
// scales λ.
func (m *KDEModel) prepare(scales []float64) {
	c := m.config
	z := m.x.Clone()
	m.metric.Divide(z)
	w := m.weights
	if scales != nil {
		w = make([]float64, z.Rows)
		for i := range w {
			w[i] = math.Pow(scales[i], -float64(z.Cols))
			if m.weights != nil {
				w[i] *= m.weights[i] * float64(z.Rows)
			}
		}
	}
	m.scales = scales
	m.images = m.makeImages()
	m.sum = smoothing.NewSum(c.Smoother.kernel(), c.Product, z, w, scales)
	share := math.Log(float64(z.Rows))
	if m.weights != nil && scales == nil {
		share = 0
	}
	m.logNorm = c.Smoother.kernel().LogNorm(z.Cols, c.Product) - m.metric.LogDet() - share
	m.tol = smoothing.Tolerance{Relative: c.RelTol, LogAbsolute: math.Log(c.AbsTol) - m.logNorm + m.logBoundaryShare()}
	if c.RelTol == 0 && c.AbsTol == 0 {
		m.tol.Relative = 1e-15
	}
	m.boxes, m.bins = nil, nil
	switch c.Method {
	case FastGauss:
		m.boxes = smoothing.NewFastGauss(m.sum, m.tol)
	case Binned:
		m.bins = smoothing.NewBinned(m.sum, m.tol)
	}
}

// adapt sets Abramson's factors from the estimate with one width.
func (m *KDEModel) adapt(ctx context.Context) error {
	pilot := make([]float64, m.x.Rows)
	if err := m.correctedLogDensity(ctx, pilot, m.x); err != nil {
		return err
	}
	mean := 0.0
	for i, v := range pilot {
		w := 1 / float64(len(pilot))
		if m.weights != nil {
			w = m.weights[i]
		}
		mean += w * v
	}
	for i, v := range pilot {
		pilot[i] = math.Exp(-m.config.Adaptive * (v - mean))
	}
	m.prepare(pilot)
	return nil
}
