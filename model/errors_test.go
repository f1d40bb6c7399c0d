package model

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// A model of svm-train: f(x) = x₁ − x₂, without an encoder.
const linearModel = `svm_type epsilon_svr
kernel_type linear
nr_class 2
total_sv 1
rho 0
SV
1 1:1 2:-1
`

// chunks is a stream of data sets.
type chunks []*data.Dataset

func (c *chunks) Next() (*data.Dataset, error) {
	if len(*c) == 0 {
		return nil, io.EOF
	}
	d := (*c)[0]
	*c = (*c)[1:]
	return d, nil
}

func (c *chunks) Close() error { return nil }

func TestErrorsAreAskedByType(t *testing.T) {
	m, err := ReadLIBSVM(strings.NewReader(linearModel))
	if err != nil {
		t.Fatal(err)
	}
	table := func(columns ...data.Column) *data.Dataset { return &data.Dataset{Name: "d.csv", Columns: columns} }
	good := table(data.NumberColumn("a", []float64{3, 1}), data.NumberColumn("b", []float64{1, 5}))
	p, err := m.Predict(t.Context(), good, Want{})
	if err != nil || p.Values[0] != 2 || p.Values[1] != -4 {
		t.Fatalf("%v, %v", p, err)
	}
	gap := table(data.NumberColumn("a", []float64{3, math.NaN()}), data.NumberColumn("b", []float64{1, 5}))
	text := table(data.NumberColumn("a", []float64{3, 1}), data.TextColumn("b", []string{"2", "many"}))
	for _, c := range []struct {
		bad  *data.Dataset
		kind error
		want string
	}{
		{gap, data.ErrMissing,
			"d.csv: row 4: column \"a\" is missing, and the model has no encoding to fill it in\n  fill it in, or leave " +
				"the row out"},
		{text, data.ErrValue,
			`d.csv: row 4: column "b" is "many", where a number is needed: the model has no encoding, its features are numbers`},
	} {
		s := m.Stream(&chunks{good, c.bad}, Want{})
		if _, _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, _, err := s.Next(t.Context())
		var wrong *data.Error
		if !errors.Is(err, c.kind) || !errors.As(err, &wrong) || wrong.Row != 4 || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	var dim *DimensionError
	wide := table(good.Columns[0], good.Columns[1], data.NumberColumn("c", []float64{1, 2}))
	if _, err := m.Predict(t.Context(), wide, Want{}); !errors.As(err, &dim) || dim.Have != 3 || dim.Want != 2 {
		t.Errorf("three features: %v", err)
	}
	if _, err := m.Predict(t.Context(), good, Want{Std: true}); !errors.Is(err, ErrNoDeviations) {
		t.Errorf("standard deviations: %v", err)
	}
	if _, err := m.Predict(t.Context(), good, Want{Proba: true}); !errors.Is(err, ErrNoProbabilities) {
		t.Errorf("probabilities: %v", err)
	}
}

func TestLIBSVMErrorNamesTheLine(t *testing.T) {
	for text, line := range map[string]int{
		strings.Replace(linearModel, "linear", "rough", 1):          6, // known at the end of the head
		strings.Replace(linearModel, "1:1 2:-1", "2:1 1:-1", 1):     7,
		strings.Replace(linearModel, "total_sv 1", "total_sv 2", 1): 0,
	} {
		var bad *libsvmError
		if _, err := ReadLIBSVM(strings.NewReader(text)); !errors.As(err, &bad) || bad.Line != line {
			t.Errorf("%v, want line %d", err, line)
		}
	}
}
