//go:build !js

package all

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel/mixed"
)

// A page in a browser (GOOS=js) loads what is linked before it does anything, and each type of points is all learners once more: there
// whoever needs these registers them.
func init() {
	Register[data.SparseVec]()
	Register[mixed.Row]()
}
