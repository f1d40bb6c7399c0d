package forest

import (
	"math"

	"github.com/mercer-ml/mercer/internal/fault"
)

// Splits is how a node is cut in two.
type Splits int

const (
	// BestSplits looks at every threshold of the columns drawn for a node (Breiman 2001).
	BestSplits Splits = iota
	// RandomSplits draws one threshold for each of them, between its least and its largest number
	// in the node, and of categories a part; the best of these cuts is taken (Geurts, Ernst &
	// Wehenkel 2006).
	RandomSplits
)

// Criterion is what a split of classes is to lower.
type Criterion int

const (
	// Gini is 1 - Σ p² over the shares p of the classes.
	Gini Criterion = iota
	// Entropy is -Σ p·log p.
	Entropy
)

// Sampling is the rows that a tree is grown on.
type Sampling int

const (
	// AutoSampling is Bootstrap for BestSplits and AllRows for RandomSplits.
	AutoSampling Sampling = iota
	// Bootstrap draws as many rows as there are, each as likely as its weight says and perhaps more
	// than once. Of rows that weigh the same about e⁻¹ are left out: they judge the tree.
	Bootstrap
	// AllRows grows every tree on all rows.
	AllRows
)

// Growth is how trees are grown by a target: at each node the cut of one column that lowers the
// variance of the targets within the two sides most, or the impurity of their classes. The zero
// value is a random forest as scikit-learn's: 100 trees, grown until a leaf has one target, on
// bootstrap samples.
type Growth struct {
	Trees   int // 0 means 100
	Depth   int // cuts above a leaf, at most; 0: no bound
	Min     int // rows of a leaf, at least; 0 means 1
	Columns int // drawn for each node; 0: all for numbers, for classes the whole part of √d

	Splits    Splits
	Sampling  Sampling
	Criterion Criterion // of classes; numbers have the variance

	// Categories are the columns whose numbers are names: a cut is by a set of them. Of more than
	// 254 in a column the rarest share a place.
	Categories []int
	// Missing says that NaN is a missing value, and not a mistake: it goes to the side of a cut
	// where it lowers the impurity more, and where a node saw none, to the side with more rows.
	Missing bool
	Seed    uint64
}

// Supervised is a forest to be grown by a target.
type Supervised struct {
	Growth
	Weights []float64 // of rows; nil means 1. Rows of weight 0 are not seen
	Threads int       // 0 means GOMAXPROCS; the forest is the same to the bit
}

// withDefaults fills in what was left open, for rows of d columns.
func (s Growth) withDefaults(d int, classes bool) (Growth, error) {
	drawn := d
	if classes {
		drawn = int(math.Sqrt(float64(d)))
	}
	if err := firstError(
		whole("Trees", &s.Trees, 100), whole("Depth", &s.Depth, math.MaxInt32), whole("Min", &s.Min, 1),
		whole("Columns", &s.Columns, drawn),
	); err != nil {
		return s, err
	}
	s.Columns = max(min(s.Columns, d), 1)
	switch {
	case s.Splits != BestSplits && s.Splits != RandomSplits:
		return s, fault.Errorf("forest", "Splits is %d; give BestSplits or RandomSplits", s.Splits)
	case s.Criterion != Gini && s.Criterion != Entropy:
		return s, fault.Errorf("forest", "Criterion is %d; give Gini or Entropy", s.Criterion)
	case s.Sampling < AutoSampling || s.Sampling > AllRows:
		return s, fault.Errorf("forest", "Sampling is %d; give Bootstrap or AllRows", s.Sampling)
	case s.Sampling == AutoSampling && s.Splits == RandomSplits:
		s.Sampling = AllRows
	case s.Sampling == AutoSampling:
		s.Sampling = Bootstrap
	}
	for _, j := range s.Categories {
		if j < 0 || j >= d {
			return s, fault.Errorf("forest", "column %d has categories, and there are %d columns", j, d)
		}
	}
	return s, nil
}

// whole is a field that is at least 1, where 0 stands for a standard value.
func whole(name string, v *int, standard int) error {
	if *v < 0 {
		return fault.Errorf("forest", "%s is %d; give a positive number, or 0 for the standard", name, *v)
	}
	if *v == 0 {
		*v = standard
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
