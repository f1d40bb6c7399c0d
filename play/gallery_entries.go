package play

// The notes by the numbers they have in mercer's papers.
const (
	mercerNotes = "Notes on Mercer kernels"
	slides      = "Kernel methods (slides)"
	intro       = "Introduction to RKHS"
	lecture     = "Kernel methods lecture"
	foundations = "Foundations of machine learning"
)

type settings = map[string]any

func set(name string) settings             { return settings{"name": name} }
func text(kernel string) settings          { return settings{"text": kernel} }
func window(x0, x1, y0, y1 float64) Window { return Window{x0, x1, y0, y1} }

// segments is the points of two lines, n on each.
func segments(n int) settings {
	var xy []float64
	for i := range 2 * n {
		xy = append(xy, float64(i%n), float64(4*(i/n))+0.2*float64(i%n))
	}
	return settings{"name": "hand", "points": xy, "kinds": make([]int, 2*n)}
}

// galleryEntries are in the order of the notes; Code names a function of gallery_example_test.go.
func galleryEntries() []GalleryEntry {
	xor := settings{"name": "hand", "points": []float64{-1, -1, 1, 1, -1, 1, 1, -1}, "kinds": []int{0, 0, 1, 1}}
	looking := func(first, second string, low, high float64) settings {
		return settings{"first": text(first), "second": text(second), "low": low, "high": high, "at": (low + high) / 2}
	}
	return []GalleryEntry{
		{"regression", mercerNotes + ", Example 1.1", "Nonparametric regression", []string{"Of all functions of the space, the one that is near the points and has a small norm.", "Move λ: left of the dashed line the curve follows the noise, right of it it forgets the peak."},
			"min Σ (yᵢ − f(xᵢ))² + λ‖f‖²", "regress", settings{"data": set("sinc"), "learner": "ridge", "params": settings{"lambda": 0.1}}, "ridge", "mercer fit sinc --learner ridge"},
		{"classification", mercerNotes + ", Example 1.2", "Kernelised classification", []string{"A linear rule in feature space bends in the plane.", "Drag a point across the boundary and see which support vectors answer."},
			"h(x) = sign(Σ αᵢyᵢ k(xᵢ, x) + b)", "classify", settings{"data": set("moons"), "learner": "svm", "params": settings{"C": 10}}, "svm", "mercer fit moons --learner svm"},
		{"bandlimited", mercerNotes + ", Example 4.5", "Functions without high frequencies", []string{"The kernel of all functions whose Fourier transform vanishes outside [−a, a].", "Its functions ring: no sample has a detail finer than π/a."},
			"k(x, y) = sin(a(x − y))/(a(x − y))", "look", looking("sinc()", "gaussian(lengthscale=1)", -10, 10), "section", "mercer kernels sinc"},
		{"rough", mercerNotes + ", Example 4.6", "A space of rough functions", []string{"Functions of a radius with a square-integrable derivative, weighted by x²: they may grow toward 0 and have corners everywhere.", "The eigenvalues fall like a power, not exponentially."},
			"k(x, y) = e^{−max(x,y)} sinh(min(x,y))/(xy)", "look", looking("radialsobolev()", "gaussian(lengthscale=0.2)", 0.05, 0.95), "mercer", "mercer kernels radialsobolev"},
		{"sobolev", mercerNotes + ", Example 4.7", "Sobolev spaces and splines", []string{"The penalty is the curvature; the solution is a natural cubic spline with a knot at each point."},
			"min Σ (yᵢ − f(xᵢ))² + λ∫f″²", "regress", settings{"data": set("mcycle"), "learner": "spline", "params": settings{"lambda": 100.0}}, "local", "mercer smooth mcycle"},
		{"sobolev-kernel", mercerNotes + ", Example 4.7", "The kernel of a Sobolev space", []string{"On the unit interval, of order 1 and of order 2: each order is one more derivative of every function."},
			"k(x, y) = 1 + min(x, y);  of order 2: 1 + xy + ∫(x−u)₊(y−u)₊du", "look", looking("sobolev(order=1)", "sobolev(order=2)", 0.01, 0.99), "mercer", "mercer kernels sobolev"},
		{"segments", mercerNotes + ", §5.2 and Example 5.10", "Two segments", []string{"A graph of two linear segments: the Laplacian has the eigenvalue 0 once for each part that nothing ties to the rest, and D^{−½}WD^{−½} the eigenvalue 1.", "Step through the stages: ties, eigenvalues, rows of eigenvectors, groups."},
			"L = I − D^{−½}WD^{−½}", "project", settings{"part": "cluster", "method": "spectral", "stage": "groups", "data": segments(10), "kernel": text("gaussian(lengthscale=1)"), "neighbours": 2}, "groups", "mercer cluster circles --method spectral -k 2"},
		{"rings", mercerNotes + ", §5.2", "Points tied to their neighbours", []string{"On two rings no line and no mean tells the groups apart; ties do."},
			"L = I − D^{−½}WD^{−½}", "project", settings{"part": "cluster", "method": "spectral", "data": settings{"name": "circles", "n": 300, "noise": 0.03}, "neighbours": 12}, "groups", "mercer cluster circles --method spectral -k 2"},
		{"logistic", mercerNotes + ", §6.2", "Kernel logistic regression", []string{"Log odds that are a function of the space: the surface is a probability.", "A larger λ makes it flatter, never more sure."},
			"min Σ log(1 + e^{−yᵢf(xᵢ)}) + (λ/2)‖f‖²", "classify", settings{"data": set("moons"), "learner": "logistic", "params": settings{"lambda": 0.1}, "proba": true}, "logistic", "mercer fit moons --learner logistic"},
		{"margin", mercerNotes + ", §6.3", "Support vectors and the margin", []string{"Only points on the dashed lines or between them carry weight.", "A smaller C buys a wider margin with errors."},
			"½‖f‖² + C Σ max(0, 1 − yᵢf(xᵢ))", "classify", settings{"data": set("blobs"), "learner": "svm", "params": settings{"C": 1.0}, "kernel": text("linear()")}, "svm", "mercer fit blobs --learner svm --kernel 'linear()'"},
		{"tuning", mercerNotes + ", §7", "Hidden tuning parameters", []string{"Width and penalty act together: the good cells lie along a ridge of the map.", "Click a cell to see its function."},
			"σ and C, judged on points left out", "search", settings{"task": "classify", "data": set("spirals")}, "search", "mercer fit spirals --learner svm"},
		{"perceptron", mercerNotes + ", §8", "The kernel perceptron makes its mistakes", []string{"It steps only when it is wrong, and the square marks the last mistake.", "Move the number of examples seen from 1 upward."},
			"yᵢf(xᵢ) ≤ 0:  f ← f + yᵢk(xᵢ, ·);  at most M/ε² mistakes", "classify", settings{"data": set("circles"), "learner": "perceptron", "params": settings{"examples": 20.0}}, "perceptron", "mercer fit circles --learner perceptron"},
		{"voted", mercerNotes + ", §8", "The voted perceptron", []string{"Every function on the way votes, by how long it survived: the boundary calms down."},
			"f = Σ vₜfₜ", "classify", settings{"data": settings{"name": "moons", "noise": 0.25}, "learner": "perceptron", "params": settings{"examples": 400.0, "voted": 1.0}}, "perceptron", "mercer fit moons --learner perceptron"},
		{"basis-polynomial", slides + ", kernels from basis functions", "Kernels from polynomials", []string{"φ(x) = (1, x, x², …): the kernel at x₀ grows without end to both sides."},
			"k(x, y) = Σⱼ φⱼ(x)φⱼ(y)", "look", looking("polynomialbasis()", "gaussianbasis(centers=[-1, -0.5, 0, 0.5, 1], width=0.2)", -1, 1), "section", "mercer kernels polynomialbasis"},
		{"basis-sigmoid", slides + ", kernels from basis functions", "Kernels from logistic sigmoids", []string{"Ten steps make a kernel that knows only on which side of each step two points are."},
			"φⱼ(x) = σ((x − μⱼ)/s)", "look", looking("sigmoidbasis(centers=[-0.8, -0.4, 0, 0.4, 0.8], width=0.1)", "sigmoid()", -1, 1), "section", "mercer kernels sigmoidbasis"},
		{"matern", slides + ", Matérn kernels", "How rough is a sample?", []string{"ν counts the derivatives: ½ has none, 5/2 has two, the Gaussian all.", "Draw again, and compare the samples side by side."},
			"k(r) ∝ (√(2ν) r/ℓ)^ν K_ν(√(2ν) r/ℓ)", "look", looking("matern(nu=0.5, lengthscale=1)", "matern(nu=2.5, lengthscale=1)", -4, 4), "section", "mercer kernels matern"},
		{"string", slides + ", string kernels", "Two strings and what they share", []string{"Every common run of two letters counts; move over a row to see where it is."},
			"k(x, y) = Σ_s n_s(x)n_s(y)", "structured", settings{"on": "strings"}, "strings", "mercer kernels spectrum"},
		{"subsequence", slides + ", string kernels", "Subsequences with gaps", []string{"The classic: cat, car. They share c…a, spread over two letters of each, and nothing else of length 2.", "Each letter of the stretch costs a factor λ."},
			"k(x, y) = Σ_u Σ λ^{l(i)+l(j)}", "structured", settings{"on": "strings", "strings": settings{"kernel": text("ssk(k=2, decay=0.5)"), "x": "cat", "y": "car"}}, "strings", "mercer kernels ssk"},
		{"machines", slides + ", sparse vector machines", "Support vectors and relevance vectors", []string{"The same kernel and points: the relevance vector machine keeps fewer points, away from the boundary.", "Change the learner to compare."},
			"wⱼ ~ N(0, 1/αⱼ)", "classify", settings{"data": set("spirals"), "kernel": text("gaussian(lengthscale=0.2)"), "learner": "rvm"}, "machines", "mercer fit spirals --learner rvm"},
		{"neighbours", slides + ", KDE for KNN classifiers", "Nearest neighbours", []string{"The vote of the nearest points; a larger k is a smoother boundary."},
			"p(c|x) = k_c/k", "classify", settings{"data": settings{"name": "moons", "noise": 0.25}, "learner": "knn", "params": settings{"k": 15.0}}, "svm", "mercer fit moons --learner knn"},
		{"nadaraya-watson", slides + ", Nadaraya–Watson", "The density behind the curve", []string{"The curve is the mean of p(t|x), which the shading shows: where it branches, the mean is nowhere near the data."},
			"y(x) = Σ tₙ g(x − xₙ)/Σ g(x − xₘ)", "regress", settings{"data": set("branches"), "learner": "nadaraya-watson", "params": settings{"bandwidth": 0.2}}, "average", "mercer smooth sinc"},
		{"local", slides + ", locally weighted regression", "A line around every point", []string{"A weighted line at each x removes the bias of averages at the ends."},
			"min Σ w((xᵢ − x)/h)(yᵢ − β₀ − β₁(xᵢ − x))²", "regress", settings{"data": set("mcycle"), "learner": "local", "params": settings{"span": 0.3}}, "local", "mercer smooth mcycle --method local --span 0.3"},
		{"pca", slides + ", kernel PCA", "Components of three clouds", []string{"The first two components tell the clouds apart; the next ones divide them further."},
			"K̃α = nλα", "project", settings{"part": "components", "data": set("blobs")}, "components", "mercer pca blobs --kernel 'gaussian(lengthscale=2)'"},
		{"xor", intro + ", Figure 2.1", "Exclusive or", []string{"No line tells the classes apart in the plane; the feature x₁x₂ does.", "Change the kernel's text to linear() and see it fail."},
			"φ(x) = (x₁, x₂, x₁x₂)", "classify", settings{"data": xor, "kernel": text("poly(degree=2, gamma=1, offset=1)"), "learner": "svm", "params": settings{"C": 100.0}, "window": window(-2, 2, -2, 2)}, "xor", "mercer kernels 'poly(degree=2, gamma=1, offset=1)'"},
		{"documents", intro + ", Figure 2.2", "Documents as histograms of words", []string{"Two documents are compared by the words that they share, however they are ordered."},
			"k(x, y) = Σ_w n_w(x)n_w(y)", "structured", settings{"on": "strings", "strings": settings{"kernel": text("words()"), "x": "the dog chased the cat up the tree", "y": "the cat slept under the tree"}}, "strings", "mercer kernels words"},
		{"fits", intro + ", Figure 2.3", "Too smooth, too wild, and right", []string{"A norm that costs too much leaves too little of the curve; one that costs nothing follows the noise."},
			"min Σ (yᵢ − f(xᵢ))² + λ‖f‖²", "regress", settings{"data": set("sinc"), "learner": "ridge", "params": settings{"lambda": 1e-6}, "kernel": text("gaussian(lengthscale=0.6)")}, "path", "mercer fit sinc --learner ridge"},
		{"feature-space", intro + ", Figure 4.1", "The curve that an interval is in feature space", []string{"Points of the line become points of a curve; functions of the space are planes that cut it."},
			"φ(x) = Λ^{½}Uᵀ…", "look", looking("poly(degree=2, gamma=1, offset=1)", "gaussian(lengthscale=1)", -2, 2), "mercer", "mercer kernels poly"},
		{"theta", intro + ", Figures 4.2 and 4.3", "Kernels on the circle", []string{"A kernel given by its Fourier coefficients: fast decay makes smooth functions."},
			"k(x, y) = Σ_ℓ k̂_ℓ e^{iℓ(x−y)}", "look", looking("theta()", "fourier(coef=[1, 0.5, 0.25])", -3.1, 3.1), "section", "mercer kernels theta"},
		{"eigenfunctions", intro + ", Figure 4.4", "Eigenfunctions of the Gaussian kernel", []string{"Under a normal measure they are Hermite functions: each has one more zero than the one before."},
			"∫ k(x, y)e_ℓ(y)dμ(y) = λ_ℓe_ℓ(x)", "look", func() settings {
				s := looking("gaussian(lengthscale=1)", "gaussian(lengthscale=0.5)", -4, 4)
				s["measure"], s["terms"] = "normal", 3
				return s
			}(), "mercer", "mercer kernels gaussian"},
		{"bumps", intro + ", Figure 4.5", "A function is a sum of bumps", []string{"Each point contributes αᵢk(xᵢ, ·), up or down; their sum is f."},
			"f = Σ αᵢk(xᵢ, ·)", "regress", settings{"data": settings{"name": "sinc", "n": 15}, "bumps": true, "learner": "ridge", "params": settings{"lambda": 1.0}}, "ridge", "mercer fit sinc --learner ridge"},
		{"mmd", intro + ", §5", "The distance of two distributions", []string{"The witness is largest where one cloud is denser than the other; its norm is the distance.", "Exchange the points at random, and the histogram shows what chance does."},
			"MMD² = ‖μ_P − μ_Q‖²", "test", settings{"kind": "two-sample", "data": set("shift")}, "twoSample", "mercer test two-sample moons --by class"},
		{"denoising", intro + ", Figure 6.2", "Denoise a digit", []string{"Project on the components that digits have, and find the picture whose image in feature space is nearest.", "Draw on it, or add noise; linear components, for comparison, are beside it."},
			"min ‖φ(y) − Pφ(x)‖²", "project", settings{"part": "denoise"}, "denoise", "mercer pca blobs --kernel 'gaussian(lengthscale=2)' --components 3 --denoise clean.csv"},
		{"lambda", intro + ", Figure 7.1", "The effect of λ", []string{"From 10⁻⁸ to 10³: the error of points left out is least in between."},
			"α = (K + λI)⁻¹y", "regress", settings{"data": set("bumps"), "learner": "ridge", "params": settings{"lambda": 10.0}}, "path", "mercer fit sinc --learner ridge"},
		{"sigma", intro + ", Figure 7.2", "The effect of σ", []string{"Too narrow a kernel sees each point by itself; too wide a one sees none."},
			"k(x, y) = exp(−‖x − y‖²/(2σ²))", "regress", settings{"data": set("bumps"), "learner": "ridge", "kernel": text("gaussian(lengthscale=0.1)")}, "path", "mercer fit sinc --learner ridge"},
		{"ellipse", lecture + ", motivation", "Circles become lines", []string{"With quadratic features a circle of the plane is a plane of feature space."},
			"φ(x) = (x₁², √2x₁x₂, x₂²)", "classify", settings{"data": set("circles"), "kernel": text("poly(degree=2, gamma=1, offset=1)"), "learner": "svm"}, "svm", "mercer fit circles --learner svm --kernel 'poly(degree=2, gamma=1, offset=1)'"},
		{"process", lecture + ", Gaussian processes", "Prior and posterior", []string{"Before the points every function is possible; after them, those through the band.", "Let it find noise and kernel by the evidence."},
			"y = f(x) + ε,  f ~ GP(0, k)", "regress", settings{"data": settings{"name": "sinc", "n": 20}, "learner": "gp", "samples": 4, "prior": true}, "process", "mercer fit sinc --learner gp"},
		{"random-features", foundations + ", random features", "A kernel from random waves", []string{"Frequencies drawn from the kernel's spectrum: the error falls like 1/√m.", "Move m, and draw again."},
			"k(x, y) ≈ (1/m) Σ cos ω(x − y)", "look", func() settings {
				s := looking("gaussian(lengthscale=1)", "laplace(lengthscale=1)", -4, 4)
				s["features"] = 100
				return s
			}(), "features", "mercer kernels gaussian"},
		{"hsic", foundations + ", Example 2", "Dependence without correlation", []string{"On a ring the coordinates are uncorrelated, and anything but independent."},
			"HSIC = ‖C_xy‖²", "test", settings{"kind": "independence", "data": set("ring")}, "independence", "mercer test independence circles --x x --y y"},
		{"kcca", foundations + ", kernel CCA", "Functions that go together", []string{"f and g are bent until f(x) and g(y) lie on a line; κ keeps them from bending at will."},
			"max corr(f(x), g(y))", "project", settings{"part": "correlate", "data": set("ring")}, "correlation", "mercer cca circles --x x --y y"},
		{"trees", foundations + ", kernels on trees", "Trees and their fragments", []string{"Every fragment that both trees have counts, the less the larger it is."},
			"Δ(n, m) = λ Π (1 + Δ(nⱼ, mⱼ))", "structured", settings{"on": "trees"}, "trees", "mercer kernels subsettree"},
		{"graphs", foundations + ", kernels on graphs", "Graphs and their neighbourhoods", []string{"After each round a node's label has its neighbours' in it; equal labels count."},
			"k(G, G′) = Σ_t Σ_a #a(G)·#a(G′)", "structured", settings{"on": "graphs"}, "graphs", "mercer kernels wl"},
	}
}
