package svm

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// The same rows in both classes have no margin, and ν-SVC is scaled by it: an error, where there was a machine of what is no number.
func TestNuOfRowsThatAreAlike(t *testing.T) {
	x := data.Slice[kernel.Vec]{{1}, {1}, {1}, {1}}
	_, err := Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 1}, Nu: 0.5}.Fit(t.Context(), x, []string{"a", "a", "b", "b"})
	if err == nil || !strings.Contains(err.Error(), "no margin at all") {
		t.Errorf("%v", err)
	}
}
