package cluster

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/kmeans"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// fixture is testdata/cluster.json, made by bench/fixtures/cluster.py.
type fixture struct {
	X                           [][]float64
	A, B, Medoids               []int
	Silhouette                  []float64
	Davies, Calinski, Rand, Nmi float64
	Cost                        float64
}

func load(t *testing.T) (fixture, data.DenseRows) {
	t.Helper()
	raw, err := os.ReadFile("testdata/cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	m := mat.NewDense(len(f.X), 2, nil)
	for i, r := range f.X {
		m.SetRow(i, r)
	}
	return f, data.Rows(m)
}

func table(d *data.Dataset) (data.DenseRows, []int) {
	cols := d.Features()
	m := mat.NewDense(d.Len(), len(cols), nil)
	for j, c := range cols {
		for i, v := range c.Numbers {
			m.Set(i, j, v)
		}
	}
	target, _ := d.Column(d.Target)
	labels := make([]int, d.Len())
	for i := range labels {
		labels[i] = int(target.Codes[i])
	}
	return data.Rows(m), labels
}

func rand1(t *testing.T, what string, a, b []int, least float64) {
	t.Helper()
	r, err := AdjustedRand(a, b)
	if err != nil || !(r >= least) {
		t.Errorf("%s: adjusted Rand %g, want at least %g (%v)", what, r, least, err)
	}
}

// TestIndices compares with scikit-learn.
func TestIndices(t *testing.T) {
	f, x := load(t)
	s, mean, err := Silhouette[kernel.Vec](ctx, kernel.Linear{}, x, f.B, 0)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, v := range s {
		if math.Abs(v-f.Silhouette[i]) > 1e-9 {
			t.Errorf("silhouette of point %d is %g, want %g", i, v, f.Silhouette[i])
		}
		sum += v
	}
	if math.Abs(mean-sum/45) > 1e-12 {
		t.Errorf("mean silhouette %g", mean)
	}
	near := func(what string, got float64, err error, want float64) {
		if err != nil || math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s = %.12g, want %.12g (%v)", what, got, want, err)
		}
	}
	v, err := DaviesBouldin[kernel.Vec](ctx, kernel.Linear{}, x, f.B, 0)
	near("Davies–Bouldin", v, err, f.Davies)
	v, err = CalinskiHarabasz[kernel.Vec](ctx, kernel.Linear{}, x, f.B, 0)
	near("Caliński–Harabasz", v, err, f.Calinski)
	v, err = AdjustedRand(f.A, f.B)
	near("adjusted Rand", v, err, f.Rand)
	v, err = NormalizedMutualInformation(f.A, f.B)
	near("NMI", v, err, f.Nmi)
	v, err = AdjustedRand([]int{0, 0, 1}, []string{"b", "b", "a"})
	near("Rand of equal groupings", v, err, 1)
	for _, labels := range [][]int{{0}, make([]int, 45), slices.Repeat([]int{-1}, 45), slices.Repeat([]int{2}, 45)} {
		if _, _, err := Silhouette[kernel.Vec](ctx, kernel.Linear{}, x, labels, 0); err == nil {
			t.Errorf("labels %v were taken", labels[:1])
		}
	}
}

// TestKMedoids: PAM finds R's medoids; no swap improves on PAM and FasterPAM;
// the alternation is a fixed point of its two steps.
func TestKMedoids(t *testing.T) {
	f, x := load(t)
	cost := func(medoids []int, d Distance) float64 {
		s := 0.0
		for i := range x.Len() {
			best := math.Inf(1)
			for _, m := range medoids {
				v := kmeans.Squared(x.At(i), x.At(m))
				if d == Plain {
					v = math.Sqrt(v)
				}
				best = math.Min(best, v)
			}
			s += best
		}
		return s
	}
	for _, method := range []MedoidMethod{FasterPAM, PAM, Alternate} {
		for _, d := range []Distance{Squared, Plain} {
			for _, k := range []int{1, 2, 3, 7} {
				m, err := KMedoids[kernel.Vec]{Kernel: kernel.Linear{}, Clusters: k, Method: method, Distance: d, Seed: 3}.Fit(ctx,
					x)
				if err != nil {
					t.Fatal(err)
				}
				if c := cost(m.Medoids(), d); math.Abs(c-m.Cost()) > 1e-9 {
					t.Errorf("method %d, k=%d: cost %g, by loops %g", method, k, m.Cost(), c)
				}
				p, err := m.Assign(ctx, x)
				if err != nil || !slices.Equal(p, m.Labels()) {
					t.Errorf("method %d, k=%d: training points are assigned elsewhere (%v)", method, k, err)
				}
				for c, set := range members(m.Labels(), k) {
					med := m.Medoids()
					if method == Alternate {
						// The best of its own cluster, which is all it looks at.
						within := func(i int) float64 {
							v := 0.0
							for _, j := range set {
								e := kmeans.Squared(x.At(i), x.At(j))
								if d == Plain {
									e = math.Sqrt(e)
								}
								v += e
							}
							return v
						}
						for _, i := range set {
							if within(i) < within(med[c])-1e-9 {
								t.Errorf("k=%d: point %d is a better medoid of cluster %d than %d", k, i, c, med[c])
							}
						}
						continue
					}
					for i := range x.Len() {
						med[c] = i
						if v := cost(med, d); v < m.Cost()-1e-9 {
							t.Errorf("method %d, k=%d: swapping medoid %d for point %d lowers %g to %g", method, k, c, i, m.Cost(), v)
						}
					}
				}
				if method == PAM && d == Plain && k == 3 {
					got := m.Medoids()
					slices.Sort(got)
					want := slices.Clone(f.Medoids)
					slices.Sort(want)
					if !slices.Equal(got, want) || math.Abs(m.Cost()-f.Cost) > 1e-4 {
						t.Errorf("medoids %v with cost %g, R's pam %v with %g", got, m.Cost(), want, f.Cost)
					}
				}
			}
		}
	}
}

// TestKMeans: with the linear kernel it is k-means; the inertia is that of the
// definition and no single move of Lloyd lowers it.
func TestKMeans(t *testing.T) {
	f, x := load(t)
	m, err := KMeans[kernel.Vec]{Kernel: kernel.Linear{}, Clusters: 3, Seed: 1}.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	rand1(t, "three blobs", m.Labels(), f.A, 0.9)
	labels := m.Labels()
	inertia := 0.0
	for _, c := range members(labels, 3) {
		var mean [2]float64
		for _, i := range c {
			mean[0] += x.At(i)[0] / float64(len(c))
			mean[1] += x.At(i)[1] / float64(len(c))
		}
		for _, i := range c {
			inertia += kmeans.Squared(x.At(i), mean[:])
		}
	}
	if math.Abs(inertia-m.Inertia()) > 1e-9*inertia || !m.Converged() {
		t.Errorf("inertia %g, by the means %g; converged %v", m.Inertia(), inertia, m.Converged())
	}
	p, err := m.Assign(ctx, x)
	if err != nil || !slices.Equal(p, labels) {
		t.Errorf("training points are assigned elsewhere (%v)", err)
	}
	// Feature space: distances by the formula.
	k := kernel.Gaussian{Lengthscale: 1}
	if m, err = (KMeans[kernel.Vec]{Kernel: k, Clusters: 3}).Fit(ctx, x); err != nil {
		t.Fatal(err)
	}
	d, err := m.SquaredDistances(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	for c, set := range members(m.Labels(), 3) {
		for i := range x.Len() {
			want, n := 1.0, float64(len(set))
			for _, a := range set {
				want -= 2 / n * k.Eval(x.At(i), x.At(a))
				for _, b := range set {
					want += k.Eval(x.At(a), x.At(b)) / (n * n)
				}
			}
			if math.Abs(d.At(i, c)-want) > 1e-10 {
				t.Fatalf("‖φ(x%d) − μ%d‖² = %g, want %g", i, c, d.At(i, c), want)
			}
		}
	}
}

// TestKMeansSolvesCircles: rings that no mean in the plane tells apart.
func TestKMeansSolvesCircles(t *testing.T) {
	x, y := table(data.Circles(300, 0.03, 2))
	radius := kernel.Features(func(v kernel.Vec) kernel.Vec { return kernel.Vec{math.Hypot(v[0], v[1])} })
	m, err := KMeans[kernel.Vec]{Kernel: radius, Clusters: 2}.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	rand1(t, "rings by a kernel on the radius", m.Labels(), y, 0.98)
	flat, err := KMeans[kernel.Vec]{Kernel: kernel.Linear{}, Clusters: 2}.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := AdjustedRand(flat.Labels(), y)
	if !(plain < 0.1) {
		t.Errorf("plain k-means solves the rings: adjusted Rand %g", plain)
	}
}

// TestSpectralSolvesSpirals: generated ones, by both graphs, and new points.
func TestSpectralSolvesSpirals(t *testing.T) {
	x, y := table(data.Spirals(400, 0.005, 1))
	xn, yn := table(data.Spirals(200, 0.005, 2))
	for i, s := range []Spectral[kernel.Vec]{
		{Kernel: kernel.Gaussian{Lengthscale: 0.03}, Clusters: 2},
		{Kernel: kernel.Gaussian{Lengthscale: 0.03}, Clusters: 2, Bytes: 1},
		{Kernel: kernel.Linear{}, Clusters: 2, Graph: NeighbourGraph, Neighbours: 8},
		{Kernel: kernel.Gaussian{Lengthscale: 0.1}, Clusters: 2, Graph: NeighbourGraph, Neighbours: 8, Weighted: true},
		{Kernel: kernel.Linear{}, Clusters: 2, Graph: NeighbourGraph, Neighbours: 12, Mutual: true},
	} {
		m, err := s.Fit(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		rand1(t, "spirals "+strconv.Itoa(i), m.Labels(), y, 0.98)
		for _, r := range m.Residuals() {
			if !(r <= 1e-8) {
				t.Errorf("residual %g", r)
			}
		}
		if v := m.Eigenvalues()[0]; math.Abs(v-1) > 1e-8 {
			t.Errorf("largest eigenvalue %g of a normalised graph", v)
		}
		p, err := m.Assign(ctx, xn)
		if err != nil {
			t.Fatal(err)
		}
		r1, _ := AdjustedRand(p, yn)
		if r1 < 0.9 {
			t.Errorf("new points %d: adjusted Rand %g", i, r1)
		}
	}
}

// TestSpectralSolvesBuiltins: the default graph parts the built-in sets whose
// classes no straight line parts, whatever their seed.
func TestSpectralSolvesBuiltins(t *testing.T) {
	for _, name := range []string{"spirals", "moons", "circles"} {
		for seed := range uint64(10) {
			d, err := data.Builtin(name, seed)
			if err != nil {
				t.Fatal(err)
			}
			x, y := table(d)
			m, err := Spectral[kernel.Vec]{Kernel: kernel.Linear{}, Clusters: 2, Graph: NeighbourGraph}.Fit(ctx, x)
			if err != nil {
				t.Fatal(err)
			}
			rand1(t, name+" "+strconv.Itoa(int(seed)), m.Labels(), y, 0.95)
		}
	}
}

// TestSpectralEigenvectors compares with the dense decomposition.
func TestSpectralEigenvectors(t *testing.T) {
	_, x := load(t)
	k := kernel.Gaussian{Lengthscale: 1}
	m, err := Spectral[kernel.Vec]{Kernel: k, Clusters: 3}.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	n := x.Len()
	w := linalg.New[float64](n, n)
	d := make([]float64, n)
	for i := range n {
		for j := range n {
			if i != j {
				w.Set(i, j, k.Eval(x.At(i), x.At(j)))
				d[i] += w.At(i, j)
			}
		}
	}
	for i := range n {
		for j := range n {
			w.Set(i, j, w.At(i, j)/math.Sqrt(d[i]*d[j]))
		}
	}
	values, _, err := linalg.SymEigen(1, w)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range m.Eigenvalues() {
		if math.Abs(v-values[n-1-j]) > 1e-10 {
			t.Errorf("eigenvalue %d is %g, want %g", j, v, values[n-1-j])
		}
	}
	e := m.Embedding()
	for i := range n {
		if s := mat.Norm(e.RowView(i), 2); math.Abs(s-1) > 1e-12 {
			t.Errorf("row %d of the embedding has length %g", i, s)
		}
	}
}

// TestKernlabSpirals: the data of kernlab's own example, two interleaved
// spirals without labels; every point's nearest neighbour shares its cluster.
func TestKernlabSpirals(t *testing.T) {
	rec, err := csv.NewReader(datatest.Open(t, "spirals_kernlab.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	m := mat.NewDense(len(rec)-1, 2, nil)
	for i, r := range rec[1:] {
		for j, s := range r {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			m.Set(i, j, v)
		}
	}
	x := data.Rows(m)
	s, err := Spectral[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.05}, Clusters: 2}.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	labels := s.Labels()
	sizes := [2]int{}
	for i := range x.Len() {
		sizes[labels[i]]++
		best, at := math.Inf(1), -1
		for j := range x.Len() {
			if d := kmeans.Squared(x.At(i), x.At(j)); j != i && d < best {
				best, at = d, j
			}
		}
		if labels[at] != labels[i] {
			t.Errorf("point %d and its nearest neighbour %d are apart", i, at)
		}
	}
	if sizes != [2]int{150, 150} {
		t.Errorf("clusters of %v points, the data have 150 in each spiral", sizes)
	}
}

func TestSameBitsAtAnyThreadCount(t *testing.T) {
	x, _ := table(data.Spirals(300, 0.02, 3))
	var first [][]int
	for _, threads := range []int{1, 2, 5} {
		k := kernel.Gaussian{Lengthscale: 0.2}
		a, err := KMedoids[kernel.Vec]{Kernel: k, Clusters: 5, Threads: threads}.Fit(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		b, err := KMeans[kernel.Vec]{Kernel: k, Clusters: 5, Threads: threads}.Fit(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Spectral[kernel.Vec]{Kernel: k, Clusters: 5, Threads: threads}.Fit(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		now := [][]int{a.Labels(), b.Labels(), c.Labels()}
		if first == nil {
			first = now
		}
		for i := range now {
			if !slices.Equal(first[i], now[i]) {
				t.Errorf("method %d: %d threads give other labels", i, threads)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	row := func(v ...float64) []float64 { return v }
	type points = data.Slice[[]float64]
	g := kernel.Gaussian{}
	for _, c := range []struct {
		name     string
		k        kernel.Kernel[kernel.Vec]
		clusters int
		x        points
		want     [3]string // k-medoids, k-means, spectral; empty: works
	}{
		{"empty", g, 1, nil, [3]string{"no points", "no points", "no points"}},
		{"no kernel", nil, 1, points{row(1)}, [3]string{"no kernel", "no kernel", "no kernel"}},
		{"too many", g, 3, points{row(1), row(2)}, [3]string{"3 clusters", "3 clusters", "3 clusters"}},
		{"none", g, 0, points{row(1), row(2)}, [3]string{"0 clusters", "0 clusters", "0 clusters"}},
		{"NaN", g, 1, points{row(1), row(math.NaN())}, [3]string{"row 1, column 0", "row 1, column 0", "row 1, column 0"}},
		{"one point", g, 1, points{row(1)}, [3]string{"", "", "one point"}},
		{"duplicates", g, 2, points{row(1), row(1), row(1)}, [3]string{"", "only 1 points differ", ""}},
		{"far apart", g, 2, points{row(0), row(1e3), row(2e3)}, [3]string{"", "", "row 0 has no weight"}},
		{"negative", kernel.Linear{}, 2, points{row(1), row(-1), row(2)}, [3]string{"", "", "may not be negative"}},
		{"huge", kernel.Linear{}, 2, points{row(1e308), row(-1e308)},
			[3]string{"scale the data", "scale the data", "scale the data"}},
		{"no columns", g, 1, points{row(), row()}, [3]string{"", "", ""}},
	} {
		_, e0 := KMedoids[kernel.Vec]{Kernel: c.k, Clusters: c.clusters}.Fit(ctx, c.x)
		_, e1 := KMeans[kernel.Vec]{Kernel: c.k, Clusters: c.clusters}.Fit(ctx, c.x)
		_, e2 := Spectral[kernel.Vec]{Kernel: c.k, Clusters: c.clusters}.Fit(ctx, c.x)
		for i, err := range []error{e0, e1, e2} {
			if c.want[i] == "" && err != nil || c.want[i] != "" && (err == nil || !strings.Contains(err.Error(), c.want[i])) {
				t.Errorf("%s, method %d: error %v, want %q", c.name, i, err, c.want[i])
			}
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	x, _ := table(data.Spirals(50, 0.02, 3))
	if _, err := (KMeans[kernel.Vec]{Kernel: g, Clusters: 2}).Fit(cancelled, x); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled k-means: %v", err)
	}
	if _, err := (KMedoids[kernel.Vec]{Kernel: g, Clusters: 2}).Fit(cancelled, x); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled k-medoids: %v", err)
	}
}
