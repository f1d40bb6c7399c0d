// Package seq holds kernels on sequences: strings and texts, kernel.Kernel[string], and time
// series, kernel.Kernel[Series].
//
// Names to know: [Spectrum], [NGrams], [Subsequences] and [Mismatch] compare strings, [BagOfWords]
// and [FitTFIDF] texts. [NewSeries] makes a [Series]; [GlobalAlignment] and [Signature] compare
// two.
//
// Kernels on strings count common parts. BagOfCharacters, BagOfWords, Spectrum, Blended, NGrams,
// TFIDF and Hashed are inner products of sparse vectors of counts; Substrings counts common
// substrings of every length in linear time; Mismatch, Wildcard, Gappy, GappyPairs, Substitution
// and ProfileKernel let parts differ a little; Subsequences counts parts with gaps; LocalAlignment,
// PairHMM and ContextTree sum over alignments and models.
//
// Kernels on series sum over alignments (GlobalAlignment, TriangularAlignment), over iterated
// integrals (Signature, SignaturePDE) or over models (Autoregressive); Warping substitutes the DTW
// distance and is not positive semi-definite.
//
// Strings are sequences of runes, not of bytes; invalid UTF-8 is refused with its row and byte. The
// empty string and the empty series are points like others: each kernel says what its value is
// there. A normalised kernel is kernel.Normalize of a kernel; where values leave the range of
// float64, NormalizeLog does the same with their logarithms.
package seq
