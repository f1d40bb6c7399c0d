package tune

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestFitState: what was kept last comes back; of other rows, damaged or absent there is none.
func TestFitState(t *testing.T) {
	defer func(d int64) { stateEvery = 1e9 }(0)
	stateEvery = 0
	file := filepath.Join(t.TempDir(), "m.journal.fit")
	if readState(file, "a") != nil || readState("", "a") != nil || (*fitState)(nil).start() != nil {
		t.Error("a state where there is none")
	}
	keep := fitState{Of: "a", Kernel: "gaussian()", Label: "g", Lambda: 0.5, Centers: 3, Score: 2}.keeper(file)
	keep(1, []float64{1, 2})
	keep(2, []float64{-0.5, 3e300})
	s := readState(file, "a")
	if s == nil || s.Steps != 2 || s.Lambda != 0.5 || s.Centers != 3 || s.Kernel != "gaussian()" ||
		!slices.Equal(s.start(), []float64{-0.5, 3e300}) {
		t.Fatalf("%+v", s)
	}
	fitState{Of: "a", Kernel: "gaussian()", Steps: 2}.keeper(file)(3, []float64{-0.5, 3e300})
	if on := readState(file, "a"); on == nil || on.Steps != 5 {
		t.Errorf("after 3 iterations that went on from 2: %+v", on)
	}
	if readState(file, "b") != nil {
		t.Error("the state of other rows")
	}
	text, _ := os.ReadFile(file)
	for i := range text { // no flipped bit gives another iterate
		text[i] ^= 1
		os.WriteFile(file, text, 0o600)
		if got := readState(file, "a"); got != nil && !slices.Equal(got.start(), s.start()) {
			t.Fatalf("byte %d changed: %v", i, got.start())
		}
		text[i] ^= 1
	}
	if (fitState{}).keeper("") != nil {
		t.Error("without a journal there is nowhere to keep a state")
	}
	// costs nothing but the state
	fitState{Of: "a"}.keeper(filepath.Join(t.TempDir(), "no", "such", "folder"))(1, []float64{1})
}
