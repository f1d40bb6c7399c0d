package learnt

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"gonum.org/v1/gonum/mat"
)

// readGrown is the kernel of trees of this name that a text has.
func readGrown(name, text string, form func(trees string) any) (kernel.Kernel[kernel.Vec], error) {
	trees, err := unpack(text)
	if err == nil && trees.Name() != name {
		err = fmt.Errorf("they are of the kernel %s", trees.Name())
	}
	if err != nil {
		return nil, fmt.Errorf("kernel: %s: the trees cannot be read: %w", name, err)
	}
	return newGrown(trees, func(string) any { return form(text) }), nil
}

// mostTreeBytes is the most that the numbers of a forest may take that is read from a text.
const mostTreeBytes = 1 << 28

// pack writes the arrays of a forest as text: their names, sizes and numbers, compressed, in the
// alphabet of base 64.
func pack(f *forest.Forest) string {
	arrays := f.Arrays()
	delete(arrays, "importances") // the kernel is the trees
	var plain []byte
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		rows, cols := arrays[name].Dims()
		for _, v := range []int{len(name), rows, cols} {
			plain = binary.LittleEndian.AppendUint32(plain, uint32(v))
		}
		plain = append(plain, name...)
		for i := range rows {
			for _, v := range arrays[name].RawRowView(i) {
				plain = binary.LittleEndian.AppendUint64(plain, math.Float64bits(v))
			}
		}
	}
	var b bytes.Buffer // which takes all that is written
	if w, err := flate.NewWriter(&b, flate.BestCompression); err == nil {
		_, _ = w.Write(plain)
		_ = w.Close()
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// unpack reads what pack wrote, and believes no size that the text does not fill.
func unpack(text string) (*forest.Forest, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), mostTreeBytes+1))
	if err != nil {
		return nil, err
	}
	if len(all) > mostTreeBytes {
		return nil, fmt.Errorf("they take more than %d bytes", mostTreeBytes)
	}
	arrays := map[string]*mat.Dense{}
	for len(all) > 0 {
		if len(all) < 12 {
			return nil, io.ErrUnexpectedEOF
		}
		size, rows, cols := binary.LittleEndian.Uint32(all), binary.LittleEndian.Uint32(all[4:]),
			binary.LittleEndian.Uint32(all[8:])
		all = all[12:]
		need := uint64(rows) * uint64(cols)
		if size > 32 || rows == 0 || cols == 0 || uint64(size) > uint64(len(all)) ||
			need > (uint64(len(all))-uint64(size))/8 {
			return nil, io.ErrUnexpectedEOF
		}
		name := string(all[:size])
		all = all[size:]
		values := make([]float64, need)
		for i := range values {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(all[8*i:]))
		}
		all = all[8*need:]
		arrays[name] = mat.NewDense(int(rows), int(cols), values)
	}
	return forest.FromArrays(arrays)
}
