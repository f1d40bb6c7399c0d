package fitting

import (
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// SavedOnVectors is a saved model as one of vectors, and whether it is.
func SavedOnVectors(s learn.Saved[any]) (learn.Saved[kernel.Vec], bool) {
	f, ok := rkhs.OnVectors(s.Func)
	return learn.Saved[kernel.Vec]{Learner: s.Learner, Func: f, Classes: s.Classes, Numbers: s.Numbers, Arrays: s.Arrays,
		Report: s.Report}, ok
}
