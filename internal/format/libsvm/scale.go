package libsvm

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Range is the scaling of svm-scale: each feature's range [Min, Max] is mapped
// to [Lower, Upper],
//
//	x' = Lower + (Upper − Lower)·(x − Min)/(Max − Min),
//
// features of one value only are left out (become 0), and a feature that a row
// does not name counts as 0.
type Range struct {
	Lower, Upper float64
	// Feature lists the features that Min, Max and Known are of, from 0 and increasing, so that an
	// index of a billion costs no more than one of ten. Nil: they are of features 0, 1, 2, …
	Feature  []int32
	Min, Max []float64
	// Known says which features the range covers; others pass as they are left
	// out by svm-scale.
	Known []bool
	Y     *TargetRange // nil: labels stay as they are
}

// feature is the feature at place k.
func (r *Range) feature(k int) int {
	if r.Feature == nil {
		return k
	}
	return int(r.Feature[k])
}

// TargetRange maps labels from [Min, Max] to [Lower, Upper].
type TargetRange struct {
	Lower, Upper float64
	Min, Max     float64
}

// FitRange finds the range of each feature of x. lower must be below upper.
func FitRange(x data.SparseRows, lower, upper float64) (*Range, error) {
	if !(lower < upper) {
		return nil, fmt.Errorf("lower limit %g is not below upper limit %g", lower, upper)
	}
	feature, place := distinct(x.CSR())
	n := len(feature)
	r := &Range{Lower: lower, Upper: upper, Feature: feature, Min: make([]float64, n), Max: make([]float64, n),
		Known: make([]bool, n)}
	seen := make([]int, n)
	for k := range n {
		r.Min[k], r.Max[k], r.Known[k] = math.Inf(1), math.Inf(-1), true
	}
	for i := range x.Len() {
		v := x.At(i)
		for e, j := range v.Index {
			k := place(j)
			seen[k]++
			r.Min[k], r.Max[k] = min(r.Min[k], v.Value[e]), max(r.Max[k], v.Value[e])
		}
	}
	for k := range n {
		if seen[k] < x.Len() { // some row leaves it out: 0
			r.Min[k], r.Max[k] = min(r.Min[k], 0), max(r.Max[k], 0)
		}
	}
	return r, nil
}

// distinct lists the features that some row has, and says where in the list one is: by a table, or
// where that would be much larger than the rows themselves by a search.
func distinct(m *data.CSR) (feature []int32, place func(int32) int) {
	if m.Cols > 8*len(m.Index)+1<<16 {
		feature = slices.Clone(m.Index)
		slices.Sort(feature)
		feature = slices.Compact(feature)
		return feature, func(j int32) int { k, _ := slices.BinarySearch(feature, j); return k }
	}
	table := make([]int32, m.Cols)
	for _, j := range m.Index {
		table[j] = 1
	}
	for j, there := range table {
		if there == 1 {
			table[j] = int32(len(feature))
			feature = append(feature, int32(j))
		}
	}
	return feature, func(j int32) int { return int(table[j]) }
}

// FitTarget makes r scale labels too.
func (r *Range) FitTarget(y []float64, lower, upper float64) error {
	if !(lower < upper) {
		return fmt.Errorf("lower limit %g of labels is not below upper limit %g", lower, upper)
	}
	if len(y) == 0 {
		return fmt.Errorf("no labels to scale")
	}
	t := &TargetRange{lower, upper, y[0], y[0]}
	for _, v := range y {
		t.Min, t.Max = min(t.Min, v), max(t.Max, v)
	}
	r.Y = t
	return nil
}

// at scales one value of the feature at place k.
func (r *Range) at(k int, x float64) float64 {
	if !r.Known[k] || r.Min[k] == r.Max[k] {
		return 0
	}
	return interpolate(x, r.Min[k], r.Max[k], r.Lower, r.Upper)
}

// ApplyTarget scales a label.
func (r *Range) ApplyTarget(y float64) float64 {
	if r.Y == nil {
		return y
	}
	return interpolate(y, r.Y.Min, r.Y.Max, r.Y.Lower, r.Y.Upper)
}

// interpolate makes the ends exact, as svm-scale does.
func interpolate(x, lo, hi, lower, upper float64) float64 {
	switch x {
	case lo:
		return lower
	case hi:
		return upper
	}
	return lower + (upper-lower)*(x-lo)/(hi-lo)
}

// Transform scales rows. Features become non-zero where 0 does not map to 0;
// those that come out 0 are left out.
func (r *Range) Transform(x data.SparseRows) data.SparseRows {
	rows := make([]data.SparseVec, x.Len())
	dim := x.Dim()
	if n := len(r.Min); n > 0 {
		dim = max(dim, r.feature(n-1)+1)
	}
	for i := range rows {
		rows[i] = r.TransformTo(data.SparseVec{}, x.At(i))
	}
	return data.SparseOf(rows, dim)
}

// TransformTo is Transform of one row, in the memory of dst where there is enough: rows that are
// written as they come need not all be there, which where 0 does not map to 0 are dense.
func (r *Range) TransformTo(dst, v data.SparseVec) data.SparseVec {
	dst.Index, dst.Value = dst.Index[:0], dst.Value[:0]
	e := 0
	for k := range r.Min {
		j := int32(r.feature(k))
		for e < len(v.Index) && v.Index[e] < j {
			e++
		}
		value := 0.0
		if e < len(v.Index) && v.Index[e] == j {
			value = v.Value[e]
		}
		if s := r.at(k, value); s != 0 {
			dst.Index, dst.Value = append(dst.Index, j), append(dst.Value, s)
		}
	}
	return dst
}

// WriteTo writes the range file of svm-scale -s.
func (r *Range) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	if r.Y != nil {
		fmt.Fprintf(&b, "y\n%s %s\n%s %s\n", g17(r.Y.Lower), g17(r.Y.Upper), g17(r.Y.Min), g17(r.Y.Max))
	}
	fmt.Fprintf(&b, "x\n%s %s\n", g17(r.Lower), g17(r.Upper))
	for k := range r.Min {
		if r.Known[k] && r.Min[k] != r.Max[k] {
			fmt.Fprintf(&b, "%d %s %s\n", r.feature(k)+1, g17(r.Min[k]), g17(r.Max[k]))
		}
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// g17 is C's %.17g.
func g17(x float64) string { return FormatG(x, 17) }

// FormatG is C's %.<digits>g: so many significant digits, without trailing
// zeros, in exponent form below 1e-4 and from 10^digits on.
func FormatG(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'e', digits-1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exponent)
	if e < -4 || e >= digits {
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		return mantissa + "e" + exponent
	}
	s = strconv.FormatFloat(x, 'f', digits-1-e, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// ReadRange reads a range file of svm-scale; name is how messages call it.
func ReadRange(src io.Reader, name string) (*Range, error) {
	s := bufio.NewScanner(src)
	line := 0
	fault := func(reason string) error {
		return &data.Error{File: name, Line: line, Kind: data.ErrSyntax, Reason: reason,
			Advice: "a range file is: x, then lower upper, then index min max for each feature"}
	}
	next := func(want int) ([]float64, error) {
		for s.Scan() {
			line++
			fields := strings.Fields(s.Text())
			if len(fields) == 0 {
				continue
			}
			if len(fields) != want {
				return nil, fault(fmt.Sprintf("%d numbers where %d are needed", len(fields), want))
			}
			out := make([]float64, want)
			for i, f := range fields {
				x, err := strconv.ParseFloat(f, 64)
				if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
					return nil, fault(fmt.Sprintf("%q is not a finite number", f))
				}
				out[i] = x
			}
			return out, nil
		}
		if err := s.Err(); err != nil {
			return nil, &data.Error{File: name, Line: line + 1, Err: err}
		}
		return nil, io.EOF
	}
	r := &Range{}
	for s.Scan() {
		line++
		switch strings.TrimSpace(s.Text()) {
		case "":
			continue
		case "y":
			limits, err := next(2)
			if err != nil {
				return nil, noEOF(err, fault)
			}
			span, err := next(2)
			if err != nil {
				return nil, noEOF(err, fault)
			}
			r.Y = &TargetRange{limits[0], limits[1], span[0], span[1]}
		case "x":
			limits, err := next(2)
			if err != nil {
				return nil, noEOF(err, fault)
			}
			r.Lower, r.Upper = limits[0], limits[1]
			for {
				f, err := next(3)
				if err == io.EOF {
					return r, nil
				}
				if err != nil {
					return nil, err
				}
				j := int(f[0]) - 1
				if f[0] != math.Trunc(f[0]) || f[0] < 1 || f[0] > MaxIndex {
					return nil, fault(fmt.Sprintf("feature index %g", f[0]))
				}
				if n := len(r.Feature); n > 0 && j <= int(r.Feature[n-1]) {
					return nil, fault(fmt.Sprintf("index %d after %d", j+1, r.Feature[n-1]+1))
				}
				r.Feature, r.Min, r.Max, r.Known = append(r.Feature, int32(j)), append(r.Min, f[1]), append(r.Max, f[2]),
					append(r.Known, true)
			}
		default:
			return nil, fault(fmt.Sprintf("%q where x or y is needed", s.Text()))
		}
	}
	return nil, fault("no section x")
}

func noEOF(err error, fault func(string) error) error {
	if err == io.EOF {
		return fault("the file ends too early")
	}
	return err
}
