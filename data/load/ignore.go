package load

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// ignores says whether a column is to be left out: one that has a role of its own is no feature,
// and stays.
func (o Options) ignores(name string) bool {
	return slices.Contains(o.Ignore, name) && name != o.Weights && name != o.Noise && name != o.Groups && name != o.Order
}

// leaveOut removes the columns that are to be ignored, and those that are none of the data: the row
// numbers and names that pandas and R write beside them.
func leaveOut(d *data.Dataset, o Options) *data.Dataset {
	if !slices.ContainsFunc(d.Columns, func(c data.Column) bool { return frameIndex(c.Name) != "" || o.ignores(c.Name) }) {
		return d
	}
	kept := make([]data.Column, 0, len(d.Columns))
	var skipped []data.SkippedColumn
	for i := range d.Columns {
		switch c := &d.Columns[i]; {
		case o.ignores(c.Name):
		case frameIndex(c.Name) != "":
			skipped = append(skipped, data.SkippedColumn{Column: c.Name, Reason: frameIndex(c.Name)})
		default:
			kept = append(kept, *c)
		}
	}
	out := *d
	out.Columns, out.Skipped = kept, append(slices.Clip(d.Skipped), skipped...)
	// a set that says itself what its target is, without it
	for _, role := range []*string{&out.Target, &out.Weights, &out.Groups} {
		if o.ignores(*role) {
			*role = ""
		}
	}
	return &out
}

// frameIndex says why a column is none of the data: it is called what pandas calls an index without
// a name, __index_level_0__, or R the names of rows. It is empty of others.
func frameIndex(name string) string {
	if name == "row.names" {
		return "it names the rows of a data frame of R"
	}
	number, ok := strings.CutPrefix(name, "__index_level_")
	number, closed := strings.CutSuffix(number, "__")
	if _, err := strconv.Atoi(number); !ok || !closed || err != nil {
		return ""
	}
	return "it is the index of a pandas data frame"
}

// ignoring leaves columns out of the chunks of a stream.
type ignoring struct {
	data.Stream
	o Options
}

func (s *ignoring) Next() (*data.Dataset, error) {
	d, err := s.Stream.Next()
	if err != nil {
		return nil, err
	}
	return leaveOut(d, s.o), nil
}
