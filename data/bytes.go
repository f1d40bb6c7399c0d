package data

// Bytes is about how much memory the values of the columns take.
func (d *Dataset) Bytes() int64 {
	var sum int64
	for i := range d.Columns {
		sum += d.Columns[i].bytes()
	}
	if d.Sparse != nil {
		sum += d.Sparse.CSR().bytes()
	}
	return sum
}

func (c *Column) bytes() int64 {
	sum := 8*int64(len(c.Numbers)) + 4*int64(len(c.Codes)) + 8*int64(len(c.Micros))
	for _, list := range [][]string{c.Strings, c.Levels} {
		for _, s := range list {
			sum += 16 + int64(len(s))
		}
	}
	for _, s := range c.Sequences {
		sum += 24 + 8*int64(len(s))
	}
	return sum
}

func (m *CSR) bytes() int64 {
	return 8*int64(len(m.Value)) + 4*int64(len(m.Index)) + 8*int64(len(m.Ptr))
}

// Bytes is about how much memory the features take.
func (x *Encoded) Bytes() int64 {
	if x.Sparse != nil {
		return x.Sparse.CSR().bytes()
	}
	return 8 * int64(x.Dense.Len()) * int64(x.Dense.Dim())
}
