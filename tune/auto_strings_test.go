package tune_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/tune"
)

// surnames is strings of three classes, which are told apart by how they end.
func surnames(n int) *data.Dataset {
	rng := rand.New(rand.NewPCG(5, 1))
	names, y := make([]string, n), make([]int32, n)
	for i := range names {
		for range 2 + rng.IntN(4) {
			names[i] += string("bdfgklmnprst"[rng.IntN(12)]) + string("aeiou"[rng.IntN(5)])
		}
		y[i] = int32(i % 3)
		names[i] += []string{"ov", "ini", "mann"}[y[i]]
	}
	return &data.Dataset{Name: "surnames", Target: "language", Columns: []data.Column{
		data.TextColumn("name", names), {Name: "language", Kind: data.Categorical,
			Levels: []string{"Bulgarian", "Italian", "German"}, Codes: y}}}
}

// Of strings the first that is judged is a linear machine of runs of letters. It is alone where
// rows are too many for machines that take their square, and then it sees all of them.
func TestStringsBeginWithALinearMachine(t *testing.T) {
	for _, c := range []struct {
		rows  int
		bytes int64
		alone bool
	}{{120, 1 << 30, false}, {900, 20 << 20, true}} {
		t.Run(fmt.Sprint(c.rows), func(t *testing.T) {
			r, err := tune.Auto(context.Background(), surnames(c.rows),
				tune.AutoOptions{Seed: 1, Bytes: c.bytes, NoProbabilities: true, Folds: 2, Repeats: 1, Strategy: tune.Grid{}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Cells) == 0 || r.Cells[0].Learner != "linear-svm" {
				t.Fatalf("the first cell is %v", r.Cells[0])
			}
			others := 0
			for _, cell := range r.Cells {
				if cell.Learner != "linear-svm" {
					others++
				}
			}
			if c.alone != (others == 0) {
				t.Errorf("%d cells of other learners, alone: %v", others, c.alone)
			}
			for _, note := range r.Notes {
				if strings.Contains(note, "searched on") {
					t.Error(note)
				}
			}
			if score := r.Test[0].Value; score < 0.95 {
				t.Errorf("accuracy %g", score)
			}
		})
	}
}
