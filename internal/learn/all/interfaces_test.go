package all

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/rbf"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
)

// What every model promises to be. It is said here and not beside each, since the compiler makes
// all of a generic type's code wherever one is mentioned, and the package has no other use for it.
var (
	_ learn.Regressor[kernel.Vec]              = (*learn.ExpansionRegressor[kernel.Vec])(nil)
	_ learn.Classifier[kernel.Vec, string]     = (*learn.ExpansionClassifier[kernel.Vec, string])(nil)
	_ learn.Classifier[kernel.Vec, int]        = (*fisher.Classifier[kernel.Vec, int])(nil)
	_ learn.Classifier[kernel.Vec, string]     = (*gp.Classifier[kernel.Vec, string])(nil)
	_ learn.Regressor[kernel.Vec]              = (*gp.Regressor[kernel.Vec])(nil)
	_ learn.Classifier[kernel.Vec, int]        = (*learn.LogOddsClassifier[kernel.Vec, int])(nil)
	_ learn.Classifier[kernel.Vec, string]     = (*logistic.Classifier[kernel.Vec, string])(nil)
	_ learn.Classifier[kernel.Vec, int]        = (*neighbours.MedoidClassifier[kernel.Vec, int])(nil)
	_ learn.Classifier[kernel.Vec, int]        = (*neighbours.Classifier[kernel.Vec, int])(nil)
	_ learn.Regressor[kernel.Vec]              = (*neighbours.Regressor[kernel.Vec])(nil)
	_ learn.Classifier[kernel.Vec, int]        = (*online.NormaClassifier[kernel.Vec, int])(nil)
	_ learn.Classifier[kernel.Vec, int]        = (*online.PerceptronClassifier[kernel.Vec, int])(nil)
	_ learn.Regressor[kernel.Vec]              = (*rbf.Regressor[kernel.Vec])(nil)
	_ learn.Classifier[kernel.Vec, int]        = (*rbf.Classifier[kernel.Vec, int])(nil)
	_ learn.Regressor[kernel.Vec]              = (*ridge.Regressor[kernel.Vec])(nil)
	_ learn.Classifier[kernel.Vec, string]     = (*ridge.Classifier[kernel.Vec, string])(nil)
	_ learn.Regressor[kernel.Vec]              = (*sparse.RVMRegressor[kernel.Vec])(nil)
	_ learn.Classifier[kernel.Vec, int]        = (*sparse.RVMClassifier[kernel.Vec, int])(nil)
	_ learn.Uncertain[kernel.Vec]              = (*gp.Regressor[kernel.Vec])(nil)
	_ learn.Uncertain[kernel.Vec]              = (*sparse.RVMRegressor[kernel.Vec])(nil)
	_ learn.Probabilistic[kernel.Vec]          = (*learn.Calibrated[kernel.Vec, int])(nil)
	_ learn.Probabilistic[kernel.Vec]          = (*learn.LogOddsClassifier[kernel.Vec, int])(nil)
	_ learn.Probabilistic[kernel.Vec]          = (*gp.Classifier[kernel.Vec, int])(nil)
	_ learn.Probabilistic[kernel.Vec]          = (*logistic.Classifier[kernel.Vec, int])(nil)
	_ learn.Classifier[kernel.Vec, string]     = (*logistic.OrdinalClassifier[kernel.Vec, string])(nil)
	_ learn.Probabilistic[kernel.Vec]          = (*logistic.OrdinalClassifier[kernel.Vec, int])(nil)
	_ learn.Probabilistic[kernel.Vec]          = (*neighbours.Classifier[kernel.Vec, int])(nil)
	_ learn.Probabilistic[kernel.Vec]          = (*online.NormaClassifier[kernel.Vec, int])(nil)
	_ learn.Probabilistic[kernel.Vec]          = (*rbf.Classifier[kernel.Vec, int])(nil)
	_ learn.Probabilistic[kernel.Vec]          = (*sparse.RVMClassifier[kernel.Vec, int])(nil)
	_ learn.Probabilistic[kernel.Vec]          = (*svm.Classifier[kernel.Vec, int])(nil)
	_ learn.Regressor[kernel.Vec]              = (*ridge.SplineRegressor)(nil)
	_ learn.Classifier[kernel.Vec, int]        = (*svm.LinearClassifier[kernel.Vec, int])(nil)
	_ learn.Classifier[kernel.Vec, bool]       = (*svm.Detector[kernel.Vec])(nil)
	_ learn.Classifier[kernel.Vec, int]        = (*svm.Classifier[kernel.Vec, int])(nil)
	_ learn.Classifier[data.SparseVec, string] = (*learn.LinearClassifier[data.SparseVec, string])(nil)
	_ learn.Regressor[kernel.Vec]              = (*svm.Regressor[kernel.Vec])(nil)
)
