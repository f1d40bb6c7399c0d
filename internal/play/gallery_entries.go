package play

import "slices"

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

// drawn is a set with so many points and so much noise.
func drawn(name string, n int, noise float64) settings {
	return settings{"name": name, "n": n, "noise": noise}
}

// looking is two kernels on an interval.
func looking(first, second string, low, high float64) settings {
	return settings{"first": text(first), "second": text(second), "low": low, "high": high, "at": (low + high) / 2}
}

// with is settings and some more.
func (e GalleryEntry) with(more settings) GalleryEntry {
	for name, v := range more {
		e.Settings[name] = v
	}
	return e
}

// panels adds the panels of a figure, a label before each.
func (e GalleryEntry) panels(pairs ...any) GalleryEntry {
	for pair := range slices.Chunk(pairs, 2) {
		e.Variants = append(e.Variants, Variant{pair[0].(string), pair[1].(settings)})
	}
	return e
}

// segments is the points of two lines, n on each.
func segments(n int) settings {
	var xy []float64
	for i := range 2 * n {
		xy = append(xy, float64(i%n), float64(4*(i/n))+0.2*float64(i%n))
	}
	return settings{"name": "hand", "points": xy, "kinds": make([]int, 2*n)}
}

// galleryEntries are in the order of the notes; Code names an Example of gallery_code_*_test.go.
func galleryEntries() []GalleryEntry {
	return slices.Concat(ofMercerNotes(), ofSlides(), ofIntro(), ofLectures())
}

func ofMercerNotes() []GalleryEntry {
	entry := func(name, where, title, formula, scene string, s settings, code, shows, command string,
		text ...string) GalleryEntry {
		return GalleryEntry{Name: name, From: mercerNotes + ", " + where, Title: title, Text: text, Formula: formula,
			Scene: scene, Settings: s, Code: code, Shows: shows, Command: command}
	}
	params := func(data settings, learner string, p settings) settings {
		return settings{"data": data, "learner": learner, "params": p}
	}
	return []GalleryEntry{
		entry("regression", "Example 1.1", "Nonparametric regression", "min Σ (yᵢ − f(xᵢ))² + λ‖f‖²", "regress",
			params(set("sinc"), "ridge", settings{"lambda": 0.1}), "regression", "norm",
			"mercer fit sinc --learner 'ridge(lambda=0.1)' --kernel 'gaussian(lengthscale=1)'",
			"Of all functions of the space, the one that is near the points and has a small norm.",
			"Move λ: left of the dashed line the curve follows the noise, right of it it forgets the peak."),
		entry("classification", "Example 1.2", "Kernelised classification", "h(x) = sign(Σ αᵢyᵢ k(xᵢ, x) + b)", "classify",
			params(set("moons"), "svm", settings{"C": 10}), "classification", "norm",
			"mercer fit moons --learner 'svm(C=10)' --kernel 'gaussian(lengthscale=0.5)'",
			"A linear rule in feature space bends in the plane.",
			"Drag a point across the boundary and see which support vectors answer."),
		entry("bandlimited", "Example 4.5", "Functions without high frequencies", "k(x, y) = sin(a(x − y))/(a(x − y))",
			"look", looking("sinc()", "gaussian(lengthscale=1)", -10, 10), "bandlimited", "largest-eigenvalue",
			"mercer kernels 'sinc()' --plot sinc.svg",
			"The kernel of all functions whose Fourier transform vanishes outside [−a, a].",
			"Its functions ring: no sample has a detail finer than π/a."),
		entry("rough", "Example 4.6", "A space of rough functions", "k(x, y) = e^{−max(x,y)} sinh(min(x,y))/(xy)", "look",
			looking("radialsobolev()", "gaussian(lengthscale=0.2)", 0.05, 0.95), "rough", "largest-eigenvalue",
			"mercer kernels 'radialsobolev()' --plot rough.svg",
			"Functions of a radius with a square-integrable derivative, weighted by x²: they may grow toward 0 and have "+
				"corners everywhere.", "The eigenvalues fall like a power, not exponentially."),
		entry("sobolev", "Example 4.7", "Sobolev spaces and splines", "min Σ (yᵢ − f(xᵢ))² + λ∫f″²", "regress",
			params(set("mcycle"), "spline", settings{"lambda": 100.0}), "sobolev", "training-rmse",
			"mercer fit mcycle --learner spline",
			"The penalty is the curvature; the solution is a natural cubic spline with a knot at each point."),
		entry("sobolev-kernel", "Example 4.7", "The kernel of a Sobolev space",
			"k(x, y) = 1 + min(x, y);  of order 2: 1 + xy + ∫(x−u)₊(y−u)₊du", "look",
			looking("sobolev(order=1)", "sobolev(order=2)", 0.01, 0.99), "sobolevKernel", "largest-eigenvalue",
			"mercer kernels 'sobolev(order=2)' --plot sobolev.svg",
			"On the unit interval, of order 1 and of order 2: each order is one more derivative of every function."),
		entry("segments", "§5.2 and Example 5.10", "Two segments", "L = I − D^{−½}WD^{−½}", "project",
			settings{"part": "cluster", "method": "spectral", "stage": "groups", "data": segments(10),
				"kernel": text("gaussian(lengthscale=1)"), "neighbours": 2}, "segments", "last-eigenvalue",
			"mercer cluster circles --method spectral -k 2 --neighbours 2",
			"A graph of two linear segments: the Laplacian has the eigenvalue 0 once for each part that nothing ties to the "+
				"rest, and D^{−½}WD^{−½} the eigenvalue 1.",
			"Step through the stages: ties, eigenvalues, rows of eigenvectors, groups.").
			panels("ties", settings{"stage": "graph"}, "eigenvalues", settings{"stage": "spectrum"}, "eigenvectors",
				settings{"stage": "embedding"}, "groups", settings{"stage": "groups"}),
		entry("rings", "§5.2", "Points tied to their neighbours", "L = I − D^{−½}WD^{−½}", "project",
			settings{"part": "cluster", "method": "spectral", "data": drawn("circles", 300, 0.03), "neighbours": 12}, "rings",
			"last-eigenvalue",
			"mercer cluster circles --method spectral -k 2 --neighbours 12 --kernel 'gaussian(lengthscale=0.3)'",
			"On two rings no line and no mean tells the groups apart; ties do."),
		entry("logistic", "§6.2", "Kernel logistic regression", "min Σ log(1 + e^{−yᵢf(xᵢ)}) + (λ/2)‖f‖²", "classify",
			params(set("moons"), "logistic", settings{"lambda": 0.1}), "logistic", "norm",
			"mercer fit moons --learner 'logistic(lambda=0.1)' --kernel 'gaussian(lengthscale=0.5)'",
			"Log odds that are a function of the space: the surface is a probability.",
			"A larger λ makes it flatter, never more sure.").with(settings{"proba": true}),
		entry("margin", "§6.3", "Support vectors and the margin", "½‖f‖² + C Σ max(0, 1 − yᵢf(xᵢ))", "classify",
			params(set("blobs"), "svm", settings{"C": 1.0}), "margin", "support",
			"mercer fit blobs --learner 'svm(C=1)' --kernel 'linear()'",
			"Only points on the dashed lines or between them carry weight.",
			"A smaller C buys a wider margin with errors.").with(settings{"kernel": text("linear()")}),
		entry("tuning", "§7", "Hidden tuning parameters", "σ and C, judged on points left out", "search",
			settings{"task": "classify", "data": set("spirals")}, "tuning", "best",
			"mercer fit spirals --learner svm --kernel 'gaussian()' --grid gaussian.lengthscale=0.02:5:16 --grid C=0.1:1000:12",
			"Width and penalty act together: the good cells lie along a ridge of the map.", "Click a cell to see its function."),
		entry("perceptron", "§8", "The kernel perceptron makes its mistakes",
			"yᵢf(xᵢ) ≤ 0:  f ← f + yᵢk(xᵢ, ·);  at most M/ε² mistakes", "classify",
			params(set("circles"), "perceptron", settings{"examples": 20.0}), "perceptron", "mistakes",
			"mercer fit circles --learner perceptron --kernel 'gaussian(lengthscale=0.5)'",
			"It steps only when it is wrong, and the square marks the last mistake.",
			"Move the number of examples seen from 1 upward.").
			panels("5 examples", settings{"params": settings{"examples": 5.0}}, "20",
				settings{"params": settings{"examples": 20.0}}, "160", settings{"params": settings{"examples": 160.0}}),
		entry("voted", "§8", "The voted perceptron", "f = Σ vₜfₜ", "classify",
			params(drawn("moons", 160, 0.25), "perceptron", settings{"examples": 400.0, "voted": 1.0}), "voted", "mistakes",
			"mercer fit moons --learner perceptron --kernel 'gaussian(lengthscale=0.5)'",
			"Every function on the way votes, by how long it survived: the boundary calms down."),
		entry("boundaries", "§6 and §8", "Three boundaries of the same points",
			"perceptron: any that makes no mistake;  machine: the widest margin;  logistic: the likeliest", "classify",
			params(drawn("banana", 160, 0.35), "svm", settings{"C": 1.0}), "boundaries", "norm",
			"mercer fit moons --learner 'perceptron, svm, logistic' --kernel 'gaussian(lengthscale=1)'",
			"The perceptron stops wherever it is right; the machine looks for room; logistic regression weighs every point.").with(settings{"kernel": text("gaussian(lengthscale=1)")}).
			panels("perceptron", settings{"learner": "perceptron", "params": settings{"examples": 1000.0}}, "machine",
				settings{"learner": "svm", "params": settings{"C": 1.0}}, "logistic",
				settings{"learner": "logistic", "params": settings{"lambda": 0.1}}),
	}
}
