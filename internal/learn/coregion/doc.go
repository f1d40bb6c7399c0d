// Package coregion is the linear algebra of several outputs under one separable kernel k·B,
//
//	cov(vec Y) = K⊗B + I⊗Σ,   Σ = diag(σ₁², …, σ_m²),
//
// as Gaussian processes and ridge regression share it (the intrinsic coregionalisation model;
// Goovaerts 1997, Bonilla, Chai and Williams 2008). With K = UΛUᵀ and Σ^-½·B·Σ^-½ = VSVᵀ the
// outputs UᵀYΣ^-½V are independent, of variances 1 + λᵢsⱼ: the n³ of the one eigendecomposition of
// K serve every B and Σ, and what is left is of order n·m².
//
// A row of weight w counts as w rows: the rows of Y and K are multiplied by √w.
package coregion
