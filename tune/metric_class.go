package tune

import (
	"math"
	"slices"

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
		w := weightOf(p, i)
		all[int(y)] += w
		if p.Class[i] == int(y) {
			hit[int(y)] += w
		}
	}
	return hit, all
}

// F1 is the harmonic mean of precision and recall of one class, Predictions.Positive. Not defined
// where none is named.
func F1() Metric {
	return f1Metric("f1", func(p learn.Predictions, hit, all, said []float64) float64 {
		if c := p.Positive; c >= 0 && c < p.Classes {
			return f1(hit[c], all[c], said[c])
		}
		return math.NaN()
	})
}

// MacroF1 is the mean of F1 over the classes.
func MacroF1() Metric {
	return f1Metric("f1-macro", func(_ learn.Predictions, hit, all, said []float64) float64 {
		sum := 0.0
		for c := range all {
			sum += f1(hit[c], all[c], said[c])
		}
		return sum / float64(len(all))
	})
}

// MicroF1 is F1 of all decisions together. Where each point has one class, as here, it is the
// accuracy.
func MicroF1() Metric {
	return f1Metric("f1-micro", func(_ learn.Predictions, hit, all, said []float64) float64 {
		return f1(sum(hit), sum(all), sum(said))
	})
}

// f1Metric is a metric of the weight of each class that was hit, that there is, and that was said.
func f1Metric(name string, score func(p learn.Predictions, hit, all, said []float64) float64) Metric {
	return Metric{Name: name, Maximize: true, Score: func(p learn.Predictions) float64 {
		if p.Class == nil {
			return math.NaN()
		}
		hit, all := perClass(p)
		said := make([]float64, p.Classes)
		for i, c := range p.Class {
			said[c] += weightOf(p, i)
		}
		return score(p, hit, all, said)
	}}
}

// f1 is 2·hit/(all + said), 0 where a class neither is nor is said.
func f1(hit, all, said float64) float64 {
	if all+said == 0 {
		return 0
	}
	return 2 * hit / (all + said)
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
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

// AUC is the area under the receiver operating characteristic of two classes, the chance that a
// point of one ranks above a point of the other, ties counting half; for more classes the mean over
// the classes of each against the rest. Points are ranked by Predictions.Ranking. Not defined where
// a fold has one side only.
func AUC() Metric {
	return Metric{Name: "auc", Maximize: true, Ranks: true, Score: func(p learn.Predictions) float64 {
		if p.Classes == 2 {
			return auc(p, 1)
		}
		total, k := 0.0, 0.0
		for c := range p.Classes {
			if a := auc(p, c); !math.IsNaN(a) {
				total += a
				k++
			}
		}
		return total / k
	}}
}

// auc of class c against the rest, by ranks.
func auc(p learn.Predictions, c int) float64 {
	rank := p.Ranking(c)
	if rank == nil {
		return math.NaN()
	}
	n := len(p.Truth)
	if slices.ContainsFunc(rank, math.IsNaN) {
		return math.NaN() // no order, and no ties either
	}
	order := ascending(rank)
	below, wins, plus := 0.0, 0.0, 0.0
	for lo := 0; lo < n; {
		hi := lo
		tiePlus, tieMinus := 0.0, 0.0
		for ; hi < n && rank[order[hi]] == rank[order[lo]]; hi++ {
			w := weightOf(p, order[hi])
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
