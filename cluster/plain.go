package cluster

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// truth is 1 for true.
func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Plain returns the groups as plain data.
func (o *KMeansModel[T]) Plain() (rkhs.Plain[T], error) {
	return rkhs.Plain[T]{
		Kind: savedkind.KMeans, Funcs: []*rkhs.Func[T]{o.f},
		Numbers: map[string]float64{"inertia": o.inertia, "iterations": float64(o.iterations),
			"converged": truth(o.converged)},
		Arrays: map[string]*mat.Dense{"norm": rkhs.ListArray(o.norm), "labels": rkhs.ListArray(o.labels)},
	}, nil
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *KMeansModel[T]) Restore(p rkhs.Plain[T]) error {
	told, err := restoreKMeans(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreKMeans makes a KMeansModel of plain data.
func restoreKMeans[T any](p rkhs.Plain[T]) (*KMeansModel[T], error) {
	o := &KMeansModel[T]{}
	var err error
	if o.norm, err = p.List("norm", -1); err != nil {
		return nil, err
	}
	if o.f, err = p.Function(0, 1, len(o.norm)); err != nil {
		return nil, err
	}
	if o.labels, err = p.Codes("labels", o.f.Centers.Len(), len(o.norm)); err != nil {
		return nil, err
	}
	if o.inertia, err = p.Number("inertia"); err != nil {
		return nil, err
	}
	if o.iterations, err = p.Whole("iterations", 0, math.MaxInt32); err != nil {
		return nil, err
	}
	converged, err := p.Whole("converged", 0, 1)
	o.converged = converged == 1
	return o, err
}

// Plain returns the groups as plain data: the centres are the medoids.
func (m *KMedoidsModel[T]) Plain() (rkhs.Plain[T], error) {
	k := len(m.medoids)
	unit := mat.NewDense(k, k, nil) // output c of the function is k(medoid c, ·)
	for c := range k {
		unit.Set(c, c, 1)
	}
	return rkhs.Plain[T]{
		Kind: savedkind.KMedoids, Funcs: []*rkhs.Func[T]{{Kernel: m.kernel, Centers: m.centers, Coef: unit}},
		Numbers: map[string]float64{"cost": m.cost, "swaps": float64(m.swaps), "distance": float64(m.distance)},
		Arrays: map[string]*mat.Dense{"medoids": rkhs.ListArray(m.medoids), "self": rkhs.ListArray(m.self),
			"labels": rkhs.ListArray(m.labels)},
	}, nil
}

// mostPoints bounds the number of a training point in a file.
const mostPoints = math.MaxInt32

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *KMedoidsModel[T]) Restore(p rkhs.Plain[T]) error {
	told, err := restoreKMedoids(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreKMedoids makes a KMedoidsModel of plain data.
func restoreKMedoids[T any](p rkhs.Plain[T]) (*KMedoidsModel[T], error) {
	f, err := p.Function(0, 1, 0)
	if err != nil {
		return nil, err
	}
	k := f.Centers.Len()
	m := &KMedoidsModel[T]{kernel: f.Kernel, centers: f.Centers}
	if m.self, err = p.List("self", k); err != nil {
		return nil, err
	}
	if m.medoids, err = p.Codes("medoids", k, mostPoints); err != nil {
		return nil, err
	}
	if m.labels, err = p.Codes("labels", -1, k); err != nil {
		return nil, err
	}
	if m.cost, err = p.Number("cost"); err != nil {
		return nil, err
	}
	if m.swaps, err = p.Whole("swaps", 0, mostPoints); err != nil {
		return nil, err
	}
	distance, err := p.Whole("distance", int(Squared), int(Plain))
	m.distance = Distance(distance)
	return m, err
}

// Plain returns the groups as plain data: the function continues the eigenvectors.
func (m *SpectralModel[T]) Plain() (rkhs.Plain[T], error) {
	return rkhs.Plain[T]{
		Kind: savedkind.Spectral, Funcs: []*rkhs.Func[T]{{Kernel: m.kernel, Centers: m.points, Coef: linalg.Dense(m.extend)}},
		Numbers: map[string]float64{"graph": float64(m.graph), "neighbours": float64(m.near), "weighted": truth(m.weighted)},
		Arrays: map[string]*mat.Dense{"values": rkhs.ListArray(m.values), "residuals": rkhs.ListArray(m.residuals),
			"labels":    rkhs.ListArray(m.labels),
			"embedding": linalg.Dense(m.embedding), "centers": linalg.Dense(m.centers)},
	}, nil
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *SpectralModel[T]) Restore(p rkhs.Plain[T]) error {
	told, err := restoreSpectral(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreSpectral makes a SpectralModel of plain data.
func restoreSpectral[T any](p rkhs.Plain[T]) (*SpectralModel[T], error) {
	f, err := p.Function(0, 1, 0)
	if err != nil {
		return nil, err
	}
	n, k := f.Centers.Len(), f.Outputs()
	m := &SpectralModel[T]{kernel: f.Kernel, points: f.Centers, extend: linalg.Of(f.Coef)}
	if m.values, err = p.List("values", k); err != nil {
		return nil, err
	}
	if m.residuals, err = p.List("residuals", k); err != nil {
		return nil, err
	}
	embedding, err := p.Array("embedding", n, k)
	if err != nil {
		return nil, err
	}
	centers, err := p.Array("centers", -1, k)
	if err != nil {
		return nil, err
	}
	m.embedding, m.centers = linalg.Of(embedding), linalg.Of(centers)
	if m.labels, err = p.Codes("labels", n, m.centers.Rows); err != nil {
		return nil, err
	}
	graph, err := p.Whole("graph", int(KernelGraph), int(NeighbourGraph))
	if err != nil {
		return nil, err
	}
	if m.near, err = p.Whole("neighbours", 1, n); err != nil {
		return nil, fmt.Errorf("a graph of %d points: %w", n, err)
	}
	weighted, err := p.Whole("weighted", 0, 1)
	m.graph, m.weighted = Graph(graph), weighted == 1
	return m, err
}
