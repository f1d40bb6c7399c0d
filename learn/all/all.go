// Package all is the table of learners: every family's, by name. Model selection, model files, the command line and
// the documents read it and nothing else, so that a learner is added where its code is.
package all

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/features"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/rbf"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
)

// Learners lists the learners on points of one type, in the order in which help shows them.
func Learners[T any]() []learn.Learner[T] {
	return slices.Concat(svm.Learners[T](), ridge.Learners[T](), nystrom.Learners[T](), features.Learners[T](), gp.Learners[T](), logistic.Learners[T](), sparse.Learners[T](),
		rbf.Learners[T](), online.Learners[T](), neighbours.Learners[T](), fisher.Learners[T]())
}

// Names lists the names of the learners.
func Names() []string {
	var names []string
	for _, l := range Learners[int]() {
		names = append(names, l.Name)
	}
	return names
}

// Described is the entry of a learner for who wants to know of it, not to fit: points have no type.
func Described(name string) (learn.Learner[int], bool) {
	for _, l := range Learners[int]() {
		if l.Name == name {
			return l, true
		}
	}
	return learn.Learner[int]{}, false
}

// ByName finds a learner.
func ByName[T any](name string) (learn.Learner[T], error) {
	for _, l := range Learners[T]() {
		if l.Name == name {
			return l, nil
		}
	}
	return learn.Learner[T]{}, &UnknownLearner{name}
}

// UnknownLearner is the error of a name that no learner has.
type UnknownLearner struct{ Name string }

func (e *UnknownLearner) Error() string {
	return fmt.Sprintf("unknown learner %q; there are %s", e.Name, strings.Join(Names(), ", "))
}

// Restore makes a model of plain data. Its predictions have the bits of the
// model that was saved. Data that do not fit together are refused, whatever
// they hold.
func Restore[T any](s learn.Saved[T]) (learn.Model[T], error) {
	var known []string
	for _, l := range Learners[T]() {
		if restore, ok := l.Saved[s.Learner]; ok {
			return restored(s, restore)
		}
		for name := range l.Saved {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	return nil, fmt.Errorf("no learner %q (there are: %s)", s.Learner, strings.Join(known, ", "))
}

func restored[T any](s learn.Saved[T], restore learn.Restorer[T]) (learn.Model[T], error) {
	if s.Func == nil {
		return nil, fmt.Errorf("%s: no function", s.Learner)
	}
	if err := s.Func.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Learner, err)
	}
	s.Func.Prepare() // one row after another is what a restored model is asked for
	m, err := restore(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Learner, err)
	}
	return m, nil
}
