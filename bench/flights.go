package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// flights prints `mercer fit` on the flights of a year beside scikit-learn: error on a fifth of the
// rows that was kept apart, time and peak memory. The program is built first. Splits are each
// side's own, of the same share.
func flights(w io.Writer, budgets []time.Duration) error {
	file := filepath.Join("..", "..", "shared", "data", "flights_nyc.csv.gz")
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("the flights are not here: %w", err)
	}
	dir, err := os.MkdirTemp("", "flights")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "mercer")
	build := exec.Command("go", "build", "-o", program, "./cmd/mercer")
	build.Dir = ".."
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	fmt.Fprintf(w, "%-52s %8s %8s %8s %8s\n", "air_time of 327,346 flights, a fifth held out", "rmse", "s", "CPU s", "MB")
	for _, b := range budgets {
		if err := flightsFit(w, program, file, dir, b); err != nil {
			return err
		}
	}
	python := ".venv/bin/python"
	if env := os.Getenv("BENCH_PYTHON"); env != "" {
		python = env
	}
	peer := exec.Command(python, filepath.Join("peers", "flights.py"), file)
	peer.Stderr = os.Stderr
	text, err := peer.Output()
	if err != nil {
		return fmt.Errorf("peers: %w", err)
	}
	_, err = w.Write(text)
	return err
}

func flightsFit(w io.Writer, program, file, dir string, budget time.Duration) error {
	cmd := exec.Command(program, "fit", file, "--target", "air_time", "--ignore", "arr_delay", "--missing", "mean",
		"--time", budget.String(), "-o", filepath.Join(dir, "f.mercer"), "--json")
	cmd.Stderr = io.Discard
	begun := time.Now()
	text, err := cmd.Output()
	if err != nil {
		return err
	}
	var said struct {
		Test []struct{ Value float64 }
		Rows int
		SV   int `json:"support_vectors"`
	}
	if err := json.Unmarshal(text, &said); err != nil || len(said.Test) == 0 {
		return fmt.Errorf("no test in %.200s: %v", text, err)
	}
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	fmt.Fprintf(w, "%-52s %8.3f %8.1f %8.1f %8.0f\n", fmt.Sprintf("mercer fit --time %v (%d centres of %d rows)", budget,
		said.SV, said.Rows), said.Test[0].Value,
		time.Since(begun).Seconds(), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		float64(use.Maxrss)/1e3)
	return nil
}
