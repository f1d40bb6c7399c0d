package model

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"gonum.org/v1/gonum/mat"
)

// game is the columns of rows as players.
type game struct {
	columns    []mixed.Column
	members    []*fitted // one, or those of a committee
	weights    []float64
	committee  *committee // nil: one member
	classes    int
	rows       data.Points[any]
	background data.Points[any]
	from       string
	codes      []int // classes of the rows
	with       []int // of each column the one that it is known with: of notes that of their letters, of others itself
}

func (g *game) names() []string {
	names := make([]string, len(g.columns))
	for j, c := range g.columns {
		names[j] = c.Name
	}
	return names
}

// game makes points of the rows and of the background.
func (m *Model) game(ctx context.Context, x *data.Encoded, o ContributionOptions) (*game, error) {
	g := &game{classes: m.body.classes()}
	bodies := []body{m.body}
	if c, ok := m.body.(*committee); ok {
		g.committee, bodies = c, c.members
	}
	for k, b := range bodies {
		f := fittedOf(b)
		if f == nil || f.name == domainPrecomputed || f.name != fittedOf(bodies[0]).name {
			return nil, fmt.Errorf("%w: it is of %s", ErrNoContributions, b.domain())
		}
		g.members = append(g.members, f)
		w := 1.0
		if g.committee != nil {
			w = g.committee.weights[k]
		}
		g.weights = append(g.weights, w)
	}
	e := m.info.Encoder
	switch {
	case e != nil && e.SparseDim > 0 || e == nil && g.members[0].name == domainSparse:
		return nil, fmt.Errorf("%w: a LIBSVM file has features without columns; make a table of it, and fit that",
			ErrNoContributions)
	case e != nil:
		g.columns = mixing.SchemaOf(e).Columns
	default:
		for j := range g.members[0].size {
			g.columns = append(g.columns, mixed.Column{Name: fmt.Sprintf("x%d", j+1), Offset: j, Width: 1, Object: -1})
		}
	}
	var err error
	if g.rows, err = g.members[0].points(x); err != nil {
		return nil, err
	}
	g.tie(e)
	return g, m.background(g, o.Background)
}

// tie has notes of letters known when the letters are: those of another row have no letters to be
// notes of. What they add is in the share of the letters, then.
func (g *game) tie(e *data.Encoder) {
	g.with = make([]int, len(g.columns))
	place := map[string]int{}
	for j, c := range g.columns {
		g.with[j], place[c.Name] = j, j
	}
	for _, b := range g.members {
		if b.name == domainRows {
			for notes, letters := range spec.NotesIn(mixing.SchemaOf(e), b.text) {
				g.with[place[notes]] = place[letters]
			}
		}
	}
}

// fittedOf is the one function of a body; nil of others.
func fittedOf(b body) *fitted {
	switch b := b.(type) {
	case vectorBodyOf:
		return b.fitted
	case sparseBodyOf:
		return b.fitted
	case rowsBody:
		return b.fitted
	case featuresBody:
		return b.fitted
	}
	return nil
}

// background says where values of columns that are not known come from: rows that are given, those
// in the file, of objects the centres, and else a row of the values that stand in for missing ones:
// means, and the shares of levels.
func (m *Model) background(g *game, given *data.Encoded) (err error) {
	b := g.members[0]
	kept := m.info.Background
	switch {
	case given != nil:
		if given.Len() == 0 {
			return fmt.Errorf("a background without rows; give some")
		}
		g.from = "the rows given"
		g.background, err = b.points(given)
		return err
	case kept.Len() > 0 && b.name == domainVectors:
		g.background, g.from = data.EraseVectors(kept), "rows that it was fitted on"
		return nil
	case b.name == domainRows:
		f := b.p.Func()
		n := min(f.Centers.Len(), mostBackground)
		some := make(data.Slice[any], n)
		for i := range some {
			some[i] = f.Centers.At(i * f.Centers.Len() / n)
		}
		g.background, g.from = some, "its centres"
		return nil
	case b.name == domainFeatures:
		return fmt.Errorf("%w: the file keeps weights of features and no rows to compare with; give some as a background",
			ErrNoContributions)
	case m.info.Encoder == nil:
		return fmt.Errorf("the file keeps no rows that predictions could be compared with; give some as a background")
	}
	g.from = "the mean of each column"
	typical := make(kernel.Vec, b.size)
	for _, c := range m.info.Encoder.Columns {
		if len(c.Fill) == c.Width {
			copy(typical[c.Offset:], c.Fill)
		}
	}
	one := &data.Encoded{Kept: []int{0}, Dense: data.RowsOf(linalg.Matrix[float64]{Rows: 1, Cols: b.size, Stride: b.size,
		Data: typical})}
	g.background, err = b.points(one)
	return err
}

// outputs is the scores of points, as they are before units are undone.
func (g *game) outputs(ctx context.Context, points data.Points[any]) (*Prediction, error) {
	if g.committee == nil || len(g.members) == 1 {
		return g.members[0].predictPoints(ctx, points, Want{Scores: true})
	}
	return g.committee.blend(Want{Scores: true}, func(b body, w Want) (*Prediction,
		error) {
		return fittedOf(b).predictPoints(ctx, points, w)
	})
}

// ends is the values of nothing known and of everything known.
func (g *game) ends(ctx context.Context) (base []float64, value *mat.Dense, err error) {
	none, err := g.outputs(ctx, g.background)
	if err != nil {
		return nil, nil, err
	}
	all, err := g.outputs(ctx, g.rows)
	if err != nil {
		return nil, nil, err
	}
	g.codes = all.Codes
	return meanRows(none.Scores), all.Scores, nil
}

func meanRows(m *mat.Dense) []float64 {
	n, k := m.Dims()
	out := make([]float64, k)
	for j := range out {
		for i := range n {
			out[j] += m.At(i, j)
		}
		out[j] /= float64(n)
	}
	return out
}

// between is a point with the columns of a set from one point, and the others from another.
func (g *game) between(known, other any, set func(column int) bool) any {
	switch known := known.(type) {
	case kernel.Vec:
		return g.mixVec(known, other.(kernel.Vec), set)
	case data.SparseVec:
		return g.mixSparse(known, other.(data.SparseVec), set)
	case mixed.Row:
		other := other.(mixed.Row)
		out := mixed.Row{Objects: slices.Clone(other.Objects)}
		if known.Features != nil {
			out.Features = g.mixVec(known.Features, other.Features, set)
		} else {
			out.Sparse = g.mixSparse(known.Sparse, other.Sparse, set)
		}
		for j, c := range g.columns {
			if c.Object >= 0 && set(g.with[j]) {
				out.Objects[c.Object] = known.Objects[c.Object]
			}
		}
		return out
	}
	panic(fmt.Sprintf("model: a point of type %T", known))
}

func (g *game) mixVec(known, other kernel.Vec, set func(int) bool) kernel.Vec {
	out := slices.Clone(other)
	for j, c := range g.columns {
		if set(j) && c.Object < 0 {
			copy(out[c.Offset:c.Offset+c.Width], known[c.Offset:c.Offset+c.Width])
		}
	}
	return out
}

// mixSparse goes through the columns in the order of their features.
func (g *game) mixSparse(known, other data.SparseVec, set func(int) bool) (out data.SparseVec) {
	for j, c := range g.columns {
		from := &other
		if set(j) {
			from = &known
		}
		at, _ := slices.BinarySearch(from.Index, int32(c.Offset))
		for ; at < len(from.Index) && int(from.Index[at]) < c.Offset+c.Width; at++ {
			out.Index, out.Value = append(out.Index, from.Index[at]), append(out.Value, from.Value[at])
		}
	}
	return out
}

// points makes points of one type of a list, as rows of a matrix where they are vectors.
func (g *game) points(list []any) data.Points[any] {
	switch list[0].(type) {
	case kernel.Vec:
		m := linalg.New[float64](len(list), g.members[0].size)
		for i, p := range list {
			copy(m.Row(i), p.(kernel.Vec))
		}
		return data.EraseVectors(data.RowsOf(m))
	case data.SparseVec:
		rows := make([]data.SparseVec, len(list))
		for i, p := range list {
			rows[i] = p.(data.SparseVec)
		}
		return data.EraseSparse(data.SparseOf(rows, g.members[0].size))
	}
	rows := make(data.Slice[mixed.Row], len(list))
	for i, p := range list {
		rows[i] = p.(mixed.Row)
	}
	return mixing.EraseRows(rows)
}
