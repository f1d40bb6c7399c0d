package tune

import (
	"context"

	"github.com/mercer-ml/mercer/internal/fault"
)

// GridPart is some of the cells of Grid{}, for searches that are shared among processes: of the
// groups that have the setting of a kernel in common, which share a Gram matrix, number Part and
// every Parts-th after it. Cells have the bits that they have in the whole grid. Where each part
// keeps a journal, MergeJournals makes the journal of the whole of them, from which a search of the
// whole grid has nothing left to judge.
type GridPart struct{ Part, Parts int }

func (g GridPart) check() error {
	if g.Parts < 1 || g.Part < 0 || g.Part >= g.Parts {
		return fault.Errorf("tune", "part %d of %d; parts are counted from 0", g.Part, g.Parts)
	}
	return nil
}

func (g GridPart) run(ctx context.Context, s searcher) error {
	var mine []trial
	for i, group := range gridGroups(s.candidates()) {
		if i%g.Parts == g.Part {
			mine = append(mine, group...)
		}
	}
	s.plan(len(mine))
	return s.judge(ctx, mine)
}

// gridGroups is the cells of a grid by the settings of kernels, candidate after candidate.
func gridGroups(all [][]axisRange) (groups [][]trial) {
	for c, axes := range all {
		var kernels, others [][]float64
		for _, a := range axes { // those of the kernel come first
			if a.ofKernel {
				kernels = append(kernels, a.Values)
			} else {
				others = append(others, a.Values)
			}
		}
		for _, k := range product(c, kernels) {
			var group []trial
			for _, o := range product(c, others) {
				group = append(group, trial{c, append(append([]float64(nil), k.theta...), o.theta...)})
			}
			groups = append(groups, group)
		}
	}
	return groups
}

// Groups is how many groups of cells the grid of the search has: as many parts of it have work to
// do.
func (s Search) Groups() (int, error) {
	e, err := s.engine()
	if err != nil {
		return 0, err
	}
	return len(gridGroups((&run{engine: e, search: s}).candidates())), nil
}
