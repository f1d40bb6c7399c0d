package play

func ofIntro() []GalleryEntry {
	entry := func(name, where, title, formula, scene string, s settings, code, shows, command string,
		text ...string) GalleryEntry {
		return GalleryEntry{Name: name, From: intro + ", " + where, Title: title, Text: text, Formula: formula, Scene: scene,
			Settings: s, Code: code, Shows: shows, Command: command}
	}
	xor := settings{"name": "hand", "points": []float64{-1, -1, 1, 1, -1, 1, 1, -1}, "kinds": []int{0, 0, 1, 1}}
	lambda := func(v float64) settings { return settings{"params": settings{"lambda": v}} }
	sigma := func(kernel string) settings { return settings{"kernel": text(kernel)} }
	return []GalleryEntry{
		entry("xor", "Figure 2.1", "Exclusive or", "φ(x) = (x₁, x₂, x₁x₂)", "classify",
			settings{"data": xor, "kernel": text("poly(degree=2, gamma=1, offset=1)"), "learner": "svm",
				"params": settings{"C": 100.0}, "window": window(-2, 2, -2, 2)}, "xor", "norm",
			"mercer fit checkerboard --learner svm --kernel 'poly(degree=2, gamma=1, offset=1)'",
			"No line tells the classes apart in the plane; the feature x₁x₂ does.",
			"Change the kernel's text to linear() and see it fail."),
		entry("documents", "Figure 2.2", "Documents as histograms of words", "k(x, y) = Σ_w n_w(x)n_w(y)", "structured",
			settings{"on": "strings", "strings": settings{"kernel": text("words()"), "x": "the dog chased the cat up the tree",
				"y": "the cat slept under the tree"}}, "documents", "value", "mercer kernels words",
			"Two documents are compared by the words that they share, however they are ordered."),
		entry("fits", "Figure 2.3", "Too smooth, too wild, and right", "min Σ (yᵢ − f(xᵢ))² + λ‖f‖²", "regress",
			settings{"data": drawn("sinc", 60, 0.1), "learner": "ridge", "params": settings{"lambda": 1e-6},
				"kernel": text("gaussian(lengthscale=0.6)")}, "fits", "training-rmse",
			"mercer fit sinc --learner 'ridge(lambda=[1e-6, 0.1, 100])' --kernel 'gaussian(lengthscale=0.6)'",
			"A norm that costs too much leaves too little of the curve; one that costs nothing follows the noise.").
			panels("too smooth", lambda(100), "right", lambda(0.1), "too wild", lambda(1e-6)),
		entry("feature-space", "Figure 4.1", "The curve that an interval is in feature space", "φ(x) = Λ^{½}Uᵀ…", "look",
			looking("poly(degree=2, gamma=1, offset=1)", "gaussian(lengthscale=1)", -2, 2), "featureSpace", "largest-eigenvalue",
			"mercer kernels 'poly(degree=2, gamma=1, offset=1)' --plot poly.svg",
			"Points of the line become points of a curve; functions of the space are planes that cut it."),
		entry("tophat", "Figure 4.2", "A top hat in 21 Fourier terms",
			"f(x) ≈ Σ_{|ℓ| ≤ 10} f̂_ℓ e^{iℓx},  f̂_ℓ = sin(ℓπ/2)/(πℓ)", "regress",
			settings{"data": drawn("tophat", 200, 0), "learner": "ridge", "params": settings{"lambda": 1e-3},
				"kernel": text("fourier(coef=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])")}, "tophat", "training-rmse",
			"mercer kernels 'fourier(coef=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])' --plot terms.svg",
			"The kernel of functions with 21 terms, all of equal cost: the best of them swings beyond the edges of the hat, "+
				"and more terms only bring the swings nearer to the edge.").
			panels("21 terms", settings{"kernel": text("fourier(coef=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])")}, "9 terms",
				settings{"kernel": text("fourier(coef=[1, 1, 1, 1, 1])")}),
		entry("theta", "Figure 4.3", "Kernels on the circle", "k(x, y) = Σ_ℓ k̂_ℓ e^{iℓ(x−y)}", "look",
			looking("theta()", "fourier(coef=[1, 0.5, 0.25])", -3.1, 3.1), "theta", "largest-eigenvalue",
			"mercer kernels 'theta()' --plot theta.svg",
			"The Jacobi theta kernel has Gaussian Fourier coefficients; the other has three."),
		entry("decay", "§4.1.2", "Eigenvalues fall as the kernel is smooth", "λ_ℓ = k̂_ℓ = (1/2π) exp(−σ²ℓ²/2)", "look",
			settings{"first": text("theta(sigma=0.5)"), "second": text("theta(sigma=1)"), "low": -3.1416, "high": 3.1416,
				"at": 0}, "decay", "largest-eigenvalue", "mercer kernels 'theta(sigma=0.5)' --plot decay.svg",
			"At even points of a circle the eigenvalues are the Fourier coefficients, each but the first twice: a parabola on "+
				"the logarithmic scale.", "A wider kernel is a faster fall: fewer functions are cheap."),
		entry("eigenfunctions", "Figure 4.4", "Eigenfunctions of the Gaussian kernel", "∫ k(x, y)e_ℓ(y)dμ(y) = λ_ℓe_ℓ(x)",
			"look", looking("gaussian(lengthscale=1)", "gaussian(lengthscale=0.5)", -4, 4), "eigenfunctions",
			"largest-eigenvalue", "mercer kernels 'gaussian()' --plot gaussian.svg",
			"Under a normal measure they are Hermite functions: each has one more zero than the one before.").with(settings{"measure": "normal",
			"terms": 3}),
		entry("bumps", "Figure 4.5", "A function is a sum of bumps", "f = Σ αᵢk(xᵢ, ·)", "regress",
			settings{"data": drawn("sinc", 15, 0.1), "bumps": true, "learner": "ridge", "params": settings{"lambda": 1.0}},
			"bumps", "norm", "mercer fit sinc --learner 'ridge(lambda=1)' --kernel 'gaussian(lengthscale=1)'",
			"Each point contributes αᵢk(xᵢ, ·), up or down; their sum is f."),
		entry("mmd", "§5", "The distance of two distributions", "MMD² = ‖μ_P − μ_Q‖²", "test",
			settings{"kind": "two-sample", "data": drawn("shift", 120, 0.6)}, "twoSample", "p",
			"mercer test two-sample moons --by class",
			"The witness is largest where one cloud is denser than the other; its norm is the distance.",
			"Exchange the points at random, and the histogram shows what chance does."),
		entry("pca-plane", "Figure 6.1", "Components of points in space", "f₁ = argmax ‖f‖ ≤ 1 of (1/n) Σ ⟨f, x̃ᵢ⟩²",
			"project", settings{"part": "latent", "set": "sheet", "n": 100, "kernel": text("linear()")}, "sheet",
			"explained-pca", "mercer pca iris --kernel 'linear()'",
			"The points lie near a plane of space. The first two components are that plane, the long way first; what is left "+
				"out is how thick the sheet is.",
			"With the kernel linear() the second picture is the first; a Gaussian one bends the plane."),
		entry("denoising", "Figure 6.2", "Denoise a digit", "min ‖φ(y) − Pφ(x)‖²", "project", settings{"part": "denoise"},
			"denoise", "", "mercer pca blobs --kernel 'gaussian(lengthscale=2)' --components 3 --denoise clean.csv",
			"Project on the components that digits have, and find the picture whose image in feature space is nearest.",
			"Draw on it, or add noise; linear components, for comparison, are beside it."),
		entry("lambda", "Figure 7.1", "The effect of λ", "α = (K + λI)⁻¹y", "regress",
			settings{"data": drawn("bumps", 80, 0.15), "learner": "ridge", "params": settings{"lambda": 10.0}}, "lambda",
			"training-rmse", "mercer fit sinc --learner 'ridge(lambda=[10, 0.1, 1e-6])' --kernel 'gaussian(lengthscale=1)'",
			"From 10⁻⁸ to 10³: the error of points left out is least in between.").
			panels("λ = 10", lambda(10), "λ = 0.1", lambda(0.1), "λ = 10⁻⁶", lambda(1e-6)),
		entry("sigma", "Figure 7.2", "The effect of σ", "k(x, y) = exp(−‖x − y‖²/(2σ²))", "regress",
			settings{"data": drawn("bumps", 80, 0.15), "learner": "ridge", "params": settings{"lambda": 0.1},
				"kernel": text("gaussian(lengthscale=0.1)")}, "sigma", "training-rmse",
			"mercer fit sinc --learner 'ridge(lambda=0.1)' --kernel 'gaussian()' --grid gaussian.lengthscale=0.1,0.5,5",
			"Too narrow a kernel sees each point by itself; too wide a one sees none.").
			panels("σ = 0.1", sigma("gaussian(lengthscale=0.1)"), "σ = 0.5", sigma("gaussian(lengthscale=0.5)"), "σ = 5",
				sigma("gaussian(lengthscale=5)")),
	}
}

func ofLectures() []GalleryEntry {
	entry := func(name, where, title, formula, scene string, s settings, code, shows, command string,
		text ...string) GalleryEntry {
		return GalleryEntry{Name: name, From: where, Title: title, Text: text, Formula: formula, Scene: scene, Settings: s,
			Code: code, Shows: shows, Command: command}
	}
	return []GalleryEntry{
		entry("ellipse", lecture+", motivation", "Circles become lines", "φ(x) = (x₁², √2x₁x₂, x₂²)", "classify",
			settings{"data": drawn("circles", 160, 0.05), "kernel": text("poly(degree=2, gamma=1, offset=1)"), "learner": "svm",
				"params": settings{"C": 10.0}}, "ellipse", "norm",
			"mercer fit circles --learner 'svm(C=10)' --kernel 'poly(degree=2, gamma=1, offset=1)'",
			"With quadratic features a circle of the plane, or an ellipse, is a plane of feature space."),
		entry("sine", lecture+", examples of kernels", "One curve under three kernels", "yᵢ = sin xᵢ + ε,  n = 100",
			"regress", settings{"data": drawn("sine", 100, 0.2), "learner": "ridge", "params": settings{"lambda": 0.1},
				"kernel": text("gaussian(lengthscale=1)")}, "sine", "training-rmse",
			"mercer fit sinc --learner 'ridge(kernel=gaussian()), ridge(kernel=laplace()), ridge(kernel=poly(degree=3))'",
			"The Gaussian kernel makes a smooth curve, the Laplace kernel one with a corner at each point, the polynomial one "+
				"of its degree.").
			panels("Gaussian", settings{"kernel": text("gaussian(lengthscale=1)")}, "Laplace",
				settings{"kernel": text("laplace(lengthscale=1)")}, "polynomial",
				settings{"kernel": text("poly(degree=3, gamma=1, offset=1)")}),
		entry("process", lecture+", Gaussian processes", "Prior and posterior", "y = f(x) + ε,  f ~ GP(0, k)", "regress",
			settings{"data": drawn("sinc", 20, 0.1), "learner": "gp", "samples": 4, "prior": true,
				"window": window(-6, 6, -2.5, 2.5)}, "process", "evidence", "mercer fit sinc --learner gp",
			"Before the points every function is possible; after them, those through the band.",
			"Let it find noise and kernel by the evidence."),
		entry("random-features", foundations+", random features", "A kernel from random waves",
			"k(x, y) ≈ (1/m) Σ cos ω(x − y)", "look", looking("gaussian(lengthscale=1)", "laplace(lengthscale=1)", -4, 4),
			"randomFeatures", "feature-error", "mercer fit friedman1 --learner features",
			"Frequencies drawn from the kernel's spectrum: the error falls like 1/√m.",
			"Move m, and draw again.").with(settings{"features": 100}),
		entry("multiclass", foundations+", multiclass classification", "Many classes from two",
			"one to one: M(M − 1)/2 machines vote;  one to the rest: argmax f_m(x)", "classify",
			settings{"data": drawn("blobs", 150, 2.5), "kernel": text("gaussian(lengthscale=1)"), "learner": "svm",
				"params": settings{"C": 10.0}}, "multiclass", "training-error",
			"mercer fit blobs --learner 'svm(C=10), ridge' --kernel 'gaussian(lengthscale=1)'",
			"A machine for each pair of classes, and the votes are counted; or a function for each class against all others, "+
				"and the largest wins.", "Borders meet in a point: look how each method settles it.").
			panels("one to one", settings{"learner": "svm", "params": settings{"C": 10.0}}, "one to the rest",
				settings{"learner": "ridge", "params": settings{"lambda": 0.1}}),
		entry("hsic", foundations+", Example 2", "Dependence without correlation", "HSIC = ‖C_xy‖²", "test",
			settings{"kind": "independence", "data": drawn("ring", 120, 0.15)}, "independence", "p",
			"mercer test independence circles --x x --y y",
			"On a ring the coordinates are uncorrelated, and anything but independent."),
		entry("kcca", foundations+", kernel CCA", "Functions that go together", "max corr(f(x), g(y))", "project",
			settings{"part": "correlate", "data": drawn("ring", 120, 0.15)}, "correlation", "correlation",
			"mercer cca circles --x x --y y",
			"f and g are bent until f(x) and g(y) lie on a line; κ keeps them from bending at will."),
		entry("trees", foundations+", kernels on trees", "Trees and their fragments", "Δ(n, m) = λ Π (1 + Δ(nⱼ, mⱼ))",
			"structured", settings{"on": "trees"}, "trees", "value", "mercer kernels subsettree",
			"Every fragment that both trees have counts, the less the larger it is."),
		entry("graphs", foundations+", kernels on graphs", "Graphs and their neighbourhoods",
			"k(G, G′) = Σ_t Σ_a #a(G)·#a(G′)", "structured", settings{"on": "graphs"}, "graphs", "value", "mercer kernels wl",
			"After each round a node's label has its neighbours' in it; equal labels count."),
	}
}
