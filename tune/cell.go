package tune

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/stat/distuv"
)

// Setting is a parameter with its value.
type Setting struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Word  string  `json:"word,omitempty"` // what the value stands for, of a parameter that is one of a few words
}

// Text writes the value: its word, or the number with four digits.
func (s Setting) Text() string {
	if s.Word != "" {
		return s.Word
	}
	return strconv.FormatFloat(s.Value, 'g', 4, 64)
}

// Cell is one thing that was tried: a candidate at one setting of its axes.
type Cell struct {
	Candidate int    `json:"candidate"` // position in Search.Candidates
	Label     string `json:"label"`
	Learner   string `json:"learner"`
	// Kernel is the text of the kernel with the values of the axes (spec.Printed), every bit of them.
	Kernel string `json:"kernel"`
	// Begins says that the learner goes on from that kernel, and finds its parameters by itself.
	Begins bool      `json:"begins,omitempty"`
	Params []Setting `json:"params"` // the axes, kernel parameters first
	// Scores has the metric on each fold; NaN (in JSON null) where it was not defined or the
	// cell was given up before.
	Scores []float64 `json:"-"`
	Mean   float64   `json:"-"` // over the folds
	SE     float64   `json:"-"` // standard error of Mean over the folds
	Low    float64   `json:"-"` // 95 % interval of the mean: Mean ± t·SE
	High   float64   `json:"-"`
	// Second is the mean of Search.Second over the folds, NaN without one.
	Second float64 `json:"-"`
	Fits   int     `json:"fits"`
	// Seconds is the cell's share of the time its group took.
	Seconds float64 `json:"seconds"`
	// GivenUp says that the cell was stopped before its last fold, since it
	// could hardly win any more.
	GivenUp bool   `json:"given_up,omitempty"`
	Failed  string `json:"failed,omitempty"` // why there is no score
	// Warning says what is to be doubted about the scores: a fit that stopped
	// before it reached its tolerance.
	Warning string `json:"warning,omitempty"`

	theta   []float64
	told    bool    // Kernel says all parameters of the kernel
	way     string  // how kernels of columns are put together
	members string  // of a committee: weights and names
	of      string  // hash of its candidate
	resumed bool    // a journal knew it
	left    float64 // what a certificate was left at, 0 when all fits converged
}

// Param is the value of the parameter of that name, NaN when there is none.
func (c Cell) Param(name string) float64 {
	for _, s := range c.Params {
		if s.Name == name {
			return s.Value
		}
	}
	return math.NaN()
}

// String writes the cell as in a table: "svm gaussian(lengthscale=2.1) + linear(), C=4". The kernel
// is its text with four digits of each number. Where it cannot be typed, its parameters follow:
// "svm <mine>, mine.width=2.1, C=4".
func (c Cell) String() string {
	s := c.Learner + " " + spec.Rounded(c.Kernel)
	if c.Candidate == committeeCell {
		s = c.Learner + " " + c.members
	}
	if c.Begins {
		s += " to begin with"
	}
	for _, p := range c.Params {
		if !c.told || !strings.Contains(p.Name, ".") {
			s += ", " + p.Name + "=" + p.Text()
		}
	}
	return s
}

// key names the cell among all cells of a search, exactly.
func key(candidate int, theta []float64) string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(candidate))
	for _, v := range theta {
		b.WriteByte(' ')
		b.WriteString(strconv.FormatFloat(v, 'x', -1, 64))
	}
	return b.String()
}

// summarise computes mean, standard error and interval from the fold scores.
// Folds where the metric is not defined are left out.
func (c *Cell) summarise() {
	var defined []float64
	for _, s := range c.Scores {
		if !math.IsNaN(s) {
			defined = append(defined, s)
		}
	}
	n := float64(len(defined))
	c.Mean, c.SE, c.Low, c.High = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if n == 0 {
		return
	}
	c.Mean = learn.Mean(defined, nil)
	if slices.Min(defined) == slices.Max(defined) {
		c.Mean = defined[0] // rounding is no spread
	}
	if n < 2 {
		return
	}
	for i := range defined {
		defined[i] -= c.Mean
	}
	c.SE = learn.RootMeanSquare(defined, nil) / math.Sqrt(n-1)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	c.Low, c.High = c.Mean-t*c.SE, c.Mean+t*c.SE
}

// complete says whether the cell was judged on all folds.
func (c *Cell) complete() bool { return !c.GivenUp && c.Failed == "" && !math.IsNaN(c.Mean) }
