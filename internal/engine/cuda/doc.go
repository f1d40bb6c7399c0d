// Package cuda evaluates sums over kernel matrices on NVIDIA devices,
//
//	out[i] = Σ_j κ(m(aᵢ, bⱼ))·v[j],
//
// without the matrix ever being in memory. The driver (libcuda.so.1) is loaded when a program that
// was built with the tag cuda asks for it; nothing else has to be installed. Kernels are compiled
// ahead (_gen/build) and travel in the program: machine code for Hopper, PTX for sm_80 and later. A
// Device is the few calls that are used of the driver; Emulate is one in plain Go, which runs the
// same arithmetic and fails in the same ways, so that everything but the kernels themselves is
// tested without a chip.
//
// Values are of single precision: coordinates are split into two numbers of half precision, hi +
// lo, and three products of matrix instructions give their inner products to 22 bits (R. Ootomo and
// R. Yokota, Recovering single precision accuracy from Tensor Cores, 2022); or differences are
// taken in float32 or float64. Sums of more than some hundred terms are in float64, and none is
// added in an order that depends on timing: the same call gives the same bits.
package cuda
