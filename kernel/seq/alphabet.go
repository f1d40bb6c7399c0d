package seq

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Alphabet is the letters that a string may have, each once.
type Alphabet string

// The alphabets of molecules. Protein has the twenty amino acids alone; ProteinAmbiguous has also B
// (N or D), Z (Q or E), X (any) and * (stop), in the order of the substitution matrices.
const (
	DNA              Alphabet = "ACGT"
	RNA              Alphabet = "ACGU"
	Protein          Alphabet = "ARNDCQEGHILKMFPSTWYV"
	ProteinAmbiguous Alphabet = Protein + "BZX*"
)

// Size is the number of letters.
func (a Alphabet) Size() int { return utf8.RuneCountInString(string(a)) }

// Index is the place of a letter in the alphabet, or -1.
func (a Alphabet) Index(letter rune) int {
	at := strings.IndexRune(string(a), letter)
	if at <= 0 {
		return at
	}
	return utf8.RuneCountInString(string(a[:at]))
}

// Check refuses strings with other letters; the error names row and position.
func (a Alphabet) Check(x data.Points[string]) error { return a.check("alphabet", x) }

func (a Alphabet) check(name string, x data.Points[string]) error {
	if err := checkText(name, x); err != nil {
		return err
	}
	for i := range x.Len() {
		at := 0
		for _, r := range x.At(i) {
			if a.Index(r) < 0 {
				return fmt.Errorf("seq: %s: row %d, position %d is %q, which is no letter of %q; replace it or choose "+
					"another alphabet", name, i, at, r, string(a))
			}
			at++
		}
	}
	return nil
}

// codes is a checked string as places in the alphabet; -1 for other letters.
func (a Alphabet) codes(s string) []int {
	out := make([]int, 0, len(s))
	for _, r := range s {
		out = append(out, a.Index(r))
	}
	return out
}

// eachRun hands out features that are runs of places in the alphabet by their letters.
func (a Alphabet) eachRun(phi counts, add func(name string, value float64)) {
	letters := []rune(string(a))
	for run, v := range phi {
		name := make([]rune, len(run))
		for i := range name {
			name[i] = letters[run[i]]
		}
		add(string(name), v)
	}
}

// valid refuses an alphabet that is empty, has a letter twice or is no UTF-8.
func (a Alphabet) valid(name string) error {
	if a == "" {
		return fmt.Errorf("seq: %s: the alphabet has no letters; give one such as seq.DNA or seq.Protein", name)
	}
	if !utf8.ValidString(string(a)) {
		return fmt.Errorf("seq: %s: the alphabet %q is no UTF-8", name, string(a))
	}
	for i, r := range []rune(string(a)) {
		if a.Index(r) != i {
			return fmt.Errorf("seq: %s: the alphabet %q has the letter %q twice", name, string(a), r)
		}
	}
	return nil
}

// OverOf is a kernel on the strings of an alphabet; Over makes one.
type OverOf struct {
	Alphabet Alphabet
	Kernel   kernel.Kernel[string]
}

// Over is k on strings of the alphabet alone: other letters are refused with their row and
// position.
func Over(alphabet Alphabet, k kernel.Kernel[string]) kernel.Kernel[string] {
	return OverOf{alphabet, k}
}

// Name is that of the kernel.
func (k OverOf) Name() string {
	if n, ok := k.Kernel.(kernel.Named); ok {
		return n.Name()
	}
	return "over"
}

// Eval returns k(x, y).
func (k OverOf) Eval(x, y string) float64 { return k.Kernel.Eval(x, y) }

// PreparePoints lets the kernel prepare the points where it can.
func (k OverOf) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	if p, ok := k.Kernel.(kernel.Preparer[string]); ok {
		return p.PreparePoints(ctx, x, y)
	}
	return kernel.PreparePairs(ctx, x, y, func(s string) string { return s }, k.Kernel.Eval)
}

// HasFeatures says whether the kernel has.
func (k OverOf) HasFeatures() bool {
	return kernel.HasSparseMap(kernel.Erase(k.Kernel)) && k.features() != nil
}

func (k OverOf) features() kernel.SparseMapper[string] {
	m, _ := k.Kernel.(kernel.SparseMapper[string])
	return m
}

// EachFeature adds the features of the kernel.
func (k OverOf) EachFeature(x string, add func(name string, value float64)) {
	k.features().EachFeature(x, add)
}

// Params are those of the kernel.
func (k OverOf) Params() []kernel.Param { return kernel.Params(k.Kernel) }

// With sets the parameters of the kernel.
func (k OverOf) With(theta []float64) kernel.Kernel[string] {
	if t, ok := k.Kernel.(kernel.Tunable[string]); ok {
		return OverOf{k.Alphabet, t.With(theta)}
	}
	return k
}

// Validate refuses a bad alphabet, and asks the kernel.
func (k OverOf) Validate() error {
	return firstError(k.Alphabet.valid("over"), kernel.Validate(k.Kernel))
}

// CheckPoints refuses letters that are not of the alphabet, and asks the kernel.
func (k OverOf) CheckPoints(x data.Points[string]) error {
	if err := k.Alphabet.check(k.Name(), x); err != nil {
		return err
	}
	if c, ok := k.Kernel.(kernel.PointChecker[string]); ok {
		return c.CheckPoints(x)
	}
	return nil
}

// Properties are those of the kernel.
func (k OverOf) Properties() kernel.Properties { return kernel.PropertiesOf(k.Kernel) }
