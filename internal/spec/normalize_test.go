package spec_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/kernel/seq"
)

// Alignment kernels of long series are out of the range of numbers, and their normalised form is
// not: however the text says of what it is.
func TestNormalizeBehindColumns(t *testing.T) {
	up, down := make([]float64, 450), make([]float64, 450) // some 5.8^450 alignments
	for i := range up {
		up[i], down[i] = math.Sin(float64(i)/7), math.Cos(float64(i)/5)
	}
	x, y := mixed.Row{Objects: []any{seq.Univariate(up)}}, mixed.Row{Objects: []any{seq.Univariate(down)}}
	schema := mixed.Schema{Columns: []mixed.Column{{Name: "sold", Kind: data.Sequence, Object: 0}}}
	for _, width := range []string{"0.05", "20"} { // values that underflow, and that overflow
		want, err := spec.ParseRows(schema, "normalize(gak(width="+width+")) on sold")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"normalize(gak(width=" + width + "))", "normalize(gak(width=" + width + ") on sold)"} {
			k, err := spec.ParseRows(schema, text)
			if err != nil {
				t.Fatal(err)
			}
			if got := k.Eval(x, x); math.Abs(got-1) > 1e-9 {
				t.Errorf("%s of a series with itself is %g, want 1", text, got)
			}
			if got, want := k.Eval(x, y), want.Eval(x, y); got != want {
				t.Errorf("%s is %g, want %g", text, got, want)
			}
			printed, err := spec.FormatRows(schema, k)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := spec.ParseRows(schema, printed); err != nil || again.Eval(x, y) != k.Eval(x, y) {
				t.Errorf("%s is printed as %s: %v", text, printed, err)
			}
		}
	}
	k, err := spec.ParseWith(spec.Series(), "normalize(withtime(gak(width=0.05)))")
	if err != nil {
		t.Fatal(err)
	}
	if got := k.Eval(seq.Univariate(up), seq.Univariate(up)); math.Abs(got-1) > 1e-9 {
		t.Errorf("behind withtime: %g, want 1", got)
	}
}
