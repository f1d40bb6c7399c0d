package data

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"math"
)

// RowHashes is a number for each of the rows that two rows share where the columns named have equal
// values in both, and, for sparse files, equal features. It is the same for a value however a file
// writes it (1 and 1.0), and in every version. The error is that of a column that is not there.
func RowHashes(d *Dataset, columns []string, rows []int) ([]uint64, error) {
	cells := make([]*Column, len(columns))
	for j, name := range columns {
		c, err := d.Column(name)
		if err != nil {
			return nil, err
		}
		cells[j] = c
	}
	out := make([]uint64, len(rows))
	h := fnv.New64a()
	var b [12]byte
	for i, row := range rows {
		h.Reset()
		if d.Sparse != nil {
			v := d.Sparse.At(row)
			for a, j := range v.Index {
				binary.LittleEndian.PutUint32(b[:], uint32(j))
				binary.LittleEndian.PutUint64(b[4:], math.Float64bits(v.Value[a]))
				h.Write(b[:])
			}
			h.Write([]byte{0x1e})
		}
		for _, c := range cells {
			if c.IsMissing(row) {
				h.Write([]byte{0})
			} else {
				io.WriteString(h, c.String(row))
			}
			h.Write([]byte{0x1f})
		}
		out[i] = h.Sum64()
	}
	return out, nil
}
