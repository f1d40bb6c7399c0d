package play

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// Compared is two objects under a kernel: its value, and where it has countable features, those
// that both objects have.
type Compared struct {
	Kernel   KernelFacts     `json:"kernel"`
	Features []SharedFeature `json:"features"`
	Left     int             `json:"left,omitempty"` // features that are not listed, the least
	Note     string          `json:"note,omitempty"`
	Readings []Reading       `json:"readings"`
	Parsed   []any           `json:"parsed,omitempty"` // the objects as they were read, to draw
}

// SharedFeature is a feature with its counts in both objects and its share in the kernel's value.
type SharedFeature struct {
	Name  string `json:"name"`
	X     Number `json:"x"`
	Y     Number `json:"y"`
	Value Number `json:"value"` // weight · x · y, or of the lesser of both
}

// counts is the features of one object: φ by name.
type counts map[string]float64

// mapping is a kernel taken apart: φ of an object, the weight of a feature by its name, and what
// two counts of it are worth: nil is their product.
type mapping struct {
	features func(x any) (counts, error)
	weight   func(name string) float64
	meet     func(x, y float64) float64
}

// mappingOf is the mapping of objects of type T.
func mappingOf[T any](
	features func(x T) (counts, error), weight func(name string) float64, meet func(x, y float64) float64,
) mapping {
	return mapping{func(x any) (counts, error) { return features(x.(T)) }, weight, meet}
}

// mostFeatures is how many features are listed, the largest first.
const mostFeatures = 200

// compare evaluates a kernel at two objects and lists what they share.
func compare(c spec.Catalogue, t KernelText, x, y any, take func(k any) (mapping, bool)) (*Compared, error) {
	k, facts, err := parse(c, t)
	if err != nil {
		return nil, err
	}
	if err := kernel.Check(k, data.Points[any](data.Slice[any]{x, y})); err != nil {
		return nil, at("objects", err)
	}
	out := &Compared{Kernel: facts, Features: []SharedFeature{}}
	value, xx, yy := k.Eval(x, y), k.Eval(x, x), k.Eval(y, y)
	out.Readings = []Reading{reading("value", "k(x, y)", value), reading("self-x", "k(x, x)", xx),
		reading("self-y", "k(y, y)", yy)}
	if xx > 0 && yy > 0 {
		out.Readings = append(out.Readings, reading("normalised", "k(x, y)/√(k(x,x)·k(y,y))",
			value/(math.Sqrt(xx)*math.Sqrt(yy))))
	}
	inner, scale := k, 1.0
	if n, ok := kernel.Opened(k).(kernel.NormalizeOf[any]); ok {
		inner = n.Kernel
		scale = 1 / (math.Sqrt(inner.Eval(x, x)) * math.Sqrt(inner.Eval(y, y)))
	}
	m, ok := take(kernel.Concrete(inner))
	if !ok {
		out.Note = "the features of this kernel are too many to list, or are no counts: only its values are shown"
		return out, nil
	}
	sum, err := shareOf(out, m, x, y, scale)
	if err != nil {
		return nil, err
	}
	out.Readings = append(out.Readings, reading("sum", "sum over shared features", sum),
		reading("shared", "features shared", float64(len(out.Features)+out.Left)))
	return out, nil
}

// shareOf lists the features of both, largest share first, and returns their sum.
func shareOf(out *Compared, m mapping, x, y any, scale float64) (float64, error) {
	fx, err := m.features(x)
	if err != nil {
		return 0, err
	}
	fy, err := m.features(y)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for name, a := range fx {
		b := fy[name]
		met := a * b
		if m.meet != nil {
			met = m.meet(a, b)
		}
		if v := scale * m.weight(name) * met; v != 0 {
			out.Features = append(out.Features, SharedFeature{name, Number(a), Number(b), Number(v)})
		}
	}
	slices.SortFunc(out.Features, func(a, b SharedFeature) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name))
	})
	for _, f := range out.Features { // in the order listed, so that the sum does not depend on that of a map
		sum += float64(f.Value)
	}
	if len(out.Features) > mostFeatures {
		out.Left = len(out.Features) - mostFeatures
		out.Features = out.Features[:mostFeatures]
	}
	return sum, nil
}

// tooLarge refuses an object whose features cannot be listed while somebody waits.
func tooLarge(what string, most int) error {
	return &Fault{Field: "objects", Message: fmt.Sprintf("%s: more than %s features to list; take something smaller", what,
		phrase.Thousands(most))}
}
