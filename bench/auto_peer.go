package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// autoPeers are the machines of scikit-learn that Auto stands beside, in the order in which
// peers/auto.py returns their scores and seconds.
var autoPeers = []string{"SVC/SVR", "GP", "HistGB", "RForest", "linear"}

// peerScore is what a peer reached on a split, and the seconds it took.
type peerScore struct{ Score, Seconds float64 }

// theirSplit is what the peers reached on a split, and the number of features they had. The results
// are kept, each in a file named by its set, the peer's version and a hash of its inputs: the
// searches take an hour in all. The seconds are those of the run that filled it.
func (s readSet) theirSplit(p *Peer, i int) (map[string]peerScore, int, error) {
	train, test, err := s.parts(i)
	if err != nil {
		return nil, 0, err
	}
	in, err := peerInputs(train, test, s.classes)
	if err != nil {
		return nil, 0, err
	}
	dim := in["x_train"].Cols
	version, err := p.Load("version", nil, nil)
	if err != nil {
		return nil, 0, err
	}
	key := strings.ReplaceAll(strings.Join([]string{s.name(), version, inputKey(in)}, "-"), " ", "-")
	file := filepath.Join("out", "auto-peer", key+".json")
	out := map[string]peerScore{}
	if b, err := os.ReadFile(file); err == nil && json.Unmarshal(b, &out) == nil {
		return out, dim, nil
	}
	if _, err := p.Load("machines", in, nil); err != nil {
		return nil, 0, err
	}
	if _, err := p.Time(); err != nil {
		return nil, 0, err
	}
	r, err := p.Result()
	if err != nil {
		return nil, 0, err
	}
	v := r["result"].Data
	for i, name := range autoPeers {
		if score := v[i]; score == score { // NaN: it was not run on so many rows, or such a task
			out[name] = peerScore{score, v[len(autoPeers)+i]}
		}
	}
	return out, dim, writeWhole(file, out)
}

// writeWhole writes a value as JSON, all of it or nothing.
func writeWhole(file string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(file+".part", b, 0o666); err != nil {
		return err
	}
	return os.Rename(file+".part", file)
}

// inputKey is a hash of arrays.
func inputKey(in Inputs) string {
	var names []string
	for name := range in {
		names = append(names, name)
	}
	sort.Strings(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintln(h, name, in[name].Rows, in[name].Cols)
		for chunk := range slices.Chunk(in[name].Data, 1<<16) {
			binary.Write(h, binary.LittleEndian, chunk)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// taskOf is the task that the README of the sets states; classes are counted.
func taskOf(classes bool) data.Task {
	if classes {
		return data.Unsupervised
	}
	return data.Regression
}

func autoEncoder() data.EncoderOptions {
	return data.EncoderOptions{Words: autoWords, Unseen: "zero"}
}

// peerInputs encodes a split for the peers: numbers standardised, categories one-hot, text as
// tf-idf, all fitted on the rows to fit on alone; and texts as they are, code point by code point,
// for the machine that makes n-grams of them itself.
func peerInputs(train, test *data.Dataset, classes bool) (Inputs, error) {
	o := autoEncoder()
	o.Text, o.Task = "tfidf", taskOf(classes)
	enc, err := data.FitEncoder(train, o)
	if err != nil {
		return nil, err
	}
	in := Inputs{"classes": {Rows: 1, Cols: 1, Data: []float64{0}}}
	if classes {
		in["classes"].Data[0] = float64(len(enc.Target.Classes))
	}
	for name, rows := range map[string]*data.Dataset{"train": train, "test": test} {
		x, err := enc.TransformLabelled(rows)
		if err != nil {
			return nil, err
		}
		in["x_"+name] = array(linalg.Matrix[float64](x.AsDense().RawMatrix()))
		in["y_"+name] = Array{Rows: 1, Cols: len(x.Target), Data: x.Target}
		in["text_"+name] = textOf(rows)
	}
	return in, nil
}

// textOf is the one column of texts beside the target, its rows parted by a zero; no numbers where
// there is no such column.
func textOf(d *data.Dataset) Array {
	var out []float64
	for i := range d.Columns {
		if c := &d.Columns[i]; c.Name != d.Target && c.Kind == data.Text {
			for _, text := range c.Strings {
				for _, r := range text {
					out = append(out, float64(r))
				}
				out = append(out, 0)
			}
			break
		}
	}
	return Array{Rows: 1, Cols: len(out), Data: out}
}
