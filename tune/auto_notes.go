package tune

import (
	"slices"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/kernel/seq"
)

// notedColumn is a column of strings and one that has a note for each of their letters.
type notedColumn struct{ letters, notes string }

// Strings of two columns that are as long as each other in every row are no chance where so many
// lengths come.
const (
	notedLengths = 3
	mostNotes    = 32 // different ones
)

// notedColumns finds columns of notes: as many letters as a column of strings has in every row, and
// fewer different ones. They are texts then, whatever they were taken for.
func notedColumns(d *data.Dataset) (*data.Dataset, []notedColumn, error) {
	var found []notedColumn
	features := d.Features()
	for _, c := range features {
		if c.Kind != data.Text {
			continue
		}
		for _, n := range features {
			taken := slices.ContainsFunc(found, func(f notedColumn) bool {
				return f.letters == c.Name || f.notes == c.Name || f.letters == n.Name || f.notes == n.Name
			})
			if n.Name != c.Name && !taken && (n.Kind == data.Text || n.Kind == data.Categorical) && notes(c, n) {
				found = append(found, notedColumn{c.Name, n.Name})
			}
		}
	}
	if found == nil {
		return d, nil, nil
	}
	out := *d
	out.Columns = slices.Clone(d.Columns)
	for _, f := range found {
		c, err := out.Column(f.notes)
		if err != nil {
			return nil, nil, err
		}
		if *c, err = c.As(data.Text); err != nil {
			return nil, nil, err
		}
	}
	return &out, found, nil
}

// notes says whether n has the notes of the letters of c.
func notes(c, n *data.Column) bool {
	letters, marks, lengths := map[rune]bool{}, map[rune]bool{}, map[int]bool{}
	for i := range c.Len() {
		x, y := c.String(i), n.String(i)
		if !mixing.CanNote(x, y) {
			return false
		}
		for _, r := range x {
			letters[r] = true
		}
		for _, r := range y {
			marks[r] = true
		}
		lengths[utf8.RuneCountInString(x)] = true
	}
	return len(lengths) >= notedLengths && len(marks) <= mostNotes && len(marks) < len(letters)
}

// areNotes says whether a column is there for the letters of another alone.
func (o AutoOptions) areNotes(s mixed.Schema, name string) bool {
	return slices.ContainsFunc(o.notes, func(n notedColumn) bool {
		_, _, ok := n.in(s)
		return ok && n.notes == name
	})
}

// in finds the two columns among those of objects.
func (n notedColumn) in(s mixed.Schema) (letters, notes mixed.Column, ok bool) {
	letters, found := s.Column(n.letters)
	notes, also := s.Column(n.notes)
	return letters, notes, found && also && letters.Object >= 0 && notes.Object >= 0
}

// notedParts compares strings with their notes: by pairs of noted letters, which say who is how far
// from whom, and by runs.
func (o AutoOptions) notedParts(s mixed.Schema) (out []rowPart) {
	for _, n := range o.notes {
		letters, notes, ok := n.in(s)
		if !ok {
			continue
		}
		on := func(name string, k kernel.Kernel[string], axis Axis) proposal {
			return proposal{name: name, kernel: mixing.OnNoted(letters, notes, kernel.Normalize(k)), axes: []Axis{axis}}
		}
		out = append(out, rowPart{[]string{n.letters, n.notes}, "noted text", []proposal{
			on("noted gappypairs", seq.GappyPairs{K: 1, Gap: 10}, whole("gappypairs.gap", 4, 7, 10, 15)),
			on("noted spectrum", seq.Spectrum{K: 1}, whole("spectrum.k", 1, 2)),
		}})
	}
	return out
}
