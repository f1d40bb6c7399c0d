package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// studied is a search with the score of every cell on rows it never saw.
type studied struct {
	Set   string        `json:"set"`
	Split uint64        `json:"split"`
	Rows  int           `json:"rows"`
	Dim   int           `json:"dim"`
	Cells []studiedCell `json:"cells"`
	CPU   float64       `json:"seconds"`
}

type studiedCell struct {
	Candidate string       `json:"candidate"`
	Name      string       `json:"name"`
	Seconds   float64      `json:"seconds"`
	Folds     [][3]float64 `json:"folds"` // accuracy, Brier score, log loss; or RMSE, 0, 0
	Test      [3]float64   `json:"test"`
}

// packed is accuracy, Brier score and log loss in one number that orders by accuracy, so that
// one search tells all three of each fold.
func packed() Metric {
	m := Metric{Name: "packed", Maximize: true, NeedsProb: true}
	m.Score = func(p learn.Predictions) float64 {
		b, l := Brier().Score(p), LogLoss().Score(p)
		if math.IsNaN(b) {
			b, l = 9, 9
		}
		return math.Round(Accuracy().Score(p)*1e6)*1e9 + math.Round((1-min(b,
			0.9999)*0.9999)*9999)*1e5 + math.Round((9.9999-min(l, 9.9))*9999)
	}
	return m
}

func unpacked(v float64) [3]float64 {
	a := math.Floor(v / 1e9)
	v -= a * 1e9
	b := math.Floor(v / 1e5)
	return [3]float64{a / 1e6, (1 - b/9999) / 0.9999, 9.9999 - (v-b*1e5)/9999}
}

// TestStudy records searches on development sets (bench/fixtures/autodev.R)
// for the choice of what Auto does: MERCER_STUDY=FOLDER, MERCER_STUDY_OUT=FILE,
// MERCER_STUDY_SPLITS="1 2 3", MERCER_STUDY_SETS=GLOB.
func TestStudy(t *testing.T) {
	folder := os.Getenv("MERCER_STUDY")
	if folder == "" {
		t.Skip("a study, not a test: set MERCER_STUDY to the folder of development sets")
	}
	glob := os.Getenv("MERCER_STUDY_SETS")
	if glob == "" {
		glob = "*"
	}
	done, _ := os.ReadFile(os.Getenv("MERCER_STUDY_OUT"))
	begun := time.Now()
	out, err := os.OpenFile(os.Getenv("MERCER_STUDY_OUT"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	files, _ := filepath.Glob(filepath.Join(folder, glob+".csv"))
	for _, split := range strings.Fields(os.Getenv("MERCER_STUDY_SPLITS")) {
		seed, _ := strconv.ParseUint(split, 10, 64)
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".csv")
			if strings.Contains(string(done), fmt.Sprintf(`{"set":"%s","split":%d,`, name, seed)) ||
				time.Since(begun) > 150*time.Second {
				continue
			}
			s, err := study(file, seed)
			if err != nil {
				fmt.Fprintln(os.Stderr, file, err)
				continue
			}
			b, _ := json.Marshal(s)
			fmt.Fprintf(out, "%s\n", b)
		}
	}
}

func study(file string, seed uint64) (*studied, error) {
	ctx := context.Background()
	begun := time.Now()
	name := strings.TrimSuffix(filepath.Base(file), ".csv")
	d, err := load.Read(ctx, file, load.Options{})
	if err != nil {
		return nil, err
	}
	d.Target = d.Columns[len(d.Columns)-1].Name
	task := data.Regression
	most := 300
	if rows, err := strconv.Atoi(os.Getenv("MERCER_STUDY_ROWS")); err == nil {
		most = rows
	}
	share := 1 - float64(min(most, d.Len()*8/10))/float64(d.Len())
	fold, err := data.Holdout(d.Len(), share, seed)
	if strings.HasPrefix(name, "c_") {
		c, _ := d.Column(d.Target)
		as, bad := c.As(data.Categorical)
		if bad != nil {
			return nil, bad
		}
		*c = as
		codes := make([]int, d.Len())
		for i, v := range as.Codes {
			codes[i] = int(v)
		}
		if task = data.Multiclass; len(as.Levels) == 2 {
			task = data.Binary
		}
		fold, err = data.StratifiedHoldout(codes, share, seed)
	}
	if err != nil {
		return nil, err
	}
	if rng := rand.New(rand.NewPCG(seed, 5)); len(fold.Test) > 300 {
		rng.Shuffle(len(fold.Test), func(i, j int) { fold.Test[i], fold.Test[j] = fold.Test[j], fold.Test[i] })
		fold.Test = fold.Test[:300]
	}
	train := d.Gather(fold.Train)
	enc, err := data.FitEncoder(train, data.EncoderOptions{Task: task, Unseen: "zero"})
	if err != nil {
		return nil, err
	}
	x, err := enc.TransformLabelled(train)
	if err != nil {
		return nil, err
	}
	y, err := enc.TransformLabelled(d.Gather(fold.Test))
	if err != nil {
		return nil, err
	}
	p := learn.Problem[any]{Points: data.Erase(x.Dense), Task: task, Y: x.Target}
	if task.Classification() {
		p.Classes = enc.Target.Classes
	}
	r := &AutoResult{Task: task}
	o := AutoOptions{Seed: seed, Budget: time.Hour}
	candidates, err := autoCandidates(r, p, lifted, o, nil)
	if err != nil {
		return nil, err
	}
	protocol := Protocol{Folds: 5, Seed: seed, Repeats: 3}
	if k := smallestClass(p); k > 0 {
		protocol.Folds = max(2, min(5, k))
	}
	s := Search{Problem: p, Candidates: candidates, Protocol: protocol, Strategy: Grid{Refine: 2}, Seed: seed,
		Tol: 1e-3 * p.Deviation(), NoModel: true}
	decode := func(v float64) [3]float64 { return [3]float64{v} }
	if task.Classification() {
		s.Metric, decode = packed(), unpacked
	}
	res, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	// The same cells on all rows to fit on, judged by rows none of them saw.
	var rows data.Slice[kernel.Vec]
	for i := range x.Dense.Len() {
		rows = append(rows, x.Dense.At(i))
	}
	test := data.Fold{}
	for i := range y.Dense.Len() {
		test.Test = append(test.Test, len(rows))
		rows = append(rows, y.Dense.At(i))
	}
	for i := range x.Dense.Len() {
		test.Train = append(test.Train, i)
	}
	all := s
	all.Problem.Points, all.Problem.Y, all.Folds = data.Erase(rows),
		append(append([]float64(nil), x.Target...), y.Target...), []data.Fold{test}
	e, err := all.engine()
	if err != nil {
		return nil, err
	}
	var trials []trial
	for _, c := range res.Cells {
		trials = append(trials, trial{c.Candidate, c.theta})
	}
	if err := e.evaluate(ctx, trials); err != nil {
		return nil, err
	}
	out := &studied{Set: name, Split: seed, Rows: p.Len(), Dim: enc.Dim}
	for _, c := range res.Cells {
		judged := e.cells[key(c.Candidate, c.theta)]
		if !c.complete() || judged == nil || !judged.complete() {
			continue
		}
		cell := studiedCell{Candidate: c.Label, Name: c.String(), Seconds: c.Seconds, Test: decode(judged.Scores[0])}
		for _, v := range c.Scores {
			cell.Folds = append(cell.Folds, decode(v))
		}
		out.Cells = append(out.Cells, cell)
	}
	out.CPU = time.Since(begun).Seconds()
	return out, nil
}
