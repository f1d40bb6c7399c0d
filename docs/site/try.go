package main

// scenesOf are the scenes of the playground that pages of kernels and learners open, as its links
// write them. Each page has one: a new page is not forgotten.
var scenesOf = map[string]string{
	"docs/kernels/README.md":        "look",
	"docs/kernels/algebra.md":       "look?first.text=linear()*gaussian(lengthscale=1)&second.text=linear()+gaussian(lengthscale=0.5)",
	"docs/kernels/radial.md":        "look?first.text=gaussian(lengthscale=1)&second.text=matern(nu=1.5,lengthscale=1)",
	"docs/kernels/dot-product.md":   "look?first.text=linear()&second.text=poly(degree=3)",
	"docs/kernels/periodic.md":      "look?first.text=periodic(period=2,lengthscale=1)&second.text=gaussian(lengthscale=1)",
	"docs/kernels/splines.md":       "look?first.text=sobolev()&second.text=thinplate()&low=0.05&high=0.95&at=0.5",
	"docs/kernels/feature-maps.md":  "look?first.text=gaussianbasis(centers=[-2,0,2],width=1)&second.text=polynomialbasis(degree=3)",
	"docs/kernels/histograms.md":    "look?first.text=chi2()&second.text=intersection()&low=0.05&high=2&at=1",
	"docs/kernels/strings.md":       "structured?on=strings",
	"docs/kernels/trees.md":         "structured?on=trees",
	"docs/kernels/graphs.md":        "structured?on=graphs",
	"docs/kernels/sets.md":          "structured?on=bags",
	"docs/kernels/distributions.md": "structured?on=bags&bags.kernel.text=meanembedding(kernel=gaussian(lengthscale=1))",
	"docs/kernels/series.md":        "structured?on=series",
	"docs/kernels/rankings.md":      "structured?on=rankings",
	"docs/kernels/generative.md":    "look?first.text=fisher(model=normal(mean=[0],cov=[[1]]))&second.text=latent(model=mixture(weights=[0.5,0.5],means=[[-2],[2]],covariances=[[[1]],[[1]]]))",

	"docs/learners/README.md":      "classify",
	"docs/learners/representer.md": "regress?bumps=true",
	"docs/learners/ridge.md":       "regress?learner=ridge",
	"docs/learners/spline.md":      "regress?learner=spline",
	"docs/learners/gp.md":          "regress?learner=gp&samples=4",
	"docs/learners/sparse-gp.md":   "regress?learner=gp",
	"docs/learners/logistic.md":    "classify?learner=logistic",
	"docs/learners/svm.md":         "classify?learner=svm",
	"docs/learners/sparse.md":      "regress?learner=rvm",
	"docs/learners/rbf.md":         "regress?learner=basis&kernel.text=gaussian(lengthscale=0.5)",
	"docs/learners/nystrom.md":     "look?features=50",
	"docs/learners/features.md":    "look?features=50",
	"docs/learners/online.md":      "classify?learner=perceptron",
	"docs/learners/neighbours.md":  "classify?learner=knn",
	"docs/learners/fisher.md":      "classify?learner=fisher",
	"docs/learners/forest.md":      "classify?learner=forest",
}

// playgroundPage is where the playground is on the site, as docs/site/build lays it out.
const playgroundPage = "playground/index.html"
