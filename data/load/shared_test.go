package load_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/data/tudataset"
	"github.com/mercer-ml/mercer/internal/datatest"
)

func needShared(t *testing.T) { datatest.Path(t, "usps_train.csv.gz") }

// Rows and columns of the files, from the README of the data folder: cols
// counts features and target together; svmlight files have a label besides.
func TestRealFiles(t *testing.T) {
	needShared(t)
	for _, f := range []struct {
		file       string
		rows, cols int
		target     string
		task       data.Task
	}{
		{"usps_train.csv.gz", 7291, 257, "label", data.Multiclass},
		{"usps_test.csv.gz", 2007, 257, "label", data.Multiclass},
		{"oilflow100.csv", 100, 13, "label", data.Multiclass},
		{"oilflow_train.csv", 1000, 15, "label", data.Multiclass},
		{"oilflow_valid.csv", 1000, 15, "frac1", data.Regression},
		{"oilflow_test.csv", 1000, 15, "", data.Multiclass},
		{"mcycle.csv", 133, 2, "", data.Regression},
		{"faithful.csv", 272, 2, "", data.Regression},
		{"galaxies.csv", 82, 1, "", data.Unsupervised},
		{"quakes.csv", 1000, 5, "", data.Regression},
		{"airquality.csv", 153, 6, "", data.Regression},
		{"cars.csv", 50, 2, "", data.Regression},
		{"crabs.csv", 200, 8, "sp", data.Binary},
		{"co2_mauna_loa.csv", 468, 2, "", data.Regression},
		{"heart_scale", 270, 13, "", data.Binary},
		{"a1a", 1605, 119, "", data.Binary},
		{"a1a.t.gz", 30956, 119, "", data.Binary},
		{"a9a.gz", 32561, 123, "", data.Binary},
		{"a9a.t.gz", 16281, 122, "", data.Binary},
		{"w1a", 2477, 300, "", data.Binary},
		{"w8a.gz", 49749, 300, "", data.Binary},
		{"svmguide1", 3089, 4, "", data.Binary},
		{"svmguide1.t", 4000, 4, "", data.Binary},
		{"svmguide3", 1243, 21, "", data.Binary},
		{"svmguide3.t", 41, 21, "", data.Unsupervised}, // one class only
		{"diabetes_scale", 768, 8, "", data.Binary},
		{"australian", 690, 14, "", data.Binary},
		{"splice", 1000, 60, "", data.Binary},
		{"fourclass_scale", 862, 2, "", data.Binary},
		{"agaricus_train", 6513, 126, "", data.Binary},
		{"agaricus_test", 1611, 126, "", data.Binary},
		{"covtype_3v4.csv.gz", 38501, 28, "", data.Binary},
		{"ionosphere.csv", 351, 35, "", data.Binary},
		{"sonar.csv", 208, 61, "", data.Binary},
		{"banana.csv", 5300, 3, "", data.Binary},
		{"spam.csv", 4601, 58, "", data.Binary},
		{"spirals_kernlab.csv", 300, 2, "", data.Regression},
		{"iris.csv", 150, 5, "", data.Multiclass},
		{"wine.csv", 178, 14, "", data.Multiclass},
		{"breast_cancer.csv", 569, 31, "", data.Binary},
		{"diabetes_sklearn.csv", 442, 11, "", data.Regression},
		{"digits8x8.csv", 1797, 65, "", data.Multiclass},
		{"abalone.csv", 4177, 9, "", data.Regression},
		{"boston.csv", 506, 14, "", data.Regression},
		{"california_housing.csv.gz", 20640, 9, "", data.Regression},
		{"cpusmall.csv", 8192, 13, "", data.Regression},
		{"autompg.csv", 392, 8, "mpg", data.Regression},
		{"airfoil.csv", 1503, 6, "", data.Regression},
		{"concrete.csv", 1030, 9, "", data.Regression},
		{"energy.csv", 768, 9, "", data.Regression},
		{"yacht.csv", 308, 7, "", data.Regression},
		{"powerplant.csv", 9568, 5, "", data.Regression},
		{"promotergene.csv", 106, 2, "label", data.Binary},
		{"splice_junctions.csv", 3190, 2, "label", data.Multiclass},
		{"sms_spam.csv", 5574, 2, "label", data.Binary},
		{"coiledcoil.csv", 477, 4, "label", data.Binary},
		{"ucr_ItalyPowerDemand_train.csv", 67, 25, "label", data.Binary},
		{"ucr_ItalyPowerDemand_test.csv", 1029, 25, "label", data.Binary},
		{"ucr_GunPoint_train.csv", 50, 151, "label", data.Binary},
		{"ucr_ArrowHead_test.csv", 175, 252, "label", data.Multiclass},
		{"ucr_JapaneseVowels_train.tsv", 270, 13, "x1", data.Multiclass},
		{"ucr_JapaneseVowels_test.tsv", 370, 13, "x1", data.Multiclass},
		{"trec_qc_trees_train.tsv.gz", 5452, 4, "label", data.Multiclass},
		{"trec_qc_trees_test.tsv", 500, 4, "label", data.Multiclass},
		{"questionbank_trees.tsv", 3261, 2, "label", data.Multiclass},
		{"rank_dots1.csv", 24, 5, "", data.Multiclass},
		{"musk1.csv", 476, 168, "label", data.Binary},
		{"musk2.csv.gz", 6598, 168, "label", data.Binary},
		{"cause_effect_pairs.csv", 32682, 3, "", data.Regression},
		{"sachs_cyto.csv", 7466, 11, "", data.Regression},
		{"prostate_ge.csv.gz", 102, 5967, "label", data.Binary},
		{"r8_train.csv.gz", 5485, 2, "label", data.Multiclass},
		{"news20_4cat_train.csv.gz", 2034, 3, "label", data.Multiclass},
		{"reuters40.csv", 40, 2, "label", data.Binary},
		{"sachs_edges.csv", 18, 2, "", data.Unsupervised},
	} {
		t.Run(f.file, func(t *testing.T) {
			path := filepath.Join(datatest.Folder(t), f.file)
			if info, err := os.Stat(path); err == nil && testing.Short() && info.Size() > 600<<10 {
				t.Skip("a large file; not with -short")
			}
			d, err := load.Read(context.Background(), path, load.Options{Target: f.target})
			if err != nil {
				t.Fatal(err)
			}
			cols := len(d.Columns)
			if d.Sparse != nil {
				cols = d.Sparse.Dim()
			}
			if d.Len() != f.rows || cols != f.cols {
				t.Errorf("%d rows and %d columns, want %d and %d", d.Len(), cols, f.rows, f.cols)
			}
			if len(d.Hash) != 64 {
				t.Errorf("hash %q", d.Hash)
			}
			if f.task == data.Unsupervised {
				return
			}
			c, err := d.Column(d.Target)
			if err != nil {
				t.Fatal(err)
			}
			task, why, err := data.InferTask(c)
			if err != nil || task != f.task {
				t.Errorf("task %v (%s, %v), want %v", task, why, err, f.task)
			}
		})
	}
}

func TestRealKinds(t *testing.T) {
	needShared(t)
	read := func(name string) *data.Dataset {
		d, err := load.Read(context.Background(), filepath.Join(datatest.Folder(t), name), load.Options{NoTarget: true})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, k := range []struct {
		file, column string
		kind         data.Kind
	}{
		{"sms_spam.csv", "text", data.Text}, {"sms_spam.csv", "label", data.Categorical},
		{"promotergene.csv", "sequence", data.Text}, {"splice_junctions.csv", "label", data.Categorical},
		{"ucr_JapaneseVowels_train.tsv", "x2", data.Sequence}, {"questionbank_trees.tsv", "tree", data.Tree},
		{"abalone.csv", "sex", data.Categorical},
	} {
		c, err := read(k.file).Column(k.column)
		if err != nil {
			t.Error(err)
		} else if c.Kind != k.kind {
			t.Errorf("%s: column %q is %v, want %v", k.file, k.column, c.Kind, k.kind)
		}
	}
	missing := 0
	air := read("airquality.csv")
	for i := range air.Columns {
		missing += air.Columns[i].Missing()
	}
	if missing != 44 {
		t.Errorf("airquality has %d missing values, the README says 44", missing)
	}
	_, err := data.FitEncoder(air, data.EncoderOptions{})
	if !errors.Is(err, data.ErrMissing) || !strings.Contains(err.Error(),
		`airquality.csv:6: column "Ozone" is "NA" where 116 other rows are numbers`) {
		t.Errorf("error for missing values: %v", err)
	}
}

func TestRealGraphs(t *testing.T) {
	needShared(t)
	for _, g := range []struct {
		dir           string
		graphs, nodes int
		first         float64 // a label, and how many graphs have it
		have          int
		edgeLabels    bool
	}{
		{"MUTAG", 188, 3371, -1, 63, true}, {"PTC_MR", 344, 4915, -1, 192, true},
		{"PROTEINS_full", 1113, 43471, 1, 663, false}, {"NCI1", 4110, 122747, 0, 2053, false},
	} {
		s, err := tudataset.Read(os.DirFS(datatest.Folder(t)), g.dir)
		if err != nil {
			t.Fatal(err)
		}
		nodes, have := 0, 0
		for i, graph := range s.Graphs {
			nodes += graph.Nodes
			if len(graph.NodeLabels) != graph.Nodes {
				t.Fatalf("%s graph %d: %d node labels for %d nodes", g.dir, i, len(graph.NodeLabels), graph.Nodes)
			}
			if g.edgeLabels && len(graph.EdgeLabels) != len(graph.Edges) {
				t.Fatalf("%s graph %d: %d edge labels for %d edges", g.dir, i, len(graph.EdgeLabels), len(graph.Edges))
			}
			if s.Labels[i] == g.first {
				have++
			}
		}
		if len(s.Graphs) != g.graphs || nodes != g.nodes || have != g.have {
			t.Errorf("%s: %d graphs, %d nodes, %d of class %v; want %d, %d, %d", g.dir, len(s.Graphs), nodes, have, g.first,
				g.graphs, g.nodes, g.have)
		}
	}
}

func TestRealTrees(t *testing.T) {
	needShared(t)
	d, err := load.Read(context.Background(), filepath.Join(datatest.Folder(t), "questionbank_trees.tsv"),
		load.Options{Target: "label"})
	if err != nil {
		t.Fatal(err)
	}
	trees, err := bracket.Column(d, "tree")
	if err != nil {
		t.Fatal(err)
	}
	if trees.Len() != 3261 || trees.At(1).Label != "SBARQ" || trees.At(1).Size() != 19 {
		t.Errorf("%d trees, the second %s of %d nodes", trees.Len(), trees.At(1).Label, trees.At(1).Size())
	}
	d, err = load.Read(context.Background(), filepath.Join(datatest.Folder(t), "trec_qc_trees_test.tsv"),
		load.Options{Target: "label"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range d.Names()[2:] {
		if _, err := bracket.Column(d, name); err != nil {
			t.Error(err)
		}
	}
}
