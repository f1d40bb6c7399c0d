//go:build unix

package cli

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// Predicting takes the same memory for a file eight times as long: rows are
// read, predicted and written a chunk at a time.
func TestPredictInConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes and predicts 40 MB")
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads the peak of a child's memory as Linux tells it")
	}
	dir := t.TempDir()
	writeRows(t, filepath.Join(dir, "train.csv"), 200)
	run(t, dir, "fit", "train.csv", "-q", "--learner", "ridge", "--time", "5m", "--report", "none")
	peak := func(rows int) int64 {
		writeRows(t, filepath.Join(dir, "new.csv"), rows)
		cmd := exec.Command("mercer", "predict", "model.mercer", "new.csv", "-o", "out.csv")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	}
	small, large := peak(90_000), peak(720_000) // 5 and 40 MB
	t.Logf("peak memory %d MB for 5 MB of input, %d MB for 40 MB", small>>20, large>>20)
	if large > small+40<<20 || large > 200<<20 {
		t.Errorf("40 MB took %d bytes of memory, 5 MB took %d; want the same within 40 MB, and at most 200 MB", large, small)
	}
}
