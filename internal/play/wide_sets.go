package play

import (
	"fmt"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"gonum.org/v1/gonum/mat"
)

// wideRows is rows of many columns, with a class each.
type wideRows struct {
	rows  data.Points[vec]
	class []int
	names []string
	note  string
}

// wide is the rows that a question names.
func (p *Player) wide(q latentAsked) (*wideRows, error) {
	switch q.Set {
	case "flow":
		rows, class := Flow(q.N, q.Seed)
		return &wideRows{rows, class, []string{"layers", "rings", "mixed"}, ""}, nil
	case "digits":
		rng := rand.New(rand.NewPCG(q.Seed, 0x77696465))
		m, out := mat.NewDense(q.N, digitSide*digitSide, nil), &wideRows{names: []string{"0", "1", "7"}}
		for i := range q.N {
			drawDigit(m.RawRowView(i), []int{0, 1, 7}[i%3], rng)
			out.class = append(out.class, i%3)
		}
		out.rows = data.Rows(m)
		return out, nil
	case "sheet":
		return &wideRows{rows: Sheet(q.N, q.Seed), class: make([]int, q.N)}, nil
	case "iris":
		d, err := data.Builtin("iris", 0)
		if err != nil {
			return nil, err
		}
		return everyColumn(d, q.N)
	case "own":
		if p.Own == nil {
			return nil, &Fault{Field: "set", Message: "no file was given; start mercer play FILE"}
		}
		return everyColumn(p.Own, q.N)
	}
	return nil, &Fault{Field: "set",
		Message: fmt.Sprintf("no set %q; there are flow, iris, digits, sheet, and own for a file of yours", q.Set)}
}

// Sheet is n points of space near a plane that stands askew in it: twice as wide one way as the
// other, and a fifth as thick.
func Sheet(n int, seed uint64) data.Points[vec] {
	rng := rand.New(rand.NewPCG(seed, 0x7368656574))
	long, short, across := vec{2. / 3, 2. / 3, 1. / 3}, vec{-2. / 3, 1. / 3, 2. / 3}, vec{1. / 3, -2. / 3, 2. / 3}
	m := mat.NewDense(n, 3, nil)
	for i := range n {
		a, b, c := 2*rng.NormFloat64(), rng.NormFloat64(), 0.2*rng.NormFloat64()
		for j := range 3 {
			m.Set(i, j, a*long[j]+b*short[j]+c*across[j])
		}
	}
	return data.Rows(m)
}

// everyColumn is up to n rows of a table, evenly spread over it: its columns of numbers, and the
// first other one of few values as class.
func everyColumn(d *data.Dataset, n int) (*wideRows, error) {
	out := &wideRows{}
	var numbers []*data.Column
	code := make([]int, d.Len())
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Kind == data.Numeric {
			numbers = append(numbers, c)
		} else if few, codes := levels(c); few != nil && out.names == nil {
			out.names, code = few, codes
		}
	}
	if len(numbers) < 2 {
		return nil, &Fault{Field: "set", Message: fmt.Sprintf("%s has %d columns of numbers; two or more are wanted", d.Name,
			len(numbers))}
	}
	good := wholeRows(d.Len(), numbers)
	if len(good) < 6 {
		return nil, &Fault{Field: "set",
			Message: fmt.Sprintf("%s has %d rows with a number in every column; six or more are wanted", d.Name, len(good))}
	}
	n = min(n, len(good))
	m := mat.NewDense(n, len(numbers), nil)
	for i := range n {
		row := good[i*len(good)/n]
		for j, c := range numbers {
			m.Set(i, j, c.Numbers[row])
		}
		out.class = append(out.class, code[row])
	}
	if n < d.Len() {
		out.note = fmt.Sprintf("%s of %s rows.", phrase.Thousands(n), phrase.Thousands(d.Len()))
	}
	out.rows = data.Rows(m)
	return out, nil
}

// wholeRows are the rows with a number in every column.
func wholeRows(n int, columns []*data.Column) []int {
	var good []int
next:
	for i := range n {
		for _, c := range columns {
			if c.IsMissing(i) || !finite(c.Numbers[i]) {
				continue next
			}
		}
		good = append(good, i)
	}
	return good
}
