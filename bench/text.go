package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// textSet is texts or strings with their classes, cut in two by the seed of the script where the file
// has no test of its own.
type textSet struct {
	name, train, test, text, label string
	analyzer                       string // of scikit-learn's vectoriser: word or char_wb
	rows                           int    // generated: as many short texts
}

func textSets() []textSet {
	return []textSet{
		{"trec", "trec_qc_trees_train.tsv.gz", "trec_qc_trees_test.tsv", "question", "label", "word", 0},
		{"sms", "sms_spam.csv", "", "text", "label", "char_wb", 0},
		{"news20", "news20_4cat_train.csv.gz", "news20_4cat_test.csv.gz", "text", "label", "word", 0},
		{"r8", "r8_train.csv.gz", "r8_test.csv.gz", "text", "label", "word", 0},
		{"splice", "splice_junctions.csv", "", "sequence", "label", "char", 0},
		{"endings", "", "", "text", "label", "char_wb", 15_000},
		{"million", "", "", "text", "label", "hash", 1_000_000},
	}
}

// textRow is what one side reached.
type textRow struct {
	Peer     string  `json:"peer"`
	Accuracy float64 `json:"accuracy"`
	CPU      float64 `json:"cpu"`
	Wall     float64 `json:"wall"`
}

// runText prints accuracy on rows held out and processor seconds of mercer fit, told nothing but the
// rows, beside those of LinearSVC with its grid over C on the n-grams that suit the set, and of a
// HashingVectorizer with a LinearSVC where rows are a million.
func runText(q asked) error {
	python := cmp.Or(os.Getenv("BENCH_PYTHON"), ".venv/bin/python")
	program, err := filepath.Abs("out/mercer")
	if err != nil {
		return err
	}
	build := exec.Command("go", "build", "-o", program, "./cmd/mercer")
	build.Dir = ".."
	if message, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building mercer: %w: %s", err, message)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "set\ttrain\ttest\tmercer fit\tcpu s\twall s\tpeer\tcpu s\twall s\tratio of cpu\tthe peer is")
	for _, s := range textSets() {
		if q.only != "" && !strings.Contains(s.name, q.only) {
			continue
		}
		if err := s.run(python, program, out); err != nil {
			fmt.Fprintf(out, "%s\t%v\n", s.name, err)
		}
		out.Flush()
	}
	return nil
}

func (s textSet) run(python, program string, out *tabwriter.Writer) error {
	folder, err := os.MkdirTemp("out", "text-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	told, err := json.Marshal(map[string]any{"train": s.train, "test": s.test, "text": s.text, "label": s.label,
		"analyzer": s.analyzer, "rows": s.rows, "from": structuredFolder, "to": folder, "mercer": program})
	if err != nil {
		return err
	}
	cmd := exec.Command(python, "peers/text.py", string(told))
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("peers/text.py: %w", err)
	}
	var got struct {
		Train, Test int
		Ours, Peer  textRow
	}
	if err := json.Unmarshal(said, &got); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\t%d\t%d\t%.4f\t%.1f\t%.1f\t%.4f\t%.1f\t%.1f\t%.2f\t%s\n", s.name, got.Train, got.Test,
		got.Ours.Accuracy, got.Ours.CPU, got.Ours.Wall, got.Peer.Accuracy, got.Peer.CPU, got.Peer.Wall,
		got.Peer.CPU/got.Ours.CPU, got.Peer.Peer)
	return nil
}
