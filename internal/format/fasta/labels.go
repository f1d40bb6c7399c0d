package fasta

import (
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Dataset makes a table of records: a text column sequence, and what their headers say. In order of
// what is tried:
//
//	>id label=promoter strand=+     the same keys in all headers: a column for each key
//	>id promoter                    a few descriptions that come again and again: a column label
//	>id|promoter                    no descriptions, and names that end so: a column label
//
// Where one of them fits, the names of the sequences are left out, and said to be: they are no
// features. Otherwise there are columns id and, where there are any, description.
func Dataset(records []Record, name string) *data.Dataset {
	n := len(records)
	id, about, sequence := make([]string, n), make([]string, n), make([]string, n)
	for i, r := range records {
		id[i], about[i], sequence[i] = r.ID, r.Description, r.Sequence
	}
	d := &data.Dataset{Name: name}
	switch columns := attributes(about); {
	case columns != nil:
		d.Columns = columns
	case few(about):
		d.Columns = []data.Column{data.LevelColumn("label", about)}
	default:
		if last := lastParts(id, about); few(last) {
			d.Columns = []data.Column{data.LevelColumn("label", last)}
		}
	}
	if d.Columns == nil {
		d.Columns = []data.Column{data.TextColumn("id", id), data.TextColumn("description", about),
			data.TextColumn("sequence", sequence)}
		if d.Columns[1].Missing() == n {
			d.Columns = slices.Delete(d.Columns, 1, 2)
		}
		return d
	}
	d.Columns = append(d.Columns, data.TextColumn("sequence", sequence))
	d.Skipped = []data.SkippedColumn{{Column: "id", Reason: "it names the sequences"}}
	return d
}

// few says whether texts are the names of classes: all there, at least two of them, and not many.
func few(texts []string) bool {
	distinct := map[string]bool{}
	for _, s := range texts {
		if s == "" {
			return false
		}
		distinct[s] = true
	}
	return len(distinct) > 1 && 2*len(distinct) <= len(texts) && len(distinct) <= max(20, len(texts)/10)
}

// attributes are columns of key=value words, where all descriptions are nothing else and have the
// same keys; nil otherwise.
func attributes(descriptions []string) []data.Column {
	var keys []string
	values := map[string][]string{}
	for i, s := range descriptions {
		words := strings.Fields(s)
		if len(words) == 0 || i > 0 && len(words) != len(keys) {
			return nil
		}
		for _, w := range words {
			key, value, ok := strings.Cut(w, "=")
			if !ok || key == "" || key == "sequence" || len(values[key]) != i {
				return nil
			}
			if i == 0 {
				keys = append(keys, key)
			}
			values[key] = append(values[key], value)
		}
	}
	d := &data.Dataset{}
	for _, key := range keys {
		d.Columns = append(d.Columns, data.TextColumn(key, values[key]))
	}
	if err := data.InferKinds(d, data.Inference{}); err != nil {
		return nil
	}
	return d.Columns
}

// lastParts is what stands behind the last | of names without descriptions.
func lastParts(id, about []string) []string {
	out := make([]string, len(id))
	for i, s := range id {
		if at := strings.LastIndexByte(s, '|'); at > 0 && about[i] == "" {
			out[i] = s[at+1:]
		}
	}
	return out
}
