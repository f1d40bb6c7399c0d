package main

import (
	"encoding/json"
	"errors"
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
		out = append(out, machineSetting{name: fmt.Sprintf("ν-SVC ν=%.2g", nu), kind: nuSVM, c: 1, gamma: 1, nu: nu, scaled: true},
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
	// Objective is how far ours is above LIBSVM's, relatively: the same or less is as good. Allowed is what the tolerance allows.
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
		fmt.Fprintf(w, "%s, %d threads, %s; svm-train and svm-predict as programs, reading included, LIBSVM stopped after %v and %d times ours\n\n", cpuName(), runtime.GOMAXPROCS(0), runtime.Version(), run.limit, waitFor)
		fmt.Fprintf(w, "%-12s %-18s %6s %6s %9s %8s %7s %7s %7s %7s %8s %8s %6s %6s %5s %9s %7s\n", "set", "setting", "rows", "SVs", "LIBSVM s", "ours s", "train×", "(cpu)×", "fit×", "(cpu)×", "predict×", "inside×", "MB", "theirs", "×", "objective", "differ")
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

// patience is how long LIBSVM may take beside a run of ours; 0: for ever.
func (run machineRun) patience(ours spent) time.Duration {
	if run.limit == 0 {
		return 0
	}
	return max(run.limit, time.Duration(waitFor*ours.wall*float64(time.Second)))
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// row measures one.
func (run machineRun) row(s machineSet, m machineSetting, f *machineFiles) machineRow {
	row := machineRow{Set: s.name, Setting: m.name, Rows: len(f.train.y)}
	if err := run.measure(&row, s, m, f); err != nil {
		row.Wrong = err.Error()
	}
	return row
}

func (run machineRun) measure(row *machineRow, s machineSet, m machineSetting, f *machineFiles) error {
	options := m.options(s.classes, f.d)
	at := func(name string) string { return filepath.Join(run.folder, name) }
	train := append(append([]string{}, options...), f.trainFile)

	var ours, theirs spent
	var said, theySaid string
	for r := 0; r == 0 || r < repeatsOf(theirs.wall); r++ {
		var err error
		var t spent
		if t, said, err = program(0, run.ours, append(append([]string{"svm-train"}, train...), at("svm-ours.model"))...); err != nil {
			return err
		}
		ours = better(ours, t)
		if row.Capped {
			continue
		}
		t, theySaid, err = program(run.patience(ours), "svm-train", append(train, at("svm-theirs.model"))...)
		if row.Capped = errors.Is(err, errCapped); err != nil && !row.Capped {
			return err
		}
		theirs = better(theirs, t)
	}
	row.TheirS, row.OurS, row.Train, row.CPU = theirs.wall, ours.wall, theirs.wall/ours.wall, theirs.cpu/ours.cpu
	row.OurMB, row.TheirMB = ours.mb, theirs.mb
	row.Vectors = supportVectors(at("svm-ours.model"))
	if m.kind == oneClassSVM {
		row.margin = freeVectors(said) / float64(row.Rows)
	}

	machines := 1
	if s.classes && m.kind != oneClassSVM {
		k := len(distinct(f.train.y))
		machines = k * (k - 1) / 2
	}
	objective := objectives(theySaid, machines)
	if row.Capped {
		objective = math.NaN()
	}
	row.Objective = (objectives(said, machines) - objective) / math.Abs(objective)
	row.Allowed = m.allowed(f.train.y, machines, objective)

	if err := run.fit(row, s, m, f, theirs, objective); err != nil {
		return err
	}
	if err := run.predict(row, m, f); err != nil {
		return err
	}
	return row.check(m, s.classes)
}

// fit compares the fits in process; LIBSVM's is left out where its program took long.
func (run machineRun) fit(row *machineRow, s machineSet, m machineSetting, f *machineFiles, theirs spent, objective float64) error {
	var ours, t spent
	var mine fittedMachine
	peer := theirs
	inside := run.limit == 0 || theirs.wall < run.limit.Seconds()/4
	if inside {
		_, err := run.peer.Load("fit", nil, map[string]any{"file": f.trainFile, "options": strings.Join(m.options(s.classes, f.d), " ")})
		inside = err == nil
	}
	for r := 0; r == 0 || r < repeatsOf(theirs.wall); r++ {
		runtime.GC()
		var err error
		t, err = inProcess(func() (err error) {
			mine, err = fitOurs(f, m, s.classes)
			return err
		})
		if err != nil {
			return err
		}
		ours = better(ours, t)
		if inside {
			if t.wall, t.cpu, err = run.peer.TimeCPU(); err != nil {
				return err
			}
			if r == 0 || t.less(peer) {
				peer = t
			}
		}
	}
	row.FitS, row.Fit, row.FitCPU = ours.wall, peer.wall/ours.wall, peer.cpu/ours.cpu
	if !math.IsNaN(mine.objective) && !math.IsNaN(objective) {
		row.Objective = max(row.Objective, (mine.objective-objective)/math.Abs(objective))
	}
	return run.predictInside(row, m, f, mine)
}

// predictInside compares prediction in process: ours by the model that was fitted here, LIBSVM's by the one of its program.
func (run machineRun) predictInside(row *machineRow, m machineSetting, f *machineFiles, mine fittedMachine) error {
	model := filepath.Join(run.folder, "svm-theirs.model")
	if row.Capped {
		model = filepath.Join(run.folder, "svm-ours.model")
	}
	_, err := run.peer.Load("predict", nil, map[string]any{"file": f.testFile, "model": model, "probable": m.kind == probableSVM})
	if err != nil {
		row.In = math.NaN()
		return nil
	}
	var ours, theirs spent
	for r := 0; r == 0 || r < repeatsOf(theirs.wall); r++ {
		var t spent
		if t.wall, t.cpu, err = run.peer.TimeCPU(); err != nil {
			return err
		}
		theirs = better(theirs, t)
		if t, err = inProcess(func() error { return mine.predict(f.test) }); err != nil {
			return err
		}
		ours = better(ours, t)
	}
	row.InS, row.In = theirs.wall, theirs.wall/ours.wall
	return nil
}

// predict compares svm-predict on one model file, and what the two models say.
func (run machineRun) predict(row *machineRow, m machineSetting, f *machineFiles) error {
	at := func(name string) string { return filepath.Join(run.folder, name) }
	var flags []string
	if m.kind == probableSVM {
		flags = []string{"-b", "1"}
	}
	model := at("svm-theirs.model")
	if row.Capped {
		model = at("svm-ours.model")
	}
	var ours, theirs spent
	for r := 0; r == 0 || r < repeatsOf(theirs.wall); r++ {
		t, _, err := program(0, "svm-predict", append(flags, f.testFile, model, at("svm-theirs.out"))...)
		if err != nil {
			return err
		}
		theirs = better(theirs, t)
		if t, _, err = program(0, run.ours, append(append([]string{"svm-predict"}, flags...), f.testFile, model, at("svm-ours.out"))...); err != nil {
			return err
		}
		ours = better(ours, t)
	}
	row.PredS, row.Pred = theirs.wall, theirs.wall/ours.wall
	// The same model: the same predictions, but for rounding.
	differ, err := differing(at("svm-ours.out"), at("svm-theirs.out"), 1e-4)
	if err != nil {
		return err
	}
	if differ > 0.001 {
		return fmt.Errorf("%.2g of the predictions of one model differ", differ)
	}
	if row.Capped {
		return nil
	}
	if _, _, err := program(0, run.ours, append(append([]string{"svm-predict"}, flags...), f.testFile, at("svm-ours.model"), at("svm-ours.out"))...); err != nil {
		return err
	}
	row.Differ, err = differing(at("svm-ours.out"), at("svm-theirs.out"), 0.02)
	return err
}

// clearlyBetter is how far below LIBSVM's, relatively, an objective has another solution.
const clearlyBetter = 1e-3

// check refuses a fast wrong answer. Points on the margin of a one-class machine are on neither side of it, and predicted either way.
func (row machineRow) check(m machineSetting, classes bool) error {
	switch {
	case row.Objective > row.Allowed:
		return fmt.Errorf("the objective is %.2g above LIBSVM's", row.Objective)
	case row.Differ > 0.01+row.margin && m.kind != probableSVM && row.Objective > -clearlyBetter:
		return fmt.Errorf("%.2g of the predictions differ", row.Differ)
	}
	return nil
}

// allowed is how far two objectives may be apart, relatively, at LIBSVM's tolerance ε = 1e-3. Where Σ|α| = νn is given, weight can
// be moved to gain at most ε for each unit of it, so that a solution is within ε·νn of the best: much of ν-SVC's objective
// ½ρ·νn where ρ is small.
func (m machineSetting) allowed(y []float64, machines int, objective float64) float64 {
	const tolerance, digits = 1e-3, 1e-4
	if m.kind != nuSVM {
		return digits
	}
	points := float64(len(y)) // of all machines together, each point in k-1 of k(k-1)/2
	if machines > 1 {
		points *= float64(len(distinct(y)) - 1)
	}
	return max(digits, tolerance*m.nu*points/math.Abs(objective))
}

// repeatsOf spends about two seconds of a short row, once on a long one.
func repeatsOf(seconds float64) int { return int(min(max(2/max(seconds, 0.05), 1), 5)) }

func better(a, b spent) spent {
	if a.wall == 0 || b.less(a) {
		return b
	}
	return a
}

func distinct(y []float64) map[float64]bool {
	out := map[float64]bool{}
	for _, v := range y {
		out[v] = true
	}
	return out
}

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
	fmt.Fprintf(w, "%-12s %-18s %6d %6d %9s %8.3f %7s %7.1f %7.1f %7.1f %8.1f %8.1f %6.0f %6.0f %5.1f %9.1e %7.1e", r.Set, r.Setting, r.Rows, r.Vectors,
		more+fmt.Sprintf("%.3f", r.TheirS), r.OurS, more+fmt.Sprintf("%.1f", r.Train), r.CPU, r.Fit, r.FitCPU, r.Pred, r.In, r.OurMB, r.TheirMB, r.OurMB/r.TheirMB, r.Objective, r.Differ)
	if r.Wrong != "" {
		fmt.Fprintf(w, "  WRONG: %s", r.Wrong)
	}
	fmt.Fprintln(w)
}
