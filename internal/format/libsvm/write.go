package libsvm

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/mercer-ml/mercer/data"
)

// Write writes rows with their labels, and query ids where qid is not nil.
// Numbers have the fewest digits that read back as the same float64.
func Write(w io.Writer, x data.Points[data.SparseVec], label, qid []float64) error {
	if len(label) != x.Len() || qid != nil && len(qid) != x.Len() {
		return fmt.Errorf("libsvm: %d rows, %d labels, %d query ids", x.Len(), len(label), len(qid))
	}
	b := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i := range x.Len() {
		line = strconv.AppendFloat(line[:0], label[i], 'g', -1, 64)
		if qid != nil {
			line = append(line, " qid:"...)
			line = strconv.AppendFloat(line, qid[i], 'f', -1, 64)
		}
		v := x.At(i)
		for k, j := range v.Index {
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(j)+1, 10)
			line = append(line, ':')
			line = strconv.AppendFloat(line, v.Value[k], 'g', -1, 64)
		}
		line = append(line, '\n')
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
}

// ToSparse drops the zeros of dense rows.
func ToSparse(x data.DenseRows) data.SparseRows {
	rows := make([]data.SparseVec, x.Len())
	for i := range rows {
		for j, v := range x.At(i) {
			if v != 0 {
				rows[i].Index = append(rows[i].Index, int32(j))
				rows[i].Value = append(rows[i].Value, v)
			}
		}
	}
	return data.SparseOf(rows, x.Dim())
}
