package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/tune"
)

// nodesReport is the page: how well held-out nodes are told, the graph by what is predicted, its
// classes and components, and the nodes that it would help most to know.
func (a *App) nodesReport(ctx context.Context, o *nodesOptions, r *nodesRun) error {
	g := r.g
	judged := r.asResult()
	page := &reportPage{Title: filepath.Base(g.Name), Metric: r.metric(), Model: describeModel(r.model),
		Warnings: r.doubts(), target: r.target.Name, ModelFile: o.Save, Version: Version, Command: o.Command}
	page.Summary = fmt.Sprintf("%s, %s (%s); %q of %s is known (%s)", plural(g.Graph.Nodes, "node"),
		plural(len(g.Graph.Edges), "edge"), g.How, r.target.Name, plural(len(r.known.Nodes), "node"),
		filepath.Base(r.answers.Name))
	page.Answer = r.answer()
	page.Headline = fmt.Sprintf("%s, λ = %s", nodesTransform(r.setting)+" of the "+r.laplacian()+" Laplacian",
		number(r.setting.Lambda))
	page.TestRows = plural(len(r.split.Test), "node")
	if len(r.scores) > 0 {
		t := r.scores[0]
		metric := metricText(t.Metric, judged.Positive)
		page.HeadlineNote = fmt.Sprintf("%s on %s it never saw: %s. Baseline: %s (%s).", metric, page.TestRows,
			scoreText(t, ""), number(t.Baseline), baselineText(r.base, r.target.Classes))
		page.Strip = scoreStrip(t, metric)
		page.scores(judged)
	}
	told := g.Graph.Nodes - len(r.known.Nodes) - r.loneOf
	page.Fitted = fmt.Sprintf("Fitted to all %s; %s told from them.", plural(len(r.known.Nodes), "known node"),
		count(told, "other node is", "other nodes are"))
	page.nodesNext(o, r)
	page.nodesTried(r)
	page.Columns, page.MoreColumns, page.MoreTitle = columnLines(r.answers, pageColumns)
	if o.Save == "" {
		page.Commands = []string{o.Command + " --save model.mercer"}
	} else {
		file := shellWord(o.Save)
		page.Commands = []string{"mercer predict " + file + " nodes.csv", "mercer eval " + file + " labelled.csv --new-rows",
			"mercer inspect " + file}
	}
	if err := page.nodesFigures(ctx, r, judged); err != nil {
		return err
	}
	page.nodesTables(r)
	return page.write(a, r.model, o.reportPath())
}

// laplacian is the name of the Laplacian that was chosen.
func (r *nodesRun) laplacian() string {
	if r.setting.Combinatorial {
		return "combinatorial"
	}
	return "normalised"
}

// asResult is the test as that of a search over rows, for what draws and words both. It names no
// class as positive: a threshold is of rows, not of nodes.
func (r *nodesRun) asResult() *tune.AutoResult {
	return &tune.AutoResult{Task: r.target.Task, Classes: r.target.Classes, Metric: tune.Metrics(r.target.Task)[0],
		Baseline: r.base, Test: r.scores, TestPredictions: r.tested}
}

// answer is the result in one sentence.
func (r *nodesRun) answer() string {
	n, t := len(r.tested.Truth), r.tested
	if n == 0 || len(r.scores) == 0 {
		return fmt.Sprintf("Tells %s of every node from %s; none was held out, so how good it is is not known.",
			r.target.Name, plural(len(r.known.Nodes), "known node"))
	}
	worse := ""
	if s, m := r.scores[0], tune.Metrics(r.target.Task)[0]; (s.Value > s.Baseline) != m.Maximize && s.Value != s.Baseline {
		worse = " That is worse than no model at all."
	}
	if t.Value != nil {
		var size []float64
		for i, y := range t.Truth {
			size = append(size, math.Abs(y-t.Value[i]))
		}
		slices.Sort(size)
		return fmt.Sprintf("Tells %s to within %s for half of %s it never saw, and to within %s for nine of ten.%s",
			r.target.Name, number(quantileOf(size, 0.5)), plural(n, "node"), number(quantileOf(size, 0.9)), worse)
	}
	right := 0
	for i, y := range t.Truth {
		if t.Class[i] == int(y) {
			right++
		}
	}
	return fmt.Sprintf("Tells %s right for %s of %s it never saw.%s", r.target.Name, phrase.Thousands(right),
		plural(n, "node"), worse)
}

// nodesNext is what the result asks for.
func (p *reportPage) nodesNext(o *nodesOptions, r *nodesRun) {
	add := func(text, command string) { p.Next = append(p.Next, reportNext{text, command}) }
	if r.lone > 0 {
		add(fmt.Sprintf("Nothing is known in %s, %s in all. One answer in each would tell something of its nodes.",
			plural(r.lone, "component"), plural(r.loneOf, "node")), "")
	}
	if len(r.scores) == 0 {
		add("No node was held out. With ten answers or more some are, and the model is judged by them.", "")
	} else if t := r.scores[0]; t.Against(t.Baseline, tune.Metrics(r.target.Task)[0]) != tune.Better {
		add("The nodes held out do not show that the model is better than none. More answers would, or the edges say "+
			"nothing about "+r.target.Name+".", "")
	}
	if len(r.known.Nodes) < r.g.Graph.Nodes && r.known.Classes > 0 {
		add("Ask for the answers of the nodes that it is least sure of (below): these teach it most.", "")
	}
	if o.Save != "" {
		add("Ask for nodes by name:", "mercer predict "+shellWord(o.Save)+" nodes.csv")
	}
	if o.Output == "" {
		add("Write what is said of every node into a table:", o.Command+" -o nodes.csv")
	}
}

// nodesTried is the search.
func (p *reportPage) nodesTried(r *nodesRun) {
	p.Why = append(p.Why, r.reasons...)
	if r.choice == nil {
		return
	}
	p.Why = append(p.Why, fmt.Sprintf("chosen by %s, %s: %d settings, %s fits", plural(len(r.split.Train), "node"),
		r.tried, len(r.choice.Cells), phrase.Thousands(r.choice.Fits)))
	for i, c := range r.leaders() {
		setting := nodesTransform(c.Setting)
		if c.Combinatorial {
			setting += " of the combinatorial Laplacian"
		}
		p.Leaders = append(p.Leaders, reportRow{Chosen: i == 0, Learner: "nodes",
			Setting: fmt.Sprintf("%s, λ = %s", setting, number(c.Lambda)), Score: number(c.Score), Sort: c.Score})
	}
}

// nodesFigures draws the graph, the nodes held out and what the transform does.
func (p *reportPage) nodesFigures(ctx context.Context, r *nodesRun, judged *tune.AutoResult) error {
	if r.g.Graph.Nodes <= drawnNodes {
		f, err := r.network(ctx)
		says := "Nodes by what is predicted; those that are joined lie near each other. A ring is a node whose " +
			"answer is known."
		if err := p.add("The graph", says, f, err); err != nil {
			return err
		}
	} else {
		p.Missing = append(p.Missing, fmt.Sprintf("The graph is not drawn: %s nodes are too many to be seen one by one.",
			phrase.Thousands(r.g.Graph.Nodes)))
	}
	if err := p.judgement(judged, r.target.Name); err != nil {
		return err
	}
	f, err := r.spectrum(ctx)
	return p.add("What the transform does",
		"The eigenvalues of the Laplacian, and the weight of each in the kernel: small ones belong to functions that "+
			"hardly change along edges.", f, err)
}

// How many nodes and components tables list.
const (
	listedNodes      = 10
	listedComponents = 10
)

// nodesTables lists classes, components, and the nodes that are wrong or least sure.
func (p *reportPage) nodesTables(r *nodesRun) {
	all := make([]int, r.g.Graph.Nodes)
	for v := range all {
		all[v] = v
	}
	said := r.final.Predict(all)
	known := make([]bool, len(all))
	for _, v := range r.known.Nodes {
		known[v] = true
	}
	degree := make([]int, len(all))
	for _, e := range r.g.Graph.Edges {
		degree[e[0]]++
		degree[e[1]]++
	}
	if r.known.Classes > 0 {
		p.nodeClasses(r, said.Class, known)
	}
	p.wrongNodes(r, degree)
	if r.known.Classes > 0 {
		p.unsureNodes(r, said.Prob, known, degree)
	}
	p.components(r, known)
}

// nodeClasses counts what is known and told of each class.
func (p *reportPage) nodeClasses(r *nodesRun, class []int, known []bool) {
	answers, told, tested, right := make([]int, r.known.Classes), make([]int, r.known.Classes),
		make([]int, r.known.Classes), make([]int, r.known.Classes)
	for _, y := range r.known.Y {
		answers[int(y)]++
	}
	for v, c := range class {
		if !known[v] {
			told[c]++
		}
	}
	for i, y := range r.tested.Truth {
		if tested[int(y)]++; r.tested.Class[i] == int(y) {
			right[int(y)]++
		}
	}
	t := reportTable{Title: "Classes", Texts: 1, Head: []any{r.target.Name, "known", "told of others"}}
	if len(r.tested.Truth) > 0 {
		t.Head = append(t.Head, "right of those held out")
	}
	for c, name := range r.target.Classes {
		row := []any{clipTo(name, 40), phrase.Thousands(answers[c]), phrase.Thousands(told[c])}
		if len(r.tested.Truth) > 0 {
			row = append(row, fmt.Sprintf("%s of %s", phrase.Thousands(right[c]), phrase.Thousands(tested[c])))
		}
		t.Rows = append(t.Rows, row)
	}
	p.Tables = append(p.Tables, t)
}

// wrongNodes lists the nodes held out that are told wrong, the surest or furthest off first.
func (p *reportPage) wrongNodes(r *nodesRun, degree []int) {
	t := r.tested
	type miss struct {
		i   int
		off float64
	}
	var all []miss
	for i, y := range t.Truth {
		switch {
		case t.Value != nil:
			all = append(all, miss{i, math.Abs(y - t.Value[i])})
		case t.Class[i] != int(y):
			off := 1.0
			if t.Prob != nil {
				off = t.Prob[i*t.Classes+t.Class[i]]
			}
			all = append(all, miss{i, off})
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b miss) int { return cmp.Compare(b.off, a.off) })
	table := reportTable{Title: "Nodes held out taken for the wrong class", Texts: 3,
		Head: []any{"node", "true", "told", "probability given", "edges"}}
	if t.Value != nil {
		table.Title, table.Texts, table.Head = "Largest errors on the nodes held out", 1,
			[]any{"node", "true", "told", "off by", "edges"}
	}
	for _, m := range all[:min(len(all), listedNodes)] {
		v := r.known.Nodes[r.split.Test[m.i]]
		truth, told := "", ""
		if t.Value != nil {
			truth, told = number(t.Truth[m.i]), number(t.Value[m.i])
		} else {
			truth, told = r.target.Classes[int(t.Truth[m.i])], r.target.Classes[t.Class[m.i]]
		}
		table.Rows = append(table.Rows, []any{clipTo(r.g.Names[v], 40), clipTo(truth, 40), clipTo(told, 40), number(m.off),
			phrase.Thousands(degree[v])})
	}
	p.Tables = append(p.Tables, table)
}

// unsureNodes lists the nodes without an answer whose likeliest class is least likely.
func (p *reportPage) unsureNodes(r *nodesRun, prob []float64, known []bool, degree []int) {
	if prob == nil {
		return
	}
	k := r.known.Classes
	var open []int
	for v := range known {
		if !known[v] && !r.final.Alone(v) {
			open = append(open, v)
		}
	}
	if len(open) == 0 {
		return
	}
	likeliest := func(v int) (class int, p float64) {
		for c := range k {
			if q := prob[v*k+c]; q > p {
				class, p = c, q
			}
		}
		return class, p
	}
	slices.SortStableFunc(open, func(a, b int) int {
		_, pa := likeliest(a)
		_, pb := likeliest(b)
		return cmp.Compare(pa, pb)
	})
	t := reportTable{Title: "The nodes it is least sure of", Note: "Without an answer, and joined to some that have one.",
		Texts: 2, Head: []any{"node", "likeliest " + r.target.Name, "probability", "edges"}}
	for _, v := range open[:min(len(open), listedNodes)] {
		class, q := likeliest(v)
		t.Rows = append(t.Rows, []any{clipTo(r.g.Names[v], 40), clipTo(r.target.Classes[class], 40), number(q),
			phrase.Thousands(degree[v])})
	}
	p.Tables = append(p.Tables, t)
}

// components lists the parts of the graph, the largest first, and how much is known in each.
func (p *reportPage) components(r *nodesRun, known []bool) {
	component, size := r.space.Components()
	answers, example := make([]int, len(size)), make([]string, len(size))
	for v, c := range component {
		if known[v] {
			answers[c]++
		}
		if example[c] == "" {
			example[c] = r.g.Names[v]
		}
	}
	order := make([]int, len(size))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return size[b] - size[a] })
	t := reportTable{Title: "Components",
		Note: "Parts of the graph without an edge between them: nothing is learnt from one about another.", Texts: 1,
		Head: []any{"of node", "nodes", "known"}}
	for _, c := range order[:min(len(order), listedComponents)] {
		t.Rows = append(t.Rows, []any{clipTo(example[c], 40), phrase.Thousands(size[c]), phrase.Thousands(answers[c])})
	}
	if rest := order[min(len(order), listedComponents):]; len(rest) > 0 {
		nodes, n := 0, 0
		for _, c := range rest {
			nodes, n = nodes+size[c], n+answers[c]
		}
		t.Rows = append(t.Rows, []any{fmt.Sprintf("%s more", phrase.Thousands(len(rest))), phrase.Thousands(nodes),
			phrase.Thousands(n)})
	}
	p.Tables = append(p.Tables, t)
}
