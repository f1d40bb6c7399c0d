package cli

import (
	"bytes"
	"io"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/model"
)

// inMemory is what a verb reads and writes where another process asks for it: data sets and files
// that have names, but no place on a disk.
type inMemory struct {
	sets   map[string]*data.Dataset
	models map[string]*model.Model
	files  map[string][]byte
}

// set is a data set by its name, with the roles that the options give to columns.
func (m *inMemory) set(name string, o load.Options) (*data.Dataset, bool, error) {
	if m == nil || m.sets[name] == nil {
		return nil, false, nil
	}
	d := *m.sets[name]
	d.Columns = slices.DeleteFunc(slices.Clone(d.Columns),
		func(c data.Column) bool { return slices.Contains(o.Ignore, c.Name) && c.Name != o.Order })
	for _, role := range []string{o.Target, o.Weights, o.Noise, o.Groups, o.Order} {
		if role != "" {
			if _, err := d.Column(role); err != nil {
				return nil, true, inputError(err)
			}
		}
	}
	d.Weights, d.Noise, d.Groups, d.Order = o.Weights, o.Noise, o.Groups, o.Order
	if o.Target != "" {
		if err := d.SetTarget(o.Target); err != nil {
			return nil, true, inputError(err)
		}
	}
	return &d, true, d.Check()
}

// predictor is a model by its name, in memory or of a file.
func (m *inMemory) predictor(name string) (*model.Model, error) {
	if m != nil && m.models[name] != nil {
		return m.models[name], nil
	}
	return loadPredictor(name)
}

// write gives a name the bytes of a file; false where files have places.
func (m *inMemory) write(name string, write func(io.Writer) error) (bool, error) {
	if m == nil {
		return false, nil
	}
	var b bytes.Buffer
	err := write(&b)
	m.files[name] = b.Bytes()
	return true, err
}
