package graph

import (
	"fmt"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// Laplacian is the Laplacian of a graph: L = D − W, where W holds the weights of the edges and D
// the degrees Dᵢ = Σⱼ Wᵢⱼ, or the normalised D^{-1/2}·L·D^{-1/2} (F. Chung, Spectral Graph Theory,
// 1997). fᵀLf = ½ Σ Wᵢⱼ(fᵢ − fⱼ)² is small for functions that are smooth on the graph. A node
// without edges is a component of its own: its row is 0.
type Laplacian struct {
	rows       *linalg.CSR
	degree     []float64
	normalised bool
	largest    float64 // no eigenvalue is above it

	once    sync.Once
	values  []float64 // all eigenvalues, increasing
	vectors linalg.Matrix[float64]
	err     error

	mu  sync.Mutex
	low map[float64]*lowPart
}

// NewLaplacian is D − W.
func NewLaplacian(g Graph) (*Laplacian, error) { return newLaplacian(g, false) }

// NewNormalisedLaplacian is D^{-1/2}·(D − W)·D^{-1/2}, whose eigenvalues lie in [0, 2].
func NewNormalisedLaplacian(g Graph) (*Laplacian, error) { return newLaplacian(g, true) }

func newLaplacian(g Graph, normalised bool) (*Laplacian, error) {
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("kernel: laplacian: %w", err)
	}
	f := newForm(g)
	l := &Laplacian{degree: make([]float64, f.n), normalised: normalised, low: map[float64]*lowPart{}}
	for i := range f.n {
		for e := f.ptr[i]; e < f.ptr[i+1]; e++ {
			l.degree[i] += f.weightAt(e)
		}
		if math.IsInf(l.degree[i], 0) {
			return nil, fmt.Errorf("kernel: laplacian: the weights of the edges of node %d add up to more than a number can "+
				"hold; scale them down", i)
		}
	}
	m := &linalg.CSR{Rows: f.n, Cols: f.n, Ptr: make([]int, f.n+1)}
	for i := range f.n {
		own := false
		put := func() {
			if own = true; l.degree[i] == 0 {
				return
			}
			d := l.degree[i]
			if normalised {
				d = 1
			}
			m.Index, m.Value = append(m.Index, int32(i)), append(m.Value, d)
		}
		for e := f.ptr[i]; e < f.ptr[i+1]; e++ {
			j, w := f.to[e], f.weightAt(e)
			l.largest = max(l.largest, l.degree[i]+l.degree[j])
			if int(j) > i && !own {
				put()
			}
			if normalised {
				w /= math.Sqrt(l.degree[i]) * math.Sqrt(l.degree[j])
			}
			m.Index, m.Value = append(m.Index, j), append(m.Value, -w)
		}
		if !own {
			put()
		}
		m.Ptr[i+1] = len(m.Index)
	}
	if normalised && l.largest > 0 {
		l.largest = 2
	}
	l.rows = m
	return l, nil
}

// Nodes is the number of nodes.
func (l *Laplacian) Nodes() int { return l.rows.Rows }

// Largest is a bound on the eigenvalues: 2 for the normalised Laplacian, else the largest sum of
// the degrees of two neighbours (W. Anderson and T. Morley 1985).
func (l *Laplacian) Largest() float64 { return l.largest }

// Dense is the whole matrix.
func (l *Laplacian) Dense() *mat.Dense {
	if l.Nodes() == 0 {
		return &mat.Dense{}
	}
	return linalg.Dense(l.rows.ToDense())
}

// Smoothness is fᵀLf, for a value f at each node; it is the smaller the less f changes along edges.
func (l *Laplacian) Smoothness(f []float64) float64 {
	s := 0.0
	for i := range l.Nodes() {
		index, value := l.rows.Row(i)
		for k, j := range index {
			s += f[i] * value[k] * f[j]
		}
	}
	return s
}

// Eigen is the whole eigendecomposition, eigenvalues increasing and eigenvectors in the columns;
// 8n² bytes. It is computed once.
func (l *Laplacian) Eigen() (values []float64, vectors *mat.Dense, err error) {
	if l.Nodes() == 0 {
		return nil, &mat.Dense{}, nil
	}
	if err := l.decompose(); err != nil {
		return nil, nil, err
	}
	return append([]float64(nil), l.values...), linalg.Dense(l.vectors.Clone()), nil
}

func (l *Laplacian) decompose() error {
	l.once.Do(func() {
		values, vectors, err := linalg.SymEigen(0, l.rows.ToDense())
		if err != nil {
			l.err = fmt.Errorf("kernel: laplacian: %w", err)
			return
		}
		for i, v := range values { // it has none below 0 but by rounding
			values[i] = max(v, 0)
		}
		l.values, l.vectors = values, vectors
	})
	return l.err
}

// Components is the number of each node's connected component, from 0 in the order of their first
// nodes, and how many there are.
func (l *Laplacian) Components() (component []int, count int) {
	component = make([]int, l.Nodes())
	for i := range component {
		component[i] = -1
	}
	var queue []int32
	for s := range component {
		if component[s] >= 0 {
			continue
		}
		component[s] = count
		queue = append(queue[:0], int32(s))
		for at := 0; at < len(queue); at++ {
			index, _ := l.rows.Row(int(queue[at]))
			for _, j := range index {
				if component[j] < 0 {
					component[j] = count
					queue = append(queue, j)
				}
			}
		}
		count++
	}
	return component, count
}

// NullSpace is an orthonormal basis of the eigenvectors of eigenvalue 0, in columns: one for each
// component, constant on it (times √Dᵢ for the normalised Laplacian) and 0 elsewhere.
func (l *Laplacian) NullSpace() *mat.Dense {
	if l.Nodes() == 0 {
		return &mat.Dense{}
	}
	component, count := l.Components()
	out, norm := mat.NewDense(l.Nodes(), count, nil), make([]float64, count)
	entry := func(i int) float64 {
		if l.normalised && l.degree[i] > 0 {
			return l.degree[i]
		}
		return 1
	}
	for i, c := range component {
		norm[c] += entry(i)
	}
	for i, c := range component {
		out.Set(i, c, math.Sqrt(entry(i)/norm[c]))
	}
	return out
}
