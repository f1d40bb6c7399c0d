package learn

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// What every model promises to be. It is said here and not beside each, since the
// compiler makes all of a generic type's code wherever one is mentioned, and the package has no other use for it.
var (
	_ Regressor[kernel.Vec]              = (*ExpansionRegressor[kernel.Vec])(nil)
	_ Classifier[kernel.Vec, string]     = (*ExpansionClassifier[kernel.Vec, string])(nil)
	_ Classifier[kernel.Vec, int]        = (*FisherModel[kernel.Vec, int])(nil)
	_ Classifier[kernel.Vec, string]     = (*GPClassifierModel[kernel.Vec, string])(nil)
	_ Regressor[kernel.Vec]              = (*GPModel[kernel.Vec])(nil)
	_ Classifier[kernel.Vec, int]        = (*VectorMachineModel[kernel.Vec, int])(nil)
	_ Classifier[kernel.Vec, string]     = (*LogisticModel[kernel.Vec, string])(nil)
	_ Classifier[kernel.Vec, int]        = (*MedoidModel[kernel.Vec, int])(nil)
	_ Classifier[kernel.Vec, int]        = (*KNNModel[kernel.Vec, int])(nil)
	_ Regressor[kernel.Vec]              = (*KNNRegressionModel[kernel.Vec])(nil)
	_ Classifier[kernel.Vec, int]        = (*NormaClassifierModel[kernel.Vec, int])(nil)
	_ Classifier[kernel.Vec, int]        = (*PerceptronModel[kernel.Vec, int])(nil)
	_ Regressor[kernel.Vec]              = (*RBFModel[kernel.Vec])(nil)
	_ Classifier[kernel.Vec, int]        = (*RBFClassifierModel[kernel.Vec, int])(nil)
	_ Regressor[kernel.Vec]              = (*RidgeModel[kernel.Vec])(nil)
	_ Classifier[kernel.Vec, string]     = (*RidgeClassifierModel[kernel.Vec, string])(nil)
	_ Regressor[kernel.Vec]              = (*RVMModel[kernel.Vec])(nil)
	_ Classifier[kernel.Vec, int]        = (*RVMClassifierModel[kernel.Vec, int])(nil)
	_ StdPredictor[int]                  = stdPredictor[int]{}
	_ StdPredictor[int]                  = rvmPredictor[int]{}
	_ CodePredictor[int]                 = (*svcPredictor[int])(nil)
	_ ProbaPredictor[int]                = (*svcPredictor[int])(nil)
	_ CodePredictor[int]                 = oneClassPredictor[int]{}
	_ Classifier[kernel.Vec, int]        = (*SVCModel[kernel.Vec, int])(nil)
	_ Classifier[data.SparseVec, string] = (*LinearSVCModel[data.SparseVec, string])(nil)
	_ Model[kernel.Vec]                  = (*OneClassModel[kernel.Vec])(nil)
	_ Regressor[kernel.Vec]              = (*SVRModel[kernel.Vec])(nil)
)
