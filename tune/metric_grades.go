package tune

import (
	"math"

	"github.com/mercer-ml/mercer/learn"
)

// GradeError is the mean distance, in grades, between the class predicted and the true one, where
// classes are grades in their order: the mean absolute error of their places.
func GradeError() Metric {
	return Metric{Name: "grade-mae", Score: func(p learn.Predictions) float64 {
		if p.Class == nil {
			return math.NaN()
		}
		return weightedMean(p, func(i int) float64 { return math.Abs(float64(p.Class[i]) - p.Truth[i]) })
	}}
}

// Kappa is the quadratic weighted kappa of classes that are grades in their order (J. Cohen 1968):
//
//	κ = 1 - Σ (i - j)²·O_ij / Σ (i - j)²·E_ij,
//
// O the weight of rows of grade i that are predicted j, and E what it would be if the two had
// nothing to do with each other. 1 is best, 0 is chance. Not defined where both sides are of one
// grade.
func Kappa() Metric {
	return Metric{Name: "kappa", Maximize: true, Score: func(p learn.Predictions) float64 {
		if p.Class == nil {
			return math.NaN()
		}
		var n, moved, truth, said, truth2, said2 float64
		for i, y := range p.Truth {
			w, c := weightOf(p, i), float64(p.Class[i])
			n += w
			moved += w * (y - c) * (y - c)
			truth, truth2 = truth+w*y, truth2+w*y*y
			said, said2 = said+w*c, said2+w*c*c
		}
		// Σ (i - j)²·E_ij = Σ y² + Σ c² - 2·Σy·Σc/n.
		chance := truth2 + said2 - 2*truth*said/n
		if !(chance > 0) {
			return math.NaN()
		}
		return 1 - moved/chance
	}}
}

// RankedProbability is the ranked probability score of classes that are grades in their order (E.
// Epstein, A scoring system for probability forecasts of ranked categories, 1969), the mean over
// rows of
//
//	Σ_k (P(grade ≤ k) - [truth ≤ k])²,
//
// 0 at best. It is proper, and of one who is sure of a grade it is the distance from the true one.
func RankedProbability() Metric {
	return Metric{Name: "rps", NeedsProb: true, Score: func(p learn.Predictions) float64 {
		if p.Prob == nil {
			return math.NaN()
		}
		return weightedMean(p, func(i int) float64 {
			below, sum := 0.0, 0.0
			for k, v := range p.Prob[i*p.Classes : (i+1)*p.Classes-1] {
				below += v
				off := below - indicator(p.Truth[i] <= float64(k))
				sum += off * off
			}
			return sum
		})
	}}
}
