package all

import (
	"slices"
	"sync"

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

var table = sync.OnceValue(func() []learn.Learner {
	return slices.Concat(svm.Learners(), ridge.Learners(), nystrom.Learners(), features.Learners(), gp.Learners(), logistic.Learners(), sparse.Learners(),
		rbf.Learners(), online.Learners(), neighbours.Learners(), forest.Learners(), fisher.Learners())
})

// Learners lists the learners, in the order in which help shows them. They take points of any type, erased (data.Erase,
// kernel.Erase): each family is compiled once, where its code is.
func Learners() []learn.Learner { return slices.Clone(table()) }
