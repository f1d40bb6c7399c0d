package parquetfile

import (
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/internal/format/decompress"
)

// Cursor reads a column of a row group from its start to its end.
type Cursor struct {
	file        *File
	column      *Column
	codec       int
	offset, end int64 // of what is not read yet
	bytes       int64 // of all pages
	announced   int64 // entries of all pages
	decoded     int64
	zstd        decompress.Zstd
	held        int64 // of the file's allowance, by the page
	kept        int64 // and by the dictionary

	dictionary *Values
	entries    int

	left                   int // entries of the page not yet decoded
	definition, repetition hybrid
	decoder                decoder

	run   Run // decoded entries; those from next on are not yet given out
	next  int
	begun bool
}

// Run is a number of entries of a column. An entry is a value, or the place of
// one that is missing; for columns without lists it is a row.
type Run struct {
	Len         int
	Definitions []uint32 // nil: every entry is there
	Repetitions []uint32 // nil: every entry begins a row
	Values               // at the index of their entries; others are zero
}

// entriesAtOnce is how many entries a cursor decodes at a time.
const entriesAtOnce = 4096

// A list may be as long as its levels say, and a run of levels takes a few bytes
// whatever its length; unlike rows, a list cannot be given out in parts. Lists
// that take more than this are not believed.
const (
	leastListed   = 1 << 20
	listedPerByte = 512
)

// Cursor starts reading a column of a group.
func (f *File) Cursor(group, column int) *Cursor {
	k := f.Groups[group].chunks[column]
	return &Cursor{file: f, column: &f.Columns[column], codec: k.codec, offset: k.offset, end: k.offset + k.bytes,
		bytes: k.bytes, announced: k.values}
}

// Close gives back the memory of the page and the dictionary.
func (c *Cursor) Close() {
	c.file.Memory.Give(c.held + c.kept)
	c.held, c.kept = 0, 0
	c.dictionary, c.decoder, c.run = nil, nil, Run{}
}

// Rows gives the next n rows to emit, in runs that are overwritten after it
// returns. The entries of a row may come in several runs.
func (c *Cursor) Rows(n int64, emit func(*Run) error) error {
	for {
		if c.next == c.run.Len {
			if n == 0 && c.column.MaxRepetition == 0 {
				return nil
			}
			err := c.decodeRun()
			if err == io.EOF && n == 0 {
				return nil
			}
			if err == io.EOF {
				return fmt.Errorf("%w: %d rows are missing", errPage, n)
			}
			if err != nil {
				return err
			}
		}
		to := c.run.Len
		if rep := c.run.Repetitions; rep != nil {
			for i := c.next; i < to; i++ {
				if rep[i] == 0 {
					if n == 0 {
						to = i
						break
					}
					n--
				}
			}
		} else {
			to = int(min(int64(to), int64(c.next)+n))
			n -= int64(to - c.next)
		}
		if to > c.next {
			part := c.run.slice(c.next, to)
			c.next = to
			if err := emit(&part); err != nil {
				return err
			}
		}
		if n == 0 && c.next < c.run.Len {
			return nil
		}
	}
}

// slice is the run of entries from..to.
func (r *Run) slice(from, to int) Run {
	out := Run{Len: to - from}
	if r.Definitions != nil {
		out.Definitions = r.Definitions[from:to]
	}
	if r.Repetitions != nil {
		out.Repetitions = r.Repetitions[from:to]
	}
	switch {
	case r.Ints != nil:
		out.Ints = r.Ints[from:to]
	case r.Floats != nil:
		out.Floats = r.Floats[from:to]
	case r.Strings != nil:
		out.Strings = r.Strings[from:to]
	}
	return out
}

// decodeRun replaces the run by the next entries of the page, or of the next one.
func (c *Cursor) decodeRun() error {
	for c.left == 0 {
		if err := c.page(); err != nil {
			return err
		}
	}
	n := min(c.left, entriesAtOnce)
	if c.decoded += int64(n); c.decoded > c.announced {
		return fmt.Errorf("%w: more values than the %d that the column announces", errPage, c.announced)
	}
	if c.column.MaxRepetition > 0 && c.decoded > leastListed+listedPerByte*c.bytes {
		return fmt.Errorf("%w: lists of %d values and more in %d bytes", errPage, c.decoded, c.bytes)
	}
	r := &c.run
	r.Len, c.next = n, 0
	if most := c.column.MaxRepetition; most > 0 {
		r.Repetitions = sized(r.Repetitions, n)
		if err := c.repetition.next(r.Repetitions); err != nil {
			return err
		}
		for _, l := range r.Repetitions {
			if l > uint32(most) {
				return fmt.Errorf("%w: repetition level %d of at most %d", errPage, l, most)
			}
		}
		if !c.begun && r.Repetitions[0] != 0 {
			return fmt.Errorf("%w: it begins within a list", errPage)
		}
	}
	c.begun = true
	present := n
	if most := c.column.Present; most > 0 {
		present = 0
		r.Definitions = sized(r.Definitions, n)
		if err := c.definition.next(r.Definitions); err != nil {
			return err
		}
		for _, l := range r.Definitions {
			if l > uint32(most) {
				return fmt.Errorf("%w: definition level %d of at most %d", errPage, l, most)
			}
			if l == uint32(most) {
				present++
			}
		}
	}
	r.reset(c.column.Physical, n)
	if present > 0 {
		if c.decoder == nil {
			return fmt.Errorf("%w: too few values", errPage)
		}
		if err := c.decoder.fill(&r.Values, 0, present); err != nil {
			return err
		}
	}
	if present < n {
		r.spread(uint32(c.column.Present), present)
	}
	c.left -= n
	return nil
}

// spread moves the values, which lie at the front, to the entries they belong
// to, from the last to the first.
func (r *Run) spread(present uint32, count int) {
	switch {
	case r.Ints != nil:
		spread(r.Ints, r.Definitions, present, count)
	case r.Floats != nil:
		spread(r.Floats, r.Definitions, present, count)
	default:
		spread(r.Strings, r.Definitions, present, count)
	}
}

func spread[T any](values []T, definitions []uint32, present uint32, count int) {
	var none T
	for i := len(values) - 1; i >= 0; i-- {
		if definitions[i] == present {
			count--
			values[i] = values[count]
		} else {
			values[i] = none
		}
	}
}
