// Package savedkind has the words by which a model file tells its kinds apart.
package savedkind

// The kinds of this package in a model file.
const (
	KMeans   = "kernel-kmeans"
	KMedoids = "kernel-kmedoids"
	Spectral = "spectral-clustering"
)
