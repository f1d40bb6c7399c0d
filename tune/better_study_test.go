package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"gonum.org/v1/gonum/mat"
)

// TestBetterStudy records what two further kinds of candidates are worth beside those of Auto, on
// the development sets of TestCommitteeStudy: processes averaged over draws of their
// hyper-parameters, and machines whose length-scales of columns align best with the target.
// MERCER_BETTER_STUDY=FILE, MERCER_STUDY_SPLITS="1 2 3", MERCER_STUDY_ROWS=80. One thread.
func TestBetterStudy(t *testing.T) {
	file := os.Getenv("MERCER_BETTER_STUDY")
	if file == "" {
		t.Skip("a study, not a test: set MERCER_BETTER_STUDY to the file to write")
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
	done, _ := os.ReadFile(file)
	names, draw := devDraws()
	for _, split := range strings.Fields(os.Getenv("MERCER_STUDY_SPLITS")) {
		seed, _ := strconv.ParseUint(split, 10, 64)
		for _, name := range names {
			if strings.Contains(string(done), fmt.Sprintf(`{"set":"%s","seed":%d,`, name, seed)) {
				continue
			}
			d, err := draw[name](most+1000, seed)
			if err != nil {
				t.Fatal(name, err)
			}
			w, err := further(t.Context(), d, most, seed)
			if err != nil {
				t.Fatal(name, err)
			}
			w.Set, w.Seed = name, seed
			b, _ := json.Marshal(w)
			fmt.Fprintf(out, "%s\n", b)
		}
	}
}

// wider is a search among more candidates than Auto's, with what each way to choose is worth on
// rows kept apart.
type wider struct {
	Set    string             `json:"set"`
	Seed   uint64             `json:"seed"`
	Metric string             `json:"metric"`
	Chosen map[string]string  `json:"chosen"`
	Scores map[string]float64 `json:"scores"`
}

// further fits to the first rows of a data set and judges by the others. A grid refines each
// candidate by itself, so that Auto's own cells are what they are without the further ones.
func further(ctx context.Context, d *data.Dataset, most int, seed uint64) (*wider, error) {
	n := min(most, d.Len()*2/3)
	index := make([]int, d.Len())
	for i := range index {
		index[i] = i
	}
	train, test := d.Gather(index[:n]), d.Gather(index[n:])
	o := AutoOptions{Seed: seed, Holdout: -1, Budget: time.Hour, Threads: 1,
		Encoder: data.EncoderOptions{Unseen: "zero", Missing: "mean"}}
	r, err := o.inferred(train)
	if err != nil {
		return nil, err
	}
	if err := r.split(train, r.Task, o); err != nil {
		return nil, err
	}
	posed, err := o.pose(context.Background(), train, r, time.Now())
	if err != nil {
		return nil, err
	}
	p := problemOn(posed, data.Erase(posed.x.Dense), r, o)
	median := medianDistance(p.Points, vec(kernel.Kernel[kernel.Vec](kernel.Linear{})), seed)
	var kinds []string // of each candidate
	twin := map[int]int{}
	pick := func(p learn.Problem[any], _ *relevance) ([]Candidate, error) {
		out, err := autoCandidates(r, p, lifted, o, nil)
		if err != nil {
			return nil, err
		}
		for i, c := range out {
			kinds = append(kinds, "other")
			if c.Learner == "gp" {
				kinds[i] = "process"
			} else if _, smooth := kernel.Concrete(c.Kernel).(kernel.Gaussian); smooth &&
				(c.Learner == "svm" || c.Learner == "ridge") {
				kinds[i] = "machine"
			}
		}
		for i, c := range out[:len(out):len(out)] {
			switch kinds[i] {
			case "process":
				twin[i] = len(out)
				out, kinds = append(out, Candidate{Learner: "averaged-gp", Label: "averaged " + c.Label, Kernel: c.Kernel,
					Custom: averagedProcess(c, median, seed)}), append(kinds, "averaged")
			case "machine":
				twin[i] = len(out)
				m, err := alignedMachine(c, p.Task, median)
				if err != nil {
					return nil, err
				}
				out, kinds = append(out, Candidate{Learner: "aligned-" + c.Learner, Label: "aligned " + c.Label, Kernel: c.Kernel,
					Axes: c.Axes, Custom: m}), append(kinds, "aligned")
			}
		}
		return out, nil
	}
	res, err := autoSearch(ctx, r, p, pick, nil, o, clockOr(o.clock).now())
	if err != nil {
		return nil, err
	}
	f := found{res, func(x *data.Encoded) (data.Points[any], error) { return data.Erase(x.Dense), nil }, r.Positive, nil,
		nil}
	x, err := r.Encoder.TransformLabelled(test)
	if err != nil {
		return nil, err
	}
	kept, err := f.problem(x)
	if err != nil {
		return nil, err
	}
	s := Search{}
	if r.Task.Classification() {
		s.Second = autoSecond(p)
	}
	e := &engine{p: p, folds: res.Folds, metric: res.Metric, second: s.Second}
	out := &wider{Metric: res.Metric.Name, Chosen: map[string]string{}, Scores: map[string]float64{}}
	worth := map[string]float64{} // of cells that were fitted
	weigh := func(way string, c Cell) error {
		id := key(c.Candidate, c.theta)
		if _, known := worth[id]; !known {
			m, err := f.fitCell(ctx, c, p)
			if err != nil {
				return fmt.Errorf("%v: %w", c, err)
			}
			said, err := m.known(ctx, kept)
			if err != nil {
				return fmt.Errorf("%v: %w", c, err)
			}
			worth[id] = res.Metric.Score(said)
		}
		out.Chosen[way], out.Scores[way] = c.Label, worth[id]
		return nil
	}
	among := func(way string, kind ...string) (c Cell, ok bool, err error) {
		var cells []Cell
		for _, c := range res.Cells {
			if strings.Contains(strings.Join(kind, " "), kinds[c.Candidate]) {
				cells = append(cells, c)
			}
		}
		best, ok := e.winner(cells)
		if !ok {
			return best, false, nil
		}
		c = s.choose(e, cells, best)
		return c, true, weigh(way, c)
	}
	ways := map[string][]string{
		"auto": {"other", "process", "machine"}, "with averaged": {"other", "process", "machine", "averaged"},
		"with aligned": {"other", "process", "machine", "aligned"},
		"process":      {"process"}, "averaged": {"averaged"}, "machine": {"machine"}, "aligned": {"aligned"},
	}
	for way, kind := range ways {
		c, ok, err := among(way, kind...)
		if err != nil {
			return nil, err
		}
		if way != "auto" || !ok {
			continue
		}
		if kinds[c.Candidate] == "process" { // its average without being asked
			c = Cell{Candidate: twin[c.Candidate], Label: "averaged " + c.Label}
		}
		if err := weigh("averaged in place", c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Draws of hyper-parameters: steps of elliptical slice sampling from the mode, of which the first
// are left out and then each of so many kept.
const (
	drawsFirst = 20
	drawsEvery = 10
	drawsKept  = 10
)

// averagedProcess is a process whose prediction is the mean over draws from the posterior of its
// hyper-parameters: log θ is normal about where the search for the mode starts (the median
// distance, the variance of the targets, a tenth of that as noise), with a standard deviation of
// 1.5, times the marginal likelihood. The draws are by elliptical slice sampling (I. Murray, R.
// Adams and D. MacKay, 2010), which begins at the mode.
func averagedProcess(c Candidate, median float64, seed uint64) *Custom {
	return &Custom{Fit: func(ctx context.Context, k kernel.Kernel[any], params map[string]float64,
		p learn.Problem[any]) (Predictor, error) {
		entry, err := c.entry()
		if err != nil {
			return nil, err
		}
		resources := learn.Resources{Threads: 1, TrustKernel: true}
		m, err := entry.Fit(ctx, learn.Settings{Kernel: k, Params: params, Resources: resources}, p)
		if err != nil {
			return nil, err
		}
		chain := &hyperChain{ctx: ctx, p: p, kernel: m.(interface {
			Kernel() kernel.Kernel[kernel.Vec]
		}).Kernel(), resources: resources}
		variance := 1.0
		if p.Task == data.Regression {
			variance = p.Deviation() * p.Deviation()
		}
		for i, q := range kernel.Params(chain.kernel) {
			switch {
			case strings.Contains(q.Name, "lengthscale"):
				chain.add(i, median, q.Value)
			case strings.HasSuffix(q.Name, "factor"):
				chain.add(i, variance, q.Value)
			}
		}
		if g, ok := m.(*gp.Regressor[any]); ok {
			chain.add(-1, 0.1*variance, g.Noise())
		}
		models, err := chain.run(rand.New(rand.NewPCG(seed, 0x6472617773)))
		if err != nil {
			return nil, err
		}
		k2 := p.ClassCount()
		return PredictorFunc(func(ctx context.Context, x data.Points[any]) (learn.Predictions, error) {
			weights, said := make([]float64, len(models)), make([]learn.Predictions, len(models))
			for i, m := range models {
				var err error
				if said[i], err = learn.PredictAll(ctx, m, k2, x); err != nil {
					return learn.Predictions{}, err
				}
				weights[i] = 1 / float64(len(models))
			}
			return learn.Blend(weights, said)
		}), nil
	}}
}

// hyperChain is a Markov chain of hyper-parameters: u = (ln θ - ln centre)/1.5 has a standard
// normal prior.
type hyperChain struct {
	ctx       context.Context
	p         learn.Problem[any]
	kernel    kernel.Kernel[kernel.Vec]
	resources learn.Resources
	at        []int // of each coordinate, its place among the parameters of the kernel; -1: the noise
	center    []float64
	u         []float64
}

const hyperSpread = 1.5

func (c *hyperChain) add(at int, center, value float64) {
	u := math.Log(max(value, 1e-300)/center) / hyperSpread
	c.at, c.center, c.u = append(c.at, at), append(c.center, center), append(c.u, min(max(u, -3), 3))
}

// model is the process at one place of the chain, nil where there is none.
func (c *hyperChain) model(u []float64) (learn.Model[any], float64) {
	theta, noise := kernel.Values(c.kernel), 0.0
	for i, at := range c.at {
		v := c.center[i] * math.Exp(hyperSpread*u[i])
		if at < 0 {
			noise = v
		} else {
			theta[at] = v
		}
	}
	k, err := kernel.With(c.kernel, theta)
	if err != nil {
		return nil, math.Inf(-1)
	}
	held := gp.HyperOptions{FixedKernel: true}
	if c.p.Task == data.Regression {
		m, err := gp.Regression[any]{Kernel: vec(k), Noise: noise, FixedNoise: true, FitMean: true, HyperOptions: held,
			Resources: c.resources}.Fit(c.ctx, c.p.Points, c.p.Y)
		if err != nil {
			return nil, math.Inf(-1)
		}
		return m, m.LogMarginal()
	}
	m, err := gp.Classification[any, int]{Kernel: vec(k), HyperOptions: held, Resources: c.resources}.Fit(c.ctx,
		c.p.Points, c.p.Codes())
	if err != nil {
		return nil, math.Inf(-1)
	}
	return m, m.LogMarginal()
}

func (c *hyperChain) run(rng *rand.Rand) (kept []learn.Model[any], err error) {
	m, value := c.model(c.u)
	if m == nil {
		return nil, fmt.Errorf("no process at the start of the chain")
	}
	d := len(c.u)
	other, next := make([]float64, d), make([]float64, d)
	for step := range drawsFirst + drawsEvery*drawsKept {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		for i := range other {
			other[i] = rng.NormFloat64()
		}
		least := value + math.Log(1-rng.Float64())
		angle := 2 * math.Pi * rng.Float64()
		low, high := angle-2*math.Pi, angle
		for range 60 { // shrinks to where it stands
			for i := range next {
				next[i] = c.u[i]*math.Cos(angle) + other[i]*math.Sin(angle)
			}
			if found, v := c.model(next); v > least {
				m, value = found, v
				copy(c.u, next)
				break
			}
			if angle < 0 {
				low = angle
			} else {
				high = angle
			}
			angle = low + (high-low)*rng.Float64()
		}
		if step >= drawsFirst && (step-drawsFirst+1)%drawsEvery == 0 {
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// alignedMachine is a learner with a Gaussian kernel whose columns have the length-scales of the
// largest centred alignment with the targets of the fitted rows, all times the factor that the
// search varies. They are found anew for the rows of every fold.
func alignedMachine(c Candidate, task data.Task, median float64) (*Custom, error) {
	entry, err := all.ByName(c.Learner)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	known := map[uint64][]float64{}
	out := &Custom{Fit: func(ctx context.Context, k kernel.Kernel[any], params map[string]float64,
		p learn.Problem[any]) (Predictor, error) {
		h := fnv.New64a()
		for i, y := range p.Y {
			fmt.Fprint(h, y, p.Points.At(i).(kernel.Vec)[0])
		}
		mu.Lock()
		lengths := known[h.Sum64()]
		mu.Unlock()
		if lengths == nil {
			var err error
			if lengths, err = alignedLengths(ctx, p, median); err != nil {
				return nil, err
			}
			mu.Lock()
			known[h.Sum64()] = lengths
			mu.Unlock()
		}
		scaled := make([]float64, len(lengths))
		for j, l := range lengths {
			scaled[j] = l * kernel.Concrete(k).(kernel.Gaussian).Lengthscale / median
		}
		m, err := entry.Fit(ctx, learn.Settings{Kernel: vec(kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: scaled}),
			Params: params, Tol: 1e-3 * p.Deviation(), Resources: learn.Resources{Threads: 1, TrustKernel: true}}, p)
		if err != nil {
			return nil, err
		}
		classes := p.ClassCount()
		return PredictorFunc(func(ctx context.Context, x data.Points[any]) (learn.Predictions, error) {
			return learn.PredictAll(ctx, m, classes, x)
		}), nil
	}}
	for _, q := range entry.ParamsFor(task) {
		out.Params = append(out.Params, kernel.Param{Name: q.Name, Value: q.Default, Domain: q.Domain})
	}
	return out, nil
}

// alignedLengths climbs the centred alignment A(K, Y) over the logarithms of the length-scales of a
// Gaussian kernel, from the median distance, to within a factor of e³ of it. With K̃ = HKH and T =
// HYYᵀH the derivative of A is that of ⟨W, K⟩, W = T/(‖K̃‖‖T‖) - A·K̃/‖K̃‖².
func alignedLengths(ctx context.Context, p learn.Problem[any], median float64) ([]float64, error) {
	a := newAlignment(p, 0)
	d := dimension(p.Points)
	lengthsAt := func(u []float64) []float64 {
		out := make([]float64, d)
		for j := range out {
			out[j] = median * math.Exp(u[j])
		}
		return out
	}
	eval := func(u []float64) (value float64, grad []float64, err error) {
		k := kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: lengthsAt(u)}
		m, _, err := a.gram(ctx, vec(k))
		if err != nil {
			return 0, nil, err
		}
		value = a.with(m)
		norm, target := mat.Norm(m, 2), mat.Norm(a.target, 2)
		grad = make([]float64, d)
		if !(norm > 0 && target > 0) {
			return value, grad, nil
		}
		m.Apply(func(i, j int, v float64) float64 { return a.target.At(i, j)/(norm*target) - value*v/(norm*norm) }, m)
		if err := kernel.ParamGradDot[kernel.Vec](ctx, k, grad, nil, m, vectors(a.rows), vectors(a.rows)); err != nil {
			return 0, nil, err
		}
		for j, l := range k.Lengthscales {
			grad[j] *= l
		}
		return value, grad, nil
	}
	u, next := make([]float64, d), make([]float64, d)
	value, grad, err := eval(u)
	if err != nil {
		return nil, err
	}
	for step, tries := 0.5, 0; step > 0.01 && tries < 60; tries++ {
		steepest := 0.0
		for _, g := range grad {
			steepest = max(steepest, math.Abs(g))
		}
		if steepest == 0 {
			break
		}
		for j := range next {
			next[j] = min(max(u[j]+step*grad[j]/steepest, -3), 3)
		}
		v, g, err := eval(next)
		if err != nil {
			return nil, err
		}
		if v > value {
			value, grad, step = v, g, step*1.5
			copy(u, next)
		} else {
			step /= 2
		}
	}
	return lengthsAt(u), nil
}

// TestAlignedLengths holds the study's climb against what was put in: of five columns one says the
// target, and gets the shortest length-scale.
func TestAlignedLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rows := make([]float64, 60*5)
	y := make([]float64, 60)
	for i := range y {
		for j := range 5 {
			rows[i*5+j] = rng.NormFloat64()
		}
		y[i] = math.Sin(2 * rows[i*5+2])
	}
	p := learn.Problem[any]{Points: data.Erase(data.Rows(mat.NewDense(60, 5, rows))), Task: data.Regression, Y: y}
	l, err := alignedLengths(t.Context(), p, 3)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range l {
		if j != 2 && !(v > 2*l[2]) {
			t.Errorf("length-scales %.3g: column 2 says the target, column %d does not", l, j)
		}
	}
}
