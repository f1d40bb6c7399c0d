package data

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Concat joins chunks of rows with the same columns into one data set, and
// empties the chunks as it goes, so that no more than a column for each core is held twice.
// Where one chunk has categories and another text, the whole is text; where
// one has numbers and another strings, the whole is strings.
func Concat(chunks []*Dataset) (*Dataset, error) {
	if len(chunks) == 0 {
		return &Dataset{}, nil
	}
	first := chunks[0]
	out := *first
	out.Columns = make([]Column, len(first.Columns))
	for _, c := range chunks {
		if len(c.Columns) != len(first.Columns) || (c.Sparse == nil) != (first.Sparse == nil) {
			return nil, first.fault(Error{Reason: "chunks of rows with different columns", Kind: ErrNoColumn})
		}
	}
	for j := range out.Columns {
		for _, c := range chunks {
			if c.Columns[j].Name != first.Columns[j].Name {
				return nil, first.fault(Error{Column: first.Columns[j].Name, Kind: ErrNoColumn,
					Reason: fmt.Sprintf("column %d is %q in one chunk of rows and %q in another", j+1, first.Columns[j].Name,
						c.Columns[j].Name)})
			}
		}
	}
	for _, c := range chunks[1:] {
		c.nameGaps(first.Name)
	}
	par.For(0, len(out.Columns), 1, func(lo, hi int) {
		parts := make([]*Column, len(chunks))
		for j := lo; j < hi; j++ {
			for i, c := range chunks {
				parts[i] = &c.Columns[j]
			}
			out.Columns[j] = joinColumns(parts)
			for _, p := range parts {
				*p = Column{Name: p.Name}
			}
		}
	})
	if first.Sparse != nil {
		m := &CSR{Ptr: []int{0}}
		for _, c := range chunks {
			s := c.Sparse.CSR()
			m.Rows += s.Rows
			m.Cols = max(m.Cols, s.Cols)
			base := len(m.Value)
			for _, p := range s.Ptr[1:] {
				m.Ptr = append(m.Ptr, base+p)
			}
			m.Index = append(m.Index, s.Index...)
			m.Value = append(m.Value, s.Value...)
			c.Sparse = nil
		}
		s := Sparse(m)
		out.Sparse = &s
	}
	return &out, nil
}

// nameGaps puts the data set's own name to the missing values that are known by their line, where
// the whole has another.
func (d *Dataset) nameGaps(whole string) {
	for j := range d.Columns {
		if c := &d.Columns[j]; c.Gap != nil && d.Name != whole {
			c.Gap = &Gap{File: d.label(), Line: c.Gap.Line, Value: c.Gap.Value}
		}
	}
}

func joinColumns(parts []*Column) Column {
	out := Column{Name: parts[0].Name, Kind: parts[0].Kind, Channels: parts[0].Channels, Notation: parts[0].Notation}
	rows := 0
	for _, p := range parts {
		rows += p.Len()
		if p.Kind != out.Kind || p.Channels != out.Channels {
			out.Kind, out.Channels = Text, 0
		}
		if out.Gap == nil {
			out.Gap = p.Gap
		}
	}
	switch out.Kind {
	case Numeric:
		out.Numbers = make([]float64, 0, rows)
		for _, p := range parts {
			for i, digits := range p.Digits {
				out.keepDigits(len(out.Numbers)+i, digits)
			}
			out.Numbers = append(out.Numbers, p.Numbers...)
			p.Numbers = nil
		}
	case Boolean:
		out.joinTruth(parts, rows)
	case Categorical:
		out.Codes = make([]int32, 0, rows)
		code := map[string]int32{}
		var place []int32
		for _, p := range parts {
			place = place[:0]
			for _, l := range p.Levels {
				k, ok := code[l]
				if !ok {
					k = int32(len(out.Levels))
					code[l] = k
					out.Levels = append(out.Levels, l)
				}
				place = append(place, k)
			}
			for _, k := range p.Codes {
				if k >= 0 {
					k = place[k]
				}
				out.Codes = append(out.Codes, k)
			}
		}
	case Text, Tree, Set, Ranking, Graph, Fuzzy, Histogram, Distribution:
		out.Strings = make([]string, 0, rows)
		for _, p := range parts {
			if p.Kind.written() {
				out.Strings = append(out.Strings, p.Strings...)
				p.Strings = nil
				continue
			}
			for i := range p.Len() {
				out.Strings = append(out.Strings, p.String(i))
			}
		}
	case Time:
		for _, p := range parts {
			out.Micros = append(out.Micros, p.Micros...)
		}
	default:
		for _, p := range parts {
			out.Sequences = append(out.Sequences, p.Sequences...)
		}
	}
	return out
}

// Stream gives the rows of a data set a chunk at a time: Next returns io.EOF
// after the last. Every chunk has the same columns. Close frees what it holds
// and may be called at any time.
type Stream interface {
	Next() (*Dataset, error)
	Close() error
}
