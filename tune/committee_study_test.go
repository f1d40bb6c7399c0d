package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
)

// devSet draws a row of features and its answer; classes is 0 for numbers.
type devSet struct {
	name    string
	classes int
	draw    func(rng *rand.Rand) (x []float64, y float64)
}

// devSets are textbook generators, none of which bench/AUTO.md judges by: J. Friedman's three, L.
// Breiman's twonorm, ringnorm and waveform, and others.
func devSets() []devSet {
	uniform := func(rng *rand.Rand, d int) []float64 {
		x := make([]float64, d)
		for j := range x {
			x[j] = rng.Float64()
		}
		return x
	}
	normal := func(rng *rand.Rand, d int, mean, sd float64) []float64 {
		x := make([]float64, d)
		for j := range x {
			x[j] = mean + sd*rng.NormFloat64()
		}
		return x
	}
	circuit := func(rng *rand.Rand) (x []float64, b float64) {
		x = []float64{100 * rng.Float64(), math.Pi * (40 + 520*rng.Float64()), rng.Float64(), 1 + 10*rng.Float64()}
		return x, x[1]*x[2] - 1/(x[1]*x[3])
	}
	wave := func(i, j int) float64 { return math.Max(6-math.Abs(float64(j)-[]float64{6, 14, 10}[i]), 0) }
	return []devSet{
		{"friedman1", 0, func(rng *rand.Rand) ([]float64, float64) {
			x := uniform(rng, 10)
			return x, 10*math.Sin(math.Pi*x[0]*x[1]) + 20*(x[2]-0.5)*(x[2]-0.5) + 10*x[3] + 5*x[4] + rng.NormFloat64()
		}},
		{"friedman2", 0, func(rng *rand.Rand) ([]float64, float64) {
			x, b := circuit(rng)
			return x, math.Hypot(x[0], b) + 125*rng.NormFloat64()
		}},
		{"friedman3", 0, func(rng *rand.Rand) ([]float64, float64) {
			x, b := circuit(rng)
			return x, math.Atan2(b, x[0]) + 0.1*rng.NormFloat64()
		}},
		{"heteroscedastic", 0, func(rng *rand.Rand) ([]float64, float64) {
			x := uniform(rng, 2)
			return x, math.Sin(8*x[0]) + x[1] + (0.1+x[0])*rng.NormFloat64()
		}},
		{"lognormal", 0, func(rng *rand.Rand) ([]float64, float64) {
			x := normal(rng, 4, 0, 1)
			return x, math.Exp(x[0] + 0.5*math.Sin(2*x[1]) + 0.3*rng.NormFloat64())
		}},
		{"plane", 0, func(rng *rand.Rand) ([]float64, float64) {
			x := normal(rng, 8, 0, 1)
			return x, x[0] + 0.5*x[1] - 0.7*x[2] + rng.NormFloat64()
		}},
		{"steps", 0, func(rng *rand.Rand) ([]float64, float64) {
			x := uniform(rng, 3)
			return x, math.Floor(4*x[0]) + 2*math.Floor(2*x[1]) + 0.4*rng.NormFloat64()
		}},
		{"spirals", 2, func(rng *rand.Rand) ([]float64, float64) {
			c := float64(rng.IntN(2))
			a := 1 + 8*rng.Float64()
			return []float64{a*math.Cos(a+c*math.Pi) + 0.5*rng.NormFloat64(), a*math.Sin(a+c*math.Pi) + 0.5*rng.NormFloat64()}, c
		}},
		{"moons", 2, func(rng *rand.Rand) ([]float64, float64) {
			c := float64(rng.IntN(2))
			a := math.Pi * rng.Float64()
			return []float64{(1-2*c)*math.Cos(a) + c + 0.4*rng.NormFloat64(),
				(1-2*c)*math.Sin(a) + 0.5*c + 0.4*rng.NormFloat64()}, c
		}},
		{"twonorm", 2, func(rng *rand.Rand) ([]float64, float64) {
			c := float64(rng.IntN(2))
			return normal(rng, 20, (2*c-1)*0.3, 1), c
		}},
		{"ringnorm", 2, func(rng *rand.Rand) ([]float64, float64) {
			c := float64(rng.IntN(2))
			return normal(rng, 10, c/math.Sqrt(10), 2-c), c
		}},
		{"waveform", 3, func(rng *rand.Rand) ([]float64, float64) {
			c := rng.IntN(3)
			u, x := rng.Float64(), make([]float64, 21)
			for j := range x {
				x[j] = u*wave([]int{0, 0, 1}[c], j) + (1-u)*wave([]int{1, 2, 2}[c], j) + rng.NormFloat64()
			}
			return x, float64(c)
		}},
		{"blobs", 8, func(rng *rand.Rand) ([]float64, float64) {
			c := rng.IntN(8)
			x := normal(rng, 5, 0, 0.9)
			for j := range 3 {
				x[j] += float64(2 * (c >> j & 1))
			}
			return x, float64(c)
		}},
		{"checkers", 2, func(rng *rand.Rand) ([]float64, float64) {
			x := uniform(rng, 3)
			c := (int(3*x[0]) + int(3*x[1])) % 2
			if rng.Float64() < 0.1 {
				c = 1 - c
			}
			return x, float64(c)
		}},
	}
}

// rows draws a data set.
func (s devSet) rows(n int, seed uint64) *data.Dataset {
	rng := rand.New(rand.NewPCG(seed, 0x646576))
	var columns [][]float64
	values, labels := make([]float64, n), make([]string, n)
	for i := range n {
		x, y := s.draw(rng)
		if columns == nil {
			columns = make([][]float64, len(x))
		}
		for j, v := range x {
			columns[j] = append(columns[j], v)
		}
		values[i], labels[i] = y, "c"+strconv.Itoa(int(y))
	}
	d := &data.Dataset{Name: s.name, Target: "y"}
	for j, v := range columns {
		d.Columns = append(d.Columns, data.NumberColumn("x"+strconv.Itoa(j), v))
	}
	if s.classes > 0 {
		d.Columns = append(d.Columns, data.LevelColumn("y", labels))
	} else {
		d.Columns = append(d.Columns, data.NumberColumn("y", values))
	}
	return d
}

// devFile is a set of ../shared/data that bench/AUTO.md does not judge by, in the order of a seed.
func devFile(file, target string, leave ...string) func(n int, seed uint64) (*data.Dataset, error) {
	return func(n int, seed uint64) (*data.Dataset, error) {
		d, err := load.Read(context.Background(), filepath.Join("..", "..", "shared", "data", file),
			load.Options{Target: target})
		if err != nil {
			return nil, err
		}
		d.Columns = slices.DeleteFunc(d.Columns, func(c data.Column) bool { return slices.Contains(leave, c.Name) })
		return d.Gather(rand.New(rand.NewPCG(seed, 0x66)).Perm(d.Len())[:min(n, d.Len())]), nil
	}
}

// devDraws is all development sets: names in order, and how rows of each are drawn.
func devDraws() (names []string, draw map[string]func(n int, seed uint64) (*data.Dataset, error)) {
	draw = map[string]func(n int, seed uint64) (*data.Dataset, error){
		"faithful": devFile("faithful.csv", "eruptions"), "musk1": devFile("musk1.csv", "label", "bag"),
		"sachs": devFile("sachs_cyto.csv", "pjnk"), "flights": devFile("flights_nyc.csv.gz", "arr_delay"),
	}
	names = []string{"faithful", "musk1", "sachs", "flights"}
	for _, s := range devSets() {
		names = append(names, s.name)
		draw[s.name] = func(n int, seed uint64) (*data.Dataset, error) { return s.rows(n, seed), nil }
	}
	return names, draw
}

// weighed is a search with what its choice, its committee and others are worth on rows kept apart.
type weighed struct {
	Set     string             `json:"set"`
	Seed    uint64             `json:"seed"`
	Metric  string             `json:"metric"`
	Chosen  bool               `json:"chosen"`
	Scores  map[string]float64 `json:"scores"` // on rows kept apart: alone, committee, equal, bagged, rule
	Reason  string             `json:"reason"`
	Members []string           `json:"members"`
	// over one chosen by the other folds, its error; over the chosen cell, its error
	Lead [4]float64 `json:"lead"`
}

// TestCommitteeStudy records what committees are worth on development sets:
// MERCER_COMMITTEE_STUDY=FILE, MERCER_STUDY_SPLITS="1 2 3", MERCER_STUDY_SETS=words,
// MERCER_STUDY_ROWS=150.
func TestCommitteeStudy(t *testing.T) {
	file := os.Getenv("MERCER_COMMITTEE_STUDY")
	if file == "" {
		t.Skip("a study, not a test: set MERCER_COMMITTEE_STUDY to the file to write")
	}
	most := 150
	if n, err := strconv.Atoi(os.Getenv("MERCER_STUDY_ROWS")); err == nil {
		most = n
	}
	names, draw := devDraws()
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	done, _ := os.ReadFile(file)
	asked := strings.Fields(os.Getenv("MERCER_STUDY_SETS"))
	for _, split := range strings.Fields(os.Getenv("MERCER_STUDY_SPLITS")) {
		seed, _ := strconv.ParseUint(split, 10, 64)
		for _, name := range names {
			if len(asked) > 0 && !slices.Contains(asked, name) ||
				strings.Contains(string(done), fmt.Sprintf(`{"set":"%s","seed":%d,`, name, seed)) {
				continue
			}
			d, err := draw[name](most+1000, seed)
			if err != nil {
				t.Log(name, err)
				continue
			}
			w, err := weigh(t.Context(), d, most, seed)
			if err != nil {
				t.Log(name, err)
				continue
			}
			b, _ := json.Marshal(w)
			fmt.Fprintf(out, "%s\n", b)
		}
	}
}

// weigh fits to the first rows of a data set and judges by the others.
func weigh(ctx context.Context, d *data.Dataset, most int, seed uint64) (*weighed, error) {
	n := min(most, d.Len()*2/3)
	index := make([]int, d.Len())
	for i := range index {
		index[i] = i
	}
	train, test := d.Gather(index[:n]), d.Gather(index[n:])
	o := AutoOptions{Seed: seed, Holdout: -1, Budget: 10 * time.Minute,
		Encoder: data.EncoderOptions{Unseen: "zero", Missing: "mean"}}
	one, err := Auto(ctx, train, o)
	if err != nil {
		return nil, err
	}
	out := &weighed{Set: d.Name, Seed: seed, Metric: one.Metric.Name, Scores: map[string]float64{}}
	o.Best = BestCommittee
	r, err := Auto(ctx, train, o)
	if err != nil {
		return nil, err
	}
	f := r.outcome.(found)
	x, err := r.Encoder.TransformLabelled(test)
	if err != nil {
		return nil, err
	}
	all, err := f.problem(x)
	if err != nil {
		return nil, err
	}
	score := func(m *Fitted) (float64, error) {
		p, err := m.known(ctx, all)
		return r.Metric.Score(p), err
	}
	if out.Scores["rule"], err = score(f.Model); err != nil {
		return nil, err
	}
	if r.Committee == nil {
		out.Reason = r.Why[len(r.Why)-1]
		return out, nil
	}
	out.Chosen, out.Reason = r.Committee.Chosen, r.Committee.Reason
	j := r.Committee.Judged.Scores
	out.Lead[0], out.Lead[1] = r.Metric.lead(j, r.Committee.Alone.Scores, 1)
	out.Lead[2], out.Lead[3] = r.Metric.lead(j, one.Chosen.Scores[:len(j)], 1)
	for _, m := range r.Committee.Members {
		out.Members = append(out.Members, fmt.Sprintf("%.2f %s", m.Weight, m.Cell.Label))
	}
	xt, err := r.Encoder.TransformLabelled(train)
	if err != nil {
		return nil, err
	}
	p, err := f.problem(xt)
	if err != nil {
		return nil, err
	}
	alone, err := f.fitCell(ctx, r.Committee.Alone, p)
	if err != nil {
		return nil, err
	}
	if out.Scores["alone"], err = score(alone); err != nil {
		return nil, err
	}
	res := *f.Result
	res.Chosen, res.Model = r.Committee.Alone, alone
	if err := res.join(ctx, r.Committee, p); err != nil {
		return nil, err
	}
	if out.Scores["committee"], err = score(res.Model); err != nil {
		return nil, err
	}
	c := *res.Model.Custom.(*committee)
	c.weights = slices.Repeat([]float64{1 / float64(len(c.members))}, len(c.members))
	equal := *res.Model
	equal.Custom = &c
	if out.Scores["equal"], err = score(&equal); err != nil {
		return nil, err
	}
	// The models of the folds in place of one of all rows.
	bag := &committee{}
	folds := res.Folds[:min(5, len(res.Folds))]
	for _, m := range r.Committee.Members {
		for _, fold := range folds {
			part, err := f.fitCell(ctx, m.Cell, p.Gather(fold.Train))
			if err != nil {
				return nil, err
			}
			bag.members, bag.weights = append(bag.members, part), append(bag.weights, m.Weight/float64(len(folds)))
		}
	}
	equal.Custom = bag
	out.Scores["bagged"], err = score(&equal)
	return out, err
}
