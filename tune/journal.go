package tune

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/mercer-ml/mercer/kernel"
)

// journalLine is cells that were judged together. Part says on which rows: a
// hash for a round of successive halving, empty for all rows.
type journalLine struct {
	Part  string        `json:"part,omitempty"`
	Cells []journalCell `json:"cells,omitempty"`
	Kept  *keptScores   `json:"kept,omitempty"` // of a model that was written
}

type journalCell struct {
	Candidate int            `json:"candidate"`
	Of        string         `json:"of"`   // which candidate it is: a longer search may have others before it
	Cell      string         `json:"cell"` // for people
	Theta     []float64      `json:"theta"`
	Scores    []journalScore `json:"scores"`
	Second    *journalScore  `json:"second,omitempty"`
	Fits      int            `json:"fits"`
	Seconds   float64        `json:"seconds"`
	GivenUp   bool           `json:"given_up,omitempty"`
	Failed    string         `json:"failed,omitempty"`
	Warning   string         `json:"warning,omitempty"`
}

// journalScore is a number of which JSON loses nothing: NaN is null, infinities
// are text.
type journalScore float64

// MarshalJSON writes the shortest text that reads back to the same bits.
func (s journalScore) MarshalJSON() ([]byte, error) {
	switch v := float64(s); {
	case math.IsNaN(v):
		return []byte("null"), nil
	case math.IsInf(v, 1):
		return []byte(`"+Inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Inf"`), nil
	default:
		return json.Marshal(v)
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *journalScore) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*s = journalScore(math.NaN())
	case `"+Inf"`:
		*s = journalScore(math.Inf(1))
	case `"-Inf"`:
		*s = journalScore(math.Inf(-1))
	default:
		return json.Unmarshal(b, (*float64)(s))
	}
	return nil
}

// append writes cells that were judged together and waits until they are on disk. A journal that
// cannot be written (a full disk) is given up: it is there for the search, not the search for it.
func (j *journal) append(part string, cells []*Cell) {
	if j == nil || j.fault != nil {
		return
	}
	line := journalLine{Part: part}
	for _, c := range cells {
		scores := make([]journalScore, len(c.Scores))
		for f, v := range c.Scores {
			scores[f] = journalScore(v)
		}
		known := journalCell{c.Candidate, c.of, c.String(), c.theta, scores, nil, c.Fits, c.Seconds, c.GivenUp, c.Failed,
			c.Warning}
		if second := journalScore(c.Second); !math.IsNaN(c.Second) {
			known.Second = &second
		}
		line.Cells = append(line.Cells, known)
	}
	j.write(line)
}

// nullable is numbers with nil for those which JSON does not have.
func nullable(v []float64) []*float64 {
	out := make([]*float64, len(v))
	for i := range v {
		if !math.IsNaN(v[i]) && !math.IsInf(v[i], 0) {
			out[i] = &v[i]
		}
	}
	return out
}

// adopt takes over the cells of a journal that are of this engine's rows. They count from when they
// are asked for: a journal may be of the same search over other values.
func (e *engine) adopt(lines []journalLine) {
	e.lines = lines
	places := map[string]int{}
	for i := len(e.spaces) - 1; i >= 0; i-- {
		places[e.spaces[i].id] = i
	}
	for _, l := range lines {
		if l.Part != e.part {
			continue
		}
		for _, known := range l.Cells {
			place, met := places[known.Of]
			if known.Candidate = place; !met || len(known.Theta) != len(e.spaces[known.Candidate].axes) ||
				len(known.Scores) != len(e.folds) {
				continue
			}
			c := e.newCell(trial{known.Candidate, known.Theta})
			for f, v := range known.Scores {
				c.Scores[f] = float64(v)
			}
			if known.Second != nil {
				c.Second = float64(*known.Second)
			}
			c.Fits, c.Seconds, c.GivenUp, c.Failed, c.Warning = known.Fits, known.Seconds, known.GivenUp, known.Failed,
				known.Warning
			c.summarise()
			c.resumed = true
			if id := key(c.Candidate, c.theta); e.cells[id] == nil {
				e.cells[id] = c
			}
		}
	}
}

// hash tells a candidate from others.
func (s *space) hash() string {
	h := sha256.New()
	s.identify(h)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func (s *space) identify(h io.Writer) {
	fmt.Fprintln(h, s.Learner, s.name(), s.NoIntercept, s.kernelParams, fmt.Sprintf("%T", kernel.Concrete(s.Kernel)),
		s.entry.Options, s.hold)
	for _, a := range s.axes {
		fmt.Fprintln(h, a.Name)
	}
}

// fingerprint is a hash of all that scores depend on.
func (e *engine) fingerprint() string {
	h := sha256.New()
	e.identify(h)
	for _, s := range e.spaces {
		s.identify(h)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// judgedBy is a hash of the rows, folds and measure that scores are by, whatever the candidates.
func (e *engine) judgedBy() string {
	h := sha256.New()
	e.identify(h)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func (e *engine) identify(h io.Writer) {
	fmt.Fprintln(h, e.p.Task, e.p.ClassCount(), e.p.Positive, e.metric.Name, e.second.Name, e.tol, e.race, len(e.folds))
	for i := range e.p.Len() {
		fmt.Fprintln(h, any(e.p.Points.At(i)))
	}
	fmt.Fprintln(h, e.p.Y, e.p.Weights, e.p.ClassWeights, e.p.Groups)
	if e.p.Noise != nil {
		fmt.Fprintln(h, "noise", e.p.Noise)
	}
	if e.p.More != nil {
		fmt.Fprintln(h, e.p.More)
	}
	if e.p.Outputs != nil {
		fmt.Fprintln(h, "outputs", e.p.Outputs.RawSymmetric().Data)
	}
	for _, f := range e.folds {
		fmt.Fprintln(h, f.Train, f.Test)
	}
}
