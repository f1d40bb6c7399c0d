package gram

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// ErrorReport says how far F·Fᵀ is from K(X, X).
type ErrorReport struct {
	Rank       int
	Trace      float64 // tr K
	TraceError float64 // tr(K - F·Fᵀ)
	// Certified says that K - F·Fᵀ is positive semi-definite (Nyström and
	// Cholesky), so that TraceError bounds its spectral, Frobenius and nuclear
	// norms. Random features err in both directions and their trace says nothing.
	Certified bool

	Sampled  int     // points on which the errors below were measured
	MaxAbs   float64 // largest |K - F·Fᵀ| among the pairs of sampled points
	RMS      float64 // root mean square of the same
	Spectral float64 // ‖K_S - F_S·F_Sᵀ‖₂ over the sampled points S
	Scale    float64 // ‖K_S‖₂, to compare Spectral with
}

func (e ErrorReport) String() string {
	s := fmt.Sprintf("rank %d: trace error %.3g of %.3g; on %d sampled points: entries off by at most %.3g (RMS %.3g), "+
		"spectral error %.3g of %.3g",
		e.Rank, e.TraceError, e.Trace, e.Sampled, e.MaxAbs, e.RMS, e.Spectral, e.Scale)
	if e.Certified {
		s += "; the trace error bounds the spectral error of the whole matrix"
	}
	return s
}

// reportSample is how many points the sampled errors are measured on.
const reportSample = 256

// measure compares F·Fᵀ with the kernel.
func measure[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], diag []float64, f linalg.Matrix[float64], certified bool,
	threads int, seed uint64,
) (ErrorReport, error) {
	e := ErrorReport{Rank: f.Cols, Certified: certified}
	for i, v := range diag {
		e.Trace += v
		e.TraceError += v - dot(f.Row(i), f.Row(i))
	}
	rng := rand.New(rand.NewPCG(seed, 0x5eed))
	s := min(reportSample, len(diag))
	index := rng.Perm(len(diag))[:s]
	e.Sampled = s
	sample := data.Gather(x, index)
	exact := linalg.New[float64](s, s)
	if err := kernel.Fill(threads, blas64.General(exact), kernel.Prepare(ctx, k, sample, sample)); err != nil {
		return e, err
	}
	fs := linalg.New[float64](s, f.Cols)
	for i, j := range index {
		copy(fs.Row(i), f.Row(j))
	}
	diff := exact.Clone()
	linalg.Gemm(threads, linalg.NoTrans, linalg.Trans, -1, fs, fs, 1, diff)
	sum := 0.0
	for i := range s {
		for _, v := range diff.Row(i) {
			e.MaxAbs = math.Max(e.MaxAbs, math.Abs(v))
			sum += v * v
		}
	}
	e.RMS = math.Sqrt(sum) / float64(s)
	var err error
	if e.Spectral, err = spectralNorm(threads, diff); err != nil {
		return e, err
	}
	e.Scale, err = spectralNorm(threads, exact)
	return e, err
}

// spectralNorm is max|λ| of a symmetric matrix, which it overwrites.
func spectralNorm(threads int, m linalg.Matrix[float64]) (float64, error) {
	values, _, err := linalg.SymEigen(threads, m)
	if err != nil {
		return 0, fault.Errorf("gram", "error report: %w", err)
	}
	return math.Max(math.Abs(values[0]), math.Abs(values[len(values)-1])), nil
}
