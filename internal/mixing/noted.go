package mixing

import (
	"fmt"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
)

// Noted is a kernel on strings whose letters have notes: what a second column says of each of them,
// letter by letter (the place in the heptad of a coiled coil, the structure that an amino acid is
// part of). A letter with its note is a letter of a larger alphabet,
//
//	k((x, a), (y, b)) = κ((x₁,a₁)(x₂,a₂)…, (y₁,b₁)(y₂,b₂)…),
//
// so that every kernel κ on strings is one on noted strings (annotated sequences in J. Palme, S.
// Hochreiter and U. Bodenhofer, KeBABS, Bioinformatics 2015).
type Noted struct {
	kernel.PullbackOf[mixed.Row, string]
	letters, notes mixed.Column
}

// OnNoted is k of the strings of one column with the notes of another.
func OnNoted(letters, notes mixed.Column, k kernel.Kernel[string]) kernel.Kernel[mixed.Row] {
	return Noted{kernel.PullbackOf[mixed.Row, string]{Kernel: k, Map: func(r mixed.Row) string {
		s, _ := note(r.Objects[letters.Object].(string), r.Objects[notes.Object].(string))
		return s
	}}, letters, notes}
}

// Columns are the names of the columns of letters and of notes.
func (k Noted) Columns() []string { return []string{k.letters.Name, k.notes.Name} }

// With sets the parameters of the kernel on strings.
func (k Noted) With(theta []float64) kernel.Kernel[mixed.Row] {
	k.PullbackOf = k.PullbackOf.With(theta).(kernel.PullbackOf[mixed.Row, string])
	return k
}

// CheckPoints refuses strings with more or fewer notes than letters, and what has no place in the
// larger alphabet.
func (k Noted) CheckPoints(x data.Points[mixed.Row]) error {
	for i := range x.Len() {
		r := x.At(i)
		if _, err := note(r.Objects[k.letters.Object].(string), r.Objects[k.notes.Object].(string)); err != nil {
			return fmt.Errorf("mixed: row %d: column %q with the notes of %q: %w", i, k.letters.Name, k.notes.Name, err)
		}
	}
	return k.PullbackOf.CheckPoints(x)
}

// The letters of the larger alphabet are the 2¹⁷ code points that are given to nobody: 2¹⁰ letters
// with 2⁷ notes each.
const (
	firstNoted = 0xF0000
	mostLetter = 1 << 10
	mostNote   = 1 << 7
)

// CanNote says whether notes are for the letters of a string: as many, letters up to U+03FF and
// notes of ASCII.
func CanNote(letters, notes string) bool {
	_, err := note(letters, notes)
	return err == nil
}

// note writes each letter with its note as one letter.
func note(letters, notes string) (string, error) {
	if n, m := utf8.RuneCountInString(letters), utf8.RuneCountInString(notes); n != m {
		return "", fmt.Errorf("%d letters and %d notes; each letter has one", n, m)
	}
	of := []rune(notes)
	out, i := make([]rune, len(of)), 0
	for _, r := range letters {
		switch {
		case r >= mostLetter:
			return "", fmt.Errorf("letter %d is %q, beyond those that can have notes (up to U+03FF)", i+1, r)
		case of[i] >= mostNote:
			return "", fmt.Errorf("note %d is %q, and notes are letters of ASCII", i+1, of[i])
		}
		out[i] = firstNoted + r*mostNote + of[i]
		i++
	}
	return string(out), nil
}
