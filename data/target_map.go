package data

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// The kinds of TargetMap.
const (
	mapLog  = "log"  // z = log y, of positive targets
	mapRank = "rank" // z = the normal quantile of the rank of y
)

// TargetMap is an increasing map of the targets of a regression, z of y, that a model is fitted in;
// what it says of z is mapped back. The middle of a symmetric distribution of z is the median of y,
// and so is a prediction that was mapped back; quantiles and the ends of intervals stay what they
// are.
type TargetMap struct {
	Kind string `json:"kind"`
	// Values and Scores are y and z at places in increasing order, of mapRank: between them the map
	// is straight, and beyond them it goes on with the slope of the line through the first and the
	// last.
	Values []float64 `json:"values,omitempty"`
	Scores []float64 `json:"scores,omitempty"`
}

// mostPlaces bounds the places of a map by ranks: between so many quantiles a straight line is as
// good as chance.
const mostPlaces = 1023

// FitTargetMap finds the map of a kind for some targets. A target that it cannot take is an *Error
// with its row, from 1.
func FitTargetMap(kind string, y []float64) (*TargetMap, error) {
	switch kind {
	case mapLog:
		for i, v := range y {
			if !(v > 0) {
				return nil, notPositive(i, v)
			}
		}
		return &TargetMap{Kind: kind}, nil
	case mapRank:
		return rankMap(y)
	}
	return nil, fmt.Errorf("no map %q of targets; there are %s and %s", kind, mapLog, mapRank)
}

// notPositive is the fault of a target that has no logarithm.
func notPositive(row int, v float64) *Error {
	return &Error{Row: row + 1, Value: phrase.Number(v), Kind: ErrTarget, Remedy: mend.Map,
		Reason: fmt.Sprintf("the target is %s, which has no logarithm", phrase.Number(v))}
}

// rankMap gives y of rank r among n, of equals the mean of their ranks, the score Φ⁻¹((r - ½)/n)
// (Blom 1958).
func rankMap(y []float64) (*TargetMap, error) {
	sorted := slices.Clone(y)
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 || math.IsNaN(sorted[0]) || math.IsInf(sorted[0], 0) || math.IsInf(sorted[n-1], 0) {
		return nil, fmt.Errorf("ranks of %d targets; give some, all of them finite", n)
	}
	m := &TargetMap{Kind: mapRank}
	for i := 0; i < n; {
		j := i
		for j < n && sorted[j] == sorted[i] {
			j++
		}
		m.Values = append(m.Values, sorted[i])
		m.Scores = append(m.Scores, math.Sqrt2*math.Erfinv(float64(i+j)/float64(n)-1)) // the mean rank is (i + j + 1)/2
		i = j
	}
	if k := len(m.Values); k > mostPlaces {
		few := TargetMap{Kind: mapRank}
		for a := range mostPlaces {
			at := a * (k - 1) / (mostPlaces - 1)
			few.Values, few.Scores = append(few.Values, m.Values[at]), append(few.Scores, m.Scores[at])
		}
		m = &few
	}
	return m, m.Check()
}

// Check refuses what is no increasing map.
func (m *TargetMap) Check() error {
	if m.Kind == mapLog && len(m.Values)+len(m.Scores) == 0 {
		return nil
	}
	if m.Kind != mapRank || len(m.Values) == 0 || len(m.Values) != len(m.Scores) {
		return fmt.Errorf("a map %q of targets by %d values and %d scores", m.Kind, len(m.Values), len(m.Scores))
	}
	for i, v := range m.Values {
		z := m.Scores[i]
		if v-v != 0 || z-z != 0 || i > 0 && !(v > m.Values[i-1] && z > m.Scores[i-1]) {
			return fmt.Errorf("place %d of a map of targets is %g to %g; they are finite and increase", i, v, z)
		}
	}
	if k := len(m.Values) - 1; math.IsInf(m.Values[k]-m.Values[0], 0) {
		return fmt.Errorf("targets from %g to %g are too far apart to be mapped", m.Values[0], m.Values[k])
	}
	return nil
}

// Apply is z of y. A target that has no logarithm has that of the smallest number.
func (m *TargetMap) Apply(y float64) float64 {
	if m.Kind == mapLog {
		return math.Log(max(y, math.SmallestNonzeroFloat64))
	}
	return between(m.Values, m.Scores, y)
}

// Invert is y of z.
func (m *TargetMap) Invert(z float64) float64 {
	if m.Kind == mapLog {
		return min(math.Exp(z), math.MaxFloat64)
	}
	return between(m.Scores, m.Values, z)
}

// LogSlope is log dz/dy, what a log-density of z is short of that of y; -Inf where y has no z.
func (m *TargetMap) LogSlope(y float64) float64 {
	if m.Kind == mapLog {
		if y <= 0 {
			return math.Inf(-1)
		}
		return -math.Log(y)
	}
	_, _, slope := piece(m.Values, m.Scores, y)
	return math.Log(slope)
}

// ApplyAll is z of each y, in new memory.
func (m *TargetMap) ApplyAll(y []float64) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = m.Apply(v)
	}
	return out
}

// between is the increasing function through places, straight between and beyond them.
func between(from, to []float64, v float64) float64 {
	at, start, slope := piece(from, to, v)
	return start + slope*(v-at)
}

// piece is a place on the straight piece that holds v, the value there and the slope.
func piece(from, to []float64, v float64) (at, start, slope float64) {
	last := len(from) - 1
	if last == 0 {
		return from[0], to[0], 1
	}
	i := sort.SearchFloat64s(from, v)
	switch {
	case i == 0 && v < from[0]:
		return from[0], to[0], (to[last] - to[0]) / (from[last] - from[0])
	case i > last:
		return from[last], to[last], (to[last] - to[0]) / (from[last] - from[0])
	case i < last && from[i] == v: // the place itself, to the bit
		return v, to[i], (to[i+1] - to[i]) / (from[i+1] - from[i])
	case from[i] == v:
		return v, to[i], (to[i] - to[i-1]) / (from[i] - from[i-1])
	}
	return from[i-1], to[i-1], (to[i] - to[i-1]) / (from[i] - from[i-1])
}
