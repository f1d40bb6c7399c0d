package nystrom

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"gonum.org/v1/gonum/mat"
)

// contrasts are functions g that the scores of classes are made of. Two classes have one, the log
// odds of the larger. Of more, f = Qg with the orthonormal columns of Q all orthogonal to 1: adding
// the same to all scores changes no probability, and with a penalty the scores sum to 0 at the
// solution. So one function less is to be found, ‖f‖ = ‖g‖, and the second derivative is regular in
// the biases, too.
type contrasts struct {
	classes int
	q       []float64 // classes × (classes - 1), row by row; Helmert's: the first c against the next
}

func contrastsOf(classes int) contrasts {
	c := contrasts{classes: classes}
	if classes > 2 {
		k := classes - 1
		c.q = make([]float64, classes*k)
		for j := range k {
			unit := 1 / math.Sqrt(float64((j+1)*(j+2)))
			for i := range j + 1 {
				c.q[i*k+j] = unit
			}
			c.q[(j+1)*k+j] = -float64(j+1) * unit
		}
	}
	return c
}

// free is how many functions there are to find.
func (c contrasts) free() int { return c.classes - 1 }

// scores sets f = Qg.
func (c contrasts) scores(f, g []float64) {
	if c.q == nil {
		copy(f, g)
		return
	}
	for i := range f {
		f[i] = 0
		for j, v := range g {
			f[i] += c.q[i*len(g)+j] * v
		}
	}
}

// derivatives sets slope to the derivative by g and bent to the second one, row by row, of the loss
// whose derivative by f and whose probabilities are given.
func (c contrasts) derivatives(slope, bent, byScore, proba []float64) {
	if c.q == nil {
		slope[0], bent[0] = byScore[0], proba[0]*(1-proba[0])
		return
	}
	k := len(slope)
	for a := range k {
		mean := 0.0 // of the contrast, by the probabilities
		slope[a] = 0
		for i, p := range proba {
			slope[a] += c.q[i*k+a] * byScore[i]
			mean += c.q[i*k+a] * p
		}
		for b := range a + 1 { // Qᵀ(diag p - ppᵀ)Q
			h := 0.0
			for i, p := range proba {
				h += p * (c.q[i*k+a] - mean) * c.q[i*k+b]
			}
			bent[a*k+b], bent[b*k+a] = h, h
		}
	}
}

// RiskHead is how many numbers of a risk's sum come before its derivatives: rows, their weight, and
// Σ w·loss.
const RiskHead = 3

// riskSize is the numbers of one function: v, and b where there is an intercept.
func (e *Equations[T]) riskSize() int {
	if e.Intercept {
		return e.Centers.Len() + 1
	}
	return e.Centers.Len()
}

// RiskLen is how many numbers the sum of a risk with its derivatives has.
func (e *Equations[T]) RiskLen() int {
	n, k := e.riskSize(), e.Classes-1
	return RiskHead + n*k + k*(k+1)/2*(n*(n+1)/2)
}

// AddRisk adds sums over some rows of the logistic risk Σ w·ℓ (that of Logistic without its
// penalty) at places that LogisticSteps names, to the lists of dst, one for each place. A list of
// RiskLen numbers is told value, gradient and second derivative; one of RiskHead the value alone.
// The kernel is evaluated once for all places. Sums over parts of the rows add up.
func (e *Equations[T]) AddRisk(ctx context.Context, dst, at [][]float64, rows data.Source[T]) error {
	return addRisk(ctx, e.open(), dst, at, fitting.EraseSource(rows))
}

func addRisk(
	ctx context.Context, e *Equations[any], dst, at [][]float64, rows data.Source[any],
) (err error) {
	defer fault.Name("logistic on centres", &err)
	p, err := problemOf(e)
	if err != nil {
		return err
	}
	if e.Classes < 2 {
		return fmt.Errorf("the equations are of numbers, not of classes")
	}
	c, n := contrastsOf(e.Classes), e.riskSize()
	if len(dst) != len(at) {
		return fmt.Errorf("%d sums for %d places", len(dst), len(at))
	}
	for i := range dst {
		if len(at[i]) != n*c.free() || len(dst[i]) != RiskHead && len(dst[i]) != e.RiskLen() {
			return fmt.Errorf("sum %d has %d numbers at a place of %d; want %d or %d at one of %d", i, len(dst[i]), len(at[i]),
				RiskHead, e.RiskLen(), n*c.free())
		}
	}
	if rows == nil || rows.Len() == 0 {
		return ctx.Err()
	}
	seen, err := p.looked(ctx, rows)
	if err != nil {
		return err
	}
	pair, err := gram.NewPair(p.kernel, rows, e.Centers, gram.PairOptions{Threads: p.Threads})
	if err != nil {
		return err
	}
	parts := make([]*riskPart, len(dst))
	for i := range dst {
		parts[i] = newRiskPart(c, n, at[i], len(dst[i]) > RiskHead, p.Threads)
	}
	err = pair.Visit(ctx, func(b data.Block[any], k *mat.Dense) error {
		phi := linalg.Of(k)
		if err := p.basis.features(ctx, phi); err != nil {
			return err
		}
		x := linalg.New[float64](b.Len(), n)
		for i := range x.Rows {
			row := x.Row(i)
			copy(row, phi.Row(i))
			if e.Intercept { // about Center, which leaves the biases next to orthogonal to the rest
				for j, v := range e.Center {
					row[j] -= v
				}
				row[n-1] = 1
			}
		}
		for _, part := range parts {
			part.add(x, func(i int) (int, float64) { return int(b.Target(i)[0]), b.Weight(i) })
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for i, part := range parts {
		part.addTo(dst[i], float64(seen.kept), seen.weight)
	}
	return nil
}

// riskPart is the sums of one place.
type riskPart struct {
	c       contrasts
	z       linalg.Matrix[float64] // a column for each contrast
	value   float64
	grad    linalg.Matrix[float64]
	bent    []linalg.Matrix[float64] // of contrasts a and b ≤ a; the lower triangle counts. None: the value alone
	threads int
}

func newRiskPart(c contrasts, n int, at []float64, derivatives bool, threads int) *riskPart {
	k := c.free()
	r := &riskPart{c: c, z: linalg.Matrix[float64]{Rows: n, Cols: k, Stride: k, Data: at}, grad: linalg.New[float64](n, k),
		threads: threads}
	for range k * (k + 1) / 2 {
		if derivatives {
			r.bent = append(r.bent, linalg.New[float64](n, n))
		}
	}
	return r
}

// add takes in rows of features.
func (r *riskPart) add(x linalg.Matrix[float64], row func(i int) (code int, weight float64)) {
	k, f := r.c.free(), make([]float64, max(r.c.classes, 2))
	if r.c.q == nil {
		f = f[:1]
	}
	byScore, proba, bent := make([]float64, len(f)), make([]float64, len(f)), make([]float64, k*k)
	slopes, curves := linalg.New[float64](x.Rows, k), linalg.New[float64](x.Rows, k*k)
	linalg.Gemm(r.threads, linalg.NoTrans, linalg.NoTrans, 1, x, r.z, 0, slopes)
	for i := range x.Rows {
		code, w := row(i)
		g := slopes.Row(i)
		r.c.scores(f, g)
		r.value += w * loss(code, f, proba, byScore)
		r.c.derivatives(g, bent, byScore, proba)
		for a := range g {
			g[a] *= w
		}
		for j, h := range bent {
			curves.Row(i)[j] = w * h
		}
	}
	if r.bent == nil {
		return
	}
	linalg.Gemm(r.threads, linalg.Trans, linalg.NoTrans, 1, x, slopes, 1, r.grad)
	weighted, at := linalg.New[float64](x.Rows, x.Cols), 0
	for a := range k {
		for b := range a + 1 {
			for i := range x.Rows {
				h := curves.Row(i)[a*k+b]
				if a == b {
					h = math.Sqrt(math.Max(h, 0))
				}
				for j, v := range x.Row(i) {
					weighted.Row(i)[j] = h * v
				}
			}
			if a == b {
				linalg.Syrk(r.threads, linalg.Lower, linalg.Trans, 1, weighted, 1, r.bent[at])
			} else { // weights of both signs
				linalg.Gemm(r.threads, linalg.Trans, linalg.NoTrans, 1, x, weighted, 1, r.bent[at])
			}
			at++
		}
	}
}

// addTo adds the sums to a list.
func (r *riskPart) addTo(dst []float64, rows, weight float64) {
	dst[0], dst[1], dst[2] = dst[0]+rows, dst[1]+weight, dst[2]+r.value
	if r.bent == nil {
		return
	}
	at := RiskHead
	for _, v := range r.grad.Data {
		dst[at] += v
		at++
	}
	for _, m := range r.bent {
		for i := range m.Rows {
			for _, v := range m.Row(i)[:i+1] {
				dst[at] += v
				at++
			}
		}
	}
}
