package savedkind

// The kinds of this package in a model file.
const (
	PCA = "kernel-pca"
	CCA = "kernel-cca"
)

// GPLVM is the kind of latent points in a model file.
const GPLVM = "gplvm"

// SparsePCA is the kind of components of few points in a model file.
const SparsePCA = "sparse-kernel-pca"
