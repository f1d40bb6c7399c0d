package play

func ofSlides() []GalleryEntry {
	entry := func(name, where, title, formula, scene string, s settings, code, shows, command string,
		text ...string) GalleryEntry {
		return GalleryEntry{Name: name, From: slides + ", " + where, Title: title, Text: text, Formula: formula, Scene: scene,
			Settings: s, Code: code, Shows: shows, Command: command}
	}
	basis := func(kernel string, normalised float64) settings {
		return settings{"kernel": text(kernel), "params": settings{"lambda": 1e-3, "centres": 10.0, "normalised": normalised}}
	}
	machine := func(learner string, params settings) settings {
		return settings{"learner": learner, "params": params}
	}
	windows := func(h float64) settings { return settings{"bandwidth": h} }
	smoother := func(name string) settings { return settings{"smoother": name} }
	return []GalleryEntry{
		entry("basis-polynomial", "kernels from basis functions", "Kernels from polynomials and Gaussians",
			"k(x, y) = Σⱼ φⱼ(x)φⱼ(y)", "look", looking("polynomialbasis()",
				"gaussianbasis(centers=[-1, -0.5, 0, 0.5, 1], width=0.2)", -1, 1), "basisPolynomial", "largest-eigenvalue",
			"mercer kernels 'polynomialbasis()' --plot basis.svg",
			"φ(x) = (1, x, x², …): the kernel at x₀ grows without end to both sides. Gaussian bumps see only what is near "+
				"one of them."),
		entry("basis-sigmoid", "kernels from basis functions", "Kernels from logistic sigmoids", "φⱼ(x) = σ((x − μⱼ)/s)",
			"look", looking("sigmoidbasis(centers=[-0.8, -0.4, 0, 0.4, 0.8], width=0.1)", "sigmoid()", -1, 1), "basisSigmoid",
			"largest-eigenvalue",
			"mercer kernels 'sigmoidbasis(centers=[-0.8, -0.4, 0, 0.4, 0.8], width=0.1)' --plot sigmoids.svg",
			"Five steps make a kernel that knows only on which side of each step two points are."),
		entry("matern", "Matérn kernels", "How rough is a sample?", "k(r) ∝ (√(2ν) r/ℓ)^ν K_ν(√(2ν) r/ℓ)", "look",
			looking("matern(nu=0.5, lengthscale=1)", "matern(nu=2.5, lengthscale=1)", -4, 4), "matern", "largest-eigenvalue",
			"mercer kernels 'matern(nu=0.5)' --plot matern.svg",
			"ν counts the derivatives: ½ has none, 5/2 has two, the Gaussian all.",
			"Draw again, and compare the samples side by side."),
		entry("string", "string kernels", "Two strings and what they share", "k(x, y) = Σ_s n_s(x)n_s(y)", "structured",
			settings{"on": "strings"}, "string", "value", "mercer kernels spectrum",
			"Every common run of two letters counts; move over a row to see where it is."),
		entry("subsequence", "string kernels", "Subsequences with gaps", "k(x, y) = Σ_u Σ λ^{l(i)+l(j)}", "structured",
			settings{"on": "strings", "strings": settings{"kernel": text("ssk(k=2, decay=0.5)"), "x": "cat", "y": "car"}},
			"subsequence", "value", "mercer kernels ssk",
			"The classic: cat, car. They share c…a, spread over two letters of each, and nothing else of length 2.",
			"Each letter of the stretch costs a factor λ."),
		entry("pyramid", "pyramid match kernels", "Two sets of points, matched in grids", "k(X, Y) = Σᵢ 2⁻ⁱ(Iᵢ − Iᵢ₋₁)",
			"structured", settings{"on": "bags"}, "pyramid", "value", "mercer kernels pyramid",
			"Points of two sets match where they fall into one cell; a match counts the less, the coarser the first grid is "+
				"that makes it.", "Choose the grid that is shown, and move a point over a border.").
			panels("finest grid", settings{"bags": settings{"grid": 0}}, "twice as coarse",
				settings{"bags": settings{"grid": 1}}, "four times", settings{"bags": settings{"grid": 2}}),
		entry("xor-logistic", "kernel machines", "Exclusive or by logistic regression",
			"p(y = 1|x) = σ(wᵀφ(x)),  φ(x) = [k(x, μ₁) … k(x, μ_K)]", "classify",
			settings{"data": drawn("xor", 120, 0.35), "kernel": text("linear()"), "learner": "logistic",
				"params": settings{"lambda": 0.1}}, "xorLogistic", "training-error",
			"mercer fit checkerboard --learner 'logistic(lambda=0.1)' --kernel 'gaussian(lengthscale=1)'",
			"A linear function of the inputs is at a loss; of degree two, or of kernel values at points, it is not.").
			panels("linear", settings{"kernel": text("linear()")}, "of degree 2",
				settings{"kernel": text("poly(degree=2, gamma=1, offset=1)")}, "Gaussian",
				settings{"kernel": text("gaussian(lengthscale=1)")}),
		entry("design", "kernelised features in regression", "Basis functions and their design matrix",
			"f(x) = wᵀφ(x) + b,  φⱼ(x) = exp(−(x − μⱼ)²/(2τ²))", "regress",
			settings{"data": drawn("sine", 100, 0.2), "learner": "basis", "kernel": text("gaussian(lengthscale=0.1)"),
				"params": settings{"lambda": 1e-3, "centres": 10.0}}, "design", "norm",
			"mercer fit sinc --learner 'rbf(centres=kmeans, count=10)' --kernel 'gaussian(lengthscale=0.5)'",
			"Ten even centres. Too narrow, and f is a bump at each of them and nothing between; too wide, and every column of "+
				"the matrix is the same: a straight line is all that is left.").
			panels("τ = 0.1", basis("gaussian(lengthscale=0.1)", 0), "τ = 0.5", basis("gaussian(lengthscale=0.5)", 0), "τ = 50",
				basis("gaussian(lengthscale=50)", 0)),
		entry("machines", "sparse vector machines", "Four machines and the points they keep",
			"L2VM: λ/2 Σα²;  L1VM: λ Σ|α|;  RVM: wⱼ ~ N(0, 1/αⱼ);  SVM: hinge and ‖f‖²", "classify",
			settings{"data": drawn("spirals", 200, 0.02), "kernel": text("gaussian(lengthscale=0.3)"), "learner": "rvm"},
			"machines", "support",
			"mercer fit spirals --learner 'l2vm(lambda=5), l1vm(lambda=1), rvm, svm' --kernel 'gaussian(lengthscale=0.3)'",
			"The same kernel and the same points. The boundaries are alike; the rings are the points that each keeps.").
			panels("L2VM", machine("l2vm", settings{"lambda": 5.0}), "L1VM", machine("l1vm", settings{"lambda": 1.0}), "RVM",
				machine("rvm", settings{}), "SVM", machine("svm", settings{"C": 10.0})),
		entry("machines-sinc", "sparse vector machines", "Four machines on the noisy sinc", "f = Σ αⱼk(xⱼ, ·) + b", "regress",
			settings{"data": drawn("sinc", 100, 0.1), "kernel": text("gaussian(lengthscale=0.3)"), "learner": "rvm"},
			"sincMachines", "support",
			"mercer fit sinc --learner 'l2vm(lambda=0.5), l1vm(lambda=0.5), rvm, svm(epsilon=0.1)' --kernel "+
				"'gaussian(lengthscale=0.3)'",
			"Predictions are alike; the relevance vector machine keeps the fewest points, the L2 machine all of them.").
			panels("L2VM", machine("l2vm", settings{"lambda": 0.5}), "L1VM", machine("l1vm", settings{"lambda": 0.5}), "RVM",
				machine("rvm", settings{}), "SVM", machine("svr", settings{"C": 2.0, "epsilon": 0.1})),
		entry("smoothing", "smoothing kernels", "Smoothing kernels", "∫k = 1,  ∫uk = 0,  ∫u²k > 0", "density",
			settings{"data": drawn("peaks", 50, 0.5), "smoother": "boxcar", "bandwidth": 0.7}, "smoothers", "silverman",
			"mercer density faithful --columns eruptions --kernel boxcar --bandwidth 0.4 --plot boxcar.svg",
			"The shape of a window matters less than its width, but for one thing: what has corners gives an estimate "+
				"with corners.").
			panels("Gaussian", smoother("gaussian"), "Epanechnikov", smoother("epanechnikov"), "tri-cube", smoother("tricube"),
				"boxcar", smoother("boxcar")),
		entry("parzen", "kernel density estimation", "Parzen windows", "p(x) = (1/n) Σ k((x − xᵢ)/h)/h", "density",
			settings{"data": drawn("peaks", 50, 0.5), "bandwidth": 0.4}, "parzen", "silverman",
			"mercer density faithful --columns eruptions --bandwidth 0.3 --plot density.svg",
			"A window around each point, and their mean. Narrow ones show every point, wide ones one hill.",
			"The curve below says which width makes the points that were left out likeliest.").
			panels("h = 0.1", windows(0.1), "h = 0.4", windows(0.4), "h = 1.6", windows(1.6)),
		entry("neighbours", "KDE for KNN classifiers", "Nearest neighbours", "p(c|x) = k_c/k", "classify",
			settings{"data": drawn("moons", 160, 0.25), "learner": "knn", "params": settings{"k": 15.0}}, "neighbours",
			"training-error", "mercer fit moons --learner 'knn(k=15)' --kernel 'gaussian(lengthscale=0.5)'",
			"The ball around x that holds k points is the window; the share of each class in it is the vote."),
		entry("nadaraya-watson", "Nadaraya–Watson", "The density behind the curve", "y(x) = Σ tₙ g(x − xₙ)/Σ g(x − xₘ)",
			"regress", settings{"data": drawn("branches", 120, 0.1), "learner": "nadaraya-watson",
				"params": settings{"bandwidth": 0.2}}, "nadarayaWatson", "freedom",
			"mercer smooth sinc --bandwidth 0.2 --plot nw.svg",
			"The curve is the mean of p(t|x), which the shading shows: where it branches, the mean is nowhere near the data."),
		entry("normalisation", "Nadaraya–Watson", "Basis functions that add up to one", "hₙ(x) = g(x − xₙ)/Σ g(x − xₘ)",
			"regress", settings{"data": drawn("sine", 100, 0.2), "learner": "basis"}, "normalisation", "norm",
			"mercer fit sinc --learner 'rbf(basis=normalised, count=10)' --kernel 'gaussian(lengthscale=0.3)'",
			"Divided by their sum, bumps leave no gap between the centres: there the nearest one decides.").with(basis("gaussian(lengthscale=0.3)",
			1)).
			panels("as they are", basis("gaussian(lengthscale=0.3)", 0), "normalised", basis("gaussian(lengthscale=0.3)", 1)),
		entry("local", "locally weighted regression", "A line around every point",
			"min Σ w((xᵢ − x)/h)(yᵢ − β₀ − β₁(xᵢ − x))²", "regress",
			settings{"data": set("mcycle"), "learner": "local", "params": settings{"span": 0.3}}, "local", "freedom",
			"mercer smooth mcycle --method local --span 0.3 --plot local.svg",
			"A weighted line at each x removes the bias of averages at the ends."),
		entry("medoids", "kernelised k-medoids", "Points that stand for their groups", "min Σᵢ min_c ‖φ(xᵢ) − φ(m_c)‖²",
			"project", settings{"part": "cluster", "method": "medoids", "clusters": 3, "data": drawn("blobs", 150, 1),
				"kernel": text("gaussian(lengthscale=2)")}, "medoids", "cost",
			"mercer cluster blobs --method kmedoids -k 3 --kernel 'gaussian(lengthscale=2)'",
			"The centre of a group is one of its points, marked by a square: distances are all that is needed, so that it "+
				"works on strings and graphs as well."),
		entry("pca", "kernel PCA", "Components of three clouds", "K̃α = nλα", "project",
			settings{"part": "components", "data": drawn("blobs", 150, 1)}, "components", "share-1",
			"mercer pca blobs --kernel 'gaussian(lengthscale=2)' --components 6",
			"The first two components tell the clouds apart; the next ones divide them further."),
		entry("oil-flow", "oil data set", "Twelve numbers in the plane", "yⱼ = fⱼ(x) + ε,  fⱼ ~ GP(0, k),  x ~ N(0, I)",
			"project", settings{"part": "latent", "set": "flow", "n": 60}, "flow", "neighbour-gplvm",
			"mercer pca iris --kernel 'gaussian(lengthscale=2)'",
			"Oil, water and gas in a pipe: in layers, in rings, or mixed. Principal components mix the three, kernel "+
				"components less, and latent points of a Gaussian process least.",
			"Rows whose nearest neighbour is of another kind are counted beside the pictures."),
	}
}
