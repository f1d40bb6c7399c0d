package tudataset

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Dataset is the graphs as a table: a column "graph", a column for each attribute of the graphs,
// and "class", where they have labels, which is the target.
func (s *Set) Dataset() (*data.Dataset, error) {
	texts := make([]string, len(s.Graphs))
	for i, g := range s.Graphs {
		g = g.WithoutLoops()
		if err := g.Validate(); err != nil {
			return nil, &data.Error{File: s.Name, Row: i + 1, Kind: data.ErrValue, Reason: fmt.Sprintf("graph %d: %v", i+1, err)}
		}
		texts[i] = g.Text()
	}
	d := &data.Dataset{Name: s.Name, Columns: []data.Column{{Name: "graph", Kind: data.Graph, Strings: texts}}}
	if len(s.Attrs) > 0 {
		for j := range s.Attrs[0] {
			values := make([]float64, len(s.Attrs))
			for i := range values {
				values[i] = s.Attrs[i][j]
			}
			d.Columns = append(d.Columns, data.NumberColumn(fmt.Sprintf("attribute%d", j+1), values))
		}
	}
	if s.Labels != nil {
		names := make([]string, len(s.Labels))
		for i, v := range s.Labels {
			names[i] = phrase.Number(v)
		}
		d.Columns = append(d.Columns, data.LevelColumn("class", names))
	}
	return d, nil
}
