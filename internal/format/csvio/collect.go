package csvio

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// collector joins the chunks of a file. Numbers are copied to their place while
// they are in the cache, and the memory of their chunk is used again; strings
// wait for the end, when it is known whether they are categories.
type collector struct {
	reader  *Reader
	size    int64           // bytes of the file; 0: not known
	columns []data.Column   // of all rows; those of numbers without their values
	numbers [][][]float64   // by column, in pieces
	chunks  []*data.Dataset // the other columns
	rows    int
	room    *room.Room
	read    int64 // bytes of text so far
}

func (c *collector) add(k chunk) error {
	cols := k.set.Columns
	c.read += int64(k.bytes)
	share := 0.0
	if c.size > 0 {
		share = float64(c.read) / float64(c.size)
	}
	if err := c.room.TakeOf(room.Of(k.set), share); err != nil {
		return err
	}
	if c.numbers == nil {
		c.begin(k)
	}
	c.rows += k.set.Len()
	before := c.rows - k.set.Len()
	used := make([][]float64, len(cols))
	k.set.Columns = nil // a chunk that waits is no larger than its strings, however many columns of numbers it had
	for j := range cols {
		if cols[j].Kind != data.Numeric {
			k.set.Columns = append(k.set.Columns, cols[j])
			continue
		}
		for i, digits := range cols[j].Digits {
			if c.columns[j].Digits == nil {
				c.columns[j].Digits = map[int]string{}
			}
			c.columns[j].Digits[before+i] = digits
		}
		used[j] = cols[j].Numbers
		c.numbers[j] = c.extend(c.numbers[j], used[j])
		if c.columns[j].Gap == nil {
			c.columns[j].Gap = cols[j].Gap
		}
	}
	c.reader.reuse(used)
	c.chunks = append(c.chunks, k.set)
	return nil
}

// begin makes room for the columns of numbers: where the size of the file is known, for all of
// their rows.
func (c *collector) begin(first chunk) {
	cols := first.set.Columns
	c.numbers, c.columns = make([][][]float64, len(cols)), make([]data.Column, len(cols))
	count := 0
	for j := range cols {
		if c.columns[j].Kind = cols[j].Kind; cols[j].Kind == data.Numeric {
			c.columns[j].Name, c.columns[j].Notation = cols[j].Name, cols[j].Notation
			count++
		}
	}
	rows := first.set.Len()
	if c.size > 0 { // as many rows in each byte as in those of the first chunk, and a few more
		all := 1.02 * float64(rows) * float64(c.size) / float64(first.bytes)
		all = math.Min(all, float64(c.size)/2)
		rows = max(rows, int(math.Min(all, float64(c.room.Left())/float64(8*max(count, 1))))+1)
	}
	for j := range cols {
		if cols[j].Kind == data.Numeric {
			c.numbers[j] = [][]float64{make([]float64, 0, rows)}
		}
	}
}

// extend adds numbers to the last piece of a column, and a new one where it is full: one array that
// grew would be there twice whenever it does.
func (c *collector) extend(pieces [][]float64, numbers []float64) [][]float64 {
	for len(numbers) > 0 {
		last := &pieces[len(pieces)-1]
		n := min(cap(*last)-len(*last), len(numbers))
		*last = append(*last, numbers[:n]...)
		if numbers = numbers[n:]; len(numbers) > 0 {
			pieces = append(pieces, make([]float64, 0, max(len(numbers), min(c.rows, 1<<17))))
		}
	}
	return pieces
}

// join is the whole data set.
func (c *collector) join() (*data.Dataset, error) {
	set, err := data.Concat(c.chunks)
	if err != nil {
		return nil, err
	}
	others := set.Columns
	for j := range c.columns {
		col := &c.columns[j]
		if col.Kind != data.Numeric {
			*col, others = others[0], others[1:]
			continue
		}
		col.Numbers = c.numbers[j][0]
		// More pieces than one, or one that is far too large: the first rows were not as long as
		// the rest.
		if len(c.numbers[j]) > 1 || cap(col.Numbers) > c.rows+c.rows/4+1024 {
			col.Numbers = slices.Concat(c.numbers[j]...)
		}
		c.numbers[j] = nil
	}
	set.Columns = c.columns
	return set, nil
}

// room is memory for the numbers of a block, by column, where there is some.
func (r *Reader) room() [][]float64 {
	select {
	case m := <-r.spare:
		return m
	default:
		return nil
	}
}

// reuse takes back what room gave.
func (r *Reader) reuse(m [][]float64) {
	select {
	case r.spare <- m:
	default:
	}
}
