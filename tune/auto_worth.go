package tune

// ColumnWorth says what a column, or the columns of features together, are compared by and what
// that is worth.
type ColumnWorth struct {
	Columns []string // their names
	Kind    string   // of the objects, or "features"
	Kernel  string   // its text
	// Weight is its share of the variance of the kernel of rows that was chosen, where that is a
	// sum. In a product every column that varies is a Factor, and none has a weight.
	Weight    float64
	Factor    bool
	Alignment float64 // of its kernel with the target: 1 is all that there is to know, 0 nothing

	varies bool
}

// Names of the ways in which the kernels of columns are put together.
const (
	weightedSum = "weighted sum"
	evenSum     = "even sum"
	productOf   = "product"
)

// weighAsChosen makes of the weights of the weighted sum, which are known before the search, those
// of the kernel that it chose.
func (r *AutoResult) weighAsChosen() {
	if len(r.Columns) == 1 {
		r.Columns[0].Kernel = r.Chosen.Kernel // there was nothing to weigh it against
		return
	}
	varying := 0
	for _, c := range r.Columns {
		if c.varies {
			varying++
		}
	}
	for i := range r.Columns {
		switch c := &r.Columns[i]; r.Chosen.way {
		case evenSum:
			if c.Weight = 0; c.varies {
				c.Weight = 1 / float64(varying)
			}
		case productOf:
			c.Weight, c.Factor = 0, c.varies
		}
	}
}
