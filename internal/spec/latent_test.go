package spec_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
)

// normalize(factorlatent(…)) is Seeger's covariance kernel of that model.
func TestSeegerIsTheNormalisedLatentKernel(t *testing.T) {
	const text = "factorlatent(loadings=[[1, 0], [0.5, 1], [-0.5, 2]], noise=[1, 2, 1.5], mean=[0.2, 0, 1])"
	k, err := spec.ParseKernel(text)
	if err != nil {
		t.Fatal(err)
	}
	seeger, err := spec.ParseKernel("normalize(" + text + ")")
	if err != nil {
		t.Fatal(err)
	}
	of := prob.Covariance[kernel.Vec]{LogJoint: k.(prob.FactorLatent).LogJoint}
	x := kerneltest.Vectors(3, 6, 3)
	for i := range x.Len() {
		for j := range x.Len() {
			if got, want := seeger.Eval(x.At(i), x.At(j)), of.Eval(x.At(i), x.At(j)); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
	for _, bad := range []string{"factorlatent(noise=[1])", "factorlatent(loadings=[[1], [2]], noise=[1])",
		"factorlatent(loadings=[[1]], noise=[0])", "factorlatent(loadings=[[1]], noise=[1], mean=[1, 2])"} {
		if _, err := spec.ParseKernel(bad); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
