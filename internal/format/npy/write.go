package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// Writer writes an array of float64 row by row, so that a large Gram matrix
// need not be in memory at once.
type Writer struct {
	w    *bufio.Writer
	left int
}

// NewWriter writes the header of an array of the given shape.
func NewWriter(w io.Writer, shape ...int) (*Writer, error) {
	count := 1
	dims := make([]string, len(shape))
	for i, n := range shape {
		if n < 0 {
			return nil, fmt.Errorf("npy: shape %v has a negative length", shape)
		}
		count *= n
		dims[i] = fmt.Sprint(n)
	}
	list := strings.Join(dims, ", ")
	if len(shape) == 1 {
		list += ","
	}
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", list)
	// Magic, version and length take 10 bytes; the whole is a multiple of 64 and
	// ends with a line feed.
	pad := 63 - (10+len(head))%64
	head += strings.Repeat(" ", pad) + "\n"
	b := bufio.NewWriterSize(w, 1<<16)
	b.WriteString(magic + "\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(head))))
	if _, err := b.WriteString(head); err != nil {
		return nil, err
	}
	return &Writer{b, count}, nil
}

// Write appends values in row-major order.
func (w *Writer) Write(values []float64) error {
	if len(values) > w.left {
		return fmt.Errorf("npy: %d values where %d are left in the shape", len(values), w.left)
	}
	w.left -= len(values)
	var b [8]byte
	for _, x := range values {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
		if _, err := w.w.Write(b[:]); err != nil {
			return err
		}
	}
	return nil
}

// Close writes out what is buffered and checks that the shape is full. It does
// not close the writer beneath.
func (w *Writer) Close() error {
	if err := w.w.Flush(); err != nil {
		return err
	}
	if w.left != 0 {
		return fmt.Errorf("npy: %d values of the shape were not written", w.left)
	}
	return nil
}

// Write writes a whole array.
func Write(w io.Writer, a *Array) error {
	out, err := NewWriter(w, a.Shape...)
	if err != nil {
		return err
	}
	if err := out.Write(a.Values); err != nil {
		return err
	}
	return out.Close()
}
