package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// peerScores is what scikit-learn reached on one split; NaN (in the file
// null) where a learner was not asked.
type peerScores struct {
	SVM        float64 `json:"svm"`
	GP         float64 `json:"gp"`
	SVMSeconds float64 `json:"svm_s"`
	GPSeconds  float64 `json:"gp_s"`
	HGB        float64 `json:"hgb"` // of autoTrees
	RF         float64 `json:"rf"`
}

// peerCache keeps the results of scikit-learn's searches, which take hours in
// all, each in a file named by its set, the peer's version and a hash of its inputs. The
// seconds are those of the run that filled it, on whatever load the machine had then.
type peerCache struct{ folder string }

func (c peerCache) get(key string) (peerScores, bool) {
	b, err := os.ReadFile(filepath.Join(c.folder, key+".json"))
	if err != nil {
		return peerScores{}, false
	}
	var v map[string]*float64
	if json.Unmarshal(b, &v) != nil {
		return peerScores{}, false
	}
	at := func(name string) float64 {
		if p := v[name]; p != nil {
			return *p
		}
		return math.NaN()
	}
	return peerScores{at("svm"), at("gp"), at("svm_s"), at("gp_s"), at("hgb"), at("rf")}, true
}

func (c peerCache) put(key string, s peerScores) error {
	v := map[string]*float64{}
	for name, x := range map[string]float64{"svm": s.SVM, "gp": s.GP, "svm_s": s.SVMSeconds, "gp_s": s.GPSeconds, "hgb": s.HGB, "rf": s.RF} {
		if v[name] = nil; !math.IsNaN(x) {
			v[name] = &x
		}
	}
	return writeWhole(filepath.Join(c.folder, key+".json"), v)
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

// autoPeer finds what scikit-learn reached on a split before, or, unless
// only that is asked for, runs it.
func autoPeer(p *Peer, cache peerCache, set string, in Inputs, cached bool) (peerScores, error) {
	return askPeer(p, cache, set, "grid_search", in, cached, func(v []float64) peerScores {
		return peerScores{SVM: v[0], GP: v[1], SVMSeconds: v[2], GPSeconds: v[3], HGB: math.NaN(), RF: math.NaN()}
	})
}

// autoTrees is autoPeer for gradient boosting and a random forest, which are kept in files of their
// own.
func autoTrees(p *Peer, cache peerCache, set string, in Inputs, cached bool) (peerScores, error) {
	return askPeer(p, cache, "trees-"+set, "trees", in, cached, func(v []float64) peerScores {
		nan := math.NaN()
		return peerScores{SVM: nan, GP: nan, SVMSeconds: nan, GPSeconds: nan, HGB: v[0], RF: v[1]}
	})
}

func askPeer(p *Peer, cache peerCache, name, function string, in Inputs, cached bool, scores func([]float64) peerScores) (peerScores, error) {
	version, err := p.version()
	if err != nil {
		return peerScores{}, err
	}
	key := strings.ReplaceAll(strings.Join([]string{name, version, inputKey(in)}, "-"), " ", "-")
	if s, ok := cache.get(key); ok {
		return s, nil
	}
	if cached {
		return peerScores{}, errNotCached
	}
	if _, err := p.Load(function, in, nil); err != nil {
		return peerScores{}, err
	}
	if _, err := p.Time(); err != nil {
		return peerScores{}, err
	}
	r, err := p.Result()
	if err != nil {
		return peerScores{}, err
	}
	s := scores(r["result"].Data)
	return s, cache.put(key, s)
}

// version is the peer's name and version, without any work.
func (p *Peer) version() (string, error) { return p.Load("version", nil, nil) }
