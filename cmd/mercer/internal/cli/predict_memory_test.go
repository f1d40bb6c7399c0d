package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
)

// peakFile names, in the environment, the file where a child leaves the peak of its memory. What
// Linux tells of a child that has ended begins with the memory of the process that started it:
// beside other tests, that is more than the child's own.
const peakFile = "MERCER_TEST_PEAK"

// leavePeak writes what /proc says of this process, where it is asked to.
func leavePeak() {
	if name := os.Getenv(peakFile); name != "" {
		status, _ := os.ReadFile("/proc/self/status")
		os.WriteFile(name, status, 0o666)
	}
}

// peakIn reads what leavePeak wrote, in bytes.
func peakIn(t *testing.T, name string) int64 {
	t.Helper()
	status, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Fatalf("no VmHWM in %q", status)
	}
	kB, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kB << 10
}

// Predicting takes the same memory for a file eight times as long: rows are
// read, predicted and written a chunk at a time.
func TestPredictInConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes and predicts 40 MB")
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads the peak of memory as Linux tells it")
	}
	dir := t.TempDir()
	writeRows(t, filepath.Join(dir, "train.csv"), 200)
	run(t, dir, "fit", "train.csv", "-q", "--learner", "ridge", "--time", "5m", "--report", "none")
	peak := func(rows int) int64 {
		writeRows(t, filepath.Join(dir, "new.csv"), rows)
		cmd := exec.Command("mercer", "predict", "model.mercer", "new.csv", "-o", "out.csv")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), peakFile+"="+filepath.Join(dir, "peak"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return peakIn(t, filepath.Join(dir, "peak"))
	}
	small, large := peak(90_000), peak(720_000) // 5 and 40 MB
	t.Logf("peak memory %d MB for 5 MB of input, %d MB for 40 MB", small>>20, large>>20)
	if large > small+40<<20 || large > 200<<20 {
		t.Errorf("40 MB took %d bytes of memory, 5 MB took %d; want the same within 40 MB, and at most 200 MB", large, small)
	}
}
