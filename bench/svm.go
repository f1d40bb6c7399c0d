package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// The bars of the suite. They hold for rows that take LIBSVM over barSeconds: below, a program's
// start is what is measured.
const (
	barSeconds     = 0.1
	barTrain       = 3
	barTrainMean   = 10
	barPredict     = 5
	barPredictMean = 20
	barMemory      = 4   // times LIBSVM's peak, where
	waitFor        = 12  // times ours, before LIBSVM is stopped: a row that is capped is above both bars of training
	fewVectors     = 0.2 // of the rows, or fewer, are support vectors
)

// machineSettings are the rows of a set.
func (s machineSet) settings(n int, share float64) []machineSetting {
	out := []machineSetting{
		{name: "C=1 γ=1/d", c: 1, gamma: 1, scaled: true},
		{name: "C=100 γ=1/d", c: 100, gamma: 1, scaled: true},
		{name: "C=10 γ=4/d", c: 10, gamma: 4, scaled: true},
	}
	if !s.whole {
		out = append(out, machineSetting{name: "defaults, unscaled", c: 1, gamma: 1})
	}
	if n > mostKinds {
		return out
	}
	out = append(out, machineSetting{name: "one-class ν=0.1", kind: oneClassSVM, c: 1, gamma: 1, nu: 0.1, scaled: true})
	if s.classes {
		nu := float64(float32(min(0.5, share)))
		out = append(out, machineSetting{name: fmt.Sprintf("ν-SVC ν=%.2g", nu), kind: nuSVM, c: 1, gamma: 1, nu: nu,
			scaled: true},
			machineSetting{name: "C=1 γ=1/d -b 1", kind: probableSVM, c: 1, gamma: 1, scaled: true})
	}
	return out
}

// mostKinds bounds the sets on which all formulations are fitted.
const mostKinds = 8000

// machineRow is one line of the table: LIBSVM's programs beside ours on the same
// files, and fits in process.
type machineRow struct {
	Set     string  `json:"set"`
	Setting string  `json:"setting"`
	Rows    int     `json:"rows"`
	Vectors int     `json:"vectors"`
	Capped  bool    `json:"capped,omitempty"` // LIBSVM was stopped: times are at least so many
	TheirS  float64 `json:"libsvm_s"`
	OurS    float64 `json:"ours_s"`
	Train   float64 `json:"train"`     // ratio of svm-train's times
	CPU     float64 `json:"train_cpu"` // and of processor times
	FitS    float64 `json:"fit_s"`
	Fit     float64 `json:"fit"` // ratio of the fits in process
	FitCPU  float64 `json:"fit_cpu"`
	PredS   float64 `json:"predict_libsvm_s"`
	Pred    float64 `json:"predict"` // ratio of svm-predict's times
	InS     float64 `json:"predict_process_libsvm_s"`
	In      float64 `json:"predict_process"` // ratio of the times of prediction in process
	OurMB   float64 `json:"ours_mb"`
	TheirMB float64 `json:"libsvm_mb"`
	// Objective is how far ours is above LIBSVM's, relatively: the same or less is as good. Allowed
	// is what the tolerance allows.
	Objective float64 `json:"objective"`
	Allowed   float64 `json:"allowed"`
	margin    float64 // share of the rows that are on the margin of a one-class machine
	// Differ is the share of predictions by the two models that are not the same.
	Differ float64 `json:"differ"`
	Wrong  string  `json:"wrong,omitempty"`
}

type machineRun struct {
	only   string
	asJSON bool
	limit  time.Duration // of each run of LIBSVM, unless ours takes long itself
	ours   string        // our program
	folder string
	peer   *Peer
}

// supportMachines prints the table; it says whether every row is right and above its bar.
func supportMachines(w io.Writer, run machineRun) bool {
	for _, name := range []string{"svm-train", "svm-predict"} {
		if _, err := exec.LookPath(name); err != nil {
			fmt.Fprintf(os.Stderr, "bench: svm: %v; run bench/setup\n", err)
			return false
		}
	}
	var err error
	if run.ours, err = buildOurs(); err != nil {
		fmt.Fprintln(os.Stderr, "bench: svm:", err)
		return false
	}
	if run.folder, err = filepath.Abs("out"); err != nil {
		fmt.Fprintln(os.Stderr, "bench: svm:", err)
		return false
	}
	run.peer = StartPeer("svm")
	defer run.peer.Stop()
	if !run.asJSON {
		fmt.Fprintf(w,
			"%s, %d threads, %s; svm-train and svm-predict as programs, reading included, LIBSVM stopped after %v and %d "+
				"times ours\n\n", cpuName(), runtime.GOMAXPROCS(0), runtime.Version(), run.limit, waitFor)
		fmt.Fprintf(w, "%-12s %-18s %6s %6s %9s %8s %7s %7s %7s %7s %8s %8s %6s %6s %5s %9s %7s\n", "set", "setting", "rows",
			"SVs", "LIBSVM s", "ours s", "train×", "(cpu)×", "fit×", "(cpu)×", "predict×", "inside×", "MB", "theirs", "×",
			"objective", "differ")
	}
	var rows []machineRow
	good := true
	for _, s := range machineSets {
		rows, good = run.set(w, s, rows, good)
	}
	if !run.asJSON {
		good = summarise(w, rows) && good
	}
	return good
}

// set does the rows of one set.
func (run machineRun) set(w io.Writer, s machineSet, rows []machineRow, good bool) ([]machineRow, bool) {
	var files [2]*machineFiles
	wanted := func(m machineSetting) bool { return strings.Contains(s.name+" "+m.name, run.only) }
	first, err := s.prepare(true)
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: svm: %s is left out: %v\n", s.name, err)
		return rows, good
	}
	files[1] = first
	for _, m := range s.settings(len(first.train.y), first.share) {
		if !wanted(m) {
			continue
		}
		f := files[1]
		if !m.scaled {
			if files[0] == nil {
				if files[0], err = s.prepare(false); err != nil {
					fmt.Fprintf(os.Stderr, "bench: svm: %s is left out: %v\n", s.name, err)
					continue
				}
			}
			f = files[0]
		}
		row := run.row(s, m, f)
		row.print(w, run.asJSON)
		good = good && row.Wrong == ""
		rows = append(rows, row)
	}
	return rows, good
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (r machineRow) print(w io.Writer, asJSON bool) {
	if asJSON {
		for _, v := range []*float64{&r.Objective, &r.Differ, &r.TheirMB, &r.In} {
			if math.IsNaN(*v) {
				*v = -1
			}
		}
		b, _ := json.Marshal(r)
		fmt.Fprintf(w, "%s\n", b)
		return
	}
	more := ""
	if r.Capped {
		more = ">"
	}
	fmt.Fprintf(w, "%-12s %-18s %6d %6d %9s %8.3f %7s %7.1f %7.1f %7.1f %8.1f %8.1f %6.0f %6.0f %5.1f %9.1e %7.1e", r.Set,
		r.Setting, r.Rows, r.Vectors,
		more+fmt.Sprintf("%.3f", r.TheirS), r.OurS, more+fmt.Sprintf("%.1f", r.Train), r.CPU, r.Fit, r.FitCPU, r.Pred, r.In,
		r.OurMB, r.TheirMB, r.OurMB/r.TheirMB, r.Objective, r.Differ)
	if r.Wrong != "" {
		fmt.Fprintf(w, "  WRONG: %s", r.Wrong)
	}
	fmt.Fprintln(w)
}
