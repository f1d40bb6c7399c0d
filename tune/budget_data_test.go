package tune

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/datatest"
)

// The budget of Auto on real sets, small, medium and large, dense, sparse and
// text: the clock, and the time that the result reports, are within 10 % of it, with no
// allowance. It measures, so it wants the machine to itself: MERCER_TIMING=1 asks for it.
func TestAutoBudgetOnData(t *testing.T) {
	if os.Getenv("MERCER_TIMING") == "" {
		t.Skip("a measurement: set MERCER_TIMING=1 on a machine with nothing else to do")
	}
	sets := []struct {
		file, target string
		drop         string
	}{
		{file: "wine.csv"}, {file: "concrete.csv"}, {file: "news20_4cat_train.csv.gz", target: "label"},
		{file: "musk2.csv.gz", target: "label", drop: "bag"}, {file: "california_housing.csv.gz"}, {file: "a9a.gz"},
	}
	for _, budget := range []time.Duration{2 * time.Second, 5 * time.Second, 20 * time.Second, time.Minute} {
		for _, s := range sets {
			t.Run(fmt.Sprintf("%v/%s", budget, s.file), func(t *testing.T) {
				file := datatest.Path(t, s.file)
				d, err := load.Read(context.Background(), file, load.Options{Target: s.target})
				if err != nil {
					t.Fatal(err)
				}
				var columns []data.Column
				for _, c := range d.Columns {
					if c.Name != s.drop {
						columns = append(columns, c)
					}
				}
				d.Columns = columns
				start := time.Now()
				r, err := Auto(context.Background(), d, AutoOptions{Budget: budget, Seed: 1,
					Encoder: data.EncoderOptions{Missing: "drop"}})
				took := time.Since(start)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%.2f s of %v, %d cells, %v on %d of %d rows, %s %.4g", took.Seconds(), budget, len(r.Cells), r.Chosen,
					r.Rows(), len(r.Split.Train), r.Metric.Name, r.Test[0].Value)
				if took > budget*11/10 {
					t.Errorf("took %v of %v", took, budget)
				}
				if math.Abs(r.Elapsed.Seconds()-took.Seconds()) > 0.01*budget.Seconds() {
					t.Errorf("reports %v, took %v", r.Elapsed, took)
				}
			})
		}
	}
}
