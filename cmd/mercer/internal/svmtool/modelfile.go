package svmtool

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
)

// modelFile is LIBSVM's model file: the kernel, the machines and the support
// vectors, of a precomputed kernel their serial numbers alone.
type modelFile struct {
	kernelParams
	machines
	sv     data.SparseRows
	serial []int
}

// full writes a number with every bit of it.
func full(x float64) string { return libsvm.FormatG(x, 17) }

// appendFeature writes a number with eight digits as LIBSVM does, or with as many more as it takes
// to read it back. Below a million both are the shortest form that reads back, which C and Go write
// alike, unless a number is so small that it has no eight digits.
func appendFeature(to []byte, x float64) []byte {
	if a := math.Abs(x); a < 1e6 && a > 1e-290 || a == 0 {
		return strconv.AppendFloat(to, x, 'g', -1, 64)
	}
	s := libsvm.FormatG(x, 8)
	if back, err := strconv.ParseFloat(s, 64); err == nil && back == x {
		return append(to, s...)
	}
	return strconv.AppendFloat(to, x, 'g', -1, 64)
}

// write writes the text format, digit for digit as LIBSVM does but for
// features of more than eight digits, which it would cut.
func (m *modelFile) write(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "svm_type %s\nkernel_type %s\n", svmTypeNames[m.machines.Type], kernelTypeNames[m.kernelParams.Type])
	k := m.kernelParams
	if k.Type == polynomial {
		fmt.Fprintf(b, "degree %d\n", k.Degree)
	}
	if k.Type == polynomial || k.Type == rbf || k.Type == sigmoid {
		fmt.Fprintf(b, "gamma %s\n", full(k.Gamma))
	}
	if k.Type == polynomial || k.Type == sigmoid {
		fmt.Fprintf(b, "coef0 %s\n", full(k.Coef0))
	}
	classes := 2
	if m.machines.Type.classifies() {
		classes = len(m.Label)
	}
	fmt.Fprintf(b, "nr_class %d\ntotal_sv %d\n", classes, m.total())
	list := func(name string, v []float64) {
		b.WriteString(name)
		for _, x := range v {
			b.WriteString(" " + full(x))
		}
		b.WriteByte('\n')
	}
	whole := func(name string, v []int) {
		b.WriteString(name)
		for _, x := range v {
			b.WriteString(" " + strconv.Itoa(x))
		}
		b.WriteByte('\n')
	}
	list("rho", m.Rho)
	if m.Label != nil {
		whole("label", m.Label)
	}
	if m.ProbA != nil {
		list("probA", m.ProbA)
	}
	if m.ProbB != nil {
		list("probB", m.ProbB)
	}
	if m.Marks != nil {
		list("prob_density_marks", m.Marks)
	}
	if m.Label != nil {
		whole("nr_sv", m.Count)
	}
	b.WriteString("SV\n")
	if err := m.writeVectors(b); err != nil {
		return err
	}
	return b.Flush()
}

// writeVectors writes a line for each support vector; some are put into words on other cores while
// others are written.
func (m *modelFile) writeVectors(b *bufio.Writer) error {
	const lines = 64
	workers := par.Workers(0)
	words := make([][]byte, workers)
	for start := 0; start < m.total(); start += workers * lines {
		pieces := (min(m.total()-start, workers*lines) + lines - 1) / lines
		par.For(0, pieces, 1, func(p, _ int) {
			words[p] = words[p][:0]
			for i := start + p*lines; i < min(start+(p+1)*lines, m.total()); i++ {
				words[p] = m.appendVector(words[p], i)
			}
		})
		for _, w := range words[:pieces] {
			if _, err := b.Write(w); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *modelFile) appendVector(to []byte, i int) []byte {
	for _, row := range m.Coef {
		to = append(append(to, full(row[i])...), ' ')
	}
	if m.kernelParams.Type == precomputed {
		return append(strconv.AppendInt(append(to, "0:"...), int64(m.serial[i]), 10), " \n"...)
	}
	v := m.sv.At(i)
	for a, j := range v.Index {
		to = append(strconv.AppendInt(to, int64(j)+1, 10), ':')
		to = append(appendFeature(to, v.Value[a]), ' ')
	}
	return append(to, '\n')
}

func (m *modelFile) total() int {
	if len(m.Coef) == 0 {
		return 0
	}
	return len(m.Coef[0])
}

// readModel reads a model file of LIBSVM or of this package.
func readModel(path string) (*modelFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("can't open model file %s", path)
	}
	defer f.Close()
	r := &modelReader{name: path, src: bufio.NewReaderSize(f, 1<<16), m: &modelFile{}}
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.m, nil
}

type modelReader struct {
	name    string
	src     *bufio.Reader
	line    int
	m       *modelFile
	classes int
	total   int
}

func (r *modelReader) fault(reason string, args ...any) error {
	return &data.Error{File: r.name, Line: r.line, Reason: fmt.Sprintf(reason, args...),
		Advice: "train the model again, or check that this is a model file of svm-train"}
}

// maxLine bounds a line of a model file, which is a support vector at the longest.
const maxLine = 1 << 28

// next is the next line of the header.
func (r *modelReader) next() (string, error) {
	r.line++
	var text []byte
	for {
		part, err := r.src.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case err == nil || err == io.EOF && len(text) > 0:
			return string(text), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		case len(text) > maxLine:
			return "", r.tooLong(len(text))
		}
	}
}

func (r *modelReader) tooLong(bytes int) error {
	if bytes <= maxLine {
		return nil
	}
	return r.fault("a line of more than %d bytes", maxLine)
}

func (r *modelReader) read() error {
	for {
		text, err := r.next()
		if err == io.EOF {
			return r.fault("the file ends before its line SV")
		}
		if err != nil {
			return err
		}
		name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		if name == "SV" {
			break
		}
		if err := r.header(name, strings.Fields(rest)); err != nil {
			return err
		}
	}
	if err := r.complete(); err != nil {
		return err
	}
	return r.vectors()
}

func (r *modelReader) header(name string, v []string) error {
	m := r.m
	if len(v) == 0 && name != "rho" && name != "nr_sv" {
		return r.fault("%q has no value", name)
	}
	switch name {
	case "svm_type", "kernel_type":
		names := svmTypeNames
		if name == "kernel_type" {
			names = kernelTypeNames
		}
		for i, known := range names {
			if v[0] == known {
				if name == "svm_type" {
					m.machines.Type = svmType(i)
				} else {
					m.kernelParams.Type = kernelType(i)
				}
				return nil
			}
		}
		return r.fault("unknown %s %q", name, v[0])
	case "label", "nr_sv":
		n, err := r.wholes(v)
		if err != nil {
			return err
		}
		if name == "label" {
			m.Label = n
		} else {
			m.Count = n
		}
		return nil
	case "degree", "nr_class", "total_sv":
		n, err := r.wholes(v)
		if err != nil {
			return err
		}
		switch name {
		case "degree":
			m.Degree = n[0]
		case "nr_class":
			r.classes = n[0]
		default:
			r.total = n[0]
		}
		return nil
	}
	x, err := r.numbers(v)
	if err != nil {
		return err
	}
	switch name {
	case "gamma":
		m.Gamma = x[0]
	case "coef0":
		m.Coef0 = x[0]
	case "rho":
		m.Rho = x
	case "probA":
		m.ProbA = x
	case "probB":
		m.ProbB = x
	case "prob_density_marks":
		m.Marks = x
	default:
		return r.fault("unknown text in model file: [%s]", name)
	}
	return nil
}

func (r *modelReader) wholes(v []string) ([]int, error) {
	out := make([]int, len(v))
	for i, s := range v {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil, r.fault("%q is not a whole number", s)
		}
		out[i] = n
	}
	return out, nil
}

func (r *modelReader) numbers(v []string) ([]float64, error) {
	out := make([]float64, len(v))
	for i, s := range v {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, r.fault("%q is not a number", s)
		}
		out[i] = x
	}
	return out, nil
}

// complete checks that the header holds together before anything is sized by it.
func (r *modelReader) complete() error {
	m := r.m
	if m.machines.Type.classifies() {
		pairs := len(m.Label) * (len(m.Label) - 1) / 2
		sum := 0
		for _, n := range m.Count {
			if n < 0 {
				return r.fault("nr_sv holds %d", n)
			}
			sum += n
		}
		switch {
		case len(m.Label) == 0 || len(m.Label) != r.classes:
			return r.fault("nr_class is %d but label lists %d classes", r.classes, len(m.Label))
		case len(m.Rho) != pairs:
			return r.fault("rho has %d values for %d pairs of classes", len(m.Rho), pairs)
		case len(m.Count) != len(m.Label) || sum != r.total:
			return r.fault("nr_sv does not add up to total_sv %d", r.total)
		case m.ProbA != nil && len(m.ProbA) != pairs || m.ProbB != nil && len(m.ProbB) != pairs:
			return r.fault("probA and probB need %d values", pairs)
		}
		m.Coef = make([][]float64, len(m.Label)-1)
		return nil
	}
	if m.Marks != nil && (len(m.Marks) != densityMarks || m.machines.Type != oneClass) {
		return r.fault("prob_density_marks has %d values, want %d, of a one-class machine", len(m.Marks), densityMarks)
	}
	if len(m.Rho) != 1 {
		return r.fault("rho has %d values, want one", len(m.Rho))
	}
	m.Coef = make([][]float64, 1)
	return nil
}
