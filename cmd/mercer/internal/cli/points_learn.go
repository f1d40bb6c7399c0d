package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learnt"
	"github.com/mercer-ml/mercer/kernel"
)

// apart is some rows of a table with their classes, by number, for a kernel that looks at targets.
type apart struct {
	rows, code []int
	classes    int
}

// learn is a kernel that is fitted to rows, fitted to those of the table; any other as it is. One
// that looks at targets is fitted to the label, where there is one.
func (t *table) learn(ctx context.Context, flag string, k kernel.Kernel[any], threads int) (kernel.Kernel[any], error) {
	if !kernel.Learns(k) {
		return k, nil
	}
	order := t.byValue()
	e := kernel.Examples{Points: data.Gather(t.points(), order), Threads: threads}
	fitted, err := kernel.Learn(ctx, k, e)
	if known := t.Apart; errors.Is(err, learnt.ErrNoTargets) && (known != nil || t.Label != nil) {
		if known == nil {
			known = t.byLabel(order)
		}
		e.Points, e.Classes = data.Gather(t.points(), known.rows), known.classes
		for _, c := range known.code {
			e.Targets = append(e.Targets, float64(c))
		}
		if fitted, err = kernel.Learn(ctx, k, e); err == nil && t.Apart == nil {
			t.Noted = fmt.Sprintf("column %q holds classes: no feature, but the trees of the kernel are grown by it, and know it",
				t.Label.Name)
		}
	}
	if err != nil && ctx.Err() == nil {
		return nil, usage("%s: %w", flag, err)
	}
	return fitted, err
}

// byLabel is the rows that have a label, in this order.
func (t *table) byLabel(order []int) *apart {
	a := &apart{}
	var values []string
	for _, i := range order {
		if v := t.Label.String(t.Kept[i]); v != "" {
			a.rows, values = append(a.rows, i), append(values, v)
		}
	}
	known := slices.Clone(values)
	slices.Sort(known)
	known = slices.Compact(known)
	for _, v := range values {
		code, _ := slices.BinarySearch(known, v)
		a.code = append(a.code, code)
	}
	a.classes = len(known)
	return a
}

// spend draws half of the rows of each sample, by which a kernel may learn to tell the samples
// apart, and leaves the others to be tested: a test by a kernel that has seen its rows would have
// no level.
func (s *samples) spend(seed uint64) error {
	a := &apart{classes: 2}
	for which, at := range s.At {
		half := len(at) / 2
		if half < 2 {
			return usage("%s: %s; a kernel that learns to tell the samples apart takes half of them, and 2 at least are tested",
				s.Names[which], plural(len(at), "row"))
		}
		drawn := slices.Clone(at)
		rng := rand.New(rand.NewPCG(seed, uint64(which)))
		rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
		slices.Sort(drawn[:half])
		slices.Sort(drawn[half:])
		for _, i := range drawn[:half] {
			a.rows, a.code = append(a.rows, i), append(a.code, which)
		}
		s.At[which] = drawn[half:]
	}
	s.X, s.Y = data.Gather(s.Pooled.points(), s.At[0]), data.Gather(s.Pooled.points(), s.At[1])
	s.Pooled.Apart = a
	return nil
}
