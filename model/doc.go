// Package model saves fitted models and loads them again: one versioned,
// checksummed file that is data only. Its container is safetensors, so that
// any language can read the numbers; kernels and learners are written in the
// language of package spec.
package model
