package forest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
)

// sample is n rows of d columns of few whole numbers, with targets of few.
func sample(n, d, values int, seed uint64) (data.Slice[kernel.Vec], []float64, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y, code := make(data.Slice[kernel.Vec], n), make([]float64, n), make([]int, n)
	for i := range x {
		x[i] = make(kernel.Vec, d)
		for j := range x[i] {
			x[i][j] = float64(rng.IntN(values)) / 4
		}
		y[i] = math.Round(4*math.Sin(2*x[i][0])+x[i][d-1]) + float64(rng.IntN(3))
		code[i] = (int(4*x[i][0]) + rng.IntN(2)) % 4
	}
	return x, y, code
}

// impurity is Σ w(y - ȳ)² over rows, or Σ w times Gini's impurity or the entropy, by the
// definition.
func impurity(rows []int, y []float64, code []int, w []float64, entropy bool) float64 {
	total, out := 0.0, 0.0
	of := map[int]float64{}
	for _, i := range rows {
		total += w[i]
		if code != nil {
			of[code[i]] += w[i]
		}
	}
	if code == nil {
		mean := 0.0
		for _, i := range rows {
			mean += w[i] * y[i] / total
		}
		for _, i := range rows {
			out += w[i] * (y[i] - mean) * (y[i] - mean)
		}
		return out
	}
	for _, v := range of {
		if p := v / total; entropy {
			out -= total * p * math.Log(p)
		} else {
			out += total * p * (1 - p)
		}
	}
	return out
}

// oracle is exact CART: every threshold of every column, and every set of categories, by a double
// loop; missing values on either side.
type oracle struct {
	x          data.Slice[kernel.Vec]
	y          []float64
	code       []int
	w          []float64
	entropy    bool
	categories []int
	least      int
}

// best is the least impurity that two sides of some rows can have together.
func (o oracle) best(rows []int) float64 {
	least := math.Inf(1)
	try := func(left func(i int) bool) {
		var l, r []int
		for _, i := range rows {
			if left(i) {
				l = append(l, i)
			} else {
				r = append(r, i)
			}
		}
		if len(l) >= o.least && len(r) >= o.least {
			least = min(least, o.of(l)+o.of(r))
		}
	}
	for j := range o.x[0] {
		if slices.Contains(o.categories, j) {
			for part := range 1 << 7 { // values are 0, ¼ … 1¼, and NaN is the last
				try(func(i int) bool {
					v := o.x[i][j]
					if v != v {
						return part>>6&1 != 0
					}
					return part>>int(4*v)&1 != 0
				})
			}
			continue
		}
		for _, k := range append(slices.Clone(rows), -1) {
			for _, missing := range []bool{false, true} {
				try(func(i int) bool {
					v := o.x[i][j]
					return v != v && missing || v == v && (k < 0 || v <= o.x[k][j])
				})
			}
		}
	}
	return least
}

func (o oracle) of(rows []int) float64 { return impurity(rows, o.y, o.code, o.w, o.entropy) }

// check walks a tree from a node on with the rows that reach it: each split has the least impurity,
// and a leaf has no split that helps.
func (o oracle) check(t *testing.T, what string, f *Forest, at int32, rows []int, exact bool) int {
	t.Helper()
	n := f.nodes[at]
	best := o.best(rows)
	if n.column < 0 {
		if pure := o.of(rows) < 1e-12; !pure && !math.IsInf(best, 1) && exact {
			t.Errorf("%s: a leaf of %d rows with impurity %g, which a split makes %g", what, len(rows), o.of(rows), best)
		}
		return 1
	}
	var sides [2][]int
	for _, i := range rows {
		one := &Forest{dim: f.dim, outputs: 1, categories: f.categories, sets: f.sets, roots: []int{0, 3}}
		one.nodes = []node{n, {column: -1, child: 0}, {column: -1, child: 1}}
		one.nodes[0].child = 1
		side := one.leaf(0, o.x[i])
		sides[side] = append(sides[side], i)
	}
	got := o.of(sides[0]) + o.of(sides[1])
	if exact && math.Abs(got-best) > 1e-9*(1+best) || len(sides[0]) < o.least || len(sides[1]) < o.least {
		t.Errorf("%s: a split of %d rows in %d and %d leaves the impurity %g, the best %g", what, len(rows), len(sides[0]),
			len(sides[1]), got, best)
	}
	return o.check(t, what, f, n.child, sides[0], exact) + o.check(t, what, f, n.child+1, sides[1], exact)
}

// Every split of a tree is the best of all there are, by a double loop: numbers and classes,
// weights, entropy, categories, missing values, few rows left.
func TestTreesAreExactCART(t *testing.T) {
	for seed := range uint64(datatest.Size(6, 2)) {
		x, y, code := sample(60, 3, 6, seed)
		even, weights := slices.Repeat([]float64{1}, 60), make([]float64, 60)
		two := make([]int, 60)
		for i := range weights {
			weights[i] = float64(1+i%3) / 2
			two[i] = code[i] % 2
		}
		missing := make(data.Slice[kernel.Vec], 60)
		for i := range missing {
			missing[i] = slices.Clone(x[i])
			if i%7 == 0 {
				missing[i][i%3] = math.NaN()
			}
		}
		for name, c := range map[string]struct {
			x       data.Slice[kernel.Vec]
			code    []int
			classes int
			w       []float64
			s       Supervised
			few     bool // the splits need not be the best
		}{
			"numbers":          {x: x, w: even},
			"weighted numbers": {x: x, w: weights},
			"leaves of 5":      {x: x, w: even, s: Supervised{Growth: Growth{Min: 5}}},
			"missing":          {x: missing, w: weights},
			"categories":       {x: missing, w: even, s: Supervised{Growth: Growth{Categories: []int{0, 2}}}},
			"two classes":      {x: x, code: two, classes: 2, w: weights},
			"two by entropy": {x: missing, code: two, classes: 2, w: even,
				s: Supervised{Growth: Growth{Criterion: Entropy}}},
			"two of categories": {x: missing, code: two, classes: 2, w: even,
				s: Supervised{Growth: Growth{Categories: []int{1}}}},
			"classes": {x: x, code: code, classes: 4, w: even},
			"classes by entropy": {x: missing, code: code, classes: 4, w: weights,
				s: Supervised{Growth: Growth{Criterion: Entropy, Min: 2}}},
			"missing classes": {x: missing, code: code, classes: 4, w: even},
			"classes of categories": {x: missing, code: code, classes: 4, w: even,
				s: Supervised{Growth: Growth{Categories: []int{0, 1, 2}}}, few: true},
			"at random": {x: missing, w: even, s: Supervised{Growth: Growth{Splits: RandomSplits, Categories: []int{1}}},
				few: true},
			"classes at random": {x: missing, code: code, classes: 4, w: even,
				s: Supervised{Growth: Growth{Splits: RandomSplits, Min: 3}}, few: true},
			"one column drawn": {x: x, w: even, s: Supervised{Growth: Growth{Columns: 1}}, few: true},
		} {
			s := c.s
			if s.Trees, s.Sampling, s.Weights, s.Seed, s.Missing = 1, AllRows, c.w, seed, true; s.Columns == 0 {
				s.Columns = 3
			}
			var f *Forest
			var err error
			if c.code == nil {
				f, _, err = s.Fit(t.Context(), c.x, y)
			} else {
				f, _, err = s.FitClasses(t.Context(), c.x, c.code, c.classes)
			}
			if err != nil {
				t.Fatal(name, err)
			}
			o := oracle{c.x, y, c.code, c.w, s.Criterion == Entropy, s.Categories, max(s.Min, 1)}
			rows := make([]int, 60)
			for i := range rows {
				rows[i] = i
			}
			if leaves := o.check(t, name, f, 0, rows, !c.few); leaves != f.Leaves() {
				t.Errorf("%s: %d leaves reached of %d", name, leaves, f.Leaves())
			}
		}
	}
}
