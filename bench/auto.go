package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/tune"
)

// The rule, fixed before the first run: on each set the peer is the better, by
// its mean score over the splits, of scikit-learn's support vector machine
// with the customary 10 × 10 grid and its Gaussian process; tune.Auto is as good when its mean is
// no worse than the peer's by more than half a standard error of the peer's mean over the splits.
const autoSlack = 0.5

// autoBudget is the time each call of Auto may take.
const autoBudget = 10 * time.Second

// autoRow is one line of the table.
type autoRow struct {
	Set     string  `json:"set"`
	Train   int     `json:"train"`
	Test    int     `json:"test"`
	Dim     int     `json:"d"`
	Metric  string  `json:"metric"`
	Ours    float64 `json:"ours"`
	SVM     float64 `json:"svm"`
	GP      float64 `json:"gp"`
	SE      float64 `json:"se"`      // of the better peer's mean over the splits
	Paired  float64 `json:"paired"`  // mean of our advantage over the better peer, split by split
	PairSE  float64 `json:"pair_se"` // and its standard error
	OursS   float64 `json:"ours_s"`  // seconds a split
	TheirsS float64 `json:"theirs_s"`
	Good    bool    `json:"as_good"`
	Chosen  []string
}

// automatic prints tune.Auto beside scikit-learn on the same splits of every
// set; it says whether Auto was as good on all of them.
func automatic(w io.Writer, only string, asJSON, peersOnly bool) bool {
	ctx := context.Background()
	peer := StartPeer("auto")
	defer peer.Stop()
	cache := openPeerCache("out/auto-peer.json")
	if !asJSON {
		fmt.Fprintf(w, "tune.Auto (budget %v) beside scikit-learn, %d splits; at most %d rows to fit on and %d to judge by.\n", autoBudget, autoSplits, autoTrain, autoTest)
		fmt.Fprintf(w, "As good: mean score no worse than the better peer's by more than %.1g standard error of its mean over the splits.\n\n", autoSlack)
		fmt.Fprintf(w, "%-26s %5s %5s %5s %-9s %9s %9s %9s %8s %16s %7s %8s  %s\n", "set", "train", "test", "d", "metric", "ours", "SVC/SVR", "GP", "SE", "ours-best (SE)", "ours s", "theirs s", "as good or better")
	}
	good, total := 0, 0
	for _, s := range autoSets() {
		if !strings.Contains(s.file, only) {
			continue
		}
		row, err := s.measure(ctx, peer, cache, peersOnly)
		if err != nil {
			fmt.Fprintf(w, "%-26s NOT MEASURED: %v\n", s.name(), err)
			continue
		}
		if peersOnly {
			continue
		}
		total++
		if row.Good {
			good++
		}
		if asJSON {
			b, _ := json.Marshal(row.nullable())
			fmt.Fprintf(w, "%s\n", b)
			continue
		}
		verdict := "yes"
		if !row.Good {
			verdict = "NO"
		}
		fmt.Fprintf(w, "%-26s %5d %5d %5d %-9s %9.5g %9.5g %9.5g %8.2g %8.2g (%5.2g) %7.1f %8.1f  %-3s %s\n", row.Set, row.Train, row.Test, row.Dim, row.Metric,
			row.Ours, row.SVM, row.GP, row.SE, row.Paired, row.PairSE, row.OursS, row.TheirsS, verdict, strings.Join(row.Chosen, "; "))
	}
	if !asJSON {
		fmt.Fprintf(w, "\nas good or better on %d of %d sets\n", good, total)
	}
	return good == total && total > 0
}

// nullable is the row as JSON can say it.
func (r autoRow) nullable() map[string]any {
	out := map[string]any{"set": r.Set, "train": r.Train, "test": r.Test, "d": r.Dim, "metric": r.Metric, "as_good": r.Good, "chosen": r.Chosen}
	for name, v := range map[string]float64{"ours": r.Ours, "svm": r.SVM, "gp": r.GP, "se": r.SE, "paired": r.Paired, "pair_se": r.PairSE, "ours_s": r.OursS, "theirs_s": r.TheirsS} {
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

// measure runs both sides on all splits of a set.
func (s autoSet) measure(ctx context.Context, peer *Peer, cache *peerCache, peersOnly bool) (autoRow, error) {
	row := autoRow{Set: s.name()}
	d, err := s.read(ctx)
	if err != nil {
		return row, err
	}
	var ours, svm, gp []float64
	maximize := false
	for seed := range uint64(autoSplits) {
		fold, err := s.split(d, seed+1)
		if err != nil {
			return row, err
		}
		train, test := d.Gather(fold.Train), d.Gather(fold.Test)
		in, err := peerInputs(train, test, s.classes)
		if err != nil {
			return row, err
		}
		theirs, err := autoPeer(peer, cache, s.name(), in)
		if err != nil {
			fmt.Fprintf(os.Stderr, "  %s: peer missing: %v\n", s.name(), err)
			theirs = peerScores{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		}
		if peersOnly {
			continue
		}
		start := time.Now()
		r, err := tune.Auto(ctx, train, tune.AutoOptions{Budget: autoBudget, Seed: seed + 1, Holdout: -1, Encoder: autoEncoder(), Task: taskOf(s.classes)})
		if err != nil {
			return row, err
		}
		row.OursS += time.Since(start).Seconds() / autoSplits
		score, err := judged(ctx, r, test)
		if err != nil {
			return row, err
		}
		maximize = r.Metric.Maximize
		row.Metric, row.Dim, row.Train, row.Test = r.Metric.Name, in["x_train"].Cols, len(fold.Train), len(fold.Test)
		row.TheirsS += (theirs.SVMSeconds + max(0, theirs.GPSeconds)) / autoSplits
		row.Chosen = append(row.Chosen, r.Chosen.String())
		ours, svm, gp = append(ours, score), append(svm, theirs.SVM), append(gp, theirs.GP)
	}
	row.Ours, _ = meanSE(ours)
	row.SVM, _ = meanSE(svm)
	row.GP, _ = meanSE(gp)
	best := svm
	if row.GP > row.SVM == maximize && !math.IsNaN(row.GP) && row.GP != row.SVM {
		best = gp
	}
	var theirs float64
	theirs, row.SE = meanSE(best)
	sign := 1.0
	if !maximize {
		sign = -1
	}
	gain := make([]float64, len(ours))
	for i := range gain {
		gain[i] = sign * (ours[i] - best[i])
	}
	row.Paired, row.PairSE = meanSE(gain)
	// A last bit of rounding in the mean of equal scores is not a loss.
	row.Good = sign*(row.Ours-theirs) >= -autoSlack*row.SE-1e-12*math.Abs(theirs)
	return row, nil
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
		in["x_"+name] = array(x.AsDense().Matrix())
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
