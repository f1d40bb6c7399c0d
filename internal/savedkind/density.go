package savedkind

// The kinds of this package in a model file.
const (
	KDE     = "kde"
	KNN     = "knn-density"
	Mixture = "mixture"
)
