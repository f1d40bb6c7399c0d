// Package neighbours is learners that compare a point with stored ones, by the distance in feature
// space,
//
//	d(x, z)² = k(x, x) - 2k(x, z) + k(z, z)
//
// (Cover and Hart 1967; with kernels Yu, Ji and Zhang 2002). [Classification] lets the K nearest
// vote and [Regression] takes their mean, found by brute force or by a tree, which find the same;
// [Medoid] keeps one point of each class, [Centroid] its mean. [KernelMean] has all points for
// neighbours, and [Local] a line or a parabola through them.
//
// Names to know: [Classification] and [Regression] ask the nearest, [Centroid], [Medoid] and
// [KernelMean] fewer or all; [Local] fits lines. [Options] has the number of neighbours, and
// [Search] how they are found.
package neighbours
