package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/trace"
)

// LinearRows is a data matrix as coordinate descent sees it.
type LinearRows interface {
	Len() int
	Dim() int
	// Dot is ⟨xᵢ, w⟩.
	Dot(i int, w []float64) float64
	// Add does w += a·xᵢ.
	Add(i int, a float64, w []float64)
	// SquaredNorm is ⟨xᵢ, xᵢ⟩.
	SquaredNorm(i int) float64
}

// DCDOptions steers DCD; the zero value is a sound choice.
type DCDOptions struct {
	SquaredHinge  bool    // loss max(0, 1-yf)² rather than max(0, 1-yf)
	Tol           float64 // projected gradient range to reach; 0 means 0.1, as in LIBLINEAR
	NoShrinking   bool
	MaxIterations int // passes over the data; 0 means 1000
	Seed          uint64
	Start         []float64 // α to begin with, of as many points; nil: 0
	Trace         trace.Func
}

// DCDResult is where DCD stopped.
type DCDResult struct {
	W          []float64
	Alpha      []float64
	Violation  float64 // range of the projected gradient over all points in the last pass
	Primal     float64 // ½‖w‖² + Σ Cᵢ loss
	Dual       float64 // ½αᵀQ̄α - Σα, to be compared with -Primal
	Iterations int
	Converged  bool
	Elapsed    time.Duration
}

// DCD solves the linear support vector machine
//
//	minimise over w   ½‖w‖² + Σ Cᵢ max(0, 1 - yᵢ⟨w, xᵢ⟩)ᵖ,   p = 1 or 2
//
// through its dual, min_α ½αᵀQ̄α - Σα with 0 ≤ α ≤ U, Q̄ = Q + D, where (U, D) is (C, 0) for p = 1
// and (∞, 1/(2C)) for p = 2, one coordinate at a time in random order, keeping w = Σ yᵢαᵢxᵢ (Hsieh,
// Chang, Lin, Keerthi & Sundararajan, ICML 2008), with their shrinking.
func DCD(ctx context.Context, x LinearRows, y, c []float64, o DCDOptions) (*DCDResult, error) {
	start := time.Now()
	if o.Tol == 0 {
		o.Tol = 0.1
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 1000
	}
	d := newDualDescent(x, y, c, o)
	r := d.r
	active := len(d.index)
	rng := rand.New(rand.NewPCG(o.Seed, 0xdcd))
	highest, lowest := math.Inf(1), math.Inf(-1) // of the projected gradient in the last pass
	for r.Iterations < o.MaxIterations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		high, low := math.Inf(-1), math.Inf(1)
		for a := range active {
			b := a + rng.IntN(active-a)
			d.index[a], d.index[b] = d.index[b], d.index[a]
		}
		for a := 0; a < active; a++ {
			if a&4095 == 4095 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			i := d.index[a]
			p := &d.points[i]
			g := p.y*x.Dot(int(i), r.W) - 1 + p.ridge*p.alpha
			projected := g
			drop := false
			switch p.alpha {
			case 0:
				drop, projected = g > highest, min(g, 0)
			case p.upper:
				drop, projected = g < lowest, max(g, 0)
			}
			if drop && !o.NoShrinking {
				active--
				d.index[a], d.index[active] = d.index[active], i
				a--
				continue
			}
			high, low = max(high, projected), min(low, projected)
			if math.Abs(projected) > 1e-12 && p.curve > 0 {
				old := p.alpha
				p.alpha = min(max(old-g/p.curve, 0), p.upper)
				x.Add(int(i), (p.alpha-old)*p.y, r.W)
			} else if projected < -1e-12 && p.curve == 0 && p.alpha != p.upper {
				p.alpha = p.upper // a point at the origin: its loss cannot be helped
			}
		}
		r.Iterations++
		r.Violation = high - low
		o.Trace.Report(trace.Step{Iteration: r.Iterations, Objective: math.NaN(), Residual: r.Violation,
			Elapsed: time.Since(start)})
		if active == 0 || high-low <= o.Tol && math.Abs(high) <= o.Tol && math.Abs(low) <= o.Tol {
			if active == len(d.index) {
				r.Converged = true
				break
			}
			// Small enough on the points in play: look at all of them again.
			active, highest, lowest = len(d.index), math.Inf(1), math.Inf(-1)
			continue
		}
		highest, lowest = high, low
		if highest <= 0 {
			highest = math.Inf(1)
		}
		if lowest >= 0 {
			lowest = math.Inf(-1)
		}
	}
	for i := range d.points {
		r.Alpha[i] = d.points[i].alpha
	}
	r.certify(x, y, c, o.SquaredHinge)
	r.Elapsed = time.Since(start)
	return r, nil
}

// dualDescent is the state of DCD.
type dualDescent struct {
	x      LinearRows
	o      DCDOptions
	r      *DCDResult
	points []dualPoint
	index  []int32 // of points with a price, those in play first
}

// dualPoint is what is known of a point, in one place of memory: a pass goes through the points in
// random order, which DCD needs (in a fixed order, or in blocks of one, the constant column alone makes
// it several times as many passes).
type dualPoint struct{ y, ridge, upper, curve, alpha float64 }

func newDualDescent(x LinearRows, y, c []float64, o DCDOptions) *dualDescent {
	n := x.Len()
	d := &dualDescent{x: x, o: o, r: &DCDResult{W: make([]float64, x.Dim()), Alpha: make([]float64, n)},
		points: make([]dualPoint, n), index: make([]int32, 0, n)}
	for i := range n {
		p := &d.points[i]
		if p.y = y[i]; c[i] <= 0 {
			continue
		}
		p.upper = c[i]
		if o.SquaredHinge {
			p.upper, p.ridge = math.Inf(1), 0.5/c[i]
		}
		p.curve = x.SquaredNorm(i) + p.ridge
		d.index = append(d.index, int32(i))
	}
	for i, a := range o.Start {
		if a = min(a, d.points[i].upper); a > 0 && c[i] > 0 {
			d.points[i].alpha = a
			x.Add(i, a*y[i], d.r.W)
		}
	}
	return d
}

// certify computes both objectives at the solution.
func (r *DCDResult) certify(x LinearRows, y, c []float64, squared bool) {
	norm := 0.0
	for _, v := range r.W {
		norm += v * v
	}
	r.Primal, r.Dual = norm/2, norm/2
	for i, a := range r.Alpha {
		ridge := 0.0
		if squared && c[i] > 0 {
			ridge = 0.5 / c[i]
		}
		r.Dual += a * (0.5*ridge*a - 1)
		if xi := 1 - y[i]*x.Dot(i, r.W); xi > 0 && c[i] > 0 {
			if squared {
				xi *= xi
			}
			r.Primal += c[i] * xi
		}
	}
}
