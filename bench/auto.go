package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/mercer-ml/mercer/data/csvio"
	"github.com/mercer-ml/mercer/tune"
)

// automatic is tune.Auto beside scikit-learn's SVC or SVR (and for regression
// GaussianProcessRegressor) with the customary 10 × 10 grid, on the same rows held
// out. The note has the test scores; a row fails when ours is worse by more than the standard error of the
// difference that the size of the test set allows.
func automatic() []Case {
	var out []Case
	for _, s := range []struct{ file, target string }{
		{"iris.csv", "target"}, {"wine.csv", "target"}, {"breast_cancer.csv", "target"}, {"sonar.csv", "target"}, {"ionosphere.csv", "target"},
		{"diabetes_sklearn.csv", "target"}, {"boston.csv", "medv"}, {"autompg.csv", "mpg"}, {"yacht.csv", ""}, {"energy.csv", ""}, {"concrete.csv", ""}, {"airfoil.csv", "sound_pressure"},
	} {
		out = append(out, autoCase(s.file, s.target))
	}
	return out
}

func autoCase(file, target string) Case {
	return Case{Work: "Auto on " + file, Peer: "grid_search", Prepare: func() Work {
		path := filepath.Join("..", "..", "shared", "data", file)
		if _, err := os.Stat(path); err != nil {
			return Work{Note: "NOT MEASURED: needs " + path, Run: func() {}}
		}
		d, err := csvio.Read(func() (io.ReadCloser, error) { return os.Open(path) }, file, csvio.Options{})
		if err != nil {
			return Work{Note: err.Error(), Run: func() {}}
		}
		if target == "" {
			target = d.Columns[len(d.Columns)-1].Name
		}
		if err := d.SetTarget(target); err != nil {
			return Work{Note: err.Error(), Run: func() {}}
		}
		ask := tune.AutoOptions{Budget: 20 * time.Second, Seed: 1}
		// The split alone, so that the peer gets the same rows; the encoder
		// sees the rows fitted on only.
		var result *tune.AutoResult
		probe := ask
		probe.Budget, probe.Learners = time.Second, []tune.Learner{tune.SVM}
		split, err := tune.Auto(context.Background(), d, probe)
		if err != nil {
			return Work{Note: err.Error(), Run: func() {}}
		}
		w := Work{Inputs: Inputs{}}
		for name, rows := range map[string][]int{"train": split.Split.Train, "test": split.Split.Test} {
			x, err := split.Encoder.TransformLabelled(d.Gather(rows))
			if err != nil {
				return Work{Note: err.Error(), Run: func() {}}
			}
			w.Inputs["x_"+name] = array(x.AsDense().Matrix())
			w.Inputs["y_"+name] = Array{Rows: 1, Cols: len(x.Target), Data: x.Target}
		}
		w.Inputs["classes"] = Array{Rows: 1, Cols: 1, Data: []float64{float64(len(split.Classes))}}
		w.Run = func() {
			if result, err = tune.Auto(context.Background(), d, ask); err != nil {
				panic(err)
			}
		}
		w.Check = func(t Inputs) error {
			ours, theirs := result.Test[0], t["result"].Data[0]
			fmt.Fprintf(os.Stderr, "  %-22s %-9s ours %.4f (%.4f–%.4f)  theirs %.4f  %v\n", file, ours.Metric, ours.Value, ours.Low, ours.High, theirs, result.Chosen)
			worse := ours.Value - theirs
			if result.Metric.Maximize {
				worse = -worse
			}
			if slack := math.Abs(ours.High-ours.Low) / 4; worse > slack {
				return fmt.Errorf("%s %.4f, theirs %.4f", ours.Metric, ours.Value, theirs)
			}
			return nil
		}
		return w
	}}
}
