package spec_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// A kernel that is to be fitted is printed as it stands and read to itself; fitted, its text has all
// of its numbers, and is read to the same values, bit by bit.
func TestLearntKernelsThroughText(t *testing.T) {
	strands := data.Slice[string]{"ABBABA", "BBAAB", "ABABAB", "AAB ABA", "BABBAAB"}
	for _, text := range []string{
		"fisher(model=markov())", "fisher(model=markov(order=2, smoothing=0.5, alphabet=\"AB \"))",
		"fisher(model=markov(), information=empirical)",
		"normalize(fisher(model=hmm(states=3, rounds=5, seed=2)))",
		"fisher(model=hmm(), information=simulated, draws=20, seed=3)",
		"fisher(model=multinomial(of=words))", "fisher(model=multinomial(of=letters, smoothing=2), information=identity)",
		"latent(model=markov())", "latent(model=hmm(seed=1))", "latent(model=multinomial(of=letters))",
		"marginalized(model=hmm(), order=2)",
		"0.5*fisher(model=markov()) + spectrum(k=2)",
	} {
		learntThroughText(t, spec.Strings(), text, data.Points[string](strands))
	}
	v := kerneltest.UnitCube(3, 12, 3)
	for _, text := range []string{
		"fisher(model=normal())", "fisher(model=normal(covariance=true, ridge=0.01), information=empirical)",
		"fisher(model=mixture(components=3, covariance=true, starts=2, seed=4))",
		"fisher(model=mixture(), information=exact)", "fisher(model=multinomial(smoothing=0.5))", "latent(model=normal())",
		"latent(model=mixture(components=3))", "latent(model=multinomial())",
		"marginalized(model=mixture(), kernel=gaussian(lengthscale=2))", "forest(trees=5, min=2, random=true, seed=1)",
		"mondrian()", "mondrian(trees=4, lifetime=2.5, seed=3)", "isolation()",
		"isolation(trees=4, sample=8, depth=2, seed=3)", "0.5*mondrian(trees=3) + forest(trees=3)*isolation(trees=2)",
		"gaussian(lengthscale=1)*on(fisher(model=normal()), columns=[2, 0])",
	} {
		learntThroughText(t, spec.Vectors(), text, v)
	}
}

func learntThroughText[T any](t *testing.T, c spec.Catalogue, text string, x data.Points[T]) {
	t.Helper()
	k, err := spec.ParseWith(c, text)
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	if again, err := spec.FormatWith(c, k); err != nil || again != text {
		t.Errorf("%s is printed as %q (%v)", text, again, err)
	}
	if err := kernel.Check(k, data.Erase(x)); err == nil || !strings.Contains(err.Error(), "fitted to rows") {
		t.Errorf("%s has values before it was fitted: %v", text, err)
	}
	y := make([]float64, x.Len())
	for i := range y {
		y[i] = float64(i % 2)
	}
	fitted, err := kernel.Learn(context.Background(), k, kernel.Examples{Points: data.Erase(x), Targets: y, Classes: 2})
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	long, err := spec.FormatWith(c, fitted)
	if err != nil {
		t.Errorf("%s, fitted: %v", text, err)
		return
	}
	back, err := spec.ParseWith(c, long)
	if err != nil {
		t.Errorf("%s: %v", long, err)
		return
	}
	if again, err := spec.FormatWith(c, back); err != nil || again != long || kernel.Learns(back) {
		t.Errorf("%s is printed as %q (%v)", long, again, err)
	}
	for i := range x.Len() {
		for j := range x.Len() {
			a, b := fitted.Eval(x.At(i), x.At(j)), back.Eval(x.At(i), x.At(j))
			if math.Float64bits(a) != math.Float64bits(b) || math.IsNaN(a) {
				t.Errorf("%s: value %d, %d is %v, read back %v", text, i, j, a, b)
				return
			}
		}
	}
}

// What is wrong with a model is said with its place, and a hostile text is refused.
func TestModelTextFaults(t *testing.T) {
	for text, want := range map[string]string{
		"fisher()":                                            `fisher needs "model"`,
		"fisher(markov(order=-1))":                            "order = -1",
		"fisher(markov(oder=1))":                              `markov has no parameter "oder"`,
		"fisher(7)":                                           "7 is no model at column",
		"fisher(normal())":                                    "normal() is no model of texts",
		"fisher(hmm(states=1.5))":                             "want a whole number",
		"fisher(markov(), information=fisher)":                "information is fisher",
		`fisher(markov(alphabet="AB", letters="A"))`:          "give one of them",
		`fisher(markov(alphabet="AA"))`:                       "comes twice",
		`fisher(markov(alphabet="AB", p=[1, 0], visits=[1]))`: "do not fit",
		`fisher(hmm(alphabet="AB", initial=[1], transition=[[1]], emission=[[1]]))`:                                      "2 states",
		`fisher(hmm(states=1, alphabet="AB", initial=[1], transition=[[1]], emission=[[0.5, 0.5]]))`:                     "without the root",
		`fisher(hmm(states=1, alphabet="AB", initial=[1], transition=[[1]], emission=[[0.5, 0.5]]), root=[[1]])`:         "a root for 1 parameters",
		`fisher(hmm(states=1, alphabet="AB", initial=[1], transition=[[1]], emission=[[0.5]]), root=[[1]])`:              "emits 1 letters",
		`fisher(hmm(states=1, alphabet="AB", initial=[1], transition=[[1]], emission=[[0.5, 0.5]]), root=[[1, 0], [1]])`: "row 1 of root",
		`fisher(multinomial(of=letters, terms=["b", "a"], p=[0.5, 0.25, 0.25]))`:                                         "terms have to increase",
		"marginalized(markov())": "hidden states",
	} {
		if _, err := spec.ParseWith(spec.Strings(), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"fisher(normal(mean=[1, 2], cov=[[1]]))":                            "a covariance of 1 rows",
		"fisher(normal(mean=[1, 2], cov=[[1, 2], [2, 1]]))":                 "not positive definite",
		"fisher(mixture(weights=[1], means=[[1]], covariances=[1]))":        "where a list of rows was expected",
		"fisher(mixture(weights=[1], means=[[1]], covariances=[]))":         "1 weights, 1 means and 0 covariances",
		"fisher(mixture(weights=[0.5], means=[[1]], covariances=[[[1]]]))":  "sum to 0.5",
		"latent(mixture(weights=[1], means=[[1, 2]], covariances=[[[1]]]))": "a covariance of 1 rows",
		"marginalized(mixture())":                                           `marginalized needs "kernel"`,
		"forest(trees=-1)":                                                  "want none below 0",
		`forest(grown="AAAA")`:                                              "cannot be read",
		`forest(grown=7)`:                                                   "a text in quotes was expected",
		"mondrian(trees=-1)":                                                "want finite numbers, none below 0",
		"mondrian(lifetime=-1)":                                             "want finite numbers, none below 0",
		"isolation(sample=-1)":                                              "want none below 0",
		`mondrian(grown="AAAA")`:                                            "cannot be read",
		`isolation(grown="YmNgYGBkYGBgZWBgSMsvSi0uYUABHA4Q+oM9AxoA6WBhYGBgZmBgyMtPSS1Glf6wH8aaNRMETkINEMBhIEw9LnEGB1aoU0EWFuXnl6BbCLeADaoIpLgsMac0FYdKBgZAAAAA//8=")`: "they are of the kernel forest",
	} {
		if _, err := spec.ParseKernel(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
