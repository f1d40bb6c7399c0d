package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// TestTransformStudy records what transforms of the target are worth on development sets of
// numbers, none of which bench/AUTO.md judges by: MERCER_TRANSFORM_STUDY=FILE,
// MERCER_STUDY_SPLITS="1 2 3", MERCER_STUDY_ROWS=80. A line is ln RMSE on 1,000 rows kept apart by
// transform, and which one the folds choose.
func TestTransformStudy(t *testing.T) {
	file := os.Getenv("MERCER_TRANSFORM_STUDY")
	if file == "" {
		t.Skip("a study, not a test: set MERCER_TRANSFORM_STUDY to the file to write")
	}
	most := 80
	if n, err := strconv.Atoi(os.Getenv("MERCER_STUDY_ROWS")); err == nil {
		most = n
	}
	draw := map[string]func(n int, seed uint64) (*data.Dataset, error){
		"faithful": devFile("faithful.csv", "eruptions"), "sachs": devFile("sachs_cyto.csv", "pjnk"),
		"flights": devFile("flights_nyc.csv.gz", "arr_delay"),
	}
	names := []string{"faithful", "sachs", "flights"}
	for _, s := range devSets() {
		if s.classes == 0 {
			names = append(names, s.name)
			draw[s.name] = func(n int, seed uint64) (*data.Dataset, error) { return s.rows(n, seed), nil }
		}
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for _, split := range strings.Fields(os.Getenv("MERCER_STUDY_SPLITS")) {
		seed, _ := strconv.ParseUint(split, 10, 64)
		for _, name := range names {
			d, err := draw[name](most+1000, seed)
			if err != nil {
				t.Log(name, err)
				continue
			}
			line := map[string]any{"set": name, "seed": seed}
			for _, transform := range Transforms() {
				if line[transform], line["chosen"], err = transformed(t.Context(), d, transform, most, seed); err != nil {
					t.Log(name, transform, err)
					delete(line, transform)
				}
			}
			b, _ := json.Marshal(line)
			fmt.Fprintf(out, "%s\n", b)
		}
	}
}

// transformed is ln RMSE of a search on the first rows, judged by the others, and the map that it
// has.
func transformed(
	ctx context.Context, d *data.Dataset, transform string, most int, seed uint64,
) (float64, string, error) {
	n := min(most, d.Len()*2/3)
	index := make([]int, d.Len())
	for i := range index {
		index[i] = i
	}
	train, test := d.Gather(index[:n]), d.Gather(index[n:])
	r, err := Auto(ctx, train, AutoOptions{Transform: transform, Seed: seed, Holdout: -1, Budget: 10 * time.Minute,
		Learners: []string{"ridge"},
		Encoder:  data.EncoderOptions{Unseen: "zero", Missing: "mean"}})
	if err != nil {
		return 0, "", err
	}
	x, err := r.Encoder.TransformLabelled(test)
	if err != nil {
		return 0, "", err
	}
	p, err := r.Predict(ctx, x)
	if err != nil {
		return 0, "", err
	}
	kind := transformNone
	if r.TargetMap != nil {
		kind = r.TargetMap.Kind
	}
	return math.Log(RMSE().Score(learn.Predictions{Truth: x.Target, Value: p.Value})), kind, nil
}
