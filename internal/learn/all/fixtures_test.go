package all

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/sparse"
	"gonum.org/v1/gonum/mat"
)

// machinePeers is testdata/machines.json, by bench/fixtures/machines_peers.py.
type machinePeers struct {
	X, Q              [][]float64
	Y                 []int
	V                 []float64
	Neighbours        [][]int
	KNNProba          [][]float64 `json:"knn_proba"`
	KNNMean           []float64   `json:"knn_mean"`
	LDAMu             float64     `json:"lda_mu"`
	LDAShrink         float64     `json:"lda_shrink"`
	LDADecision       [][]float64 `json:"lda_decision"`
	PerceptronAlpha   []float64   `json:"perceptron_alpha"`
	PerceptronMistake int         `json:"perceptron_mistakes"`
	RVMT              []float64   `json:"rvm_t"`
	RVMZ              []float64   `json:"rvm_z"`
	RVMEvidence       float64     `json:"rvm_evidence"`
	RVMMean           []float64   `json:"rvm_mean"`
}

func readMachinePeers(t *testing.T) (p machinePeers) {
	b, err := os.ReadFile("testdata/machines.json")
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNeighboursOfScikitLearn: a Gaussian kernel has the neighbours of Euclidean distance.
func TestNeighboursOfScikitLearn(t *testing.T) {
	p, ctx := readMachinePeers(t), context.Background()
	x, q := learntest.RowsOfSlices(p.X), learntest.RowsOfSlices(p.Q)
	k := kernel.Gaussian{Lengthscale: 3}
	for _, search := range []neighbours.Search{neighbours.BruteSearch, neighbours.TreeSearch} {
		m := modeltest.Must(neighbours.Classification[kernel.Vec, int]{Kernel: k,
			Options: neighbours.Options{K: 7, Search: search}}.Fit(ctx, x, p.Y))(t)
		index, _, err := m.Neighbours(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		proba := modeltest.Proba(t, m, q)
		for i := range index {
			if !slices.Equal(index[i], p.Neighbours[i]) {
				t.Errorf("neighbours of %d are %v, scikit-learn has %v", i, index[i], p.Neighbours[i])
			}
			learntest.AllNear(t, "probabilities", proba.RawRowView(i), p.KNNProba[i], 1e-14)
		}
		r := modeltest.Must(neighbours.Regression[kernel.Vec]{Kernel: k,
			Options: neighbours.Options{K: 4, Search: search}}.Fit(ctx, x, p.V))(t)
		learntest.AllNear(t, "means", modeltest.Predict(t, r, q), p.KNNMean, 1e-13)
	}
}

// TestFisherIsScikitLearnsLDA: the linear kernel with Mu of the shrunk covariance.
func TestFisherIsScikitLearnsLDA(t *testing.T) {
	p := readMachinePeers(t)
	m := modeltest.Must(fisher.Discriminant[kernel.Vec, int]{Kernel: kernel.Linear{},
		Mu: p.LDAMu}.Fit(context.Background(), learntest.RowsOfSlices(p.X), p.Y))(t)
	d, prior := modeltest.Decision(t, m, learntest.RowsOfSlices(p.Q)), math.Log(1.0/3)
	for i, want := range p.LDADecision {
		for c, w := range want {
			learntest.Near(t, "decision", (d.At(i, c)-prior)/p.LDAShrink+prior, w, 1e-9)
		}
	}
}

func TestPerceptronOfTheDoubleLoop(t *testing.T) {
	p := readMachinePeers(t)
	y := make([]int, len(p.Y))
	for i, c := range p.Y {
		if c == 1 {
			y[i] = 1
		}
	}
	m := modeltest.Must(online.Perceptron[kernel.Vec, int]{Kernel: kernel.Polynomial{Offset: 1, Degree: 2},
		PerceptronOptions: online.PerceptronOptions{Passes: 10}}.Fit(context.Background(), learntest.RowsOfSlices(p.X), y))(t)
	if m.Mistakes()[0] != p.PerceptronMistake {
		t.Errorf("%d mistakes, the double loop made %d", m.Mistakes()[0], p.PerceptronMistake)
	}
	alpha := make([]float64, len(y))
	for a, i := range m.Support() {
		alpha[i] = m.Func().Coef.At(a, 0)
	}
	learntest.AllNear(t, "coefficients", alpha, p.PerceptronAlpha, 0)
}

// TestRVMOfTippingAndKernlab: at the same noise our climb finds an evidence no less than that of
// Tipping's re-estimation, and nearly its function; kernlab's, of noise learnt, is close to ours of
// noise learnt, measured by the noise of the data, 0.1.
func TestRVMOfTippingAndKernlab(t *testing.T) {
	p := readMachinePeers(t)
	x, k := data.Rows(mat.NewDense(50, 1, p.RVMT)), kernel.Gaussian{Lengthscale: 0.3}
	m := modeltest.Must(sparse.RVM[kernel.Vec]{Kernel: k, Noise: 0.01}.Fit(context.Background(), x, p.RVMZ))(t)
	if m.LogEvidence() < p.RVMEvidence-1e-3 {
		t.Errorf("log evidence %g, Tipping's re-estimation reaches %g", m.LogEvidence(), p.RVMEvidence)
	}
	t.Logf("log evidence %.6f, Tipping's re-estimation %.6f", m.LogEvidence(), p.RVMEvidence)
	for i, v := range modeltest.Predict(t, m, x) {
		if math.Abs(v-p.RVMMean[i]) > 0.05 {
			t.Errorf("point %d: %g, Tipping's re-estimation %g", i, v, p.RVMMean[i])
		}
	}
	f, err := os.Open("testdata/rvm_kernlab.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var peer []float64
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if v, err := strconv.ParseFloat(lines.Text(), 64); err == nil {
			peer = append(peer, v)
		}
	}
	learnt := modeltest.Must(sparse.RVM[kernel.Vec]{Kernel: k}.Fit(context.Background(), x, p.RVMZ))(t)
	if len(peer) != 50 {
		t.Fatalf("%d predictions of kernlab", len(peer))
	}
	sum := 0.0
	for i, v := range modeltest.Predict(t, learnt, x) {
		sum += (v - peer[i]) * (v - peer[i]) / 50
	}
	if math.Sqrt(sum) > 0.05 {
		t.Errorf("root mean square distance %g from kernlab's predictions", math.Sqrt(sum))
	}
	t.Logf("%g from kernlab's predictions; %d relevance vectors", math.Sqrt(sum), len(learnt.Support()))
}
