package tune

import (
	"errors"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

// A kernel that was given is shown with its parameters, unless a search varies them or they would
// fill the table.
func TestGivenKernelsAreShownInFull(t *testing.T) {
	k := kernel.Kernel[kernel.Vec](kernel.Sinc{Bandwidth: 3})
	price, width := Axis{Name: "C"}, Axis{Name: "sinc.bandwidth"}
	for _, c := range []struct {
		axes       []Axis
		text, want string
		err        error
	}{
		{[]Axis{price}, "sinc(bandwidth=3)", "sinc(bandwidth=3)", nil},
		{[]Axis{price, width}, "sinc(bandwidth=3)", "", nil},
		{[]Axis{price}, "sinc()", "", nil},
		{[]Axis{price}, "sinc(" + strings.Repeat("3", longestName) + ")", "", nil},
		{[]Axis{price}, "", "", errors.New("no text")},
	} {
		if got := givenName(vec(k), c.axes, c.text, c.err); got != c.want {
			t.Errorf("%q with axes %v: %q", c.text, c.axes, got)
		}
	}
	cell := Cell{Learner: "svm", Kernel: "sinc(bandwidth=3)", Params: []Setting{{Name: "C", Value: 2}}}
	if got := cell.String(); got != "svm sinc(bandwidth=3), C=2" {
		t.Error(got)
	}
}
