package cli

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel/graph"
)

// covered are the rows of docs/coverage.md: every system that there is to reach.
var covered = strings.Fields("K1 K2 K3 K4 K5 K6 K7 K8 K9 K10 A1 A2 A3 A4 A5 A6 S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 S11 " +
	"S12 R1 R2 R3 R4 R5 L1 L2 L3 L4 L5 L6 L7 L8 L9 L10 L11 U1 U2 U3 U4 U5 U6 U7 U8 T1")

// reached is a line of the table: what, and how it is reached. A cell that names nothing in the
// marks of code is a sentence, which says why.
type reached struct {
	row, what, inGo, command, file, server string
}

var inMarks = regexp.MustCompile("`([^`]+)`")

// marked are the texts that a cell has in the marks of code.
func marked(cell string) (out []string) {
	for _, m := range inMarks.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}

var coverageLine = regexp.MustCompile(`(?m)^\| ([KASRLUT]\d+) \| (.+) \| (.+) \| (.+) \| (.+) \| (.+) \|$`)

func reachedOf(page string) (out []reached) {
	for _, m := range coverageLine.FindAllStringSubmatch(page, -1) {
		out = append(out, reached{m[1], m[2], m[3], m[4], m[5], m[6]})
	}
	return out
}

// publicNames are the names that docs/api.txt lists, as PACKAGE.NAME and PACKAGE.TYPE.METHOD.
func publicNames(t *testing.T) map[string]bool {
	out := map[string]bool{}
	pkg := ""
	for line := range strings.Lines(readText(t, filepath.Join(datatest.Root(t), "docs", "api.txt"))) {
		words := strings.Fields(line)
		switch {
		case len(words) < 2:
		case words[0] == "package":
			pkg = words[1][strings.LastIndex(words[1], "/")+1:]
		default:
			name, _, _ := strings.Cut(words[1], "(")
			name, _, _ = strings.Cut(name, "[")
			out[pkg+"."+name] = true
		}
	}
	return out
}

// The page names every system with the Go names, a command, a file and an answer of the server, or
// with a sentence where one of these makes no sense.
func TestCoverageNamesEverySystem(t *testing.T) {
	page := readText(t, filepath.Join(datatest.Root(t), "docs", "coverage.md"))
	lines, public := reachedOf(page), publicNames(t)
	if n := len(regexp.MustCompile(`(?m)^\| [KASRLUT]\d+ \|`).FindAllString(page, -1)); n != len(lines) {
		t.Errorf("%d lines of the table, %d of them read", n, len(lines))
	}
	found := map[string]bool{}
	for _, line := range lines {
		found[line.row] = true
		names := marked(line.inGo)
		for _, name := range names {
			if !public[name] {
				t.Errorf("%s, %s: there is no %s", line.row, line.what, name)
			}
		}
		for cell, says := range map[string]bool{line.inGo: len(names) > 0, line.command: len(marked(line.command)) > 0,
			line.file: len(marked(line.file)) > 0, line.server: line.server == "yes"} {
			if !says && len(strings.Fields(cell)) < 4 {
				t.Errorf("%s, %s: %q is no sentence that says why", line.row, line.what, cell)
			}
		}
	}
	if rows := slices.Sorted(maps.Keys(found)); !slices.Equal(rows, slices.Sorted(slices.Values(covered))) {
		t.Errorf("rows %v", rows)
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(datatest.Root(t)), "shared", "coverage.md")); err == nil {
		for _, m := range regexp.MustCompile(`(?m)^\| ([KASRLUT]\d+) \|`).FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(covered, m[1]) {
				t.Errorf("row %s is missing here", m[1])
			}
		}
	}
}

// Every command of the page runs; every file that it names is written by it, is read by inspect,
// and gives a server the answers that it gives predict, or transform. With -short one line of each
// row is walked.
func TestCoverageIsReached(t *testing.T) {
	page := readText(t, filepath.Join(datatest.Root(t), "docs", "coverage.md"))
	dir := t.TempDir()
	for name, text := range shown(page) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	walked, written := map[string]bool{}, map[string]bool{}
	commands, files, served := 0, 0, 0
	for _, line := range reachedOf(page) {
		if len(marked(line.command)) == 0 || testing.Short() && walked[line.row] {
			continue
		}
		walked[line.row] = true
		var last []string
		for _, text := range marked(line.command) {
			if words := shellWords(text); words[0] == "mercer" {
				commands++
				last = words
				walk(t, dir, line, words)
			}
		}
		for _, file := range marked(line.file) {
			if written[file] {
				t.Errorf("%s: %s is written twice", line.row, file)
			}
			files++
			written[file] = true
			table := tableOf(t, dir, last)
			walk(t, dir, line, []string{"mercer", "inspect", file})
			if line.server == "yes" {
				served++
				verb := answering(t, filepath.Join(dir, file))
				walk(t, dir, line, []string{"mercer", verb, file, table, "-o", "answer.csv", "-q"})
				if got, want := servedCSV(t, filepath.Join(dir, file), filepath.Join(dir, table)), readText(t,
					filepath.Join(dir, "answer.csv")); got != want {
					t.Errorf("%s, %s: the server says\n%.300s\nand %s\n%.300s", line.row, file, got, verb, want)
				}
			}
		}
	}
	if !testing.Short() && (commands < 150 || files < 120 || served < 120) {
		t.Errorf("%d commands, %d files, %d of them served: the reader of the page is broken", commands, files, served)
	}
}

// walk runs a command of the page; fits without a page of their own, on two folds. Every kernel that
// it tells is in the language.
func walk(t *testing.T, dir string, line reached, words []string) {
	t.Helper()
	words = slices.Clone(words)
	if words[1] == "fit" && !slices.Contains(words, "novelty") {
		words = append(words, "--report", "none")
		if !slices.Contains(words, "--folds") {
			words = append(words, "--folds", "2")
		}
	}
	tells := slices.Contains([]string{"fit", "pca", "cca", "cluster", "features", "gram", "test", "inspect"}, words[1])
	if tells {
		words = append(words, "--json")
	}
	if tells && words[1] != "inspect" {
		words = append(words, "--quiet")
	}
	var out, fault bytes.Buffer
	if code, err := here(dir, &out, &fault, words...); err != nil || code != exitOK {
		t.Errorf("%s, %s: %s: code %d (%v), %s", line.row, line.what, strings.Join(words, " "), code, err, fault.String())
		return
	}
	if tells && out.Len() > 0 {
		for _, text := range kernelsIn(t, out.Bytes()) {
			_, err := spec.Parse(text)
			if transform, _, nodes := strings.Cut(text, " of the "); nodes { // what --transform takes
				_, _, err = graph.ParseTransform(transform)
			}
			if err != nil && text != "" && text != "its own kernel" { // of a learner that has one, or needs none
				t.Errorf("%s: %s tells of the kernel %s: %v", line.row, strings.Join(words, " "), text, err)
			}
		}
	}
}

// tableOf is the file with the rows of a command: what it read, or a built-in set as a file.
func tableOf(t *testing.T, dir string, words []string) string {
	t.Helper()
	for i := 2; i < len(words); i++ {
		switch {
		case words[1] == "nodes" && words[i] == "sides.csv", words[1] == "nodes" && words[i] == "ends.csv":
			return words[i]
		case strings.HasPrefix(words[i], "-"):
			i++
		case words[1] == "nodes":
		case slices.Contains(data.BuiltinNames(), words[i]):
			name := words[i] + ".csv"
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				walk(t, dir, reached{}, []string{"mercer", "data", words[i], "--convert", name})
			}
			return name
		case strings.HasSuffix(words[i], ".csv"):
			return words[i]
		}
	}
	t.Fatalf("%s reads no table", strings.Join(words, " "))
	return ""
}

// answering is the verb that a file answers to.
func answering(t *testing.T, file string) string {
	t.Helper()
	m, err := loadModel(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.TransformNames()) > 0 {
		return "transform"
	}
	return "predict"
}
