package tune

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"gonum.org/v1/gonum/mat"
)

// apart says which rows may have a say in the weights for a fold: those of other folds and, where
// rows have groups, of groups that it does not hold; where they have times, of the folds before.
// Nil in its place means all.
func (s *stacking) apart(fold int) func(f, row int) bool {
	held, groups := map[int]bool{}, map[int]bool{}
	for _, row := range s.folds[fold].Test {
		if held[row] = true; s.p.Groups != nil {
			groups[s.p.Groups[row]] = true
		}
	}
	return func(f, row int) bool {
		return !held[row] && !(s.p.Groups != nil && groups[s.p.Groups[row]]) && (s.p.Times == nil || f < fold)
	}
}

// weights are those of least squared error on the rows that have a say, all but the smallest ones;
// the first member alone where none has. violation is their certificate.
func (s *stacking) weights(say func(f, row int) bool) (out []float64, violation float64) {
	out = make([]float64, len(s.members))
	g, rows := s.products(say)
	if rows == 0 {
		out[0] = 1
		return out, 0
	}
	among := make([]int, len(s.members))
	for m := range among {
		among[m] = m
	}
	for {
		part := mat.NewSymDense(len(among), nil)
		for a, m := range among {
			for b := a; b < len(among); b++ {
				part.SetSym(a, b, g.At(m, among[b]))
			}
		}
		w, v := solve.SimplexNearest(part)
		var kept []int
		small := false
		for a, m := range among {
			out[m] = 0
			switch {
			case w[a] >= leastWeight:
				out[m] = w[a]
				kept = append(kept, m)
			case w[a] > 0:
				small = true
			}
		}
		if !small {
			return out, v
		}
		among = kept // and once more, without those
	}
}

// best is the member of least squared error on the rows that have a say, the first of equals.
func (s *stacking) best(say func(f, row int) bool) int {
	g, _ := s.products(say)
	out := 0
	for m := range s.members {
		if g.At(m, m) < g.At(out, out) {
			out = m
		}
	}
	return out
}

// products is the inner products of the members' errors: of numbers vₘ - y, of classes Pₘ(c) - [y =
// c]. As weights sum to 1, the squared error of the mean of the members is a quadratic form in
// these. Errors are divided by the largest, whatever the unit of the target.
func (s *stacking) products(say func(f, row int) bool) (g *mat.SymDense, rows int) {
	n := len(s.members)
	g = mat.NewSymDense(n, nil)
	largest := 0.0
	s.errors(say, func(off []float64, _ float64) {
		for _, v := range off {
			largest = math.Max(largest, math.Abs(v))
		}
	})
	if !(largest > 0) {
		largest = 1
	}
	rows = s.errors(say, func(off []float64, weight float64) {
		for a, u := range off {
			for b := a; b < n; b++ {
				g.SetSym(a, b, g.At(a, b)+weight*(u/largest)*(off[b]/largest))
			}
		}
	})
	return g, rows
}

// errors tells the errors of all members, row by row and class by class, and returns how many rows
// there are.
func (s *stacking) errors(say func(f, row int) bool, tell func(off []float64, weight float64)) (rows int) {
	off := make([]float64, len(s.members))
	k := s.p.ClassCount()
	for f, fold := range s.folds {
		for i, row := range fold.Test {
			if say != nil && !say(f, row) {
				continue
			}
			rows++
			weight := 1.0
			if s.p.Weights != nil {
				weight = s.p.Weights[row]
			}
			if s.p.Task == data.Regression {
				for m := range off {
					off[m] = s.members[m].folds[f].Value[i] - s.p.Y[row]
				}
				tell(off, weight)
				continue
			}
			for c := range k {
				for m := range off {
					off[m] = s.members[m].folds[f].Prob[i*k+c] - indicator(int(s.p.Y[row]) == c)
				}
				tell(off, weight)
			}
		}
	}
	return rows
}
