package all

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/features"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/forest"
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

// tables has a func() []learn.Learner[T] for each type T of points.
//
// They are looked up by the type, not named as functions of it, so that the learners on vectors are compiled here
// and nowhere else: Go compiles a generic function again in each package that names it, and model selection, model
// files and the playground took a hundred seconds of the processor for four copies of all learners.
var tables sync.Map

func init() { Register[kernel.Vec]() }

// Register makes the learners known on points of one type of one's own, so that a search finds them by name there. On
// vectors, sparse vectors and rows of mixed tables they are known; in a browser (GOOS=js) on vectors alone, for what a page loads is what somebody waits for.
func Register[T any]() {
	tables.Store(reflect.TypeFor[T](), sync.OnceValue(func() []learn.Learner[T] {
		return slices.Concat(svm.Learners[T](), ridge.Learners[T](), nystrom.Learners[T](), features.Learners[T](), gp.Learners[T](), logistic.Learners[T](), sparse.Learners[T](),
			rbf.Learners[T](), online.Learners[T](), neighbours.Learners[T](), fisher.Learners[T](), forest.Learners[T]())
	}))
}

// Learners lists the learners on points of one type, in the order in which help shows them; none where the type was
// not registered.
func Learners[T any]() []learn.Learner[T] {
	table, ok := tables.Load(reflect.TypeFor[T]())
	if !ok {
		return nil
	}
	return slices.Clone(table.(func() []learn.Learner[T])())
}

// UnknownPoints is the error of a type of points that was not registered.
type UnknownPoints struct{ Type reflect.Type }

func (e *UnknownPoints) Error() string {
	return fmt.Sprintf("no learners are known by name on points of type %v: all.Register[%v]() makes them known", e.Type, e.Type)
}
