package seq

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
)

// walks are random walks of different lengths, the last of them empty.
func walks(seed uint64, n, longest, channels int) data.Slice[Series] {
	rng := rand.New(rand.NewPCG(seed, 9))
	out := make(data.Slice[Series], n)
	for i := range out {
		out[i] = walk(rng, 1+rng.IntN(longest), channels)
	}
	out[n-1] = Series{channels: channels}
	return out
}

func walk(rng *rand.Rand, steps, channels int) Series {
	values := make([]float64, steps*channels)
	for i := range values {
		values[i] = 0.4 * rng.NormFloat64()
		if i >= channels {
			values[i] += values[i-channels]
		}
	}
	s, err := NewSeries(values, channels)
	if err != nil {
		panic(err)
	}
	return s
}

// paths calls visit with every alignment of n and m steps.
func paths(n, m int, visit func(path [][2]int)) {
	var walk func(path [][2]int)
	walk = func(path [][2]int) {
		at := path[len(path)-1]
		if at == [2]int{n - 1, m - 1} {
			visit(path)
			return
		}
		for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}} {
			if i, j := at[0]+d[0], at[1]+d[1]; i < n && j < m {
				walk(append(append([][2]int(nil), path...), [2]int{i, j}))
			}
		}
	}
	if n > 0 && m > 0 {
		walk([][2]int{{0, 0}})
	}
}

func TestAlignmentsEqualEnumeration(t *testing.T) {
	for _, channels := range []int{1, 3} {
		all := walks(1, 8, datatest.Size(7, 5), channels)
		for _, band := range []int{0, 1, 3} {
			for _, width := range []float64{1, 0.3} {
				var k Logarithmic[Series] = GlobalAlignment{width}
				if band > 0 {
					k = TriangularAlignment{width, band}
				}
				for _, x := range all {
					for _, y := range all {
						want := 0.0
						paths(x.Len(), y.Len(), func(path [][2]int) {
							product := 1.0
							for _, at := range path {
								g := math.Exp(-sqDist(x.At(at[0]), y.At(at[1])) / (2 * width * width))
								if band > 0 {
									g *= max(0, 1-math.Abs(float64(at[0]-at[1]))/float64(band))
								}
								product *= g / (2 - g)
							}
							want += product
						})
						if x.Len() == 0 && y.Len() == 0 {
							want = 1
						}
						got := k.Eval(x, y)
						if !(math.Abs(got-want) <= 1e-12*want) {
							t.Errorf("band %d: %v, want %v", band, got, want)
						}
						if x.Len() > 0 && y.Len() > 0 && want > 0 {
							a := alignment{width, band}
							agree(t, "wide", a.wide(newChannels(x), newChannels(y)), math.Log(want), 1e-12)
						}
					}
				}
			}
		}
	}
}

// Long series: no overflow, no NaN, and the plain program equals the one with wide numbers wherever
// it is sure of itself.
func TestAlignmentsOfLongSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	steps := datatest.Size(2000, 300)
	x, y := walk(rng, steps, 1), walk(rng, steps-77, 1)
	unsure := 0
	for _, width := range []float64{30, 1, 0.1, 0.01} {
		for _, band := range []int{0, 200} {
			k := alignment{width, band}
			for _, p := range [][2]Series{{x, x}, {x, y}, {y, x}} {
				a, b := newChannels(p[0]), newChannels(p[1])
				want, got := k.wide(a, b), k.log(a, b)
				if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
					t.Errorf("σ = %g, band %d: log k = %v, with wide numbers %v", width, band, got, want)
				}
				if _, sure := k.plain(a, b); !sure {
					unsure++
				}
			}
		}
		normal := NormalizeLog[Series](GlobalAlignment{width})
		if v := normal.Eval(x, y); !(v >= 0 && v <= 1) {
			t.Errorf("σ = %g: the normalised value is %v", width, v)
		}
		agree(t, "normalised k(x, x)", normal.Eval(x, x), 1, 1e-12)
	}
	if unsure == 0 || unsure == 24 {
		t.Errorf("the plain program was unsure %d times of 24: one of the two ways was never taken", unsure)
	}
	// Two constant series at distance 0: the number of alignments, the central Delannoy number.
	zero := Univariate(make([]float64, 50))
	d := make([]float64, 50)
	d[0], d[1] = 1, 3
	for n := 2; n < 50; n++ {
		d[n] = (3*float64(2*n-1)*d[n-1] - float64(n-1)*d[n-2]) / float64(n)
	}
	agree(t, "Delannoy", GlobalAlignment{}.LogEval(zero, zero), math.Log(d[49]), 1e-13)
}

// The numbers of tslearn (bench/fixtures/series_tslearn.py).
func TestAlignmentsEqualTslearn(t *testing.T) {
	file, err := os.ReadFile("testdata/series_tslearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Groups []struct {
			Channels int
			Series   [][]float64
			Kernels  []struct {
				Sigma             float64
				Plain, Normalized [][]float64
			}
		}
	}
	if err := json.Unmarshal(file, &fixture); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, g := range fixture.Groups {
		for _, f := range g.Kernels {
			k := GlobalAlignment{f.Sigma}
			for i := range g.Series {
				for j := range g.Series {
					x, y := Series{g.Series[i], g.Channels}, Series{g.Series[j], g.Channels}
					if got, want := k.Eval(x, y), f.Plain[i][j]; !(math.Abs(got-want) <= 1e-11*want) {
						t.Errorf("σ = %g: %v, tslearn gives %v", f.Sigma, got, want)
					}
					if got, want := NormalizeLog[Series](k).Eval(x, y), f.Normalized[i][j]; !(math.Abs(got-want) <= 1e-11*want) {
						t.Errorf("σ = %g, normalised: %v, tslearn gives %v", f.Sigma, got, want)
					}
					checked++
				}
			}
		}
	}
	if checked != 64 {
		t.Errorf("%d values checked, want 64", checked)
	}
}

func TestSeriesKernelsConform(t *testing.T) {
	for name, k := range seriesKernels() {
		t.Run(name, func(t *testing.T) {
			for _, channels := range []int{1, 2} {
				kerneltest.Run(t, k, kerneltest.Options[Series]{Points: walks(3, 12, 9, channels),
					Adversarial: []data.Points[Series]{
						walks(4, 12, 3, channels), data.Slice[Series]{{make([]float64, 4*channels), channels},
							{make([]float64, 6*channels), channels}, {channels: channels}},
					}})
			}
		})
	}
}

func TestSeriesKernelsRefuseBadSeries(t *testing.T) {
	two, err := NewSeries([]float64{1, 2, 3, 4}, 2)
	if err != nil {
		t.Fatal(err)
	}
	bad, _ := NewSeries([]float64{1, 2, 3, math.NaN()}, 2)
	huge, _ := NewSeries([]float64{1, math.Inf(1)}, 2)
	for name, k := range seriesKernels() {
		for want, x := range map[string]data.Slice[Series]{
			"row 2, step 1, channel 1 is NaN":  {two, {}, bad},
			"row 1, step 0, channel 1 is +Inf": {two, huge},
			"row 1 has 1 channels":             {two, Univariate([]float64{1})},
		} {
			if err := kernel.Check(k, data.Points[Series](x)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: want an error with %q, got %v", name, want, err)
			}
		}
		if v := k.Eval(two, Univariate([]float64{1, 2})); !math.IsNaN(v) {
			t.Errorf("%s: series of different channels have the value %v", name, v)
		}
	}
	if _, err := NewSeries([]float64{1, 2, 3}, 2); err == nil {
		t.Error("3 values in steps of 2 are accepted")
	}
	if _, err := NewSeries(nil, 0); err == nil {
		t.Error("no channels are accepted")
	}
}

// Every band and length, against numbers of any size: blocks of columns come into the band and
// leave it at every place.
func TestBandsOfEveryWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 2))
	unsure := 0
	for band := 1; band <= 70; band++ {
		n := 60 + rng.IntN(90)
		x, y := newChannels(walk(rng, n, 1)), newChannels(walk(rng, n+rng.IntN(band), 1))
		k := alignment{3, band}
		got, sure := k.plain(y, x)
		if want := k.wide(y, x); !sure {
			unsure++
		} else if !(math.Abs(got-want) <= 1e-11*(1+math.Abs(want))) {
			t.Errorf("band %d of %d steps: log k = %v, with wide numbers %v", band, n, got, want)
		}
	}
	if unsure > 7 {
		t.Errorf("the plain program was unsure %d times of 70", unsure)
	}
}

// Every length of both series and several channels, by every way that the processor has, against
// numbers of any size.
func TestAlignmentsOfEveryLength(t *testing.T) {
	for _, level := range simd.Supported() {
		t.Run(level.String(), func(t *testing.T) {
			defer simd.Force(level)()
			rng := rand.New(rand.NewPCG(7, 2))
			unsure := 0
			for n := 1; n <= 70; n++ {
				channels := 1 + n%3
				m := []int{1 + rng.IntN(70), n, 250 + rng.IntN(80)}[n%3]
				x, y := newChannels(walk(rng, n, channels)), newChannels(walk(rng, m, channels))
				k := alignment{width: 10}
				got, sure := k.plain(x, y)
				if want := k.wide(x, y); !sure {
					unsure++
				} else if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
					t.Errorf("%d and %d steps of %d channels: log k = %v, with wide numbers %v", n, m, channels, got, want)
				}
			}
			if unsure > 7 {
				t.Errorf("the plain program was unsure %d times of 70", unsure)
			}
		})
	}
}

// A width so narrow that cells leave the range of float64 on the way: what they were is not taken
// for a value.
func TestAlignmentsBeyondTheRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := make([]*channels, 200)
	for i := range x {
		x[i] = newChannels(smooth(rng, 100))
	}
	for _, width := range []float64{0.3, 0.1, 0.05} {
		k := alignment{width: width}
		for i, y := range x { // the eleventh and number 185 came to +Inf
			if got, want := k.log(x[11], y), k.wide(x[11], y); !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
				t.Fatalf("σ = %g, series %d: log k = %v, with wide numbers %v", width, i, got, want)
			}
		}
	}
}

// smooth is a series of variance 1 whose steps are like those before.
func smooth(rng *rand.Rand, n int) Series {
	values, level := make([]float64, n), 0.0
	for t := range values {
		level = 0.9*level + math.Sqrt(1-0.81)*rng.NormFloat64()
		values[t] = level
	}
	return Univariate(values)
}
