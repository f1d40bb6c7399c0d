package data

import (
	"errors"
	"strings"
	"testing"
)

func TestBeside(t *testing.T) {
	genes := func() *Dataset {
		return &Dataset{Name: "genes.fasta", Columns: []Column{TextColumn("id", []string{"p1", "p2", "p3"}),
			TextColumn("sequence", []string{"AC", "GT", "TT"})}}
	}
	labels := &Dataset{Name: "labels.csv", Columns: []Column{LevelColumn("id", []string{"p3", "p1", "p0", "p2"}),
		LevelColumn("label", []string{"c", "a", "x", "b"})}}
	d, err := genes().Beside(labels)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Names(), " "); got != "sequence label" {
		t.Errorf("columns %s", got)
	}
	for i, want := range []string{"a", "b", "c"} {
		if got := d.Columns[1].String(i); got != want {
			t.Errorf("row %d is %s, want %s", i, got, want)
		}
	}
	if len(d.Skipped) != 1 || d.Skipped[0].Column != "id" {
		t.Errorf("not said: %v", d.Skipped)
	}
	inOrder := &Dataset{Name: "order.csv", Columns: []Column{LevelColumn("label", []string{"a", "b", "a"})}}
	if d, err = genes().Beside(inOrder); err != nil || strings.Join(d.Names(), " ") != "id sequence label" {
		t.Errorf("row by row: %v", err)
	}
	for want, other := range map[string]*Dataset{
		`labels.csv has 2 rows, and genes.fasta has 3`: {Name: "labels.csv",
			Columns: []Column{LevelColumn("label", []string{"a", "b"})}},
		`no row of labels.csv has the id "p2"`: {Name: "labels.csv",
			Columns: []Column{LevelColumn("id", []string{"p1", "p3"}), LevelColumn("label", []string{"a", "b"})}},
		`row 3: column "id" is "p1", as in row 1`: {Name: "labels.csv",
			Columns: []Column{TextColumn("id", []string{"p1", "p2", "p1"})}},
		`column "sequence" is in genes.fasta too`: {Name: "labels.csv",
			Columns: []Column{TextColumn("id", []string{"p1", "p2", "p3"}), TextColumn("sequence", []string{"A", "B", "C"})}},
	} {
		_, err := genes().Beside(other)
		var bad *Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
