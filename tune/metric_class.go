package tune

import (
	"math"
	"sort"

	"github.com/mercer-ml/mercer/learn"
)

// Accuracy is the share of points whose class is predicted right.
func Accuracy() Metric {
	return Metric{Name: "accuracy", Maximize: true, Score: func(p learn.Predictions) float64 {
		if p.Class == nil {
			return math.NaN()
		}
		return weightedMean(p, func(i int) float64 { return indicator(p.Class[i] == int(p.Truth[i])) })
	}}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// BalancedAccuracy is the mean over the classes of the share of their points
// predicted right.
func BalancedAccuracy() Metric {
	return Metric{Name: "balanced-accuracy", Maximize: true, Score: func(p learn.Predictions) float64 {
		if p.Class == nil {
			return math.NaN()
		}
		hit, all := perClass(p)
		sum, k := 0.0, 0.0
		for c := range all {
			if all[c] > 0 {
				sum += hit[c] / all[c]
				k++
			}
		}
		return sum / k
	}}
}

// perClass is the weight of the points of each class, and of those hit.
func perClass(p learn.Predictions) (hit, all []float64) {
	hit, all = make([]float64, p.Classes), make([]float64, p.Classes)
	for i, y := range p.Truth {
		w := 1.0
		if p.Weights != nil {
			w = p.Weights[i]
		}
		all[int(y)] += w
		if p.Class[i] == int(y) {
			hit[int(y)] += w
		}
	}
	return hit, all
}

// F1 is the harmonic mean of precision and recall: of class 1 for two classes,
// the mean over the classes (macro) for more.
func F1() Metric {
	return Metric{Name: "f1", Maximize: true, Score: func(p learn.Predictions) float64 {
		if p.Class == nil {
			return math.NaN()
		}
		hit, all := perClass(p)
		said := make([]float64, p.Classes)
		for i, c := range p.Class {
			w := 1.0
			if p.Weights != nil {
				w = p.Weights[i]
			}
			said[c] += w
		}
		f1 := func(c int) float64 {
			if all[c]+said[c] == 0 {
				return 0
			}
			return 2 * hit[c] / (all[c] + said[c])
		}
		if p.Classes == 2 {
			return f1(1)
		}
		sum := 0.0
		for c := range all {
			sum += f1(c)
		}
		return sum / float64(p.Classes)
	}}
}

// LogLoss is the mean of -ln of the probability given to the true class, with
// probabilities kept 1e-15 away from 0.
func LogLoss() Metric {
	return Metric{Name: "logloss", NeedsProb: true, Score: func(p learn.Predictions) float64 {
		if p.Prob == nil {
			return math.NaN()
		}
		return weightedMean(p, func(i int) float64 {
			return -math.Log(max(p.Prob[i*p.Classes+int(p.Truth[i])], 1e-15))
		})
	}}
}

// Brier is the mean squared distance between the probabilities and the truth:
// (p₁ - y)² for two classes, Σ_c (p_c - 1[y=c])² for more.
func Brier() Metric {
	return Metric{Name: "brier", NeedsProb: true, Score: func(p learn.Predictions) float64 {
		if p.Prob == nil {
			return math.NaN()
		}
		return weightedMean(p, func(i int) float64 {
			s := 0.0
			for c := range p.Classes {
				d := p.Prob[i*p.Classes+c] - indicator(c == int(p.Truth[i]))
				s += d * d
			}
			if p.Classes == 2 {
				s /= 2
			}
			return s
		})
	}}
}

// AUC is the area under the receiver operating characteristic, the chance that
// a point of class 1 scores above one of class 0, ties counting half; for more
// classes the mean over the classes of each against the rest. Not defined where a fold has one side only.
func AUC() Metric {
	return Metric{Name: "auc", Maximize: true, Score: func(p learn.Predictions) float64 {
		if p.Score == nil {
			return math.NaN()
		}
		if p.Classes == 2 {
			return auc(p, 1)
		}
		sum, k := 0.0, 0.0
		for c := range p.Classes {
			if a := auc(p, c); !math.IsNaN(a) {
				sum += a
				k++
			}
		}
		return sum / k
	}}
}

// auc of class c against the rest, by ranks.
func auc(p learn.Predictions, c int) float64 {
	n := len(p.Truth)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	score := func(i int) float64 { return p.Score[i*p.Classes+c] }
	sort.SliceStable(order, func(a, b int) bool { return score(order[a]) < score(order[b]) })
	below, wins, plus := 0.0, 0.0, 0.0
	for lo := 0; lo < n; {
		hi := lo
		tiePlus, tieMinus := 0.0, 0.0
		for ; hi < n && score(order[hi]) == score(order[lo]); hi++ {
			w := 1.0
			if p.Weights != nil {
				w = p.Weights[order[hi]]
			}
			if int(p.Truth[order[hi]]) == c {
				tiePlus += w
			} else {
				tieMinus += w
			}
		}
		wins += tiePlus * (below + tieMinus/2)
		below += tieMinus
		plus += tiePlus
		lo = hi
	}
	if plus == 0 || below == 0 {
		return math.NaN()
	}
	return wins / (plus * below)
}
