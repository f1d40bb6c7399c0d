package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
)

// Array is a row-major matrix that travels as an .npy file: float64, or
// float32 when Single is set.
type Array struct {
	Rows, Cols int
	Data       []float64
	Single     []float32
}

func writeNPY(file string, a Array) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	descr := "<f8"
	if a.Single != nil {
		descr = "<f4"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, a.Rows, a.Cols)
	for (10+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	w.WriteString("\x93NUMPY\x01\x00")
	binary.Write(w, binary.LittleEndian, uint16(len(header)))
	w.WriteString(header)
	var b [8]byte
	for _, v := range a.Data {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		w.Write(b[:])
	}
	for _, v := range a.Single {
		binary.LittleEndian.PutUint32(b[:4], math.Float32bits(v))
		w.Write(b[:4])
	}
	return w.Flush()
}

var npyShape = regexp.MustCompile(`'shape': \((\d*),? ?(\d*)`)

// readNPY reads a float64 array of at most two dimensions.
func readNPY(file string) (Array, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return Array{}, err
	}
	if len(b) < 10 || string(b[:6]) != "\x93NUMPY" {
		return Array{}, fmt.Errorf("%s: not an .npy file", file)
	}
	n := int(binary.LittleEndian.Uint16(b[8:]))
	m := npyShape.FindStringSubmatch(string(b[10 : 10+n]))
	a := Array{Rows: 1, Cols: 1}
	if len(m) == 3 && m[1] != "" {
		a.Rows, _ = strconv.Atoi(m[1])
	}
	if len(m) == 3 && m[2] != "" {
		a.Cols, _ = strconv.Atoi(m[2])
	}
	body := b[10+n:]
	if len(body) < 8*a.Rows*a.Cols {
		return Array{}, fmt.Errorf("%s: not float64", file)
	}
	a.Data = make([]float64, a.Rows*a.Cols)
	for i := range a.Data {
		a.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:]))
	}
	return a, nil
}
