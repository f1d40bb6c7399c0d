package play

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/trace"
)

type groupAsked struct {
	Points     PlanePoints `json:"points"`
	Kernel     KernelText  `json:"kernel"`
	Method     string      `json:"method"` // "k-means", "medoids" or "spectral"
	Clusters   int         `json:"clusters"`
	Steps      int         `json:"steps"`      // of k-means; 0: until nothing moves
	Neighbours int         `json:"neighbours"` // spectral: of each point; 0: all points by their kernel value
	Seed       uint64      `json:"seed"`
	Window     Window      `json:"window"`
}

// Grouped is points in groups.
type Grouped struct {
	Kernel    KernelFacts `json:"kernel"`
	Labels    []int       `json:"labels"`
	Settled   bool        `json:"settled"`
	Objective Drawn       `json:"objective,omitempty"` // k-means: the sum of squares after each step
	Edges     [][2]int    `json:"edges,omitempty"`     // spectral: points tied together
	Spectrum  Drawn       `json:"spectrum,omitempty"`  // spectral: leading eigenvalues of D^{-1/2}WD^{-1/2}
	Embedding []Drawn     `json:"embedding,omitempty"` // spectral: the rows that are grouped
	Medoids   []int       `json:"medoids,omitempty"`   // points that stand for their groups
	Surface   *Surface    `json:"surface,omitempty"`
	Readings  []Reading   `json:"readings"`
	Warnings  []string    `json:"warnings,omitempty"`
}

// group finds groups of points.
func group(ctx context.Context, _ *Player, q groupAsked, send sender) error {
	k, facts, err := onThePlane(q.Kernel, q.Points, q.Window, false)
	if err != nil {
		return err
	}
	if q.Clusters < 1 || q.Clusters > 8 || q.Clusters > q.Points.Len() {
		return &Fault{Field: "clusters",
			Message: fmt.Sprintf("%d groups of %d points; give 1 to 8, no more than there are points", q.Clusters,
				q.Points.Len())}
	}
	if q.Steps < 0 || q.Neighbours < 0 {
		return &Fault{Field: "steps", Message: fmt.Sprintf("%d steps, %d neighbours; give 0 or more", q.Steps, q.Neighbours)}
	}
	out := &Grouped{Kernel: facts, Settled: true}
	x := q.Points.rows()
	var place func(ctx context.Context, x data.Points[vec]) ([]int, error)
	switch q.Method {
	case "k-means":
		place, err = out.byMeans(ctx, k, x, q)
	case "medoids":
		place, err = out.byMedoids(ctx, k, x, q)
	case "spectral":
		place, err = out.bySpectrum(ctx, k, x, q)
	default:
		err = &Fault{Field: "method", Message: fmt.Sprintf("no method %q; there are k-means, medoids and spectral", q.Method)}
	}
	if err != nil {
		return at("points", err)
	}
	if q.Clusters > 1 {
		if _, mean, err := cluster.Silhouette(ctx, k, x, out.Labels, 0); err == nil {
			out.Readings = append(out.Readings, reading("silhouette", "mean silhouette", mean))
		}
	}
	if err := send("groups", out); err != nil {
		return err
	}
	class, err := place(ctx, q.Window.grid(fine/2))
	if err != nil {
		return at("kernel", err)
	}
	return send("surface", Surface{Size: fine / 2, Window: q.Window, Class: class, Values: []Drawn{}})
}

// byMeans runs Lloyd's iteration from one start, for as many steps as asked.
func (out *Grouped) byMeans(
	ctx context.Context, k kernel.Kernel[vec], x data.Points[vec], q groupAsked,
) (func(context.Context, data.Points[vec]) ([]int, error), error) {
	c := cluster.KMeans[vec]{Kernel: k, Clusters: q.Clusters, Restarts: 1, Seed: q.Seed, MaxIterations: q.Steps}
	m, err := c.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	out.Labels, out.Settled, out.Warnings = m.Labels(), m.Converged(), m.Warnings()
	for step := 1; step <= m.Iterations(); step++ {
		c.MaxIterations = step
		s, err := c.Fit(ctx, x)
		if err != nil {
			return nil, err
		}
		out.Objective = append(out.Objective, s.Inertia())
	}
	out.Readings = append(out.Readings, reading("inertia", "Σ‖φ(xᵢ) − μ‖²", m.Inertia()),
		reading("steps", "steps taken", float64(m.Iterations())))
	return m.Assign, nil
}

// byMedoids takes points themselves as centres, and swaps them while that brings points nearer.
func (out *Grouped) byMedoids(
	ctx context.Context, k kernel.Kernel[vec], x data.Points[vec], q groupAsked,
) (func(context.Context, data.Points[vec]) ([]int, error), error) {
	c := cluster.KMedoids[vec]{Kernel: k, Clusters: q.Clusters, Restarts: 1, Seed: q.Seed,
		Trace: func(s trace.Step) { out.Objective = append(out.Objective, s.Objective) }}
	m, err := c.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	out.Labels, out.Medoids, out.Warnings = m.Labels(), m.Medoids(), m.Warnings()
	out.Readings = append(out.Readings, reading("cost", "Σ‖φ(xᵢ) − φ(m)‖²", m.Cost()),
		reading("swaps", "swaps made", float64(m.Swaps())))
	return m.Assign, nil
}

// bySpectrum shows the ties, the eigenvalues and the rows that are grouped.
func (out *Grouped) bySpectrum(
	ctx context.Context, k kernel.Kernel[vec], x data.Points[vec], q groupAsked,
) (func(context.Context, data.Points[vec]) ([]int, error), error) {
	s := cluster.Spectral[vec]{Kernel: k, Clusters: q.Clusters, Seed: q.Seed}
	if q.Neighbours > 0 {
		s.Graph, s.Neighbours = cluster.NeighbourGraph, min(q.Neighbours, x.Len()-1)
		g, err := graph.Nearest(ctx, k, x, s.Neighbours)
		if err != nil {
			return nil, err
		}
		for _, e := range g.Edges {
			out.Edges = append(out.Edges, [2]int{int(e[0]), int(e[1])})
		}
	}
	m, err := s.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	out.Labels, out.Spectrum, out.Embedding, out.Warnings = m.Labels(), m.Eigenvalues(), columns(m.Embedding()),
		m.Warnings()
	if n := len(out.Spectrum); n > 1 {
		out.Readings = append(out.Readings, reading("last-eigenvalue", fmt.Sprintf("eigenvalue %d", n), out.Spectrum[n-1]))
	}
	worst := 0.0
	for _, r := range m.Residuals() {
		worst = math.Max(worst, r)
	}
	out.Readings = append(out.Readings, reading("residual", "largest residual", worst))
	return m.Assign, nil
}
