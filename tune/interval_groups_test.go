package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// patients is rows of groups whose chance of a right answer, and whose error, is their own: what is
// true of all groups is 0.8, and a mean squared error of 2.
func patients(rng *rand.Rand, groups, each int) (classes, values learn.Predictions) {
	classes, values = learn.Predictions{Classes: 2, Positive: 1}, learn.Predictions{}
	for g := range groups {
		chance := []float64{1, 1, 0.9, 0.3}[rng.IntN(4)]
		own := rng.NormFloat64()
		for range each {
			right := rng.Float64() < chance
			classes.Truth, classes.Class, classes.Groups = append(classes.Truth, 1),
				append(classes.Class, map[bool]int{true: 1}[right]), append(classes.Groups, g)
			values.Truth, values.Value, values.Groups = append(values.Truth, 0), append(values.Value, own+rng.NormFloat64()),
				append(values.Groups, g)
		}
	}
	return classes, values
}

// Intervals hold what is true of new groups nearly as often as they say, though rows of one are
// alike; by rows they hold far less. A quarter of the groups is of a kind that eight of them do not
// meet once in ten draws: what was not seen cannot be in an interval, so that few groups are given
// room.
func TestIntervalsOfGroupsHoldTheTruth(t *testing.T) {
	const draws = 400
	for _, c := range []struct {
		groups, each int
		least        float64 // coverage
	}{{8, 10, 0.86}, {40, 5, 0.92}} {
		var share, rmse, byRows int
		for i := range draws {
			classes, values := patients(rand.New(rand.NewPCG(7, uint64(i))), c.groups, c.each)
			s := []TestScore{{Value: Accuracy().Score(classes), by: Accuracy()}}
			intervals(s, classes, classes.Groups, 1)
			if s[0].Low <= 0.8 && 0.8 <= s[0].High {
				share++
			}
			if low, high := wilson(s[0].Value, float64(len(classes.Truth))); low <= 0.8 && 0.8 <= high {
				byRows++
			}
			s = []TestScore{{Value: RMSE().Score(values), by: RMSE()}}
			intervals(s, values, values.Groups, 1)
			if s[0].Low <= math.Sqrt2 && math.Sqrt2 <= s[0].High {
				rmse++
			}
		}
		t.Logf("%d groups of %d, of %d draws: accuracy %d, by rows %d, rmse %d", c.groups, c.each, draws, share, byRows, rmse)
		if float64(share)/draws < c.least {
			t.Errorf("%d groups of %d: intervals of the accuracy hold the truth in %d of %d", c.groups, c.each, share, draws)
		}
		if float64(byRows)/draws > 0.85 {
			t.Errorf("%d groups of %d: by rows %d of %d would hold it; this test tells nothing", c.groups, c.each, byRows, draws)
		}
		if float64(rmse)/draws < c.least {
			t.Errorf("%d groups of %d: intervals of the root mean squared error hold the truth in %d of %d", c.groups, c.each,
				rmse, draws)
		}
	}
}

// Rows that are all right say how many groups there are, not how many rows.
func TestFaultlessGroups(t *testing.T) {
	p := learn.Predictions{Classes: 2}
	for i := range 100 {
		p.Truth, p.Class, p.Groups = append(p.Truth, 0), append(p.Class, 0), append(p.Groups, i/20)
	}
	s := []TestScore{{Value: 1, by: Accuracy()}}
	intervals(s, p, p.Groups, 1)
	if s[0].High != 1 || s[0].Low > 0.5 {
		t.Errorf("five groups without a fault: %g to %g", s[0].Low, s[0].High)
	}
	// One group alone tells nothing of others: rows are all there is.
	p.Groups = make([]int, 100)
	intervals(s, p, p.Groups, 1)
	if low, _ := wilson(1, 100); s[0].Low != low {
		t.Errorf("one group: from %g, want %g", s[0].Low, low)
	}
}

// A query that is drawn twice is ranked twice, not once with its rows doubled.
func TestQueriesAreDrawnWhole(t *testing.T) {
	p := learn.Predictions{Truth: []float64{1, 0, 0, 1, 1, 0}, Value: []float64{3, 2, 1, 3, 1, 2},
		Groups: []int{4, 4, 4, 9, 9, 9}}
	groups := groupRows(p.Groups)
	first, second := NDCG(0).Score(p.Gather(groups[0])), NDCG(0).Score(p.Gather(groups[1]))
	if first == second {
		t.Fatal("the queries are equally hard")
	}
	for i := range 20 {
		again := drawGroups(p, groups, 2, rand.New(rand.NewPCG(1, uint64(i))))
		if len(again.Truth) != 6 {
			t.Fatalf("%d rows", len(again.Truth))
		}
		if v := NDCG(0).Score(again); math.Abs(v-first) > 1e-12 && math.Abs(v-second) > 1e-12 &&
			math.Abs(v-(first+second)/2) > 1e-12 {
			t.Errorf("ndcg %g; that of the queries is %g and %g", v, first, second)
		}
	}
}

// Errors that go on from row to row, as in a series: stretches of time hold the truth about as
// often as they say, rows by themselves do not.
func TestIntervalsOfSeriesHoldTheTruth(t *testing.T) {
	const draws, n, phi = 300, 400, 0.8
	var held, byRows int
	truth := 1 / (1 - phi*phi) // of the mean squared error
	for i := range draws {
		rng := rand.New(rand.NewPCG(5, uint64(i)))
		p, times, e := learn.Predictions{}, []float64(nil), rng.NormFloat64()*math.Sqrt(truth)
		for j := range n {
			p.Truth, p.Value, times = append(p.Truth, 0), append(p.Value, e), append(times, float64(j))
			e = phi*e + rng.NormFloat64()
		}
		for _, units := range [][]int{stretches(times), nil} {
			s := []TestScore{{Value: RMSE().Score(p), by: RMSE()}}
			intervals(s, p, units, 1)
			if s[0].Low <= math.Sqrt(truth) && math.Sqrt(truth) <= s[0].High {
				if units != nil {
					held++
				} else {
					byRows++
				}
			}
		}
	}
	t.Logf("of %d draws: stretches %d, rows %d", draws, held, byRows)
	if float64(held)/draws < 0.88 {
		t.Errorf("stretches hold the truth in %d of %d", held, draws)
	}
	if float64(byRows)/draws > 0.75 {
		t.Errorf("by rows %d of %d would hold it; this test tells nothing", byRows, draws)
	}
	if s := stretches(make([]float64, 39)); s != nil {
		t.Errorf("39 rows: %v", s)
	}
}
