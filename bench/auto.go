package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/tune"
)

// The rule: on each set the peer is the best of autoPeers by its mean score over the splits, chosen
// after the fact; tune.Auto is as good when its mean is no worse than the peer's by more than half a
// standard error of the peer's mean over the splits.
const autoSlack = 0.5

// autoBudget is the time each call of Auto may take: the default, as of mercer fit.
const autoBudget = time.Minute

// autoRun is how the table is made.
type autoRun struct {
	only     string // sets whose name contains this
	asJSON   bool
	job      string // "set/split": only this one, into out/; nothing is printed
	resume   bool   // our own results as well, where an earlier run left them
	rows     int    // most to fit on
	splits   int    // of each set; 0: as many as the protocol has
	parallel int    // splits side by side, each in a process of its own with GOMAXPROCS threads
	budget   time.Duration
	best     tune.Best // what Auto may choose
}

// autoRow is one line of the table.
type autoRow struct {
	Set      string             `json:"set"`
	Splits   int                `json:"splits"`
	Train    int                `json:"train"`
	Test     int                `json:"test"`
	Dim      int                `json:"d"`
	Metric   string             `json:"metric"`
	Maximize bool               `json:"maximize"`
	Ours     float64            `json:"ours"`
	Peers    map[string]float64 `json:"peers"`     // their means, of those that were run
	Best     string             `json:"best"`      // of the peers
	SE       float64            `json:"se"`        // of its mean over the splits
	Paired   float64            `json:"paired"`    // our mean advantage over it, split by split
	PairSE   float64            `json:"paired_se"` // and its standard error
	Over     map[string]float64 `json:"over"`      // our mean advantage in accuracy, or in the logarithm of the error
	Seconds  float64            `json:"ours_s"`    // a split, by the clock
	CPU      float64            `json:"ours_cpu_s"`
	Most     float64            `json:"most_s"` // of the longest
	Times    map[string]float64 `json:"peers_s"`
	Good     bool               `json:"as_good"`
	Chosen   []string           `json:"chosen"`
}

// automatic prints tune.Auto beside scikit-learn on the same splits of every set; it says whether
// Auto was as good on all of them.
func automatic(w io.Writer, run autoRun) bool {
	ctx := context.Background()
	if run.job != "" {
		if err := run.oneJob(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return false
		}
		return true
	}
	sets, good := run.sets(ctx, w)
	if run.parallel > 1 {
		run.sideBySide(sets)
		run.resume = true // what they left
	}
	peer := StartPeer("auto")
	defer peer.Stop()
	if !run.asJSON {
		run.printHead(w)
	}
	var rows []autoRow
	for _, s := range sets {
		row, err := s.measure(ctx, peer, run)
		if err != nil {
			fmt.Fprintf(w, "%-22s NOT MEASURED: %v\n", s.name(), err)
			good = false
			continue
		}
		rows = append(rows, row)
		if run.asJSON {
			b, _ := json.Marshal(row)
			fmt.Fprintf(w, "%s\n", b)
			continue
		}
		row.print(w)
	}
	if !run.asJSON {
		summary(w, rows, run)
	}
	return good && tally(rows, func(r autoRow) bool { return !r.Good }) == 0
}

// readSet is a set with its rows.
type readSet struct {
	autoSet
	rows   *data.Dataset
	splits int
}

// sets are those that are asked for and have so many rows.
func (run autoRun) sets(ctx context.Context, w io.Writer) (out []readSet, good bool) {
	good = true
	for _, s := range autoSets() {
		if !strings.Contains(s.file, run.only) || s.large && run.rows <= autoMany {
			continue
		}
		d, err := s.read(ctx)
		if err != nil {
			fmt.Fprintf(w, "%-22s NOT MEASURED: %v\n", s.name(), err)
			good = false
			continue
		}
		if run.rows > autoTrain && (s.train > 0 || d.Len()*8/10 < run.rows) {
			continue // it is in the table of fewer rows
		}
		if s.train == 0 {
			s.train = min(run.rows, d.Len()*8/10)
		}
		splits := run.splits
		if splits == 0 {
			splits = s.splits(d.Len())
		}
		out = append(out, readSet{s, d, splits})
	}
	return out, good
}

// sideBySide fills out/ by processes for a split each: threads and processor seconds of one are no
// part of another's.
func (run autoRun) sideBySide(sets []readSet) {
	jobs := make(chan string)
	var crew sync.WaitGroup
	for range run.parallel {
		crew.Go(func() {
			for job := range jobs {
				start := time.Now()
				args := []string{"auto", "--job", job, "--rows", fmt.Sprint(run.rows), "--budget", run.budget.String(), "--best",
					run.bestName()}
				if run.resume {
					args = append(args, "--resume")
				}
				said, err := exec.Command(os.Args[0], args...).CombinedOutput()
				if err != nil {
					fmt.Fprintf(os.Stderr, "%s: %v: %s\n", job, err, said)
					continue
				}
				fmt.Fprintf(os.Stderr, "%s: %.0f s\n", job, time.Since(start).Seconds())
			}
		})
	}
	most := 0
	for _, s := range sets {
		most = max(most, s.splits)
	}
	for i := range most { // first splits first: a run that is cut short has something of every set
		for _, s := range sets {
			if i < s.splits {
				jobs <- fmt.Sprintf("%s/%d", s.name(), i+1)
			}
		}
	}
	close(jobs)
	crew.Wait()
}

// oneJob is both sides of one split of one set.
func (run autoRun) oneJob(ctx context.Context) error {
	var i int
	name, number, _ := strings.Cut(run.job, "/")
	if _, err := fmt.Sscan(number, &i); err != nil {
		return fmt.Errorf("--job %q: not set/split", run.job)
	}
	sets, _ := run.sets(ctx, os.Stderr)
	at := slices.IndexFunc(sets, func(s readSet) bool { return s.name() == name })
	if at < 0 {
		return fmt.Errorf("--job %q: there is no such set", run.job)
	}
	peer := StartPeer("auto")
	defer peer.Stop()
	if _, err := sets[at].ourSplit(ctx, i-1, run); err != nil {
		return err
	}
	_, _, err := sets[at].theirSplit(peer, i-1)
	return err
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

func (s autoSet) name() string {
	name := strings.TrimSuffix(strings.TrimSuffix(s.file, ".gz"), ".csv")
	return strings.TrimSuffix(name, "_train")
}

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
func (s readSet) measure(ctx context.Context, peer *Peer, run autoRun) (autoRow, error) {
	row := autoRow{Set: s.name(), Splits: s.splits, Times: map[string]float64{}}
	var ours []float64
	theirs := map[string][]float64{}
	for i := range s.splits {
		scores, dim, err := s.theirSplit(peer, i)
		if err != nil {
			return row, err
		}
		for _, name := range autoPeers {
			if v, ran := scores[name]; ran {
				theirs[name] = append(theirs[name], v.Score)
				row.Times[name] += v.Seconds / float64(s.splits)
			}
		}
		got, err := s.ourSplit(ctx, i, run)
		if err != nil {
			return row, err
		}
		row.Metric, row.Maximize, row.Train, row.Test, row.Dim = got.Metric, got.Maximize, got.Train, got.Test, dim
		row.Seconds += got.Seconds / float64(s.splits)
		row.CPU += got.CPU / float64(s.splits)
		row.Most = max(row.Most, got.Seconds)
		row.Chosen = append(row.Chosen, got.Chosen)
		ours = append(ours, got.Score)
	}
	row.judge(ours, theirs)
	return row, nil
}

// judge compares scores on the same splits.
func (r *autoRow) judge(ours []float64, theirs map[string][]float64) {
	sign := -1.0
	if r.Maximize {
		sign = 1
	}
	r.Ours, _ = meanSE(ours)
	r.Peers, r.Over = map[string]float64{}, map[string]float64{}
	lead := math.Inf(-1)
	for _, name := range autoPeers {
		scores := theirs[name]
		if len(scores) < len(ours) {
			continue
		}
		mean, se := meanSE(scores)
		r.Peers[name], r.Over[name] = mean, gains(ours, scores, r.Maximize)
		if sign*mean > lead {
			lead, r.Best, r.SE = sign*mean, name, se
		}
	}
	gain := make([]float64, len(ours))
	for i := range gain {
		gain[i] = sign * (ours[i] - theirs[r.Best][i])
	}
	r.Paired, r.PairSE = meanSE(gain)
	// A last bit of rounding in the mean of equal scores is not a loss.
	r.Good = r.Paired >= -autoSlack*r.SE-1e-12*math.Abs(lead)
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

// ourSplit is Auto on a split, or what it reached in a run before.
func (s readSet) ourSplit(ctx context.Context, i int, run autoRun) (got oneSplit, err error) {
	file := fmt.Sprintf("out/auto-ours/%d/%s-%d.json", run.rows, s.name(), i+1)
	if run.best != tune.BestOne {
		file = fmt.Sprintf("out/auto-ours/%d/%s-%d-%s.json", run.rows, s.name(), i+1, run.bestName())
	}
	if b, err := os.ReadFile(file); run.resume && err == nil && json.Unmarshal(b, &got) == nil {
		return got, nil
	}
	train, test, err := s.parts(i)
	if err != nil {
		return got, err
	}
	start, used := time.Now(), processorSeconds()
	r, err := tune.Auto(ctx, train, tune.AutoOptions{Budget: run.budget, Seed: uint64(i) + 1, Holdout: -1,
		Encoder: autoEncoder(), Task: taskOf(s.classes), Best: run.best})
	if err != nil {
		return got, err
	}
	metric := tune.RMSE()
	if s.classes { // where one class is rare, the search has another
		metric = tune.Accuracy()
	}
	got = oneSplit{Seconds: time.Since(start).Seconds(), CPU: processorSeconds() - used, Metric: metric.Name,
		Chosen: r.Chosen.String(), Maximize: metric.Maximize, Train: train.Len(), Test: test.Len()}
	if got.Score, err = judged(ctx, r, metric, test); err != nil {
		return got, err
	}
	return got, writeWhole(file, got)
}

// parts is the rows to fit on and to judge by, of the split with number i.
func (s readSet) parts(i int) (train, test *data.Dataset, err error) {
	fold, err := s.split(s.rows, uint64(i)+1)
	if err != nil {
		return nil, nil, err
	}
	return s.rows.Gather(fold.Train), s.rows.Gather(fold.Test), nil
}

// judged is a metric of the model on rows that Auto never saw.
func judged(ctx context.Context, r *tune.AutoResult, metric tune.Metric, test *data.Dataset) (float64, error) {
	x, err := r.Encoder.TransformLabelled(test)
	if err != nil {
		return 0, err
	}
	p, err := r.Predict(ctx, x)
	if err != nil {
		return 0, err
	}
	p.Truth, p.Classes = x.Target, len(r.Classes)
	return metric.Score(p), nil
}

// meanSE is the mean with its standard error, 0 of one number.
func meanSE(v []float64) (mean, se float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	if len(v) < 2 {
		return mean, 0
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
