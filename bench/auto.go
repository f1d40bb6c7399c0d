package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/tune"
)

// The rule, fixed before the first run: on each set the peer is the better, by
// its mean score over the splits, of scikit-learn's support vector machine
// with the customary 10 × 10 grid and its Gaussian process; tune.Auto is as good when its mean is
// no worse than the peer's by more than half a standard error of the peer's mean over the splits.
const autoSlack = 0.5

// autoBudget is the time each call of Auto may take: the default, as of mercer fit.
const autoBudget = time.Minute

// autoRun is how the table is made.
type autoRun struct {
	only      string // sets whose name contains this
	asJSON    bool
	peersOnly bool // fill the cache of the peers' results, print nothing
	treesOnly bool // print what gradient boosting and a random forest reach, and nothing beside it
	oursOnly  bool // fill out/ with our own, print nothing
	cached    bool // only sets whose peers are all in the cache
	resume    bool // our own results as well, where an earlier run left them
	splits    int  // of each set; 0: as many as the protocol has
	most      int  // calls of Auto, after which the rest is left for another run; 0: no limit
	budget    time.Duration
	best      tune.Best // what Auto may choose
}

// autoRow is one line of the table.
type autoRow struct {
	Set     string  `json:"set"`
	Splits  int     `json:"splits"`
	Train   int     `json:"train"`
	Test    int     `json:"test"`
	Dim     int     `json:"d"`
	Metric  string  `json:"metric"`
	Ours    float64 `json:"ours"`
	SVM     float64 `json:"svm"`
	GP      float64 `json:"gp"`
	HGB     float64 `json:"hgb"` // trees, for honesty: they have no part in the rule
	RF      float64 `json:"rf"`
	SE      float64 `json:"se"`       // of the better peer's mean over the splits
	Paired  float64 `json:"paired"`   // mean of our advantage over the better peer, split by split
	PairSE  float64 `json:"pair_se"`  // and its standard error
	OverSVM float64 `json:"over_svm"` // our mean advantage in accuracy, or in the logarithm of the error
	OverGP  float64 `json:"over_gp"`
	OverHGB float64 `json:"over_hgb"`
	OverRF  float64 `json:"over_rf"`
	AsSVM   bool    `json:"as_good_as_svm"` // as good by the same rule with SVC/SVR as the only peer
	SVMGood bool    `json:"svm_as_good"`    // SVC/SVR itself by the rule
	GPGood  bool    `json:"gp_as_good"`
	OursS   float64 `json:"ours_s"` // seconds a split, by the clock
	CPU     float64 `json:"cpu_s"`  // of all processors
	MostS   float64 `json:"most_s"` // of the longest
	TheirsS float64 `json:"theirs_s"`
	Good    bool    `json:"as_good"`
	Chosen  []string
}

// automatic prints tune.Auto beside scikit-learn on the same splits of every
// set; it says whether Auto was as good on all of them.
func automatic(w io.Writer, run autoRun) bool {
	ctx := context.Background()
	peer := StartPeer("auto")
	defer peer.Stop()
	if run.treesOnly {
		fmt.Fprintf(w, "%-26s %6s %9s %9s\n", "set", "splits", "HistGB", "RForest")
	} else if !run.asJSON && !run.peersOnly && !run.oursOnly {
		fmt.Fprintf(w, "tune.Auto (budget %v, best %s) beside scikit-learn, %d splits, %d where fewer than %d rows are left to judge by; at most %d rows to fit on and %d to judge by.\n", run.budget, run.bestName(), autoSplits, autoSplitsFew, autoFew, autoTrain, autoTest)
		fmt.Fprintf(w, "As good: mean score no worse than the better peer's by more than %.1g standard error of its mean over the splits.\n", autoSlack)
		fmt.Fprintf(w, "Beside it: our mean advantage over the better peer, split by split, with its standard error.\n\n")
		fmt.Fprintf(w, "%-26s %6s %5s %5s %5s %-9s %9s %9s %9s %9s %9s %8s %18s %7s %7s %8s  %s\n", "set", "splits", "train", "test", "d", "metric", "ours", "SVC/SVR", "GP", "HistGB", "RForest", "SE", "ours-best (SE)", "ours s", "CPU s", "theirs s", "as good or better")
	}
	if run.most == 0 {
		run.most = math.MaxInt
	}
	var rows []autoRow
	for _, s := range autoSets() {
		if !strings.Contains(s.file, run.only) {
			continue
		}
		row, err := s.measure(ctx, peer, &run)
		switch {
		case errors.Is(err, errNotCached) || (run.peersOnly || run.oursOnly) && err == nil:
			continue
		case err != nil:
			fmt.Fprintf(w, "%-26s NOT MEASURED: %v\n", s.name(), err)
			continue
		case run.treesOnly:
			fmt.Fprintf(w, "%-26s %6d %9.5g %9.5g\n", row.Set, row.Splits, row.HGB, row.RF)
			continue
		}
		rows = append(rows, row)
		if run.asJSON {
			b, _ := json.Marshal(row.nullable())
			fmt.Fprintf(w, "%s\n", b)
			continue
		}
		verdict := "yes"
		if !row.Good {
			verdict = "NO"
		}
		fmt.Fprintf(w, "%-26s %6d %5d %5d %5d %-9s %9.5g %9.5g %9.5g %9.5g %9.5g %8.2g %9.2g (%6.2g) %7.1f %7.1f %8.1f  %-3s %s\n", row.Set, row.Splits, row.Train, row.Test, row.Dim, row.Metric,
			row.Ours, row.SVM, row.GP, row.HGB, row.RF, row.SE, row.Paired, row.PairSE, row.OursS, row.CPU, row.TheirsS, verdict, mostChosen(row.Chosen))
	}
	if run.peersOnly || run.oursOnly || run.treesOnly {
		return true
	}
	return summary(w, rows, run)
}

// mostChosen is the learners and kernels chosen, with how many splits chose each.
func mostChosen(chosen []string) string {
	var names []string
	count := map[string]int{}
	for _, c := range chosen {
		name := strings.SplitN(c, "(", 2)[0]
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%d× %s", count[name], name)
	}
	return strings.Join(names, ", ")
}

// nullable is the row as JSON can say it.
func (r autoRow) nullable() map[string]any {
	out := map[string]any{"set": r.Set, "splits": r.Splits, "train": r.Train, "test": r.Test, "d": r.Dim, "metric": r.Metric, "as_good": r.Good, "as_good_as_svm": r.AsSVM, "svm_as_good": r.SVMGood, "gp_as_good": r.GPGood, "chosen": r.Chosen}
	for name, v := range map[string]float64{"ours": r.Ours, "svm": r.SVM, "gp": r.GP, "hgb": r.HGB, "rf": r.RF, "over_hgb": r.OverHGB, "over_rf": r.OverRF, "se": r.SE, "paired": r.Paired, "pair_se": r.PairSE, "over_svm": r.OverSVM, "over_gp": r.OverGP, "ours_s": r.OursS, "cpu_s": r.CPU, "most_s": r.MostS, "theirs_s": r.TheirsS} {
		if out[name] = nil; !math.IsNaN(v) {
			out[name] = v
		}
	}
	return out
}

func (s autoSet) name() string {
	name := strings.TrimSuffix(strings.TrimSuffix(s.file, ".gz"), ".csv")
	return strings.TrimSuffix(name, "_train")
}

var errNotCached = errors.New("a result is not there yet")

// oneSplit is what Auto reached on a split.
type oneSplit struct {
	Score          float64
	Seconds        float64 // by the clock
	CPU            float64 // of all processors
	Metric, Chosen string
	Maximize       bool
	Train, Test    int
}

// measure runs both sides on all splits of a set.
func (s autoSet) measure(ctx context.Context, peer *Peer, run *autoRun) (autoRow, error) {
	row := autoRow{Set: s.name()}
	d, err := s.read(ctx)
	if err != nil {
		return row, err
	}
	row.Splits = s.splits(d.Len())
	if run.splits > 0 {
		row.Splits = run.splits
	}
	theirs, trees := make([]peerScores, row.Splits), make([]peerScores, row.Splits)
	for i := range theirs {
		if run.oursOnly {
			continue
		}
		train, test, err := s.parts(d, i)
		if err != nil {
			return row, err
		}
		in, err := peerInputs(train, test, s.classes)
		if err != nil {
			return row, err
		}
		row.Dim = in["x_train"].Cols
		if !run.treesOnly {
			if theirs[i], err = autoPeer(peer, peerCache{"out/auto-peer"}, s.name(), in, run.cached); err != nil {
				return row, err
			}
		}
		if trees[i], err = autoTrees(peer, peerCache{"out/auto-peer"}, s.name(), in, run.cached); err != nil {
			return row, err
		}
	}
	var ours, svm, gp, hgb, rf []float64
	for _, t := range trees {
		hgb, rf = append(hgb, t.HGB), append(rf, t.RF)
	}
	row.HGB, _ = meanSE(hgb)
	row.RF, _ = meanSE(rf)
	if run.peersOnly || run.treesOnly {
		return row, nil
	}
	maximize := false
	for i, t := range theirs {
		got, err := s.ourSplit(ctx, d, i, run)
		if err != nil {
			return row, err
		}
		maximize = got.Maximize
		row.Metric, row.Train, row.Test = got.Metric, got.Train, got.Test
		row.OursS += got.Seconds / float64(row.Splits)
		row.CPU += got.CPU / float64(row.Splits)
		row.MostS = max(row.MostS, got.Seconds)
		row.TheirsS += t.SVMSeconds / float64(row.Splits)
		if !math.IsNaN(t.GPSeconds) {
			row.TheirsS += t.GPSeconds / float64(row.Splits)
		}
		row.Chosen = append(row.Chosen, got.Chosen)
		ours, svm, gp = append(ours, got.Score), append(svm, t.SVM), append(gp, t.GP)
	}
	row.judge(ours, svm, gp, maximize)
	row.OverHGB, row.OverRF = gains(ours, hgb, maximize), gains(ours, rf, maximize)
	return row, nil
}

// judge compares scores on the same splits.
func (r *autoRow) judge(ours, svm, gp []float64, maximize bool) {
	r.Ours, _ = meanSE(ours)
	r.SVM, _ = meanSE(svm)
	r.GP, _ = meanSE(gp)
	sign := -1.0
	if maximize {
		sign = 1
	}
	best := svm
	if sign*(r.GP-r.SVM) > 0 { // false where there is no GP
		best = gp
	}
	var theirs float64
	theirs, r.SE = meanSE(best)
	gain := make([]float64, len(ours))
	for i := range gain {
		gain[i] = sign * (ours[i] - best[i])
	}
	r.Paired, r.PairSE = meanSE(gain)
	r.OverSVM, r.OverGP = gains(ours, svm, maximize), gains(ours, gp, maximize)
	// A last bit of rounding in the mean of equal scores is not a loss.
	good := func(mean, theirs, se float64) bool { return sign*(mean-theirs) >= -autoSlack*se-1e-12*math.Abs(theirs) }
	r.Good, r.SVMGood, r.GPGood = good(r.Ours, theirs, r.SE), good(r.SVM, theirs, r.SE), good(r.GP, theirs, r.SE)
	_, se := meanSE(svm)
	r.AsSVM = good(r.Ours, r.SVM, se)
}

// gains is our mean advantage in accuracy, or in the logarithm of the error.
func gains(ours, theirs []float64, maximize bool) float64 {
	sum := 0.0
	for i, v := range ours {
		if maximize {
			sum += v - theirs[i]
		} else {
			sum += math.Log(theirs[i] / v)
		}
	}
	return sum / float64(len(ours))
}

// bestOf reads the name.
func bestOf(name string) tune.Best {
	if name == "committee" {
		return tune.BestCommittee
	}
	return tune.BestOne
}

// bestName is what Auto may choose, as the command line has it.
func (run autoRun) bestName() string {
	if run.best == tune.BestCommittee {
		return "committee"
	}
	return "one"
}

// ourSplit is Auto on a split, or what it reached in a run before.
func (s autoSet) ourSplit(ctx context.Context, d *data.Dataset, i int, run *autoRun) (got oneSplit, err error) {
	file := fmt.Sprintf("out/auto-ours/%s-%d.json", s.name(), i+1)
	if run.best != tune.BestOne {
		file = fmt.Sprintf("out/auto-ours/%s-%d-%s.json", s.name(), i+1, run.bestName())
	}
	if b, err := os.ReadFile(file); run.resume && err == nil && json.Unmarshal(b, &got) == nil {
		return got, nil
	}
	if run.most--; run.most < 0 {
		return got, errNotCached
	}
	train, test, err := s.parts(d, i)
	if err != nil {
		return got, err
	}
	start, used := time.Now(), processorSeconds()
	r, err := tune.Auto(ctx, train, tune.AutoOptions{Budget: run.budget, Seed: uint64(i) + 1, Holdout: -1, Encoder: autoEncoder(), Task: taskOf(s.classes), Best: run.best})
	if err != nil {
		return got, err
	}
	got = oneSplit{Seconds: time.Since(start).Seconds(), CPU: processorSeconds() - used, Metric: r.Metric.Name, Chosen: r.Chosen.String(), Maximize: r.Metric.Maximize, Train: train.Len(), Test: test.Len()}
	if got.Score, err = judged(ctx, r, test); err != nil {
		return got, err
	}
	return got, writeWhole(file, got)
}

// parts is the rows to fit on and to judge by, of the split with number i.
func (s autoSet) parts(d *data.Dataset, i int) (train, test *data.Dataset, err error) {
	fold, err := s.split(d, uint64(i)+1)
	if err != nil {
		return nil, nil, err
	}
	return d.Gather(fold.Train), d.Gather(fold.Test), nil
}

// taskOf is the task that the README of the sets states; classes are counted.
func taskOf(classes bool) data.Task {
	if classes {
		return data.Unsupervised
	}
	return data.Regression
}

func autoEncoder() data.EncoderOptions {
	return data.EncoderOptions{Words: autoWords, Unseen: data.UnseenZero}
}

// peerInputs encodes a split for the peer: numbers standardised, categories
// one-hot, text as tf-idf, all fitted on the rows to fit on alone.
func peerInputs(train, test *data.Dataset, classes bool) (Inputs, error) {
	o := autoEncoder()
	o.Text, o.Task = data.TextTFIDF, taskOf(classes)
	enc, err := data.FitEncoder(train, o)
	if err != nil {
		return nil, err
	}
	in := Inputs{"classes": {Rows: 1, Cols: 1, Data: []float64{0}}}
	if classes {
		in["classes"].Data[0] = float64(len(enc.Target.Classes))
	}
	for name, rows := range map[string]*data.Dataset{"train": train, "test": test} {
		x, err := enc.TransformLabelled(rows)
		if err != nil {
			return nil, err
		}
		in["x_"+name] = array(linalg.Matrix[float64](x.AsDense().RawMatrix()))
		in["y_"+name] = Array{Rows: 1, Cols: len(x.Target), Data: x.Target}
	}
	return in, nil
}

// judged is the metric of the model on rows that Auto never saw.
func judged(ctx context.Context, r *tune.AutoResult, test *data.Dataset) (float64, error) {
	x, err := r.Encoder.TransformLabelled(test)
	if err != nil {
		return 0, err
	}
	p, err := r.Predict(ctx, x)
	if err != nil {
		return 0, err
	}
	p.Truth, p.Classes = x.Target, len(r.Classes)
	return r.Metric.Score(p), nil
}

// meanSE is the mean with its standard error.
func meanSE(v []float64) (mean, se float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	sq := 0.0
	for _, x := range v {
		sq += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sq / float64(len(v)-1) / float64(len(v)))
}

// processorSeconds is what this process has used.
func processorSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return math.NaN()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
