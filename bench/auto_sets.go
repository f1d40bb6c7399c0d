package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
)

// autoSet is a data set of ../shared/data with its task, as its README states it.
type autoSet struct {
	file    string // with more, their rows follow
	more    string
	target  string // empty: the last column
	classes bool
	drop    []string // columns that give the target away, or number the rows
	large   bool     // only where more than autoMany rows are fitted on
	train   int      // rows to fit on; 0: as many as the run asks for, at most 80 %
}

// The same for every set: chosen before the first run.
const (
	autoSplits    = 3   // random splits, by seeds 1, 2, 3
	autoSplitsFew = 10  // where few rows are left to judge by, one of which is worth more than a per cent
	autoFew       = 100 // rows to judge by
	autoTrain     = 300 // most rows to fit on by default
	autoMany      = 10000
	autoTest      = 1000 // most rows to judge by
	autoWords     = 2000 // most words of a text, for both sides
)

// autoSets is every set of ../shared/data with numbers, categories or plain
// text as features and a class or a number as target.
func autoSets() []autoSet {
	class := func(file, target string, drop ...string) autoSet {
		return autoSet{file: file, target: target, classes: true, drop: drop}
	}
	number := func(file, target string, drop ...string) autoSet {
		return autoSet{file: file, target: target, drop: drop}
	}
	series := func(name string, train int) autoSet {
		return autoSet{file: "ucr_" + name + "_train.csv", more: "ucr_" + name + "_test.csv", target: "label", classes: true,
			train: train}
	}
	return []autoSet{
		number("airfoil.csv", ""), number("airquality.csv", "Ozone"), number("abalone.csv", ""), number("autompg.csv", "mpg"),
		number("boston.csv", ""), number("california_housing.csv.gz", ""), number("cars.csv", ""),
		number("co2_mauna_loa.csv", ""),
		number("concrete.csv", ""), number("cpusmall.csv", ""), number("diabetes_sklearn.csv", ""), number("energy.csv", ""),
		number("mcycle.csv", ""), number("powerplant.csv", ""), number("quakes.csv", "mag"), number("yacht.csv", ""),

		class("a1a", ""), class("agaricus_train", ""), class("australian", ""), class("banana.csv", ""),
		class("breast_cancer.csv", ""),
		class("covtype_3v4.csv.gz", ""), class("crabs.csv", "sp", "index"), class("diabetes_scale", ""),
		class("digits8x8.csv", ""),
		class("fourclass_scale", ""), class("heart_scale", ""), class("ionosphere.csv", ""), class("iris.csv", ""),
		class("oilflow_train.csv", "label", "frac1", "frac2"), class("prostate_ge.csv.gz", "label"), class("sonar.csv", ""),
		class("spam.csv", ""),
		class("splice", ""), class("svmguide1", ""), class("svmguide3", ""), class("usps_train.csv.gz", "label"),
		class("w1a", ""), class("wine.csv", ""),
		series("ArrowHead", 36), series("Coffee", 28), series("ECG200", 100), series("GunPoint", 50),
		series("ItalyPowerDemand", 67),
		class("news20_4cat_train.csv.gz", "label"), class("r8_train.csv.gz", "label"), class("reuters40.csv", "label"),
		class("sms_spam.csv", "label"),

		{file: "flights_nyc.csv.gz", target: "air_time", drop: []string{"arr_delay"}, large: true},
		{file: "w8a.gz", classes: true, large: true},
	}
}

// read loads the set, with the kind of its target as the task says and rows
// with missing values left out.
func (s autoSet) read(ctx context.Context) (*data.Dataset, error) {
	kind := data.Numeric
	if s.classes {
		kind = data.Categorical
	}
	var parts []*data.Dataset
	for _, file := range []string{s.file, s.more} {
		if file == "" {
			continue
		}
		path := filepath.Join("..", "..", "shared", "data", file)
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		d, err := load.Read(ctx, path, load.Options{Target: s.target})
		if err != nil {
			return nil, err
		}
		parts = append(parts, d)
	}
	d := parts[0]
	if len(parts) > 1 {
		var err error
		if d, err = data.Concat(parts); err != nil {
			return nil, err
		}
	}
	if d.Target == "" {
		return nil, fmt.Errorf("%s: no target", s.file)
	}
	c, err := d.Column(d.Target)
	if err != nil {
		return nil, err
	}
	as, err := c.As(kind)
	if err != nil {
		return nil, err
	}
	*c = as
	d.Columns = slices.DeleteFunc(d.Columns, func(c data.Column) bool { return slices.Contains(s.drop, c.Name) })
	var whole []int
	for i := range d.Len() {
		if !slices.ContainsFunc(d.Columns, func(c data.Column) bool { return c.IsMissing(i) }) {
			whole = append(whole, i)
		}
	}
	return d.Gather(whole), nil
}

// splits is how many there are of a set of n rows.
func (s autoSet) splits(n int) int {
	if n-s.train < autoFew {
		return autoSplitsFew
	}
	return autoSplits
}

// split is the rows to fit on and to judge by: each class in proportion.
func (s autoSet) split(d *data.Dataset, seed uint64) (data.Fold, error) {
	n := d.Len()
	train := s.train
	share := 1 - float64(train)/float64(n)
	f, err := data.Holdout(n, share, seed)
	if s.classes {
		c, _ := d.Column(d.Target)
		codes := make([]int, n)
		for i, v := range c.Codes {
			codes[i] = int(v)
		}
		f, err = data.StratifiedHoldout(codes, share, seed)
	}
	if err != nil {
		return f, err
	}
	if len(f.Test) > autoTest {
		rng := rand.New(rand.NewPCG(seed, 0x74657374))
		rng.Shuffle(len(f.Test), func(i, j int) { f.Test[i], f.Test[j] = f.Test[j], f.Test[i] })
		f.Test = f.Test[:autoTest]
	}
	return f, nil
}
