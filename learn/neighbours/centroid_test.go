package neighbours

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Decision values are the differences of squared distances to the means, by a double loop over all
// pairs; with the linear kernel the means are those of the coordinates.
func TestCentroidIsTheNearestMean(t *testing.T) {
	for _, classes := range []int{2, 3} {
		x, y := learntest.Blobs(60, 3, classes, 2, uint64(classes))
		weights := make([]float64, 60)
		for i := range weights {
			weights[i] = 1 + float64(i%4)
		}
		for name, k := range map[string]kernel.Kernel[kernel.Vec]{"gaussian": kernel.Gaussian{Lengthscale: 2},
			"linear": kernel.Linear{}} {
			m, err := Centroid[kernel.Vec, int]{Kernel: k, Weights: weights}.Fit(t.Context(), data.Rows(x), y)
			if err != nil {
				t.Fatal(err)
			}
			fresh, _ := learntest.Blobs(20, 3, classes, 2, 99)
			decision, err := m.Decision(t.Context(), data.Rows(fresh))
			if err != nil {
				t.Fatal(err)
			}
			labels, err := m.Predict(t.Context(), data.Rows(fresh))
			if err != nil {
				t.Fatal(err)
			}
			scatter := 0.0
			for i := range 60 {
				scatter += weights[i] * toMean(k, x, y, weights, x.RawRowView(i), y[i])
			}
			if got := m.Report().Objective; math.Abs(got-scatter) > 1e-9*scatter {
				t.Errorf("%s of %d: objective %g, want %g", name, classes, got, scatter)
			}
			for i := range 20 {
				p := fresh.RawRowView(i)
				distance, nearest := make([]float64, classes), 0
				for c := range distance {
					distance[c] = toMean(k, x, y, weights, p, c)
					if distance[c] < distance[nearest] {
						nearest = c
					}
				}
				if labels[i] != nearest {
					t.Errorf("%s of %d: point %d has label %d, the nearest mean is that of %d", name, classes, i, labels[i], nearest)
				}
				for c := range distance {
					want := (k.Eval(p, p) - distance[c]) / 2
					at := c
					if classes == 2 {
						want, at = (distance[0]-distance[1])/2, 0
					}
					if got := decision.At(i, at); math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
						t.Errorf("%s of %d: decision %d of point %d is %g, want %g", name, classes, at, i, got, want)
					}
				}
				if name == "linear" {
					if d := plainDistance(x, y, weights, p, nearest); math.Abs(d-distance[nearest]) > 1e-9*(1+d) {
						t.Errorf("the oracle itself: %g and %g", distance[nearest], d)
					}
				}
			}
		}
	}
}

// toMean is ‖φ(p) - μ_c‖² by the definition.
func toMean(k kernel.Kernel[kernel.Vec], x *mat.Dense, y []int, w []float64, p kernel.Vec, c int) float64 {
	total, cross, norm := 0.0, 0.0, 0.0
	for i, label := range y {
		if label != c {
			continue
		}
		total += w[i]
		cross += w[i] * k.Eval(x.RawRowView(i), p)
		for j, other := range y {
			if other == c {
				norm += w[i] * w[j] * k.Eval(x.RawRowView(i), x.RawRowView(j))
			}
		}
	}
	return k.Eval(p, p) - 2*cross/total + norm/(total*total)
}

// plainDistance is the squared distance to the mean of the coordinates.
func plainDistance(x *mat.Dense, y []int, w []float64, p kernel.Vec, c int) float64 {
	mean, total := make([]float64, len(p)), 0.0
	for i, label := range y {
		if label == c {
			total += w[i]
			for j, v := range x.RawRowView(i) {
				mean[j] += w[i] * v
			}
		}
	}
	s := 0.0
	for j, v := range p {
		s += (v - mean[j]/total) * (v - mean[j]/total)
	}
	return s
}

func TestCentroidRefuses(t *testing.T) {
	x := data.Rows(mat.NewDense(3, 1, []float64{1, 2, 3}))
	if _, err := (Centroid[kernel.Vec, int]{Kernel: kernel.Linear{}, Weights: []float64{1, 1, 0}}).Fit(t.Context(), x,
		[]int{0, 0, 1}); err == nil {
		t.Error("a class without weight has no mean")
	}
	huge := data.Rows(mat.NewDense(2, 1, []float64{1e200, 1}))
	if _, err := (Centroid[kernel.Vec, int]{Kernel: kernel.Linear{}}).Fit(t.Context(), huge, []int{0, 1}); err == nil {
		t.Error("a norm that overflows was taken")
	}
}
