package load

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// leaveOut removes the columns that are to be ignored, and those that are none of the data: the row numbers that pandas writes beside them.
func leaveOut(d *data.Dataset, o Options) *data.Dataset {
	var kept []data.Column
	var skipped []data.SkippedColumn
	for i := range d.Columns {
		switch c := &d.Columns[i]; {
		case slices.Contains(o.Ignore, c.Name):
		case isFrameIndex(c.Name):
			skipped = append(skipped, data.SkippedColumn{Column: c.Name, Reason: "it is the index of a pandas data frame"})
		default:
			kept = append(kept, *c)
		}
	}
	if len(kept) == len(d.Columns) {
		return d
	}
	out := *d
	out.Columns, out.Skipped = kept, append(slices.Clip(d.Skipped), skipped...)
	return &out
}

// isFrameIndex says whether a column is called what pandas calls an index without a name: __index_level_0__.
func isFrameIndex(name string) bool {
	number, ok := strings.CutPrefix(name, "__index_level_")
	number, closed := strings.CutSuffix(number, "__")
	_, err := strconv.Atoi(number)
	return ok && closed && err == nil
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
