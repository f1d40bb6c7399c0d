package learnt

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"gonum.org/v1/gonum/mat"
)

// readGrown is the kernel of trees of this name that a text has, with the settings of form.
func readGrown(form any, name, text string) (kernel.Kernel[kernel.Vec], error) {
	trees, err := unpack(text)
	if err == nil && trees.Name() != name {
		err = fmt.Errorf("they are of the kernel %s", trees.Name())
	}
	if err != nil {
		return nil, fmt.Errorf("kernel: %s: the trees cannot be read: %w", name, err)
	}
	return grown{trees, form}, nil
}

// mostTreeBytes is the most that the numbers of a forest may take that is read from a text.
const mostTreeBytes = 1 << 28

// pack writes the arrays of a forest as text: their names, sizes and numbers, compressed, in the
// alphabet of base 64.
func pack(f *forest.Forest) (string, error) {
	arrays := f.Arrays()
	delete(arrays, "importances") // the kernel is the trees
	var names []string
	for name := range arrays {
		names = append(names, name)
	}
	sort.Strings(names)
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		rows, cols := arrays[name].Dims()
		head := []uint32{uint32(len(name)), uint32(rows), uint32(cols)}
		if err := binary.Write(w, binary.LittleEndian, head); err != nil {
			return "", err
		}
		if _, err := io.WriteString(w, name); err != nil {
			return "", err
		}
		for i := range rows {
			if err := binary.Write(w, binary.LittleEndian, arrays[name].RawRowView(i)); err != nil {
				return "", err
			}
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
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
