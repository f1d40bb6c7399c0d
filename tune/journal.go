package tune

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/mercer-ml/mercer/internal/fault"
)

// journal is a file of JSON lines to which every judged group of cells is
// appended and synced, so that an interrupted search continues where it
// stopped. The first line names the search by a hash of all that its scores depend on.
//
// A line is written whole or, when a crash cuts it off, dropped whole. What it
// holds is a unit of work: solutions on the path of a support vector machine
// start from the ones before, so a resumed search repeats a path from its beginning
// and gets the bits that it would have got without the interruption.
type journal struct{ file *os.File }

type journalHead struct {
	Journal string `json:"journal"`
	Search  string `json:"search"`
	Metric  string `json:"metric"`
}

const journalVersion = "mercer tune 4"

// journalLine is cells that were judged together. Part says on which rows: a
// hash for a round of successive halving, empty for all rows.
type journalLine struct {
	Part  string        `json:"part,omitempty"`
	Cells []journalCell `json:"cells"`
}

type journalCell struct {
	Candidate int            `json:"candidate"`
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

// ErrOtherSearch is the error of a journal that cannot be gone on with: it is of other work.
var ErrOtherSearch = errors.New("it belongs to another search (other data, folds, metric or candidates); give another file or remove it")

// openJournal opens or creates the journal of a search and returns what is in
// it. A last line that was cut off by a crash is dropped.
func openJournal(path, search, metric string) (*journal, []journalLine, error) {
	if path == "" {
		return nil, nil, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, fault.Errorf("tune", "journal: %w", err)
	}
	lines, keep, err := readJournal(f, search)
	if err == nil {
		if err = f.Truncate(keep); err == nil {
			_, err = f.Seek(keep, io.SeekStart)
		}
	}
	j := &journal{f}
	if err == nil && keep == 0 {
		err = j.write(journalHead{journalVersion, search, metric})
	}
	if err != nil {
		f.Close()
		return nil, nil, fault.Errorf("tune", "journal %s: %w", path, err)
	}
	return j, lines, nil
}

func readJournal(f io.Reader, search string) (lines []journalLine, keep int64, err error) {
	r := bufio.NewReader(f)
	for number := 1; ; number++ {
		text, err := r.ReadBytes('\n')
		if err == io.EOF {
			return lines, keep, nil // what follows the last newline was cut off
		}
		if err != nil {
			return nil, 0, err
		}
		if number == 1 {
			var h journalHead
			if json.Unmarshal(text, &h) != nil || h.Journal != journalVersion {
				return nil, 0, fmt.Errorf("line 1 is not the head of a journal of this version; give another file")
			}
			if h.Search != search {
				return nil, 0, ErrOtherSearch
			}
		} else {
			var l journalLine
			if err := json.Unmarshal(text, &l); err != nil {
				return nil, 0, fmt.Errorf("line %d: %w", number, err)
			}
			lines = append(lines, l)
		}
		keep += int64(len(text))
	}
}

func (j *journal) write(line any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(line); err != nil {
		return err
	}
	if _, err := j.file.Write(b.Bytes()); err != nil {
		return err
	}
	return j.file.Sync()
}

// append writes cells that were judged together and waits until they are on disk.
func (j *journal) append(part string, cells []*Cell) error {
	if j == nil {
		return nil
	}
	line := journalLine{Part: part}
	for _, c := range cells {
		scores := make([]journalScore, len(c.Scores))
		for f, v := range c.Scores {
			scores[f] = journalScore(v)
		}
		known := journalCell{c.Candidate, c.String(), c.theta, scores, nil, c.Fits, c.Seconds, c.GivenUp, c.Failed, c.Warning}
		if second := journalScore(c.Second); !math.IsNaN(c.Second) {
			known.Second = &second
		}
		line.Cells = append(line.Cells, known)
	}
	if err := j.write(line); err != nil {
		return fault.Errorf("tune", "journal: %w", err)
	}
	return nil
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

func (j *journal) close() {
	if j != nil {
		j.file.Close()
	}
}

// adopt takes over the cells of a journal that are of this engine's rows.
func (e *engine[T]) adopt(lines []journalLine) {
	e.lines = lines
	for _, l := range lines {
		if l.Part != e.part {
			continue
		}
		for _, known := range l.Cells {
			if known.Candidate < 0 || known.Candidate >= len(e.spaces) || len(known.Theta) != len(e.spaces[known.Candidate].axes) || len(known.Scores) != len(e.folds) {
				continue
			}
			c := e.newCell(trial{known.Candidate, known.Theta})
			for f, v := range known.Scores {
				c.Scores[f] = float64(v)
			}
			if known.Second != nil {
				c.Second = float64(*known.Second)
			}
			c.Fits, c.Seconds, c.GivenUp, c.Failed, c.Warning = known.Fits, known.Seconds, known.GivenUp, known.Failed, known.Warning
			c.summarise()
			id := key(c.Candidate, c.theta)
			if e.cells[id] == nil {
				e.cells[id] = c
				e.root().resumed++
				e.root().fits += c.Fits
				e.leads(c)
			}
		}
	}
}

// fingerprint is a hash of all that scores depend on.
func (e *engine[T]) fingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, e.p.Task, e.p.ClassCount(), e.p.Positive, e.metric.Name, e.second.Name, e.tol, e.race, len(e.folds))
	for i := range e.p.Len() {
		fmt.Fprintln(h, any(e.p.Points.At(i)))
	}
	fmt.Fprintln(h, e.p.Y, e.p.Weights, e.p.Groups)
	for _, f := range e.folds {
		fmt.Fprintln(h, f.Train, f.Test)
	}
	for _, s := range e.spaces {
		fmt.Fprintln(h, s.Learner, s.name(), s.NoIntercept, s.kernelParams, fmt.Sprintf("%T", s.Kernel), s.entry.Options)
		for _, a := range s.axes {
			fmt.Fprintln(h, a.Name)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
