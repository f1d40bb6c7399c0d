package stat

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// TestResult is the outcome of a test with all that belongs beside it in a
// paper.
type TestResult struct {
	Test         string    // "MMD two-sample test"
	Measure      string    // what Statistic is: "MMD² (unbiased)"
	Statistic    float64   // its value on the data
	P            float64   // p-value; (1 + #)/(1 + B) where the null is sampled
	Alpha        float64   // the level asked for
	Threshold    float64   // Statistic has to exceed it for rejection; +Inf where B is too small for Alpha
	Reject       bool      // P ≤ Alpha
	Null         Null      // how the null distribution was found
	Permutations int       // draws from the null, 0 where it has a formula
	Seed         uint64    // of the draws
	Sizes        []int     // of the samples, or the number of pairs
	Kernels      []string  // as text, in the order of the variables
	Draws        []float64 // the sampled null, in the order drawn; nil where it has a formula
	Notes        []string  // limits a reader should know of
}

// String is the result in three lines.
func (r *TestResult) String() string {
	sizes := make([]string, len(r.Sizes))
	for i, n := range r.Sizes {
		sizes[i] = strconv.Itoa(n)
	}
	how := fmt.Sprintf("%v null", r.Null)
	if r.Permutations > 0 {
		how = fmt.Sprintf("%v null, %d draws, seed %d", r.Null, r.Permutations, r.Seed)
	}
	decision := "do not reject"
	if r.Reject {
		decision = "reject"
	}
	return fmt.Sprintf("%s, %s, %s\nn = %s\n%s = %.4g    p = %.4g    %s at %g%%",
		r.Test, spec.Rounded(strings.Join(r.Kernels, " and ")), how, strings.Join(sizes, ", "), r.Measure, r.Statistic, r.P,
		decision, 100*r.Alpha)
}

// sampled draws the conclusion from statistic, draws and settings.
func (r *TestResult) sampled(s TestSettings, draws []float64, tie float64) error {
	if err := r.finite(draws); err != nil {
		return err
	}
	r.Draws, r.Permutations, r.Seed = draws, len(draws), s.Seed
	r.conclude(s, sampledP(r.Statistic, draws, tie), sampledThreshold(draws, s.Alpha))
	if math.IsInf(r.Threshold, 1) {
		r.Notes = append(r.Notes, fmt.Sprintf("%d draws cannot reject at level %g; at least %d are needed", len(draws),
			s.Alpha, int(math.Ceil(1/s.Alpha-1e-9))-1))
	}
	return nil
}

func (r *TestResult) conclude(s TestSettings, p, threshold float64) {
	r.P, r.Threshold, r.Alpha, r.Null = p, threshold, s.Alpha, s.Null
	r.Reject = p <= s.Alpha*(1+1e-12)
}

// finite refuses a result that overflowed.
func (r *TestResult) finite(draws []float64) error {
	for _, v := range append([]float64{r.Statistic}, draws...) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Errorf("stat",
				"%s: the statistic is %g: kernel values are too large to sum; scale the data or normalise the kernel", r.Test, v)
		}
	}
	return nil
}

// describeKernel is the text of a kernel, which parses to it.
func describeKernel(k kernel.Kernel[any]) string { return spec.Printed(k) }
