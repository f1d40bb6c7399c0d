package cli

import (
	"reflect"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/tune"
)

// mercer fit with no flags is tune.Auto with its defaults: the table of
// bench/run auto is of both. What differs is said here, and none of it chooses a
// model: the report's share of the time, the journal, the seed, and that the policies for
// missing values, scaling and the like are named instead of left to the same defaults.
func TestFitIsAuto(t *testing.T) {
	a := &App{}
	cmd := newFit(a)
	if err := cmd.ParseFlags(nil); err != nil {
		t.Fatal(err)
	}
	o := &fitOptions{}
	// The flags' defaults, as cobra leaves them in the options.
	o.Strategy = cmd.Flag("strategy").DefValue
	for name, into := range map[string]*string{"missing": &o.Encoding.Missing, "unseen": &o.Encoding.Unseen,
		"text": &o.Encoding.Text, "scaling": &o.Encoding.Scaling, "categories": &o.Encoding.Categories} {
		*into = cmd.Flag(name).DefValue
	}
	var err error
	if o.Folds, err = cmd.Flags().GetInt("folds"); err != nil {
		t.Fatal(err)
	}
	o.Holdout, _ = cmd.Flags().GetFloat64("holdout")
	o.OneSE, _ = cmd.Flags().GetBool("one-se")
	o.NoProba, _ = cmd.Flags().GetBool("no-proba")
	o.Time, _ = cmd.Flags().GetDuration("time")
	o.Seed, _ = cmd.Flags().GetUint64("seed")
	d, err := data.Builtin("iris", 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := o.auto(d)
	if err != nil {
		t.Fatal(err)
	}
	if budget, _ := (timePlan{total: o.Time, page: true}).search(time.Time{}); budget != 54*time.Second ||
		got.Holdout != 0.2 || got.Seed != 1 {
		t.Errorf("budget %v, holdout %g, seed %d", budget, got.Holdout, got.Seed)
	}
	fitted, err := data.FitEncoder(d, got.Encoder)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := data.FitEncoder(d, data.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a1, _ := fitted.Transform(d)
	b1, _ := plain.Transform(d)
	if !reflect.DeepEqual(a1.AsDense().RawMatrix(), b1.AsDense().RawMatrix()) {
		t.Error("the columns are encoded differently")
	}
	got.Budget, got.Holdout, got.Seed, got.Encoder = 0, 0, 0, data.EncoderOptions{}
	if !reflect.DeepEqual(got, tune.AutoOptions{}) {
		t.Errorf("more than the budget, the seed and the names of defaults is set: %+v", got)
	}
}
