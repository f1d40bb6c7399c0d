package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn"
)

// featuresFormat is that of models that keep weights of features, which an older mercer does not
// know.
const featuresFormat = 10

// featuresBody is a body on rows of a table whose centres are weights of features of the kernel.
type featuresBody struct {
	*fitted
	space *kernel.FeatureSpace
}

func newFeaturesBody(s learn.Saved[any], space *kernel.FeatureSpace, e *data.Encoder) (body, error) {
	of, ok := kernel.Concrete(space.Of).(kernel.Kernel[mixed.Row])
	if !ok {
		return nil, fmt.Errorf("features of a kernel of type %T cannot be saved: its points are no rows of a table",
			kernel.Concrete(space.Of))
	}
	if e == nil {
		return nil, fmt.Errorf("a model on rows of a table needs the encoder that made them")
	}
	schema := mixing.SchemaOf(e)
	text, err := spec.FormatRows(schema, of)
	if err != nil {
		return nil, err
	}
	// What is used is what a file would give back.
	k, err := spec.ParseRows(schema, text)
	if err != nil {
		return nil, fmt.Errorf("kernel %q: %w", clip(text), err)
	}
	read, err := kernel.NewFeatureSpace(mixing.Erase(k), space.Names)
	if err != nil {
		return nil, err
	}
	p, err := restore(onto(s, read, s.Func.Centers))
	if err != nil {
		return nil, err
	}
	return featuresBody{&fitted{
		p: p, name: domainFeatures, text: text, size: e.Dim,
		points: func(x *data.Encoded) (data.Points[any], error) {
			rows, err := schema.Rows(x)
			return mixing.EraseRows(rows), err
		},
	}, read}, nil
}

// errNamedByPlaces says that weights are of names that the kernel no longer has: they would count
// for nothing.
var errNamedByPlaces = errors.New("the model file was written by a mercer that named the features of this kernel by " +
	"places in its alphabet; this one names them by letters: fit the model again")

// namedByPlaces says whether the features of a kernel of runs in an alphabet have names of bytes
// that are no letters, as they had before they were named by letters.
func namedByPlaces(text string, names []string) bool {
	runs := slices.ContainsFunc([]string{"mismatch(", "gappypairs(", "substitution(", "profile("}, func(name string) bool {
		return strings.Contains(text, name)
	})
	return runs && slices.ContainsFunc(names, func(name string) bool {
		return strings.ContainsFunc(name, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' })
	})
}

// Features is the names of the features that a model keeps weights of in place of points, at most
// so many, those with the largest weights first, and how many there are: 0 of a model that keeps
// points.
func (m *Model) Features(most int) (names []string, all int) {
	b, ok := m.body.(featuresBody)
	if !ok {
		return nil, 0
	}
	size := make([]float64, len(b.space.Names))
	rows := data.Concrete(b.p.Func().Centers).(data.SparseRows)
	for k := range rows.Len() {
		row := rows.At(k)
		for e, j := range row.Index {
			if int(j) < len(size) {
				size[j] = max(size[j], math.Abs(row.Value[e]))
			}
		}
	}
	order := par.Indices(0, len(size))
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b)) })
	for _, j := range order[:min(most, len(order))] {
		names = append(names, b.space.Names[j])
	}
	return names, len(size)
}

// record writes the weights as sparse rows, and the names of their features.
func (b featuresBody) record() record {
	r := b.fitted.record()
	r.names = b.space.Names
	r.sparse = data.Concrete(b.p.Func().Centers).(data.SparseRows).CSR()
	return r
}

// featuresBody makes the fitted function of weights of features.
func (r record) featuresBody(e *data.Encoder) (body, error) {
	if e == nil {
		return nil, fmt.Errorf("a model on rows of a table without its encoder")
	}
	if err := e.Check(); err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	k, err := spec.ParseRows(mixing.SchemaOf(e), r.kernel)
	if err != nil {
		return nil, fmt.Errorf("kernel %q: %w", clip(r.kernel), err)
	}
	if namedByPlaces(r.kernel, r.names) {
		return nil, errNamedByPlaces
	}
	space, err := kernel.NewFeatureSpace(mixing.Erase(k), r.names)
	if err != nil {
		return nil, err
	}
	s := saved(r, space, data.EraseSparse(data.Sparse(r.sparse)))
	return newFeaturesBody(s, space, e)
}
