package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// hugeColumns is eight features and the target.
const hugeColumns = 9

// hugeNoise is the deviation of what nobody can predict of the target.
const hugeNoise = 0.5

// huge prints `mercer fit` on a file that the memory does not hold: 100 000 000 rows of single
// precision, 3.6 GB, within 2 GB and twenty minutes. The file is made in TMPDIR first and removed
// at the end. SHRINK=k in the environment divides the rows and the time by k.
func huge(w io.Writer, rows int, budget time.Duration) error {
	dir, err := os.MkdirTemp("", "huge")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, program := filepath.Join(dir, "huge.npy"), filepath.Join(dir, "mercer")
	begun := time.Now()
	if err := writeHuge(file, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d × %d float32 written in %.0f s\n", rows, hugeColumns, time.Since(begun).Seconds())
	build := exec.Command("go", "build", "-o", program, "./cmd/mercer")
	build.Dir = ".."
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	cmd := exec.Command(program, "fit", file, "--memory", "2GB", "--time", budget.String(), "-o",
		filepath.Join(dir, "f.mercer"), "--json")
	cmd.Stderr = os.Stderr
	begun = time.Now()
	text, err := cmd.Output()
	if err != nil {
		return err
	}
	took := time.Since(begun).Seconds()
	var said struct {
		Test []struct{ Value float64 }
		Rows int
		SV   int `json:"support_vectors"`
	}
	if err := json.Unmarshal(text, &said); err != nil || len(said.Test) == 0 {
		return fmt.Errorf("no test in %.200s: %v", text, err)
	}
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	fmt.Fprintf(w,
		"mercer fit --memory 2GB --time %v: %d centres of %d rows, rmse %.4f (noise %.4f), %.0f s, %.0f CPU s, peak %.0f "+
			"MB, %.0f rows a second\n", budget, said.SV, said.Rows, said.Test[0].Value, hugeNoise,
		took, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), float64(use.Maxrss)*1024/1e6,
		float64(said.Rows)/took)
	return nil
}

// writeHuge writes rows of a smooth function of eight columns with noise, the target last.
func writeHuge(file string, rows int) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, hugeColumns)
	for (10+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	// what fails is told by Flush
	w.WriteString("\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header)
	rng := rand.New(rand.NewPCG(1, 2))
	var row [4 * hugeColumns]byte
	for range rows {
		var x [hugeColumns]float64
		for j := range hugeColumns - 1 {
			x[j] = 2*rng.Float64() - 1
		}
		x[hugeColumns-1] = math.Sin(3*x[0]+x[1]) + x[2]*x[3] + math.Exp(-4*x[4]*x[4]) + 0.5*x[5] + hugeNoise*rng.NormFloat64()
		for j, v := range x {
			binary.LittleEndian.PutUint32(row[4*j:], math.Float32bits(float32(v)))
		}
		w.Write(row[:])
	}
	return w.Flush()
}
