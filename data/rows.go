package data

// What is known of rows besides their features, as learners and metrics take it.

// RowWeights is the weights of rows, nil without a column of weights.
func (d *Dataset) RowWeights(rows []int) ([]float64, error) {
	if d.Weights == "" {
		return nil, nil
	}
	return weightsOf(d, d.Weights, rows, 0)
}

// RowGroups numbers the groups of rows, nil without a column of groups.
func (d *Dataset) RowGroups(rows []int) ([]int, error) {
	if d.Groups == "" {
		return nil, nil
	}
	c, err := d.Column(d.Groups)
	if err != nil {
		return nil, err
	}
	levels, err := c.As(Categorical)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(rows))
	for i, row := range rows {
		out[i] = int(levels.Codes[row])
	}
	return out, nil
}

// Answers is the values of rows in the column d.Target, or the places of their classes among
// t.Classes. All must have one.
func (t *TargetCode) Answers(d *Dataset, rows []int) ([]float64, error) {
	c, err := d.Column(d.Target)
	if err != nil {
		return nil, err
	}
	return t.encode(d, c, Notation{Kind: c.Kind}, rows, 0)
}
