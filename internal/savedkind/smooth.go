package savedkind

// The kinds of this package in a model file.
const (
	NadarayaWatson    = "nadaraya-watson"
	LocalRegression   = "local-regression"
	MixtureRegression = "mixture-regression"
)
