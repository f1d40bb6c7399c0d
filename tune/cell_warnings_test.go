package tune

import (
	"slices"
	"testing"
)

// TestCellWarnings: a few are listed, of many the first and their number.
func TestCellWarnings(t *testing.T) {
	doubted := Cell{Learner: "svm", Kernel: "linear", Warning: "w"}
	fine := doubted
	fine.Warning = ""
	if got := cellWarnings([]Cell{fine, doubted, doubted}); !slices.Equal(got, []string{"svm linear(): w", "svm linear(): w"}) {
		t.Errorf("two: %q", got)
	}
	if got := cellWarnings([]Cell{doubted, doubted, fine, doubted, doubted}); !slices.Equal(got, []string{"svm linear(): w", "3 further settings of 5 have such a warning"}) {
		t.Errorf("four: %q", got)
	}
}
