package seq

import (
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// GappyPairs counts common pairs of runs of K letters (1 when zero), with the number of letters
// between them, 0 to Gap (10 when zero):
//
//	k(x, y) = Σ_{a,b ∈ A^K} Σ_{g=0}^{Gap} n_{agb}(x)·n_{agb}(y),   n_{agb}(x) = #{i : x[i:i+K] = a and x[i+K+g:i+2K+g] = b}.
//
// What stands between the runs does not count, how much of it there is does. It is the spatial
// sample kernel of two samples of P. Kuksa, P.-H. Huang and V. Pavlovic (Scalable algorithms for
// string kernels with inexact matching, NIPS 2008) and the gappy pair kernel of KeBABS (J. Palme,
// S. Hochreiter and U. Bodenhofer, Bioinformatics 2015), which told coiled coils apart by it (C. C.
// Mahrenholz et al., Complex networks govern coiled-coil oligomerization, Molecular & Cellular
// Proteomics 2011). A string shorter than 2K has the value 0 with all strings.
type GappyPairs struct {
	K, Gap int
}

func (k GappyPairs) length() int { return or(k.K, 1) }
func (k GappyPairs) gap() int    { return or(k.Gap, 10) }

// mostGap keeps a gap a letter of the name of its feature.
const mostGap = 10_000

// Name is "gappypairs".
func (GappyPairs) Name() string { return "gappypairs" }

func (k GappyPairs) features(s string) counts {
	at, n := bounds(s), k.length()
	into := make(counts, min(k.gap()+1, len(at))*len(at))
	name := make([]byte, 0, 8*n+utf8.UTFMax)
	for i := 0; i+2*n < len(at); i++ {
		first := s[at[i]:at[i+n]]
		for g := 0; g <= k.gap() && i+2*n+g < len(at); g++ {
			name = append(append(name[:0], first...), s[at[i+n+g]:at[i+2*n+g]]...)
			name = utf8.AppendRune(name, rune(g)) // the last letter, of as many as all names have
			into[string(name)]++
		}
	}
	return into
}

// Eval returns the number of pairs of equal pairs.
func (k GappyPairs) Eval(x, y string) float64 { return dot(k.features(x), k.features(y)) }

// PreparePoints counts the pairs of each string once.
func (k GappyPairs) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return prepareCounts(ctx, x, y, k.features)
}

// EachFeature adds the count of each pair, which is named as "AC…3…GT".
func (k GappyPairs) EachFeature(x string, add func(name string, value float64)) {
	for pair, v := range k.features(x) {
		at, n := bounds(pair), k.length()
		gap, _ := utf8.DecodeRuneInString(pair[at[2*n]:])
		add(pair[:at[n]]+"…"+strconv.Itoa(int(gap))+"…"+pair[at[n]:at[2*n]], v)
	}
}

// Params are K and the gap.
func (k GappyPairs) Params() []kernel.Param {
	gap := whole("gappypairs.gap", k.gap(), 1)
	gap.Domain.High = mostGap
	return []kernel.Param{whole("gappypairs.k", k.length(), 1), gap}
}

// With sets K and the gap.
func (GappyPairs) With(theta []float64) kernel.Kernel[string] {
	return GappyPairs{int(theta[0]), int(theta[1])}
}

// Validate refuses K < 0 and a gap that is negative or beyond 10 000.
func (k GappyPairs) Validate() error {
	return firstError(
		mustBe(k.K >= 0, "gappypairs", "k", k.K, "at least 1"),
		mustBe(k.Gap >= 0 && k.Gap <= mostGap, "gappypairs", "gap", k.Gap, fmt.Sprintf("1 to %d", mostGap)))
}

// CheckPoints refuses strings that are no UTF-8.
func (GappyPairs) CheckPoints(x data.Points[string]) error { return checkText("gappypairs", x) }

// Properties of an inner product of counts.
func (GappyPairs) Properties() kernel.Properties { return textFeatures() }
