package tune

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
)

// journal is a file of JSON lines to which every judged cell is appended and
// synced, so that an interrupted search continues where it stopped. The first
// line names the search by a hash of all that its scores depend on.
type journal struct{ file *os.File }

type journalHead struct {
	Journal string `json:"journal"`
	Search  string `json:"search"`
	Metric  string `json:"metric"`
}

const journalVersion = "mercer tune 1"

type journalLine struct {
	Cell
	Theta  []float64 `json:"theta"`
	Scores []*float64
}

// openJournal opens or creates the journal of a search and returns the cells
// in it. A last line that was cut off by a crash is dropped.
func openJournal(path, search, metric string) (*journal, []*Cell, error) {
	if path == "" {
		return nil, nil, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, fmt.Errorf("tune: journal: %w", err)
	}
	cells, keep, err := readJournal(f, search)
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
		return nil, nil, fmt.Errorf("tune: journal %s: %w", path, err)
	}
	return j, cells, nil
}

func readJournal(f io.Reader, search string) (cells []*Cell, keep int64, err error) {
	r := bufio.NewReader(f)
	for number := 1; ; number++ {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return cells, keep, nil // what follows the last newline was cut off
		}
		if err != nil {
			return nil, 0, err
		}
		if number == 1 {
			var h journalHead
			if json.Unmarshal(line, &h) != nil || h.Journal != journalVersion {
				return nil, 0, fmt.Errorf("line 1 is not the head of a journal; give another file")
			}
			if h.Search != search {
				return nil, 0, fmt.Errorf("it belongs to another search (other data, folds, metric or candidates); give another file or remove it")
			}
			keep += int64(len(line))
			continue
		}
		var l journalLine
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", number, err)
		}
		c := l.Cell
		c.theta = l.Theta
		for _, s := range l.Scores {
			if s == nil {
				c.Scores = append(c.Scores, math.NaN())
			} else {
				c.Scores = append(c.Scores, *s)
			}
		}
		c.summarise()
		cells = append(cells, &c)
		keep += int64(len(line))
	}
}

func (j *journal) write(lines ...any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	if _, err := j.file.Write(b.Bytes()); err != nil {
		return err
	}
	return j.file.Sync()
}

// append writes cells and waits until they are on disk.
func (j *journal) append(cells []*Cell) error {
	if j == nil {
		return nil
	}
	var lines []any
	for _, c := range cells {
		lines = append(lines, journalLine{*c, c.theta, nullable(c.Scores)})
	}
	if err := j.write(lines...); err != nil {
		return fmt.Errorf("tune: journal: %w", err)
	}
	return nil
}

// nullable is numbers with nil for NaN, which JSON does not have.
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

// fingerprint is a hash of all that scores depend on.
func (e *engine[T]) fingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, e.p.Task, e.p.classes(), e.metric.Name, e.tol, e.race, len(e.folds))
	for i := range e.p.Len() {
		fmt.Fprintln(h, any(e.p.Points.At(i)))
	}
	fmt.Fprintln(h, e.p.Y, e.p.Weights, e.p.Groups)
	for _, f := range e.folds {
		fmt.Fprintln(h, f.Train, f.Test)
	}
	for _, s := range e.spaces {
		fmt.Fprintln(h, s.Learner, s.name(), s.NoIntercept, s.kernelParams, fmt.Sprintf("%T", s.Kernel))
		for _, a := range s.axes {
			fmt.Fprintln(h, a.Name)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
