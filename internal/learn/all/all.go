// Package all is the table of learners: every family's, by name. Model selection, model files, the
// command line and the documents read it and nothing else, so that a learner is added where its
// code is.
//
// Names to know: [Learners] is the table and [ByName] finds an entry by its [Names]. [Described]
// says what is known of a name, [Restore] makes a model of saved data, and [UnknownLearner] is the
// error of a name that is not there.
package all

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/learn"
)

// Names lists the names of the learners, in the order in which help shows them.
func Names() []string {
	var names []string
	for _, l := range table() {
		names = append(names, l.Name)
	}
	return names
}

// ByName finds a learner.
func ByName(name string) (learn.Learner, error) {
	for _, l := range table() {
		if l.Name == name {
			return l, nil
		}
	}
	return learn.Learner{}, &UnknownLearner{name}
}

// Described is the learner of a name, and whether there is one.
func Described(name string) (learn.Learner, bool) {
	l, err := ByName(name)
	return l, err == nil
}

// UnknownLearner is the error of a name that no learner has.
type UnknownLearner struct{ Name string }

func (e *UnknownLearner) Error() string {
	return fmt.Sprintf("unknown learner %q; there are %s", e.Name, strings.Join(Names(), ", "))
}

// Restore makes a model of plain data. Its predictions have the bits of the
// model that was saved. Data that do not fit together are refused, whatever
// they hold.
func Restore(s learn.Saved[any]) (learn.Model[any], error) {
	var known []string
	for _, l := range table() {
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

func restored(s learn.Saved[any], restore learn.Restorer[any]) (learn.Model[any], error) {
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
