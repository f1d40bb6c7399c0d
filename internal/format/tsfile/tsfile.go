// Package tsfile reads time series in the text format of the UEA and UCR archives (.ts):
//
//	@dimensions 2
//	@classLabel true up down
//	@data
//	1,2,3:0,0,1:up
//
// A line of data is a case: its channels, each a list of numbers, with colons between them, and its
// class or value at the end.
package tsfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// reader holds what the lines so far have said.
type reader struct {
	name     string
	line     int
	begun    bool // past @data
	labelled bool // each line ends in a class
	valued   bool // each line ends in a number
	channels int
	steps    [][]float64
	labels   []string
}

// Read reads a file as a column series and, where cases have one, a column label; name is how
// messages call the file, and bytes the memory it may take, 0 for half of the machine's.
func Read(src io.Reader, name string, bytes int64) (*data.Dataset, error) {
	left := room.New(name, bytes)
	lines := room.Lines{Src: bufio.NewReaderSize(src, 1<<16)}
	r := &reader{name: name}
	for {
		r.line++
		raw, err := lines.Next(left)
		if err == io.EOF {
			return r.finish()
		}
		if err == nil {
			err = left.Take(8 * int64(len(raw)))
		}
		if large := (*data.Error)(nil); errors.As(err, &large) {
			large.Line = r.line
			return nil, large
		}
		if err != nil {
			return nil, &data.Error{File: name, Line: r.line, Err: err}
		}
		text := strings.TrimSpace(strings.TrimPrefix(string(raw), "\ufeff"))
		switch {
		case text == "" || text[0] == '#' || text[0] == '%':
		case text[0] == '@' && !r.begun:
			err = r.header(text)
		case !r.begun:
			err = r.fault(1, "a line of data before @data", "put @data before the first case")
		default:
			err = r.row(text)
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *reader) fault(column int, reason, advice string) error {
	return &data.Error{File: r.name, Line: r.line, Byte: column, Reason: reason, Advice: advice, Kind: data.ErrSyntax}
}

func (r *reader) header(text string) error {
	words := strings.Fields(strings.ToLower(text))
	yes := len(words) > 1 && words[1] == "true"
	switch words[0] {
	case "@data":
		r.begun = true
	case "@classlabel":
		r.labelled = yes
	case "@targetlabel":
		r.valued = yes
	case "@timestamps":
		if yes {
			return r.fault(1, "steps with time stamps are not read", "write the values alone, one for each step")
		}
	case "@dimensions", "@dimension":
		n := 0
		if len(words) > 1 {
			n, _ = strconv.Atoi(words[1])
		}
		if n < 1 {
			return r.fault(1, "@dimensions is no number of channels", "give 1 or more")
		}
		r.channels = n
	}
	return nil
}

// row reads a case: steps of all channels, one after the other.
func (r *reader) row(text string) error {
	parts := strings.Split(text, ":")
	if r.labelled || r.valued {
		last := strings.TrimSpace(parts[len(parts)-1])
		if len(parts) < 2 || last == "" || last == "?" {
			return r.fault(len(text), "the case has no label", "end each line with :label, or say @classLabel false")
		}
		r.labels = append(r.labels, last)
		parts = parts[:len(parts)-1]
	}
	if r.channels == 0 {
		r.channels = len(parts)
	}
	if len(parts) != r.channels {
		return r.fault(1, fmt.Sprintf("%d channels, where there should be %d", len(parts), r.channels),
			"put a colon between channels and before the label")
	}
	var steps []float64
	length, at := 0, 1
	for c, part := range parts {
		values := strings.Split(part, ",")
		if c == 0 {
			length = len(values)
			steps = make([]float64, length*len(parts))
		}
		if len(values) != length {
			return r.fault(at, fmt.Sprintf("channel %d has %d steps and channel 1 has %d", c+1, len(values), length),
				"give all channels of a case the same number of steps")
		}
		for t, s := range values {
			x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return r.fault(at, fmt.Sprintf("%q is not a number", strings.TrimSpace(s)),
					"series have a finite number at each step; fill in what is missing")
			}
			steps[t*len(parts)+c] = x
			at += len(s) + 1
		}
	}
	r.steps = append(r.steps, steps)
	return nil
}

func (r *reader) finish() (*data.Dataset, error) {
	if len(r.steps) == 0 {
		return nil, &data.Error{File: r.name, Kind: data.ErrNoRows, Reason: "no series",
			Advice: "put a line for each behind @data"}
	}
	series := data.SequenceColumn("series", r.steps)
	series.Channels = r.channels
	d := &data.Dataset{Name: r.name, Columns: []data.Column{series}}
	switch {
	case r.labelled:
		d.Columns = append(d.Columns, data.LevelColumn("label", r.labels))
	case r.valued:
		values := make([]float64, len(r.labels))
		for i, s := range r.labels {
			var err error
			if values[i], err = strconv.ParseFloat(s, 64); err != nil {
				return nil, &data.Error{File: r.name, Kind: data.ErrValue, Value: s,
					Reason: fmt.Sprintf("the target of case %d, %q, is not a number", i+1, s),
					Advice: "say @classLabel true where targets are classes"}
			}
		}
		d.Columns = append(d.Columns, data.NumberColumn("label", values))
	}
	return d, nil
}
