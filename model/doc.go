// Package model saves fitted models and loads them again: one versioned,
// checksummed file that is data only. Its container is safetensors, so that
// any language can read the numbers; kernels and learners are written in the
// language of package spec.
//
// Names to know: [New] makes a [Model] of what a learner returned, [Load] and [Decode] read one. A
// [Prediction] is what it says of rows, and [Want] what it is asked for. [Info] is what the file
// tells of how it was made. [ReadLIBSVM] reads models of svm-train.
package model
