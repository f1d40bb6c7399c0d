package nodes

import "github.com/mercer-ml/mercer/data"

// Keep makes the *model.Model of a fitted function, given its model.Info. Package model, which stands
// above this one, puts it here.
var Keep func(fitted *Model, info any) (any, error)

// Encoder is how names of nodes, in a column, become their numbers.
func Encoder(column string, names []string, target *data.TargetCode) *data.Encoder {
	return &data.Encoder{
		Options: data.EncoderOptions{Scaling: data.NoScaling, Missing: data.MissingDrop, Unseen: data.UnseenZero,
			Text: data.TextKeep, Categories: data.CategoryCode},
		Columns: []data.ColumnCode{{Name: column, Kind: data.Categorical, Width: 1, Fill: []float64{-1}, Coded: true,
			Levels: names}},
		Target:    target,
		Dim:       1,
		Notations: map[string]data.Notation{column: {Kind: data.Categorical, Literal: true}},
	}
}
