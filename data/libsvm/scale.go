package libsvm

import (
	"bufio"
	"fmt"
	"io"
	"math"
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
	Min, Max     []float64 // by feature, from index 1
	// Known says which features the range covers; others pass as they are left
	// out by svm-scale.
	Known []bool
	Y     *TargetRange // nil: labels stay as they are
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
	n := x.Dim()
	r := &Range{Lower: lower, Upper: upper, Min: make([]float64, n), Max: make([]float64, n), Known: make([]bool, n)}
	seen := make([]int, n)
	for j := range n {
		r.Min[j], r.Max[j], r.Known[j] = math.Inf(1), math.Inf(-1), true
	}
	for i := range x.Len() {
		v := x.At(i)
		for k, j := range v.Index {
			seen[j]++
			r.Min[j], r.Max[j] = min(r.Min[j], v.Value[k]), max(r.Max[j], v.Value[k])
		}
	}
	for j := range n {
		if seen[j] < x.Len() { // some row leaves it out: 0
			r.Min[j], r.Max[j] = min(r.Min[j], 0), max(r.Max[j], 0)
		}
	}
	return r, nil
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

// Apply scales one value of feature j (from 0).
func (r *Range) Apply(j int, x float64) float64 {
	if j >= len(r.Min) || !r.Known[j] || r.Min[j] == r.Max[j] {
		return 0
	}
	return interpolate(x, r.Min[j], r.Max[j], r.Lower, r.Upper)
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
	dim := max(x.Dim(), len(r.Min))
	for i := range rows {
		v := x.At(i)
		k := 0
		for j := range len(r.Min) {
			value := 0.0
			for k < len(v.Index) && int(v.Index[k]) < j {
				k++
			}
			if k < len(v.Index) && int(v.Index[k]) == j {
				value = v.Value[k]
			}
			if s := r.Apply(j, value); s != 0 {
				rows[i].Index = append(rows[i].Index, int32(j))
				rows[i].Value = append(rows[i].Value, s)
			}
		}
	}
	return data.SparseOf(rows, dim)
}

// WriteTo writes the range file of svm-scale -s.
func (r *Range) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	if r.Y != nil {
		fmt.Fprintf(&b, "y\n%s %s\n%s %s\n", g17(r.Y.Lower), g17(r.Y.Upper), g17(r.Y.Min), g17(r.Y.Max))
	}
	fmt.Fprintf(&b, "x\n%s %s\n", g17(r.Lower), g17(r.Upper))
	for j := range r.Min {
		if r.Known[j] && r.Min[j] != r.Max[j] {
			fmt.Fprintf(&b, "%d %s %s\n", j+1, g17(r.Min[j]), g17(r.Max[j]))
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
		return &data.Error{File: name, Line: line, Kind: data.ErrSyntax, Reason: reason, Advice: "a range file is: x, then lower upper, then index min max for each feature"}
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
				if f[0] != math.Trunc(f[0]) || f[0] < 1 || f[0] > 1<<26 {
					return nil, fault(fmt.Sprintf("feature index %g", f[0]))
				}
				if j < len(r.Min) {
					return nil, fault(fmt.Sprintf("index %d after %d", j+1, len(r.Min)))
				}
				for len(r.Min) <= j {
					r.Min, r.Max, r.Known = append(r.Min, 0), append(r.Max, 0), append(r.Known, false)
				}
				r.Min[j], r.Max[j], r.Known[j] = f[1], f[2], true
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
