package density

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
)

func TestKNNDensityAndPosterior(t *testing.T) {
	ctx := context.Background()
	x, q := cloud(41, 300, 3), cloud(42, 20, 3)
	m, err := KNN{K: 7}.Fit(ctx, data.RowsOf(x))
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.LogDensity(ctx, data.RowsOf(q))
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]string, x.Rows)
	for i := range labels {
		labels[i] = []string{"b", "a", "a"}[i%3]
	}
	post, err := KNNPosterior[string]{K: 7}.Fit(ctx, data.RowsOf(x), labels)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := post.Posterior(ctx, data.RowsOf(q))
	for i := range q.Rows {
		var d []smoothing.Neighbour
		for j := range x.Rows {
			s := 0.0
			for k, v := range x.Row(j) {
				s += (v - q.At(i, k)) * (v - q.At(i, k))
			}
			d = append(d, smoothing.Neighbour{Place: j, D2: s})
		}
		for a := range 7 { // select by hand
			for b := a + 1; b < len(d); b++ {
				if d[b].D2 < d[a].D2 {
					d[a], d[b] = d[b], d[a]
				}
			}
		}
		r := math.Sqrt(d[6].D2)
		agree(t, "k-NN density", got[i:i+1], []float64{math.Log(7. / 300 / (4. / 3 * math.Pi * r * r * r))}, 1e-12)
		share := 0.0
		for _, n := range d[:7] {
			if n.Place%3 != 0 {
				share += 1. / 7
			}
		}
		agree(t, "posterior", p.RawRowView(i), []float64{share, 1 - share}, 1e-12)
	}
}
