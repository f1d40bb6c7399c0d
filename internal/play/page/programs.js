// Programs that fit what a scene shows: on the command line, in Python and in Go, from the table that the scene saves.
// @ts-check

/**
 * @typedef {{table: string, x: string[], target: string, learner: string, params: Record<string, number>, kernel: string, fixed: Array<{name: string, value: number}>}} Fit
 * table is the file of the points, x and target are its columns, kernel a text, and fixed the parameters of it that mercer fit would vary
 */

/** A word of a shell. @param {string} text */
const word = (text) => (/^[\w./=,:#-]+$/.test(text) ? text : `'${text.replaceAll('\'', `'\\''`)}'`);

/** How learners of the scenes are called elsewhere: on the command line, in Python, in Go. @type {Record<string, {shell: string[], python?: [string, string[]], go?: [string, string, boolean], own?: boolean}>} */
const learners = {
  svm: { shell: ['svm', 'C'], python: ['SVC', ['C']], go: ['svm', 'svm.Classification[kernel.Vec, string]{Kernel: k, C: {C}}', true] },
  'nu-svm': { shell: ['svm', 'nu'], python: ['NuSVC', ['nu']], go: ['svm', 'svm.Classification[kernel.Vec, string]{Kernel: k, Nu: {nu}}', true] },
  logistic: { shell: ['logistic', 'lambda'], python: ['KernelLogistic', ['C']], go: ['logistic', 'logistic.Regression[kernel.Vec, string]{Kernel: k, Lambda: {lambda}, Intercept: true}', true] },
  ridge: { shell: ['ridge', 'lambda'], go: ['ridge', 'ridge.Regression[kernel.Vec]{Kernel: k, Lambda: {lambda}, Intercept: true}', false] },
  'ridge-classes': { shell: ['ridge', 'lambda'], go: ['ridge', 'ridge.Classification[kernel.Vec, string]{Regression: ridge.Regression[kernel.Vec]{Kernel: k, Lambda: {lambda}, Intercept: true}}', true] },
  forest: { shell: ['forest', 'trees', 'min'], own: true },
  svr: { shell: ['svm', 'C', 'epsilon'], python: ['SVR', ['C', 'epsilon']], go: ['svm', 'svm.Regression[kernel.Vec]{Kernel: k, C: {C}, Epsilon: {epsilon}}', false] },
};

/** @param {Fit} f @returns {Array<[string, string]>} */
export function programs(f) {
  const l = learners[f.learner];
  if (!l) return [['In words', `There is no short program for this learner here. Save the table, and see what the documents say of it; the kernel is ${f.kernel}.`]];
  const given = (/** @type {string[]} */ names) => names.map((n) => `${n}=${f.params[n]}`).join(', ');
  const shell = [`mercer fit ${word(f.table)} --target ${word(f.target)} --scaling none --holdout 0${l.go?.[2] ? ' --no-proba' : ''}`, `--learner '${l.shell[0]}(${given(l.shell.slice(1))})'${l.own ? '' : ` --kernel ${word(f.kernel)}`}`,
    ...(l.own ? [] : f.fixed).map((p) => `--grid ${word(`${p.name}=${p.value}`)}`)].join(' \\\n  ');
  /** @type {Array<[string, string]>} */
  const out = [['Command line', `# after “Save as a table”; nothing is scaled, held out or searched for\n${shell}`]];
  if (l.python) out.push(['Python', python({ ...f, params: f.learner === 'logistic' ? { C: 1 / f.params.lambda } : f.params }, l.python)]);
  if (l.go) out.push(['Go', go(f, l.go)]);
  return out;
}

/** @param {Fit} f @param {[string, string[]]} l */
function python(f, [name, params]) {
  const given = params.map((n) => `${n}=${f.params[n]}`).join(', ');
  const classes = name !== 'SVR';
  const columns = f.x.length === 1 ? 'usecols=[0], ndmin=2' : 'usecols=(0, 1)';
  return `import numpy as np
from mercer import ${name}

X = np.loadtxt(${JSON.stringify(f.table)}, delimiter=",", skiprows=1, ${columns})
y = np.loadtxt(${JSON.stringify(f.table)}, delimiter=",", skiprows=1, usecols=${f.x.length}${classes ? ', dtype=str' : ''})
model = ${name}(kernel=${JSON.stringify(f.kernel)}, ${given}).fit(X, y)
print(model.predict(X))
`;
}

/** @param {Fit} f @param {[string, string, boolean]} l */
function go(f, [pkg, text, classes]) {
  const learner = text.replace(/\{(\w+)\}/g, (whole, name) => (name in f.params ? String(f.params[name]) : whole));
  const coordinates = f.x.map((_, j) => `d.Columns[${j}].Numbers[i]`).join(', ');
  return `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/${pkg}"
	"github.com/mercer-ml/mercer/spec"
	"gonum.org/v1/gonum/mat"
)

func main() {
	ctx := context.Background()
	d, err := load.Read(ctx, ${JSON.stringify(f.table)}, load.Options{})
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(d.Len(), ${f.x.length}, nil)
	${classes ? 'var y []string' : 'var y []float64'}
	for i := range d.Len() {
		x.SetRow(i, []float64{${coordinates}})
		y = append(y, d.Columns[${f.x.length}].${classes ? 'String(i)' : 'Numbers[i]'})
	}
	k, err := spec.ParseKernel(${JSON.stringify(f.kernel)})
	if err != nil {
		log.Fatal(err)
	}
	m, err := ${learner}.Fit(ctx, data.Rows(x), y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("‖f‖ =", m.Func().Norm())
}
`;
}
