package spec

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/mercer-ml/mercer/internal/learnt"
	"github.com/mercer-ml/mercer/kernel"
)

// found is the default of a parameter that is found from rows: with it a kernel is one that was
// fitted, without it one that is still to be (kernel.Learnable).
const found = "fitted"

// modelOf is a generative model of the language: its parameters are fields of a Go type.
type modelOf struct {
	name   string
	of     reflect.Type
	fields []field
}

var (
	smoothing   = field{"smoothing", "", "1", "added to every count, > 0"}
	lettersSeen = field{"letters", "", found, "the letters of the rows; others share a place"}
	modelSeed   = field{"seed", "", "0", "of the starts"}
)

// textModels are the models of strings.
var textModels = []modelOf{
	{"markov", reflect.TypeFor[learnt.Markov](), []field{{"order", "", "1", "letters before that one depends on"},
		smoothing, {"alphabet", "", "any", alphabet.meaning},
		lettersSeen, {"p", "P", found, "probabilities"}, {"visits", "", found, "of contexts"}}},
	{"hmm", reflect.TypeFor[learnt.HMM](), []field{{"states", "", "2", "hidden"},
		{"rounds", "", "200", "of expectation maximisation at most"}, {"smoothing", "", "0.1", smoothing.meaning}, modelSeed,
		{"alphabet", "", "any", alphabet.meaning}, lettersSeen, {"initial", "", found, "probabilities"},
		{"transition", "", found, "probabilities"}, {"emission", "", found, "probabilities"},
		{"length", "", found, "of strings drawn"}}},
	{"multinomial", reflect.TypeFor[learnt.Terms](), []field{{"of", "", "words", "words or letters"}, smoothing,
		{"terms", "", found, "of the rows"}, {"p", "P", found, "probabilities"}, {"length", "", found, "of a text"}}},
}

// vectorModels are the models of vectors.
var vectorModels = []modelOf{
	{"normal", reflect.TypeFor[learnt.Normal](),
		[]field{{"covariance", "", "false", "true: the covariance is a parameter too"},
			{"ridge", "", "1e-06", "added to every variance, times the largest"},
			{"mean", "", found, "μ"}, {"cov", "", found, "Σ"}}},
	{"mixture", reflect.TypeFor[learnt.Mixture](), []field{{"components", "", "2", "normal distributions"},
		{"covariance", "", "false", "true: covariances are parameters too"},
		{"starts", "", "5", "of expectation maximisation"},
		{"ridge", "", "1e-06", "added to every variance, relative to the rows' own"}, modelSeed,
		{"weights", "", found, "of the parts"}, {"means", "", found, "of the parts"},
		{"covariances", "", found, "of the parts"}}},
	{"multinomial", reflect.TypeFor[learnt.Counts](), []field{smoothing, {"p", "P", found, "probabilities"},
		{"length", "", found, "counts of a row"}}},
}

var (
	informations = map[string]learnt.Information{"auto": learnt.Auto, "exact": learnt.Exact, "empirical": learnt.Empirical,
		"simulated": learnt.Simulated, "identity": learnt.Identity}
	termsOf = map[string]learnt.TermsOf{"words": learnt.Words, "letters": learnt.Letters}
)

// textModelsEntries are the kernels of models of strings.
func textModelEntries() []Entry {
	model := field{"model", "", "", "markov(order=1), hmm(states=2) or multinomial(of=words), to be fitted to the rows"}
	return []Entry{
		learntEntry[string, learnt.Fisher[string]](ofModels(textModels, "of"), "fisher",
			"g(x)ᵀF⁻¹g(y), g(x) = ∇ ln p(x) by the parameters of a model", model, information, draws, drawsSeed, root).
			shown(Anywhere, `fisher(model=markov(alphabet="AB", p=[0.5, 0.5, 0.25, 0.75], visits=[2, 3]))`,
				`fisher(model=multinomial(of=letters, terms=["A", "B"], p=[0.5, 0.25, 0.25], length=5))`,
				`fisher(model=hmm(alphabet="AB", initial=[0.5, 0.5], transition=[[0.5, 0.5], [0.25, 0.75]], emission=[[0.5, 0.5], [0.25, 0.75]], length=3), information=identity)`),
		learntEntry[string, learnt.Latent[string]](ofModels(textModels, "of"), "latent",
			"p(x)·p(y), or with hmm Σ_z p(x|z)·p(y|z)·p(z) over hidden sequences z", model).
			shown(Anywhere,
				`latent(model=hmm(letters="AB", initial=[0.5, 0.5], transition=[[0.5, 0.5], [0.25, 0.75]], emission=[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]], length=3))`,
				`latent(model=markov(letters="A", p=[0.5, 0.5, 0.25, 0.75], visits=[2, 3]))`),
		learntEntry[string, learnt.MarginalizedCount](ofModels(textModels, "of"), "marginalized",
			"Σ Σ p(z|x)·p(w|y)·κ((x,z), (y,w)) over hidden sequences, κ the shares of letters with their states",
			field{"model", "", "", "hmm(states=2), to be fitted to the rows"},
			field{"order", "", "1", "letters in a row, 1 or 2"}).
			shown(Anywhere,
				`marginalized(model=hmm(letters="AB", initial=[0.5, 0.5], transition=[[0.5, 0.5], [0.25, 0.75]], emission=[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]], length=3), order=2)`),
	}
}

// vectorModelEntries are the kernels of models of vectors, and forests.
func vectorModelEntries() []Entry {
	model := field{"model", "", "", "normal(), mixture(components=2) or multinomial(), to be fitted to the rows"}
	count, treesSeed := field{"trees", "", "100", "number of trees"}, field{"seed", "", "0", "of the trees"}
	trees := field{"grown", "", found, "the trees, packed"}
	return []Entry{
		learntEntry[vec, learnt.Fisher[vec]](ofModels(vectorModels), "fisher",
			"g(x)ᵀF⁻¹g(y), g(x) = ∇ ln p(x) by the parameters of a model", model, information, draws, drawsSeed, root).
			shown(Anywhere, `fisher(model=normal(covariance=true, mean=[0, 1, 0], cov=[[2, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]))`,
				`fisher(model=mixture(weights=[0.5, 0.5], means=[[0, 0, 0], [1, 1, 1]], covariances=[[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[2, 0, 0], [0, 2, 0], [0, 0, 2]]]), information=identity)`),
		learntEntry[vec, learnt.Latent[vec]](ofModels(vectorModels), "latent",
			"Σᵢ p(x|i)·p(y|i)·p(i) over the parts of a mixture; p(x)·p(y) of one part", model).
			shown(Cube,
				`latent(model=mixture(weights=[0.5, 0.5], means=[[0, 0, 0], [1, 1, 1]], covariances=[[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[2, 0, 0], [0, 2, 0], [0, 0, 2]]]))`),
		learntEntry[vec, learnt.Marginalized](ofModels(vectorModels), "marginalized",
			"κ(x,y)·Σₛ p(s|x)·p(s|y), s the parts of a mixture",
			field{"model", "", "", "mixture(components=2), to be fitted to the rows"},
			field{"kernel", "Inside", "", "κ on the points"}).
			shown(Cube,
				`marginalized(model=mixture(weights=[0.5, 0.5], means=[[0, 0, 0], [1, 1, 1]], covariances=[[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[2, 0, 0], [0, 2, 0], [0, 0, 2]]]), kernel=gaussian(lengthscale=2))`),
		learntEntry[vec, learnt.Forest](nil, "forest",
			"share of the trees of a forest, grown by the target, in which x and y are in one leaf", count,
			field{"depth", "", "0", "cuts above a leaf at most; 0: no bound"}, field{"min", "", "1", "rows of a leaf at least"},
			field{"random", "", "false", "true: cuts at random, as of extremely randomised trees"}, treesSeed,
			trees).
			shown(Cube, forestSample),
		learntEntry[vec, learnt.Mondrian](nil, "mondrian",
			"share of the trees of a Mondrian forest in which x and y are in one leaf: near exp(-λ·Σ|xⱼ-yⱼ|)",
			count, field{"lifetime", "", "1", "λ, 1 over the length-scale"}, treesSeed, trees).
			shown(Cube, mondrianSample),
		learntEntry[vec, learnt.Isolation](nil, "isolation",
			"share of the trees of an isolation forest in which x and y are in one leaf", count,
			field{"sample", "", "256", "rows of a tree at most"},
			field{"depth", "", "log₂ sample", "cuts above a leaf at most"}, treesSeed, trees).
			shown(Cube, isolationSample),
	}
}

var (
	information = field{"information", "", "auto",
		"F: exact, empirical, simulated, identity; auto: exact where it has a closed form, else empirical"}
	draws     = field{"draws", "", "1000", "of simulated"}
	drawsSeed = field{"seed", "", "0", "of the draws"}
	root      = field{"root", "", found, "of F⁻¹"}
)

// learntEntry is an entry for kernels of package learnt: with the parameters of its model it is a
// kernel, without them one that is fitted to rows first.
func learntEntry[T any, K interface {
	kernel.Kernel[T]
	Kernel() (kernel.Kernel[T], error)
}](takes func(Call) bool, name, formula string, fields ...field) Entry {
	e := byFields[T, K](name, formula, fields...)
	e.takes = takes
	build := e.build
	e.build = func(a *arguments) kernel.Kernel[any] {
		form := build(a)
		if a.err != nil {
			return nil
		}
		k, err := kernel.Concrete(form).(K).Kernel()
		if err != nil {
			a.fail(a.call.column(), err.Error(), "")
			return nil
		}
		return kernel.Erase(k)
	}
	return e
}

// ofModels says which calls are of these models: their first argument is one of them. A multinomial
// model is of the numbers of a row, unless it says of what in a text.
func ofModels(models []modelOf, telling ...string) func(Call) bool {
	return func(c Call) bool {
		m, ok := modelCall(c)
		if !ok || !slices.ContainsFunc(models, func(k modelOf) bool { return k.name == m.Name }) {
			return false
		}
		if m.Name != "multinomial" || len(telling) == 0 {
			return m.Name != "multinomial" || !given(m, "of")
		}
		return given(m, telling[0])
	}
}

// modelCall is the model that a kernel is of.
func modelCall(c Call) (Call, bool) {
	for i, a := range c.Args {
		if m, ok := a.Value.(Call); ok && (a.Name == "model" || a.Name == "" && i == 0) {
			return m, true
		}
	}
	return Call{}, false
}

func given(c Call, name string) bool {
	return slices.ContainsFunc(c.Args, func(a Arg) bool { return a.Name == name })
}

// readModel reads a model; nil, with the fault in a, where it is none of these.
func readModel(a *arguments, x Expr, models []modelOf, of string) any {
	c, ok := x.(Call)
	for _, m := range models {
		if !ok || m.name != c.Name {
			continue
		}
		params := make([]Parameter, len(m.fields))
		for i, f := range m.fields {
			params[i] = Parameter{f.name, f.missing, f.meaning}
		}
		b := &arguments{builder: a.builder, call: c, params: params, asked: map[string]bool{}}
		v := reflect.New(m.of).Elem()
		for _, f := range m.fields {
			if e, given := b.get(f.name); given {
				setField(b, f.name, f.in(v), e)
			}
		}
		b.unknown()
		if b.err != nil {
			if a.err == nil {
				a.err = b.err
			}
			return nil
		}
		return v.Interface()
	}
	elsewhere := []string{"normal", "mixture", "multinomial", "markov", "hmm"}
	message, hint := Format(x)+" is no model",
		"models of numbers are normal, mixture and multinomial, of texts markov, hmm and multinomial(of=words)"
	if ok && slices.Contains(elsewhere, c.Name) {
		message += " of " + of
	} else if close := didYouMean(c.Name, elsewhere); ok && close != "" {
		hint = close
	}
	a.fail(x.column(), message, hint)
	return nil
}

// modelText prints a model.
func modelText(m any, models []modelOf) (Expr, error) {
	for _, known := range models {
		if reflect.TypeOf(m) != known.of {
			continue
		}
		own := reflect.New(known.of).Elem()
		own.Set(reflect.ValueOf(m))
		c := Call{Name: known.name}
		for _, f := range known.fields {
			v := f.in(own)
			if v.IsZero() && !(f.name == "of" && known.name == "multinomial") {
				continue
			}
			x, err := fieldText(v)
			if err != nil {
				return nil, err
			}
			c.Args = append(c.Args, named(f.name, x))
		}
		return c, nil
	}
	return nil, fmt.Errorf("spec: a model of type %T has no text", m)
}

// cube reads a list of matrices.
func (a *arguments) cube(name string, x Expr) [][][]float64 {
	l, ok := x.(List)
	if !ok {
		a.fail(x.column(), fmt.Sprintf("%s is %s where a list of matrices was expected", name, Format(x)), "")
		return nil
	}
	out := make([][][]float64, len(l.Items))
	for i, item := range l.Items {
		m, ok := item.(List)
		if !ok {
			a.fail(item.column(), fmt.Sprintf("%s[%d] is %s where a list of rows was expected", name, i, Format(item)), "")
			return nil
		}
		for j, row := range m.Items {
			out[i] = append(out[i], a.asList(fmt.Sprintf("%s[%d][%d]", name, i, j), row))
		}
	}
	return out
}

// quoted reads a text in quotes.
func (a *arguments) quoted(name string, x Expr) string {
	t, ok := x.(Text)
	if !ok {
		a.fail(x.column(), fmt.Sprintf("%s is %s where a text in quotes was expected", name, Format(x)), "")
	}
	return t.Value
}

// forestSample is a forest of two trees on three coordinates.
const forestSample = `forest(trees=2, depth=1, seed=1, grown="YmNgYGBkYGBgZWBgSMsvSi0uYUABHA4Q+oM9AxoA6WBhYGBgZmBgyMtPSS1Glf6wH8aaNRMETkINEMBhIEw9LnEGB1aoU0EWFuXnl6BbCLeADaoIpLgsMac0FYdKBgZAAAAA//8=")`

// mondrianSample is a Mondrian forest of one tree on three coordinates.
const mondrianSample = `mondrian(trees=1, lifetime=0.2, seed=32, grown="YmNgYGBkYGBgZWBgSMsvSi0uYQCDD/YQmsMBlY8AIB36DAwMzAwMDHn5KanFPbYfS/qd3NA0fLC/MC8kYGWU7gFU7TCDYeDDfghtjkOcgUHA75z3yVuSUHkROK2x0WBDc7wJlK8EpWVwmGPmkPHs2+/VJ32h7hFA04eu3hSH+Af7J7WvduzxckHzr5oDw5KmVamez+1RzdfCYY6JQ8Cbn/uTnpmiuUfPYc0EB6PQeyZQcQWIeIMjrvBxWLA02s4ryRlVPYMhDvUcDivWLtQ4vVoHLV6McagXcEhwi96+ex8bmvm4wkfEIWhey4fES8Zo/sIVvxIOLWXK/4LP6aGpt8ShXsaBpeDnLaUUO7Twt3ZgmHDtXm3Ds/2o5tjiMEcDh7iCg8O8vUcuWf/Yj+pfexzqlRwKgr1C5q8UQ3VPgwMO9So4xNVwiGs5cDheCzXKNUJNrw1ODgz6M5RNV19AdWeDMw5zcMWvjsOCN5rKquf/26PkrwYXhxTXvTtX7JdE85crDnOMHFanyxnv00d3pxsO9bjSpx4OcQMHVmiRxcTAwFCUn19SjKKuwd0BVKZJQBWVJeaUphYz0ARglok4gAOlNgECAAD//w==")`

// isolationSample is an isolation forest of two trees on three coordinates.
const isolationSample = `isolation(trees=2, depth=1, seed=1, grown="YmNgYGBkYGBgZWBgSMsvSi0uYYAABwjFAaU/2KPyITpAupkZGBjy8lNSizeee3pew+gEVKESmkYY+LCfASuAiX+wP3/zQ8nCJY/Q9eEyxwG7OIcDK9RrIAcW5eeXFKMqhPlEwgHkCxao4rLEnNLUYlSjYVbDneAACAAA//8=")`
