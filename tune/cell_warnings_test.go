package tune

import (
	"slices"
	"testing"
)

// TestCellWarnings: a few are listed, of many that say the same the first and their number.
func TestCellWarnings(t *testing.T) {
	doubted := Cell{Learner: "svm", Kernel: "linear()", Warning: "w"}
	fine := doubted
	fine.Warning = ""
	if got := cellWarnings([]Cell{fine, doubted, doubted}); !slices.Equal(got,
		[]string{"svm linear(): w", "svm linear(): w"}) {
		t.Errorf("two: %q", got)
	}
	if got := cellWarnings([]Cell{doubted, doubted, fine, doubted, doubted}); !slices.Equal(got,
		[]string{"svm linear(): w", "3 further settings of 5 have such a warning"}) {
		t.Errorf("four: %q", got)
	}
	var cells []Cell
	for _, w := range []string{"at 1e-05", "at 0.5", "too few rows", "at 3", "at 12"} {
		c := doubted
		c.Warning = w
		cells = append(cells, c)
	}
	if got, want := cellWarnings(cells), []string{"svm linear(): at 1e-05", "3 further settings of 5 have such a warning",
		"svm linear(): too few rows"}; !slices.Equal(got, want) {
		t.Errorf("of two sorts: %q, want %q", got, want)
	}
}
