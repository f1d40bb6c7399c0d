package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// patience is how long LIBSVM may take beside a run of ours; 0: for ever.
func (run machineRun) patience(ours spent) time.Duration {
	if run.limit == 0 {
		return 0
	}
	return max(run.limit, time.Duration(waitFor*ours.wall*float64(time.Second)))
}

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
		if t, said, err = program(0, run.ours, append(append([]string{"svm-train"}, train...),
			at("svm-ours.model"))...); err != nil {
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
func (run machineRun) fit(
	row *machineRow, s machineSet, m machineSetting, f *machineFiles, theirs spent, objective float64,
) error {
	var ours, t spent
	var mine fittedMachine
	peer := theirs
	inside := run.limit == 0 || theirs.wall < run.limit.Seconds()/4
	if inside {
		_, err := run.peer.Load("fit", nil, map[string]any{"file": f.trainFile,
			"options": strings.Join(m.options(s.classes, f.d), " ")})
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

// predictInside compares prediction in process: ours by the model that was fitted here, LIBSVM's by
// the one of its program.
func (run machineRun) predictInside(row *machineRow, m machineSetting, f *machineFiles, mine fittedMachine) error {
	model := filepath.Join(run.folder, "svm-theirs.model")
	if row.Capped {
		model = filepath.Join(run.folder, "svm-ours.model")
	}
	_, err := run.peer.Load("predict", nil, map[string]any{"file": f.testFile, "model": model,
		"probable": m.kind == probableSVM})
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
		if t, _, err = program(0, run.ours, append(append([]string{"svm-predict"}, flags...), f.testFile, model,
			at("svm-ours.out"))...); err != nil {
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
	if _, _, err := program(0, run.ours, append(append([]string{"svm-predict"}, flags...), f.testFile,
		at("svm-ours.model"), at("svm-ours.out"))...); err != nil {
		return err
	}
	row.Differ, err = differing(at("svm-ours.out"), at("svm-theirs.out"), 0.02)
	return err
}

// clearlyBetter is how far below LIBSVM's, relatively, an objective has another solution.
const clearlyBetter = 1e-3

// check refuses a fast wrong answer. Points on the margin of a one-class machine are on neither
// side of it, and predicted either way.
func (row machineRow) check(m machineSetting, classes bool) error {
	switch {
	case row.Objective > row.Allowed:
		return fmt.Errorf("the objective is %.2g above LIBSVM's", row.Objective)
	case row.Differ > 0.01+row.margin && m.kind != probableSVM && row.Objective > -clearlyBetter:
		return fmt.Errorf("%.2g of the predictions differ", row.Differ)
	}
	return nil
}

// allowed is how far two objectives may be apart, relatively, at LIBSVM's tolerance ε = 1e-3. Where
// Σ|α| = νn is given, weight can be moved to gain at most ε for each unit of it, so that a solution
// is within ε·νn of the best: much of ν-SVC's objective ½ρ·νn where ρ is small.
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
