package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// spent is what a piece of work took.
type spent struct {
	wall, cpu float64 // seconds; cpu is user and system time of all processors
	mb        float64 // peak resident memory, of a program
}

func (s spent) less(t spent) bool { return s.wall < t.wall }

// errCapped is a program that was stopped.
var errCapped = errors.New("stopped")

// program runs a command to its end or to the cap (0: none) and returns what it printed and what it
// took, until then.
func program(limit time.Duration, name string, args ...string) (spent, string, error) {
	self, err := os.Executable()
	if err != nil {
		return spent{}, "", err
	}
	result := filepath.Join("out", "launched.json")
	cmd := exec.Command(self, append([]string{launchWord, result, limit.String(), name}, args...)...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return spent{}, "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, complaint.String())
	}
	b, err := os.ReadFile(result)
	if err != nil {
		return spent{}, "", err
	}
	var l launched
	if err = json.Unmarshal(b, &l); err == nil && l.Stopped {
		err = errCapped
	}
	return spent{wall: l.Wall, cpu: l.CPU, mb: l.MB}, out.String(), err
}

// inProcess measures work in this process.
func inProcess(work func() error) (spent, error) {
	var before, after syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	start := time.Now()
	err := work()
	wall := time.Since(start).Seconds()
	syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	seconds := func(u syscall.Rusage) float64 {
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	return spent{wall: wall, cpu: seconds(after) - seconds(before)}, err
}

// buildOurs makes the program that is compared.
func buildOurs() (string, error) {
	path, err := filepath.Abs(filepath.Join("out", "mercer"))
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", path, "./cmd/mercer")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/mercer: %w\n%s", err, out)
	}
	return path, nil
}

var (
	objectiveLine = regexp.MustCompile(`(?m)^obj = (\S+),`)
	priceLine     = regexp.MustCompile(`(?m)^C = (\S+)$`)
)

// objectives is the sum of what svm-train prints of its machines, NaN where it prints none.
// LIBSVM's -b 1 prints those of five folds before each machine. Of ν-SVC it prints the objective of
// a solution that is scaled by C = 1/ρ; where ρ is of the size of the tolerance, 1/ρ² says nothing.
// That of the programme that was solved, ½αᵀQα, does.
func objectives(printed string, machines int) float64 {
	all, prices := objectiveLine.FindAllStringSubmatch(printed, -1), priceLine.FindAllStringSubmatch(printed, -1)
	if machines == 0 || len(all) == 0 || len(all)%machines != 0 {
		return math.NaN()
	}
	sum, each := 0.0, len(all)/machines
	for i := each - 1; i < len(all); i += each {
		v, err := strconv.ParseFloat(all[i][1], 64)
		if err != nil {
			return math.NaN()
		}
		if len(prices) == len(all) {
			c, err := strconv.ParseFloat(prices[i][1], 64)
			if err != nil {
				return math.NaN()
			}
			v /= c * c
		}
		sum += v
	}
	return sum
}

// freeVectors is the number of support vectors of one machine that are not at their bound, as
// svm-train prints it.
func freeVectors(printed string) float64 {
	all, bound := 0.0, 0.0
	if at := strings.Index(printed, "nSV = "); at >= 0 {
		fmt.Sscanf(printed[at:], "nSV = %f, nBSV = %f", &all, &bound)
	}
	return all - bound
}

// supportVectors reads total_sv of a model file, -1 where it has none.
func supportVectors(model string) int {
	b, err := os.ReadFile(model)
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(b[:min(len(b), 1<<16)])) {
		if rest, ok := strings.CutPrefix(line, "total_sv "); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(rest))
			return n
		}
	}
	return -1
}

// differing is the share of predictions that differ between two files: classes at all, numbers
// (and probabilities) by more than tol.
func differing(a, b string, tol float64) (float64, error) {
	x, err := os.ReadFile(a)
	if err != nil {
		return 0, err
	}
	y, err := os.ReadFile(b)
	if err != nil {
		return 0, err
	}
	ours, theirs := strings.Split(strings.TrimSpace(string(x)), "\n"), strings.Split(strings.TrimSpace(string(y)), "\n")
	if len(ours) != len(theirs) {
		return 0, fmt.Errorf("%d predictions, theirs %d", len(ours), len(theirs))
	}
	differ := 0
	for i := range ours {
		p, q := strings.Fields(ours[i]), strings.Fields(theirs[i])
		same := len(p) == len(q)
		for j := 0; same && j < len(p); j++ {
			u, err1 := strconv.ParseFloat(p[j], 64)
			v, err2 := strconv.ParseFloat(q[j], 64)
			if err1 != nil || err2 != nil {
				same = p[j] == q[j]
				continue
			}
			same = math.Abs(u-v) <= tol
		}
		if !same {
			differ++
		}
	}
	return float64(differ) / float64(len(ours)), nil
}
