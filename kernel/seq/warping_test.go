package seq

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
)

func TestWarpingEqualsEnumeration(t *testing.T) {
	for _, channels := range []int{1, 2} {
		all := walks(41, 8, 7, channels)
		for _, band := range []int{0, 1, 2} {
			for _, x := range all {
				for _, y := range all {
					want := math.Inf(1)
					paths(x.Len(), y.Len(), func(path [][2]int) {
						sum := 0.0
						for _, at := range path {
							if band > 0 && (at[0]-at[1] > band || at[1]-at[0] > band) {
								return
							}
							sum += sqDist(x.At(at[0]), y.At(at[1]))
						}
						want = min(want, math.Sqrt(sum))
					})
					if x.Len() == 0 && y.Len() == 0 {
						want = 0
					}
					if got := (Warping{Band: band}).Distance(x, y); got != want && !(math.Abs(got-want) <= 1e-12*want) {
						t.Errorf("band %d: distance %v, want %v", band, got, want)
					}
				}
			}
		}
	}
	if p := (Warping{}).Properties().PSD; p != kernel.No {
		t.Errorf("positive semi-definite: %v", p)
	}
}

func TestWarpingEqualsTslearn(t *testing.T) {
	file, err := os.ReadFile("testdata/series_tslearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Groups []struct {
			Channels int
			Series   [][]float64
			DTW      [][]float64
		}
	}
	if err := json.Unmarshal(file, &fixture); err != nil {
		t.Fatal(err)
	}
	for _, g := range fixture.Groups {
		for i := range g.Series {
			for j := range g.Series {
				x, y := Series{g.Series[i], g.Channels}, Series{g.Series[j], g.Channels}
				agree(t, "dtw", Warping{}.Distance(x, y), g.DTW[i][j], 1e-12)
			}
		}
	}
	if len(fixture.Groups) != 2 {
		t.Errorf("%d groups of series", len(fixture.Groups))
	}
}

// The integral over all models with one channel and one lag, by a fine sum over a and log v.
func TestAutoregressiveEqualsIntegral(t *testing.T) {
	k := Autoregressive{Weight: 2, Prior: 0.5, Degrees: 3}
	all := data.Slice[Series]{Univariate([]float64{1, 0.5, 0.7, -0.2}), Univariate([]float64{0, 1, -1, 0.5, 0.3, -0.6}),
		Univariate([]float64{2}), {}}
	density := func(s Series, a, v float64) float64 {
		n := s.Len() - 1
		if n < 1 {
			return 0
		}
		log := 0.0
		for t := 1; t <= n; t++ {
			e := s.values[t] - a*s.values[t-1]
			log -= 0.5*math.Log(2*math.Pi*v) + e*e/(2*v)
		}
		return log * k.Weight / float64(n)
	}
	for _, x := range all {
		for _, y := range all {
			want := 0.0
			const da, dl = 0.05, 0.05
			for l := -8.0; l < 10; l += dl {
				v := math.Exp(l)
				// Inverse gamma: inverse Wishart in one dimension with scale 1; dv = v·dl.
				prior := k.Degrees/2*math.Log(0.5) - logGamma(k.Degrees/2) - (k.Degrees/2+1)*l - 1/(2*v) + l
				spread := math.Sqrt(v * k.Prior)
				for u := -8.0; u < 8; u += da { // a = u·spread is standard normal in u
					want += math.Exp(prior-u*u/2-0.5*math.Log(2*math.Pi)+density(x, u*spread, v)+density(y, u*spread, v)) * da * dl
				}
			}
			agree(t, "integral", k.Eval(x, y), want, 1e-6)
		}
	}
}

func TestFourierSeries(t *testing.T) {
	// One number: Σ of the cosine series, (1-q²)/(2(1-2q·cos d+q²)) = ½ + Σ qʲ·cos(jd).
	k := FourierSeries{0.6}
	for _, d := range []float64{0, 0.3, 2, -5} {
		want := 0.5
		for j := 1; j < 200; j++ {
			want += math.Pow(0.6, float64(j)) * math.Cos(float64(j)*d)
		}
		agree(t, "one number", k.Eval(Univariate([]float64{1}), Univariate([]float64{1 + d})), want, 1e-12)
		agree(t, "two numbers", k.Eval(Univariate([]float64{1, 7}), Univariate([]float64{1 + d, 7 + d})), want*want, 1e-12)
	}
	same := make(data.Slice[Series], 10)
	for i, s := range walks(5, 10, 4, 1) {
		same[i] = Univariate(append(append([]float64(nil), s.values...), make([]float64, 4-s.Len())...))
	}
	kerneltest.Run[Series](t, k, kerneltest.Options[Series]{Points: same})
	err := k.CheckPoints(data.Slice[Series]{Univariate([]float64{1}), Univariate([]float64{1, 2})})
	if err == nil || !strings.Contains(err.Error(), "row 1 has 2 steps, row 0 has 1") {
		t.Errorf("series of different lengths give the error %v", err)
	}
	if v := k.Eval(Univariate([]float64{1}), Univariate([]float64{1, 2})); !math.IsNaN(v) {
		t.Errorf("series of different lengths have the value %v", v)
	}
}

func TestWindows(t *testing.T) {
	x, y := Univariate([]float64{1, 2, 4}), Univariate([]float64{0, 3})
	got := Windows{Length: 2, Kernel: kernel.Linear{}}.Eval(x, y)
	agree(t, "windows", got, (2*3.0+4*3)/2, 1e-15)
	if v := (Windows{Length: 3}).Eval(x, y); v != 0 {
		t.Errorf("a series shorter than the window has the value %v", v)
	}
}
