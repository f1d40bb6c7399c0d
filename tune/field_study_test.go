package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"gonum.org/v1/gonum/mat"
)

// TestFieldStudy records what two other ways are worth on development sets, none of which bench/AUTO.md judges by: columns stretched by how well each aligns with the target
// (a length-scale for each, without a search), and Gaussian processes averaged over draws of their parameters in place of the likeliest ones. MERCER_FIELD_STUDY=FILE,
// MERCER_STUDY_SPLITS="1 2 3", MERCER_STUDY_ROWS=80.
func TestFieldStudy(t *testing.T) {
	file := os.Getenv("MERCER_FIELD_STUDY")
	if file == "" {
		t.Skip("a study, not a test: set MERCER_FIELD_STUDY to the file to write")
	}
	most := 80
	if n, err := strconv.Atoi(os.Getenv("MERCER_STUDY_ROWS")); err == nil {
		most = n
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for _, split := range strings.Fields(os.Getenv("MERCER_STUDY_SPLITS")) {
		seed, _ := strconv.ParseUint(split, 10, 64)
		for _, s := range devSets() {
			line := map[string]any{"set": s.name, "seed": seed, "classes": s.classes}
			for how, scores := range map[string]func(context.Context, devSet, int, uint64) (map[string]float64, error){"stretched": stretchedColumns, "averaged": averagedProcess} {
				got, err := scores(t.Context(), s, most, seed)
				if err != nil {
					t.Log(s.name, how, err)
					continue
				}
				for name, v := range got {
					line[name] = v
				}
			}
			b, _ := json.Marshal(line)
			fmt.Fprintf(out, "%s\n", b)
		}
	}
}

// standardised is the features of a development set by the means and deviations of its first rows, with the answers.
func standardised(s devSet, most int, seed uint64) (x *mat.Dense, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 0x646576))
	n := most + 1000
	y = make([]float64, n)
	for i := range n {
		row, answer := s.draw(rng)
		if x == nil {
			x = mat.NewDense(n, len(row), nil)
		}
		x.SetRow(i, row)
		y[i] = answer
	}
	_, d := x.Dims()
	for j := range d {
		mean, square := 0.0, 0.0
		for i := range most {
			mean += x.At(i, j) / float64(most)
		}
		for i := range most {
			square += (x.At(i, j) - mean) * (x.At(i, j) - mean) / float64(most)
		}
		for i := range n {
			x.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(square))
		}
	}
	return x, y
}

// stretchedColumns is a search with all columns alike, with each stretched by its own alignment, and by the weights that align best together.
func stretchedColumns(ctx context.Context, s devSet, most int, seed uint64) (map[string]float64, error) {
	x, y := standardised(s, most, seed)
	_, d := x.Dims()
	target := mat.NewDense(most, max(1, s.classes), nil)
	for i := range most {
		if s.classes > 0 {
			target.Set(i, int(y[i]), 1)
		} else {
			target.Set(i, 0, y[i])
		}
	}
	yy := mat.NewDense(most, most, nil)
	yy.Mul(target, target.T())
	center(yy)
	a := &alignment[kernel.Vec]{data.Rows(x.Slice(0, most, 0, d).(*mat.Dense)), yy}
	alone := make([]float64, d)
	var grams []*mat.Dense
	sum := 0.0
	for j := range d {
		g, _, err := a.gram(ctx, kernel.On(kernel.Gaussian{}, j))
		if err != nil {
			return nil, err
		}
		grams, alone[j] = append(grams, g), math.Max(a.with(g), 0)
		sum += alone[j]
	}
	for j := range alone {
		alone[j] /= sum
	}
	out := map[string]float64{}
	for name, weights := range map[string][]float64{"plain": nil, "alone": alone, "joint": a.weights(grams)} {
		scaled := mat.DenseCopyOf(x)
		for j := range weights { // Σ of the squares stays d; nothing is lost altogether
			factor := math.Sqrt(0.9*weights[j]*float64(d) + 0.1)
			for i := range y {
				scaled.Set(i, j, factor*x.At(i, j))
			}
		}
		var err error
		if out[name], err = searchedOn(ctx, s, scaled, y, most, seed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// searchedOn is the accuracy or ln RMSE of a search on the first rows, as they are, on the others.
func searchedOn(ctx context.Context, s devSet, x *mat.Dense, y []float64, most int, seed uint64) (float64, error) {
	d := &data.Dataset{Name: s.name, Target: "y"}
	_, columns := x.Dims()
	for j := range columns {
		d.Columns = append(d.Columns, data.NumberColumn("x"+strconv.Itoa(j), mat.Col(nil, j, x)))
	}
	index, labels := make([]int, len(y)), make([]string, len(y))
	for i := range index {
		index[i], labels[i] = i, "c"+strconv.Itoa(int(y[i]))
	}
	d.Columns = append(d.Columns, data.NumberColumn("y", y))
	learners := []string{"ridge"}
	if s.classes > 0 {
		d.Columns[columns], learners = data.LevelColumn("y", labels), []string{"svm"}
	}
	r, err := Auto(ctx, d.Gather(index[:most]), AutoOptions{Seed: seed, Holdout: -1, Budget: 10 * time.Minute, Learners: learners, Encoder: data.EncoderOptions{Scaling: data.NoScaling}})
	if err != nil {
		return 0, err
	}
	test, err := r.Encoder.TransformLabelled(d.Gather(index[most:]))
	if err != nil {
		return 0, err
	}
	p, err := r.Predict(ctx, test)
	if err != nil {
		return 0, err
	}
	score := r.Metric.Score(learn.Predictions{Truth: test.Target, Value: p.Value, Class: p.Class, Classes: s.classes})
	if s.classes == 0 {
		score = math.Log(score)
	}
	return score, nil
}

// averagedProcess is ln RMSE of a Gaussian process with the parameters of greatest evidence, and of the mean over draws of them: a random walk (Metropolis) in their logarithms, from the
// greatest on, under a normal prior of deviation 2 about it.
func averagedProcess(ctx context.Context, s devSet, most int, seed uint64) (map[string]float64, error) {
	if s.classes > 0 {
		return nil, nil
	}
	x, y := standardised(s, most, seed)
	_, d := x.Dims()
	mean, square := 0.0, 0.0
	for _, v := range y[:most] {
		mean += v / float64(most)
	}
	for _, v := range y[:most] {
		square += (v - mean) * (v - mean) / float64(most)
	}
	for i := range y {
		y[i] = (y[i] - mean) / math.Sqrt(square)
	}
	train, test := data.Rows(x.Slice(0, most, 0, d).(*mat.Dense)), data.Rows(x.Slice(most, len(y), 0, d).(*mat.Dense))
	length := make([]float64, d)
	for j := range length {
		length[j] = math.Sqrt(float64(d))
	}
	k := kernel.Scale(1, kernel.Kernel[kernel.Vec](kernel.ARD{Kernel: kernel.Matern{Nu: 2.5, Lengthscale: 1}, Lengthscales: length}))
	likeliest, err := gp.Regression[kernel.Vec]{Kernel: k, Noise: 0.1}.Fit(ctx, train, y[:most])
	if err != nil {
		return nil, err
	}
	start := []float64{math.Log(likeliest.Noise())}
	for _, p := range kernel.Params(likeliest.Kernel()) {
		start = append(start, math.Log(p.Value))
	}
	process := func(u []float64) gp.Regression[kernel.Vec] {
		theta := make([]float64, len(u)-1)
		for i := range theta {
			theta[i] = math.Exp(u[i+1])
		}
		return gp.Regression[kernel.Vec]{Kernel: likeliest.Kernel().(kernel.Tunable[kernel.Vec]).With(theta), Noise: math.Exp(u[0]), FixedNoise: true, HyperOptions: gp.HyperOptions{FixedKernel: true}}
	}
	logPosterior := func(u []float64) float64 {
		e, err := process(u).Evidence(ctx, train, y[:most])
		if err != nil {
			return math.Inf(-1)
		}
		prior := 0.0
		for i := range u {
			prior -= (u[i] - start[i]) * (u[i] - start[i]) / 8
		}
		return e.LogMarginal + prior
	}
	rng := rand.New(rand.NewPCG(seed, 99))
	at, here := append([]float64(nil), start...), logPosterior(start)
	sum, count := make([]float64, test.Len()), 0.0
	const burn, steps, thin = 200, 800, 20
	for i := range burn + steps {
		next := make([]float64, len(at))
		for j := range next {
			next[j] = at[j] + 1.2/math.Sqrt(float64(len(at)))*rng.NormFloat64()
		}
		if there := logPosterior(next); math.Log(rng.Float64()) < there-here {
			at, here = next, there
		}
		if i < burn || i%thin != 0 {
			continue
		}
		m, err := process(at).Fit(ctx, train, y[:most])
		if err != nil {
			return nil, err
		}
		p, err := m.Predict(ctx, test)
		if err != nil {
			return nil, err
		}
		for j, v := range p {
			sum[j] += v
		}
		count++
	}
	for j := range sum {
		sum[j] /= count
	}
	one, err := likeliest.Predict(ctx, test)
	if err != nil {
		return nil, err
	}
	score := func(v []float64) float64 {
		return math.Log(RMSE().Score(learn.Predictions{Truth: y[most:], Value: v}))
	}
	return map[string]float64{"likeliest": score(one), "averaged": score(sum)}, nil
}
