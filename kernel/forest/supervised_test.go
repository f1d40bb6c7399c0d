package forest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
)

// The estimate of a forest without bootstrap is that of Nadaraya and Watson with the kernel of each
// leaf divided by its weight: Σᵢ wᵢyᵢ·(1/T)Σₜ 1[same leaf]/Wₜ. By a double loop.
func TestForestIsNadarayaWatson(t *testing.T) {
	x, y, code := sample(70, 3, 6, 8)
	fresh, _, _ := sample(30, 3, 6, 9)
	weights := make([]float64, len(x))
	for i := range weights {
		weights[i] = 1 + float64(i%3)
	}
	s := Supervised{Growth: Growth{Trees: 9, Sampling: AllRows, Columns: 1, Min: 3}, Weights: weights}
	numbers := modeltest.Must(fitEither(t, s, x, y, nil, 0))(t)
	labels := modeltest.Must(fitEither(t, s, x, y, code, 4))(t)
	for name, f := range map[string]*Forest{"numbers": numbers, "classes": labels} {
		k := f.Outputs()
		got := make([]float64, len(fresh)*k)
		if err := f.AverageTo(t.Context(), got, fresh); err != nil {
			t.Fatal(err)
		}
		at, of := make([]int32, f.Trees()), make([]int32, f.Trees())
		for i, p := range fresh {
			want := make([]float64, k)
			f.leavesOf(at, p)
			for tree := range f.Trees() {
				total, sum := 0.0, make([]float64, k)
				for j, q := range x {
					if f.leavesOf(of, q); of[tree] != at[tree] {
						continue
					}
					if total += weights[j]; k == 1 {
						sum[0] += weights[j] * y[j]
					} else {
						sum[code[j]] += weights[j]
					}
				}
				for o := range sum {
					want[o] += sum[o] / total / float64(f.Trees())
				}
			}
			for o := range want {
				if math.Abs(got[i*k+o]-want[o]) > 1e-12*(1+math.Abs(want[o])) {
					t.Errorf("%s: output %d of point %d is %g, want %g", name, o, i, got[i*k+o], want[o])
				}
			}
		}
	}
}

// Out-of-bag values are the means over the trees whose sample, drawn again from the seed, has not
// got the row.
func TestOutOfBagIsOfOtherTrees(t *testing.T) {
	x, y, _ := sample(50, 3, 6, 10)
	s := Supervised{Growth: Growth{Trees: 15, Seed: 5}}
	f, bag, err := s.Fit(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	sum, count := make([]float64, 50), make([]float64, 50)
	leaf := make([]int32, f.Trees())
	for tree := range f.Trees() {
		rng, in := streamOf(5, tree), map[int]bool{}
		for range 50 {
			in[rng.IntN(50)] = true
		}
		for i := range x {
			if f.leavesOf(leaf, x[i]); !in[i] {
				sum[i] += f.values[leaf[tree]]
				count[i]++
			}
		}
	}
	judged, off, spread, mean := 0, 0.0, 0.0, 0.0
	for i := range x {
		if count[i] == 0 {
			if !math.IsNaN(bag.Values[i]) {
				t.Errorf("row %d, which every tree has seen, has the value %g", i, bag.Values[i])
			}
			continue
		}
		judged++
		mean += y[i]
		if v := sum[i] / count[i]; math.Abs(v-bag.Values[i]) > 1e-12*(1+math.Abs(v)) {
			t.Errorf("row %d has the value %g, want %g", i, bag.Values[i], v)
		}
	}
	mean /= float64(judged)
	for i := range x {
		if count[i] > 0 {
			off += (y[i] - bag.Values[i]) * (y[i] - bag.Values[i])
			spread += (y[i] - mean) * (y[i] - mean)
		}
	}
	if bag.Judged != judged || math.Abs(bag.Score-(1-off/spread)) > 1e-12 || judged < 45 {
		t.Errorf("%d rows judged with R² %g, want %d with %g", bag.Judged, bag.Score, judged, 1-off/spread)
	}
	if _, none, err := (Supervised{Growth: Growth{Trees: 2, Sampling: AllRows}}).Fit(t.Context(), x, y); none != nil ||
		err != nil {
		t.Errorf("all rows were seen, and out of the bag is %v, error %v", none, err)
	}
}

// Where targets know nothing of the rows, neither do those trees: out-of-bag accuracy is chance,
// and R² not above 0, though the forest knows its own rows by heart.
func TestOutOfBagHasNoLeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x, code, y := normal(600, 5, 11), make([]int, 600), make([]float64, 600)
	for i := range code {
		code[i], y[i] = rng.IntN(2), rng.NormFloat64()
	}
	f, bag, err := Supervised{Growth: Growth{Trees: 60, Seed: 1}}.FitClasses(t.Context(), x, code, 2)
	if err != nil {
		t.Fatal(err)
	}
	// 600 tosses have a deviation of 0.02.
	if bag.Judged < 590 || math.Abs(bag.Score-0.5) > 0.07 {
		t.Errorf("accuracy %g on %d rows of noise", bag.Score, bag.Judged)
	}
	own, right := make([]float64, 1200), 0
	if err := f.AverageTo(t.Context(), own, x); err != nil {
		t.Fatal(err)
	}
	for i, c := range code {
		if own[2*i+c] > 0.5 {
			right++
		}
	}
	if right < 590 {
		t.Errorf("only %d of 600 known by heart: the test cannot see a leak", right)
	}
	if _, bag, err = (Supervised{Growth: Growth{Trees: 60, Seed: 1}}).Fit(t.Context(), x, y); err != nil ||
		!(bag.Score < 0.05) {
		t.Errorf("R² %g on noise, error %v", bag.Score, err)
	}
}

// A number that is missing where the node saw none goes where more rows are; a category that was
// never seen, too.
func TestWhatWasNeverSeenGoesToTheLargerSide(t *testing.T) {
	x := data.Slice[kernel.Vec]{{0, 1}, {0, 1}, {0, 2}, {1, 7}, {1, 7}}
	y := []float64{0, 0, 0, 5, 5}
	for name, c := range map[string]struct {
		categories []int
		at         kernel.Vec
		first      int
	}{"number": {nil, kernel.Vec{math.NaN(), 7}, 0}, "category": {[]int{0}, kernel.Vec{8, 7}, 0},
		"missing category": {[]int{0}, kernel.Vec{math.NaN(), 7}, 0}} {
		f := modeltest.Must(fitEither(t, Supervised{Growth: Growth{Trees: 1, Depth: 1, Missing: true, Sampling: AllRows,
			Categories: c.categories}}, x, y, nil, 0))(t)
		if f.nodes[0].column != int32(c.first) {
			t.Fatalf("%s: split by column %d", name, f.nodes[0].column)
		}
		got := make([]float64, 1)
		if err := f.AverageTo(t.Context(), got, data.Slice[kernel.Vec]{c.at}); err != nil || got[0] != 0 {
			t.Errorf("%s: value %v, error %v; want that of three rows, 0", name, got, err)
		}
	}
}

func TestSupervisedOnDegenerateInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		x data.Slice[kernel.Vec]
		y []float64
	}{
		"one row":          {data.Slice[kernel.Vec]{{1, 2}}, []float64{3}},
		"no columns":       {data.Slice[kernel.Vec]{{}, {}, {}}, []float64{3, 3, 3}},
		"constant columns": {data.Slice[kernel.Vec]{{1, 2}, {1, 2}, {1, 2}}, []float64{3, 3, 3}},
		"all missing":      {data.Slice[kernel.Vec]{{nan}, {nan}}, []float64{3, 3}},
		"one target":       {data.Slice[kernel.Vec]{{1}, {2}, {5}}, []float64{3, 3, 3}},
		"huge":             {data.Slice[kernel.Vec]{{1e308}, {-1e308}, {1e308}}, []float64{3, 3, 3}},
	} {
		for _, splits := range []Splits{BestSplits, RandomSplits} {
			for _, categories := range [][]int{nil, {0}} {
				if len(c.x[0]) == 0 && categories != nil {
					continue
				}
				f := modeltest.Must(fitEither(t, Supervised{Growth: Growth{Trees: 3, Missing: true, Splits: splits,
					Categories: categories}}, c.x, c.y, nil, 0))(t)
				got := make([]float64, len(c.x))
				if err := f.AverageTo(t.Context(), got, c.x); err != nil || got[0] != 3 {
					t.Errorf("%s: %v, error %v", name, got, err)
				}
				codes := make([]int, len(c.x))
				g := modeltest.Must(fitEither(t, Supervised{Growth: Growth{Trees: 3, Missing: true, Splits: splits,
					Categories: categories}}, c.x, c.y, codes, 1))(t)
				if err := g.AverageTo(t.Context(), got, c.x); err != nil || got[0] != 1 {
					t.Errorf("%s, one class: %v, error %v", name, got, err)
				}
			}
		}
	}
	x := data.Slice[kernel.Vec]{{1}, {2}}
	two := []float64{1, 2}
	for name, fit := range map[string]func() error{
		"no rows": func() error {
			_, _, err := Supervised{}.Fit(t.Context(), data.Slice[kernel.Vec]{}, nil)
			return err
		},
		"nil":           func() error { _, _, err := Supervised{}.Fit(t.Context(), nil, nil); return err },
		"other lengths": func() error { _, _, err := Supervised{}.Fit(t.Context(), x, two[:1]); return err },
		"infinite": func() error {
			_, _, err := Supervised{}.Fit(t.Context(), data.Slice[kernel.Vec]{{inf}, {1}}, two)
			return err
		},
		"ragged": func() error {
			_, _, err := Supervised{}.Fit(t.Context(), data.Slice[kernel.Vec]{{1}, {}}, two)
			return err
		},
		"NaN": func() error {
			_, _, err := Supervised{}.Fit(t.Context(), data.Slice[kernel.Vec]{{nan}, {1}}, two)
			return err
		},
		"NaN target": func() error { _, _, err := Supervised{}.Fit(t.Context(), x, []float64{1, nan}); return err },
		"1e308 target": func() error {
			_, _, err := Supervised{}.Fit(t.Context(), x, []float64{1e308, -1e308})
			return err
		},
		"no weight": func() error {
			_, _, err := Supervised{Weights: []float64{0, 0}}.Fit(t.Context(), x, two)
			return err
		},
		"negative weight": func() error {
			_, _, err := Supervised{Weights: []float64{1, -1}}.Fit(t.Context(), x, two)
			return err
		},
		"few weights": func() error {
			_, _, err := Supervised{Weights: []float64{1}}.Fit(t.Context(), x, two)
			return err
		},
		"class 2 of 2": func() error { _, _, err := Supervised{}.FitClasses(t.Context(), x, []int{0, 2}, 2); return err },
		"negative trees": func() error {
			_, _, err := Supervised{Growth: Growth{Trees: -1}}.Fit(t.Context(), x, two)
			return err
		},
		"unknown splits": func() error {
			_, _, err := Supervised{Growth: Growth{Splits: 7}}.Fit(t.Context(), x, two)
			return err
		},
		"unknown sampling": func() error {
			_, _, err := Supervised{Growth: Growth{Sampling: -1}}.Fit(t.Context(), x, two)
			return err
		},
		"no such column": func() error {
			_, _, err := Supervised{Growth: Growth{Categories: []int{1}}}.Fit(t.Context(), x, two)
			return err
		},
	} {
		if fit() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Targets and weights near the ends of the numbers still tell the rows apart.
	big := modeltest.Must(fitEither(t, Supervised{Growth: Growth{Trees: 1, Sampling: AllRows},
		Weights: []float64{1e300, 1e300}}, x, []float64{1e149, -1e149}, nil, 0))(t)
	got := make([]float64, 2)
	if err := big.AverageTo(t.Context(), got, x); err != nil || got[0] != 1e149 || got[1] != -1e149 {
		t.Errorf("%v, error %v", got, err)
	}
}

// More different numbers than bins: bins have about equally many rows, never one number in two, and
// a threshold parts rows as their bins do.
func TestQuantileBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	v := make([]float64, 5000)
	for i := range v {
		if v[i] = rng.ExpFloat64(); i%4 == 0 {
			v[i] = 1 // a quarter is one number
		}
	}
	for _, missing := range []bool{false, true} {
		if missing {
			v[17] = math.NaN()
		}
		c := binNumbers(v)
		if c.missing != missing || missing && c.bin[17] != missingBin || len(c.low) > bins || len(c.low) < 200 {
			t.Fatalf("%d bins, missing %t", len(c.low), c.missing)
		}
		count := make([]int, bins)
		for i, f := range v {
			b := c.bin[i]
			if count[b]++; f == f && !(c.low[b] <= f && f <= c.high[b]) {
				t.Fatalf("%g in the bin from %g to %g", f, c.low[b], c.high[b])
			}
		}
		for b := range c.low {
			if b > 0 && c.low[b] <= c.high[b-1] {
				t.Errorf("bin %d begins at %g, the one before ends at %g", b, c.low[b], c.high[b-1])
			}
			if one := c.low[b] <= 1 && c.high[b] >= 1; count[b] > 40 && !one {
				t.Errorf("bin %d has %d rows", b, count[b])
			}
		}
		if m := slices.Max(count); m < 1250 || m > 1320 {
			t.Errorf("the largest bin has %d rows", m)
		}
	}
	// Rows of a tree grown on such bins reach the leaves that their bins reached: weights of the
	// leaves add up.
	x, y := normal(2000, 2, 21), make([]float64, 2000)
	for i := range y {
		y[i] = float64(i % 7)
	}
	for _, splits := range []Splits{BestSplits, RandomSplits} {
		f := modeltest.Must(fitEither(t, Supervised{Growth: Growth{Trees: 1, Sampling: AllRows, Min: 20, Splits: splits}}, x,
			y, nil, 0))(t)
		count, sum := make([]float64, f.Leaves()), make([]float64, f.Leaves())
		for i := range x {
			l := f.leaf(0, x[i])
			count[l]++
			sum[l] += y[i]
		}
		for l := range count {
			if count[l] < 20 || math.Abs(sum[l]/count[l]-f.values[l]) > 1e-12 {
				t.Errorf("leaf %d: %g rows of mean %g, the tree says %g", l, count[l], sum[l]/count[l], f.values[l])
			}
		}
	}
}
