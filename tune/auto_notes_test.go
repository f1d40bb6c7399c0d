package tune

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// coils has strings of all lengths whose class is told by where in the heptad an L stands, and not
// by how many there are.
func coils(n int) *data.Dataset {
	sequence, heptad, class := make([]string, n), make([]string, n), make([]string, n)
	state := uint64(11)
	next := func(k int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state>>33) % k
	}
	for i := range n {
		s, h := make([]byte, 12+next(9)), make([]byte, 0, 21)
		start := next(7)
		at := []int{0, 3} // a and d, or b and e
		if class[i] = "inside"; i%2 == 0 {
			class[i], at = "outside", []int{1, 4}
		}
		for j := range s {
			place := (start + j) % 7
			h = append(h, "abcdefg"[place])
			if s[j] = "AEKQRSTVDNGI"[next(12)]; (place == at[0] || place == at[1]) && next(4) > 0 {
				s[j] = 'L'
			}
		}
		sequence[i], heptad[i] = string(s), string(h)
	}
	return &data.Dataset{Name: "coils", Target: "class", Columns: []data.Column{
		data.TextColumn("sequence", sequence), data.LevelColumn("heptad", heptad), data.LevelColumn("class", class),
	}}
}

// A column with a note for each letter of another is found, said, and compared with it: the letters
// alone say nothing of the class.
func TestAutoOnNotedText(t *testing.T) {
	t.Parallel()
	r, err := Auto(context.Background(), coils(60), AutoOptions{Budget: time.Hour, Learners: []string{"svm"},
		Axes: []Axis{Over("C", 10)}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "heptad has a note for each letter of sequence") {
		t.Errorf("not said: %q", r.Notes)
	}
	if len(r.Columns) != 2 || r.Columns[1].Alignment < 2*r.Columns[0].Alignment {
		t.Errorf("%+v", r.Columns)
	}
	if r.Test[0].Value < 0.9 {
		t.Errorf("%s %g of rows held out", r.Test[0].Metric, r.Test[0].Value)
	}
	m, err := r.Model(model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	_, worth, err := PermutationImportance(context.Background(), m, coils(60), ExplainOptions{Repeats: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(worth) != 2 || worth[0].Column != "sequence" || !(worth[0].Loss > 0.1) {
		t.Errorf("importance of letters and their notes: %+v", worth)
	}
}

// Columns of codes of one length, of other lengths in one row, or with as many signs as letters are
// no notes.
func TestNotesAreNotGuessed(t *testing.T) {
	strings := []string{"ABCDE", "ACE", "DBCA", "AB"}
	for name, other := range map[string][]string{
		"one row is longer":       {"xyxyx", "xyx", "xyxy", "xyx"},
		"as many different signs": {"vwxyz", "vxz", "ywxv", "vw"},
	} {
		d := &data.Dataset{Columns: []data.Column{data.TextColumn("a", strings), data.TextColumn("b", other)}}
		if _, found, err := notedColumns(d); found != nil || err != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
	codes := &data.Dataset{Columns: []data.Column{data.TextColumn("a", []string{"ABC", "DEF", "GHI"}),
		data.TextColumn("b", []string{"xyx", "yyx", "xxx"})}}
	if _, found, _ := notedColumns(codes); found != nil {
		t.Errorf("codes of one length: %v", found)
	}
	if _, found, _ := notedColumns(&data.Dataset{Columns: []data.Column{data.TextColumn("a", strings),
		data.TextColumn("b", []string{"xyxyx", "xyx", "xyxy", "xy"})}}); len(found) != 1 {
		t.Errorf("notes: %v", found)
	}
}
