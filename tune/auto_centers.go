package tune

import (
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/learn"
)

// errCenterObjects refuses centres of rows that are more than features.
var errCenterObjects = fault.Errorf("tune",
	"centres are rows of numbers and categories, and these rows have columns of other objects")

// centerLearners lists the learners whose centres may be given.
func centerLearners() (names []string) {
	for _, l := range all.Learners() {
		if l.At != nil {
			names = append(names, l.Name)
		}
	}
	return names
}

// encodeCenters makes points of the rows that are given as centres, by the encoder of the others.
func (o *AutoOptions) encodeCenters(r *AutoResult) (err error) {
	if o.CenterRows == nil {
		return nil
	}
	if o.Learners == nil {
		o.Learners = centerLearners()
	}
	learners, err := askedFor(o.Learners, r.Task)
	if err != nil {
		return err
	}
	for _, a := range learners {
		if l, ok := all.Described(a.name); ok && l.At == nil {
			return fault.Errorf("tune", "centres are given, which %s has no use for; ask for %s", a.name,
				strings.Join(centerLearners(), ", "))
		}
	}
	if o.Repair != gram.NoRepair {
		return fault.Errorf("tune",
			"centres are given, and a repaired kernel is known at the rows fitted on only; leave one of the two out")
	}
	if o.centers, err = r.Encoder.Transform(o.CenterRows); err != nil {
		return err
	}
	switch {
	case len(o.centers.Objects) > 0:
		return errCenterObjects
	case o.centers.Len() == 0:
		return fault.Errorf("tune", "%s has no rows to be centres", o.CenterRows.Name)
	}
	r.because("%s as centres, from %s", count(o.centers.Len(), "row"), o.CenterRows.Name)
	return nil
}

// atCenters is a learner with the centres that are given.
func atCenters(l learn.Learner, o AutoOptions) (*learn.Learner, error) {
	points := data.EraseVectors(o.centers.Dense)
	if o.centers.Sparse != nil {
		points = data.EraseSparse(*o.centers.Sparse)
	}
	use := l.At(points)
	return &use, nil
}
