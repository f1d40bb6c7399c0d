package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nodes"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
	"github.com/spf13/cobra"
)

type nodesOptions struct {
	exploreOptions
	Graph, Answers     string
	From, To, Weight   string
	ID, Target         string
	Task, Laplacian    string
	Transforms         []string
	Lambda             float64
	Folds              int
	Holdout            float64
	Time               time.Duration
	Memory, FormatName string
	Report, Command    string
}

func newNodes(a *App) *cobra.Command {
	o := &nodesOptions{}
	cmd := &cobra.Command{
		Use:   "nodes GRAPH [ANSWERS]",
		Short: "Learn the class or value of all nodes of a graph from some",
		Long: `Learn what is known of some nodes of a graph, and say it of all others: classes
with probabilities, or numbers. The function is smooth along the edges: kernel
ridge regression with K = r(L), a transform r of the eigenvalues of the graph's
Laplacian L. Transform, width and penalty are chosen by nodes held out, and the
choice is judged by others.

  regularised(epsilon)  1/(λ + ε)        inversecosine()  cos(λπ/4)
  diffusion(sigma)      exp(-σ²λ/2)      cutoff(cut)      1 up to cut, else 0
  walksteps(steps)      (α - λ)^p, a random walk of p steps

GRAPH is a table of edges (two columns of names, and perhaps one of weights), a
list of edges, a square matrix (.mtx, scipy's .npz, LIBSVM) or a folder of
TUDataset's files with one graph. Edges have no direction. ANSWERS is a table
with a column of names and one of what is known, empty where nothing is; the
folder has node labels of its own.

A component without a known answer learns nothing: its nodes get the shares of
the classes, or the mean, and that is said.`,
		Example: `  mercer nodes edges.csv clubs.csv --plot clubs.png
  mercer nodes edges.csv clubs.csv --save clubs.mercer -o all.csv
  mercer predict clubs.mercer others.csv --proba
  mercer nodes links.mtx known.csv --transform 'diffusion(sigma=2)'`,
		Args: dataArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Graph = args[0]
			if len(args) == 2 {
				o.Answers = args[1]
			}
			o.Command = "mercer " + strings.Join(a.Args, " ")
			return a.nodes(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Target, "target", "",
		"column of ANSWERS with what is known; default: label, class or target, else the last")
	f.StringVar(&o.ID, "id", "", "column of ANSWERS with the names of nodes; default: id, node or name, else the first")
	f.StringVar(&o.From, "from", "",
		"column of GRAPH with one end of an edge; default: source, from or the like, else the first")
	f.StringVar(&o.To, "to", "", "column of GRAPH with the other end; default: target, to or the like, else the second")
	f.StringVar(&o.Weight, "weight", "",
		"column of GRAPH with how much the ends are alike; default: weight, or a third column of numbers; none: all "+
			"edges are alike")
	f.StringVar(&o.Task, "task", "", "what to learn: classify or regress; default: as the answers say")
	f.StringArrayVar(&o.Transforms, "transform", nil,
		"spectral transform to try: regularised, diffusion, walksteps, inversecosine or cutoff, with parameters as in "+
			"'diffusion(sigma=2)'; may be given again; default: all")
	f.StringVar(&o.Laplacian, "laplacian", "normalised", "Laplacian: normalised, combinatorial or both")
	f.Float64Var(&o.Lambda, "lambda", 0, "weight of the penalty in units of the mean of k(i, i); default: chosen")
	f.IntVar(&o.Folds, "folds", 0,
		"folds of the cross-validation; 0: 5, of which one is held out where the graph is large")
	f.Float64Var(&o.Holdout, "holdout", 0.2, "share of the known nodes kept for the final test; 0: none")
	f.DurationVar(&o.Time, "time", time.Minute, "time for the search, as in 90s or 5m")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of every random choice")
	f.IntVar(&o.Threads, "threads", 0, "threads; default: all cores. The result does not depend on it")
	f.StringVarP(&o.Output, "output", "o", "", "CSV file for what is said of every node (- for standard output)")
	mayStream(f, "output")
	f.StringVar(&o.Save, "save", "", "model file; mercer predict and mercer serve ask it for nodes by name")
	f.StringVar(&o.Report, "report", "",
		"report page to write; default: NAME.report.html beside NAME.mercer of --save; none: no page")
	o.plotFlags(f, "the graph by its predictions; of a large one the eigenvalues and the transform")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "say nothing but errors")
	f.BoolVar(&o.JSON, "json", false, "progress and result as JSON")
	f.StringVar(&o.FormatName, "format", "", "file format of GRAPH ("+formatNames()+
		"); default: from the name, then the content")
	f.StringVar(&o.Memory, "memory", "", "memory for the data, as in 2GB; default: half of the machine's")
	return cmd
}

// nodesRun is what the verb has found so far.
type nodesRun struct {
	g       *load.NodeGraph
	answers *data.Dataset // a row for each known node: its name and what is known
	target  *data.TargetCode
	known   nodes.Known
	space   *nodes.Space
	split   data.Fold // of the known nodes, by place
	choice  *nodes.Choice
	tried   string // how candidates were judged
	reasons []string
	setting nodes.Setting
	scores  []tune.TestScore
	tested  learn.Predictions // of the nodes held out
	base    learn.Baseline    // that they are judged beside
	final   *nodes.Model
	model   *model.Model
	lone    int // components without a known answer
	loneOf  int // nodes of those
}

func (a *App) nodes(ctx context.Context, o *nodesOptions) error {
	if err := o.checkNodes(); err != nil {
		return err
	}
	start := time.Now()
	r := &nodesRun{}
	if err := a.readNodes(ctx, o, r); err != nil {
		return err
	}
	if err := r.check(o); err != nil {
		return err
	}
	if err := a.chooseNodes(ctx, o, r, start); err != nil {
		return err
	}
	if err := a.fitNodes(ctx, o, r); err != nil {
		return err
	}
	if o.Plot != "" {
		if err := a.plotNodes(ctx, o, r); err != nil {
			return err
		}
	}
	if o.Output != "" {
		if err := a.writeNodes(ctx, o, r); err != nil {
			return err
		}
	}
	if o.Save != "" {
		if err := r.model.Save(o.Save); err != nil {
			return err
		}
	}
	if o.reportPath() != "" {
		if err := a.nodesReport(ctx, o, r); err != nil {
			return err
		}
	}
	if err := a.tellNodes(o, r, time.Since(start)); err != nil {
		return err
	}
	return r.worse(o)
}

// checkNodes refuses, before any work, what would fail at its end.
func (o *nodesOptions) checkNodes() error {
	switch {
	case !slices.Contains([]string{"normalised", "combinatorial", "both"}, o.Laplacian):
		return usage("--laplacian: %q%s; give normalised, combinatorial or both", o.Laplacian,
			meant(o.Laplacian, []string{"normalised", "combinatorial", "both"}))
	case !slices.Contains([]string{"", "classify", "regress"}, o.Task):
		return usage("--task: %q; give classify or regress", o.Task)
	case o.Lambda < 0 || o.Lambda-o.Lambda != 0:
		return usage("--lambda: %g; give a number above 0, or leave it out", o.Lambda)
	case o.Folds < 0 || o.Folds == 1:
		return usage("--folds: %d; give 2 or more, or leave it out", o.Folds)
	case !(o.Holdout >= 0 && o.Holdout < 1):
		return usage("--holdout: %g; give a share from 0 to below 1", o.Holdout)
	case o.Time <= 0:
		return usage("--time: %s; give a time above 0", o.Time)
	}
	for _, t := range o.Transforms {
		if _, _, err := graph.ParseTransform(t); err != nil {
			return usage("--transform: %w", err)
		}
	}
	if o.Report == "" && isOthersPage(o.reportPath()) {
		return usage("%s is there and is no report of mercer; name the page with --report, or move that file away",
			o.reportPath())
	}
	return o.check()
}

// reportPath is where the page goes: beside the model, unless said otherwise.
func (o *nodesOptions) reportPath() string {
	if o.Save == "" && o.Report == "" {
		return ""
	}
	return pageOf(o.Report, o.Save)
}

// readNodes reads the graph and what is known of its nodes.
func (a *App) readNodes(ctx context.Context, o *nodesOptions, r *nodesRun) error {
	in := load.GraphOptions{From: o.From, To: o.To, Weight: o.Weight}
	in.Stdin, in.Seed = a.In, o.Seed
	var err error
	if o.Memory != "" {
		if in.Bytes, err = parseBytes(o.Memory); err != nil {
			return usage("--memory: %w", err)
		}
	}
	if o.FormatName != "" {
		if in.Format, err = load.ParseFormat(o.FormatName); err != nil {
			return usage("--format: %w", err)
		}
	}
	none := o.Weight == "none"
	if none {
		in.Weight = ""
	}
	if r.g, err = load.ReadGraph(ctx, o.Graph, in); err != nil {
		return inputError(err)
	}
	if none {
		r.g.Graph.Weights = nil
	}
	own := in.Options
	own.Format, own.Target = "", o.Target
	if err := a.readAnswers(ctx, o, r, own); err != nil {
		return err
	}
	a.tellReading(&data.Dataset{Name: r.g.Name, Notes: r.g.Notes})
	return nil
}

// readAnswers finds the known nodes and the task.
func (a *App) readAnswers(ctx context.Context, o *nodesOptions, r *nodesRun, in load.Options) error {
	var d *data.Dataset
	id := "node"
	switch {
	case o.Answers != "":
		var err error
		if d, id, err = load.ReadAnswers(ctx, o.Answers, in, o.ID); err != nil {
			return inputError(err)
		}
		a.tellReading(d)
	case r.g.Labels != nil:
		labels := data.TextColumn("label", r.g.Labels)
		classes, err := labels.As(data.Categorical)
		if err != nil {
			return inputError(err)
		}
		d = &data.Dataset{Name: r.g.Name, Target: "label", Columns: []data.Column{data.TextColumn(id, r.g.Names), classes}}
	default:
		return usage("%s: nothing is known of any node; name a table of ANSWERS after it, a column of names and one of "+
			"what is known", r.g.Name)
	}
	names, err := d.Column(id)
	if err != nil {
		return inputError(err)
	}
	target, err := d.Column(d.Target)
	if err != nil {
		return inputError(err)
	}
	if o.Task == "classify" && target.Kind != data.Categorical && target.Kind != data.Boolean {
		if *target, err = target.As(data.Categorical); err != nil {
			return inputError(err)
		}
	}
	var rows []int
	before := map[string]int{}
	for i := range d.Len() {
		name := names.String(i)
		if names.IsMissing(i) {
			return usage("%s: row %d has no name in column %q", d.Name, i+1, id)
		}
		r.g.Node(name)
		if target.IsMissing(i) {
			continue
		}
		if first, again := before[name]; again {
			if target.String(first) != target.String(i) {
				return usage("%s: node %q is %q in row %d and %q in row %d; give it one answer", d.Name, clipName(name),
					target.String(first), first+1, target.String(i), i+1)
			}
			continue
		}
		before[name] = i
		rows = append(rows, i)
	}
	if len(rows) == 0 {
		return usage("%s: no node has an answer in column %q", d.Name, d.Target)
	}
	r.answers = d.Gather(rows)
	return r.settle(o, id)
}

// settle makes numbers of the answers.
func (r *nodesRun) settle(o *nodesOptions, id string) error {
	d := r.answers
	column, err := d.Column(d.Target)
	if err != nil {
		return inputError(err)
	}
	task, why, err := data.InferTask(column)
	if err != nil && o.Task == "" {
		return inputError(err)
	}
	switch o.Task {
	case "regress":
		task, why = data.Regression, "the task is given"
		if column.Kind != data.Numeric {
			return usage("--task regress: column %q of %s is %s, and not numbers", d.Target, d.Name, column.Kind)
		}
	case "classify":
		if task == data.Regression || err != nil {
			task = data.Multiclass
		}
		why = "the task is given"
	}
	r.target = &data.TargetCode{Name: d.Target, Task: task, Why: why}
	if task.Classification() {
		classes, err := column.As(data.Categorical)
		if err != nil {
			return inputError(err)
		}
		*column = classes
		for i := range d.Len() {
			if l := classes.String(i); !slices.Contains(r.target.Classes, l) {
				r.target.Classes = append(r.target.Classes, l)
			}
		}
		order := map[string]int{}
		for k, l := range classes.Levels {
			order[l] = k
		}
		slices.SortFunc(r.target.Classes, func(a, b string) int { return order[a] - order[b] })
		if len(r.target.Classes) == 1 {
			return usage("%s: all known nodes are %q; give answers of two classes or more", d.Name,
				clipName(r.target.Classes[0]))
		}
		if r.target.Task = data.Multiclass; len(r.target.Classes) == 2 {
			r.target.Task = data.Binary
		}
	}
	all := make([]int, d.Len())
	for i := range all {
		all[i] = i
	}
	if r.known.Y, err = r.target.Answers(d, all); err != nil {
		return inputError(err)
	}
	r.known.Classes = len(r.target.Classes)
	names, err := d.Column(id)
	if err != nil {
		return inputError(err)
	}
	for i := range all {
		v, _ := r.g.Node(names.String(i))
		r.known.Nodes = append(r.known.Nodes, v)
	}
	own := data.Column{Name: id, Kind: names.Kind, Codes: names.Codes, Levels: names.Levels, Strings: names.Strings}
	r.answers = &data.Dataset{Name: d.Name, Hash: d.Hash, Target: d.Target, Columns: []data.Column{own, *column}}
	return nil
}

// check makes the space, and refuses what would not fit into memory.
func (r *nodesRun) check(o *nodesOptions) error {
	n, c := int64(r.g.Graph.Nodes), int64(max(r.known.Classes, 1))
	// vectors, the space of solutions, the graph
	need := 8*n*16*((c+15)/16)*8 + 8*min(1<<25, 2*n*max(64, 4*c)) + 32*int64(len(r.g.Graph.Edges))
	if o.Memory != "" {
		have, err := parseBytes(o.Memory)
		if err == nil && need > have {
			return inputError(data.TooLargeError(r.g.Name, float64(need), have, ""))
		}
	}
	space, err := nodes.NewSpace(r.g.Graph, r.known.Nodes)
	if err != nil {
		return lookError(r.g.Name, err)
	}
	space.Resources.Threads = o.Threads
	r.space = space
	component, size := space.Components()
	reached := make([]bool, len(size))
	for _, v := range r.known.Nodes {
		reached[component[v]] = true
	}
	for i, ok := range reached {
		if !ok {
			r.lone, r.loneOf = r.lone+1, r.loneOf+size[i]
		}
	}
	return nil
}

// spec is what was fitted, in words.
func (r *nodesRun) spec() string { return "nodes " + r.setting.String() }

// joinedTransforms is the transforms asked for, as a message has them.
func joinedTransforms(list []string) string { return strings.Join(list, ", ") }
