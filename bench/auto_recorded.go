package main

import (
	"encoding/json"
	"math"
	"os"
)

// recordedPeer is what scikit-learn reached on the first splits of a set, in a run before this
// one: means over the splits. Its searches take an hour in all and depend on nothing of ours, so a
// table may stand on them; split by split there is nothing to compare then.
type recordedPeer struct {
	Set    string   `json:"set"`
	Splits int      `json:"splits"`
	SVM    float64  `json:"svm"`
	GP     *float64 `json:"gp"`
	SE     float64  `json:"se"` // of the better one's mean
}

// recordedPeers finds the record of a set for so many splits.
func recordedPeers(set string, splits int) (*recordedPeer, error) {
	b, err := os.ReadFile("auto_peers.json")
	if err != nil {
		return nil, err
	}
	var all []recordedPeer
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Set == set && all[i].Splits == splits {
			return &all[i], nil
		}
	}
	return nil, errNotCached
}

// judgeMeans compares means by the same rule as judge.
func (r *autoRow) judgeMeans(ours []float64, peer *recordedPeer, maximize bool) {
	r.Ours, _ = meanSE(ours)
	r.SVM, r.GP, r.SE = peer.SVM, math.NaN(), peer.SE
	if peer.GP != nil {
		r.GP = *peer.GP
	}
	sign := -1.0
	if maximize {
		sign = 1
	}
	theirs := r.SVM
	if sign*(r.GP-r.SVM) > 0 {
		theirs = r.GP
	}
	r.Paired, r.PairSE, r.TheirsS = sign*(r.Ours-theirs), math.NaN(), math.NaN()
	r.OverSVM = sign * (r.Ours - r.SVM)
	// The record has five digits.
	r.Good = sign*(r.Ours-theirs) >= -autoSlack*r.SE-5e-6*math.Abs(theirs)
}
