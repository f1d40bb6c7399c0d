package model

// machines writes SVMClassifier or SVMRegressor of ai.onnx.ml, where the model
// fits them, and says whether it did.
func (m *Model) machines(g *graph, r record, x string) (bool, error) {
	if r.domain == domainPrecomputed || r.learner != "svc" && r.learner != "svr" {
		return false, nil
	}
	k, err := r.machineKernelOf(onnxFormat)
	if err != nil {
		return false, nil // core operators may know the kernel
	}
	names := map[string]string{"linear": "LINEAR", "polynomial": "POLY", "rbf": "RBF", "sigmoid": "SIGMOID"}
	attributes := []attribute{
		{"kernel_type", names[k.name]},
		{"kernel_params", []float32{float32(k.gamma), float32(k.offset), float32(k.degree)}},
		{"post_transform", "NONE"},
	}
	single := g.cast(x, onnxFloat)
	if r.learner == "svr" {
		n, _ := r.coef.Dims()
		var coef []float32
		for i := range n {
			coef = append(coef, float32(r.coef.At(i, 0)*k.factor))
		}
		bias := float32(0)
		if r.bias != nil {
			bias = float32(r.bias[0])
		}
		y := g.name("svm")
		g.node("SVMRegressor", onnxMLDomain, append(attributes, attribute{"coefficients", coef},
			attribute{"n_supports", int64(n)},
			attribute{"rho", []float32{bias}}, attribute{"support_vectors", r.supports(nil)}), []string{single}, []string{y})
		return true, m.head(g, r, g.cast(y, onnxDouble))
	}
	p, err := r.pairwiseOf(onnxFormat)
	if err != nil {
		return false, nil
	}
	var coef, rho []float32
	for _, row := range p.coef {
		for _, v := range row {
			coef = append(coef, float32(v*k.factor))
		}
	}
	for _, v := range p.rho {
		rho = append(rho, float32(-v)) // the operator adds it
	}
	var counts []int64
	var labels []string
	for i, c := range p.order {
		counts = append(counts, int64(p.counts[i]))
		labels = append(labels, m.info.Classes[c])
	}
	attributes = append(attributes, attribute{"coefficients", coef}, attribute{"rho", rho},
		attribute{"vectors_per_class", counts},
		attribute{"classlabels_strings", labels}, attribute{"support_vectors", r.supports(p.rows)})
	if p.a != nil {
		attributes = append(attributes, attribute{"prob_a", singles(p.a)}, attribute{"prob_b", singles(p.b)})
	}
	label, scores := g.name("label"), g.name("scores")
	g.node("SVMClassifier", onnxMLDomain, attributes, []string{single}, []string{label, scores})
	if p.a == nil {
		g.output("label", label, onnxString, 0)
		return true, nil
	}
	back := make([]int64, r.classes)
	for i, c := range p.order {
		back[c] = int64(i)
	}
	proba := g.gather(g.cast(scores, onnxDouble), 1, back...)
	// The operator's own label is by votes, the model's is by probabilities.
	g.output("label", m.label(g, m.mostProbable(g, proba), proba), onnxString, 0)
	g.output("probabilities", proba, onnxDouble, r.classes)
	return true, nil
}

// supports is the centres in single precision, in the given order (nil: their
// own).
func (r record) supports(rows []int) []float32 {
	var out []float32
	for at := range r.dense.Rows {
		i := at
		if rows != nil {
			i = rows[at]
		}
		out = append(out, singles(r.dense.Row(i))...)
	}
	return out
}

func singles(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}
