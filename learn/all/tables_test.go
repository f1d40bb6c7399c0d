package all

import (
	"errors"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// molecule is a type of points of one's own.
type molecule struct{}

// A type of one's own has no learners by name until it is registered, which the error says; then it has those of vectors.
func TestLearnersOnPointsOfOnesOwn(t *testing.T) {
	_, err := ByName[molecule]("svm")
	var unknown *UnknownPoints
	if !errors.As(err, &unknown) {
		t.Fatalf("before: %v", err)
	}
	Register[molecule]()
	if _, err := ByName[molecule]("svm"); err != nil {
		t.Errorf("after: %v", err)
	}
	names := namesOf(Learners[molecule]())
	if want := namesOf(Learners[kernel.Vec]()); !slices.Equal(names, want) || !slices.Equal(want, Names()) {
		t.Errorf("molecules have %v, vectors %v", names, want)
	}
	var none *UnknownLearner
	if _, err := ByName[molecule]("svn"); !errors.As(err, &none) {
		t.Errorf("a name that no learner has: %v", err)
	}
}

func namesOf[T any](learners []learn.Learner) (names []string) {
	for _, l := range learners {
		names = append(names, l.Name)
	}
	return names
}
