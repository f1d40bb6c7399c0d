package data

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// maxDim bounds the features of an encoder that comes from a file.
const maxDim = 1 << 26

// Check verifies an encoder that did not come from FitEncoder but from a file:
// after it, Transform cannot fail but with an error.
func (e *Encoder) Check() error {
	if _, err := e.Options.withDefaults(); err != nil {
		return err
	}
	if e.Lags != nil {
		if err := e.Lags.check(); err != nil {
			return err
		}
	}
	if e.Options.Missing == "" || e.Options.Unseen == "" {
		return errors.New("options are missing")
	}
	if e.SparseDim < 0 || e.SparseDim > maxDim {
		return fmt.Errorf("%d sparse features", e.SparseDim)
	}
	scaled := e.SparseDim
	if e.SparseIndex != nil {
		scaled = len(e.SparseIndex)
		for k, j := range e.SparseIndex {
			if j < 0 || int(j) >= e.SparseDim || k > 0 && j <= e.SparseIndex[k-1] {
				return fmt.Errorf("scale %d is of feature %d of %d", k+1, j, e.SparseDim)
			}
		}
	}
	if (e.SparseScale != nil || e.SparseIndex != nil) && len(e.SparseScale) != scaled {
		return fmt.Errorf("%d scales for %d sparse features", len(e.SparseScale), scaled)
	}
	if err := allFinite(e.SparseScale); err != nil {
		return err
	}
	dim := e.SparseDim
	seen := map[string]bool{}
	for i := range e.Columns {
		c := &e.Columns[i]
		if seen[c.Name] {
			return fmt.Errorf("two columns named %q", c.Name)
		}
		seen[c.Name] = true
		if c.Width < 0 || c.Width > maxDim || c.Offset != dim {
			return fmt.Errorf("column %q: %d features from %d, want them from %d", c.Name, c.Width, c.Offset, dim)
		}
		if err := c.check(e.Sparse); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		dim += c.Width
		if c.Indicator {
			dim++
		}
		if dim > maxDim {
			return fmt.Errorf("more than %d features", maxDim)
		}
	}
	if dim != e.Dim {
		return fmt.Errorf("%d features, recorded %d", dim, e.Dim)
	}
	for _, j := range e.Joins {
		if len(j.From) == 0 || j.Name == "" || j.Kind != Sequence && j.Kind != Bag || j.Kind == Bag && j.By == "" {
			return fmt.Errorf("columns joined to %q, a %s, from %d", j.Name, j.Kind, len(j.From))
		}
	}
	if t := e.Target; t != nil {
		if t.Task > Multiclass {
			return fmt.Errorf("unknown task %d", t.Task)
		}
		if k := len(t.Classes); t.Task.Classification() != (k > 0) || k == 1 {
			return fmt.Errorf("%d classes for %v", k, t.Task)
		}
	}
	for i, name := range e.More {
		if e.Target == nil || e.Target.Task != Regression || name == "" || name == e.Target.Name || seen[name] ||
			slices.Contains(e.More[:i], name) {
			return fmt.Errorf("a further target %q", name)
		}
	}
	return nil
}

func (c *ColumnCode) check(sparse bool) error {
	want, fill := 0, true
	switch c.Kind {
	case Numeric:
		want = 1
	case Categorical, Boolean:
		want = len(c.Levels)
		if c.Coded {
			want = 1
		}
	case Time:
		want = len(c.Parts)
		for _, p := range c.Parts {
			switch p {
			case "days", "year sin", "year cos", "week sin", "week cos", "day sin", "day cos":
			default:
				return fmt.Errorf("unknown part %q of a time", p)
			}
		}
	case Text:
		fill = false
		if c.Terms != "" && c.Terms != textPairs && c.Terms != textLetters {
			return fmt.Errorf("unknown terms %q of a text", c.Terms)
		}
		switch {
		case c.Words != nil:
			want = len(c.Words)
			if len(c.Rarity) != want {
				return fmt.Errorf("%d words, %d weights", want, len(c.Rarity))
			}
		case c.Width > 0: // buckets: a power of two
			want = c.Width
			if want&(want-1) != 0 {
				return fmt.Errorf("%d buckets, which is no power of two", want)
			}
		}
		if c.Width > 0 && !sparse {
			return errors.New("words as dense features")
		}
	case Sequence, Bag, Tree, Set, Ranking, Graph, Fuzzy, Histogram, Distribution:
		fill = false
		if c.Scale != nil && len(c.Scale) != c.Channels {
			return fmt.Errorf("%d scales for %d channels", len(c.Scale), c.Channels)
		}
	default:
		return fmt.Errorf("unknown kind %d", c.Kind)
	}
	if c.Width != want {
		return fmt.Errorf("%d features, want %d", c.Width, want)
	}
	if (c.Kind == Numeric || c.Kind == Time) && len(c.Scale) != 1 {
		return fmt.Errorf("%d scales, want 1", len(c.Scale))
	}
	if fill && len(c.Fill) != want {
		return fmt.Errorf("%d values for what is missing, want %d", len(c.Fill), want)
	}
	if c.Indicator && !fill {
		return errors.New("an indicator of missing values where none can be")
	}
	for _, s := range c.Scale {
		if err := allFinite([]float64{s.Center, s.Factor}); err != nil {
			return err
		}
	}
	if n := len(c.Range); n != 0 && (n != 2 || c.Range[0] > c.Range[1]) {
		return fmt.Errorf("a range of %d numbers that do not increase", n)
	}
	return errors.Join(allFinite(c.Fill), allFinite(c.Rarity), allFinite(c.Range))
}

func allFinite(v []float64) error {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("the number %g", x)
		}
	}
	return nil
}
