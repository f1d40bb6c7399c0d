//go:build cuda && linux && (amd64 || arm64)

package cuda

import (
	"runtime"
	"sync"
)

// blas and solver are the calls of cuBLAS and cuSOLVER, by the names in their libraries.
type blas struct {
	Create    func(h *uintptr) int32 `name:"cublasCreate_v2"`
	SetStream func(h uintptr,
		s Stream) int32 `name:"cublasSetStream_v2"`
	Gemm func(h uintptr, transA, transB, m, n, k int32, alpha *float64, a Ptr, lda int32, b Ptr, ldb int32,
		beta *float64, c Ptr, ldc int32) int32 `name:"cublasDgemm_v2"`
	Batched func(h uintptr, transA, transB, m, n, k int32, alpha *float64, a Ptr, lda int32, stepA int64, b Ptr, ldb int32,
		stepB int64, beta *float64, c Ptr, ldc int32, stepC int64, count int32) int32 `name:"cublasDgemmStridedBatched"`
	Gemv func(h uintptr, trans, m, n int32, alpha *float64, a Ptr, lda int32, x Ptr, incx int32, beta *float64, y Ptr,
		incy int32) int32 `name:"cublasDgemv_v2"`
	Trsm func(h uintptr, side, uplo, trans, diag, m, n int32, alpha *float64, a Ptr, lda int32, b Ptr,
		ldb int32) int32 `name:"cublasDtrsm_v2"`
	Trmv func(h uintptr, uplo, trans, diag, n int32, a Ptr, lda int32, x Ptr, incx int32) int32    `name:"cublasDtrmv_v2"`
	Syr  func(h uintptr, uplo, n int32, alpha *float64, x Ptr, incx int32, a Ptr, lda int32) int32 `name:"cublasDsyr_v2"`
}

type solver struct {
	Create    func(h *uintptr) int32 `name:"cusolverDnCreate"`
	SetStream func(h uintptr,
		s Stream) int32 `name:"cusolverDnSetStream"`
	Params func(p *uintptr) int32 `name:"cusolverDnCreateParams"`
	Size   func(h, p uintptr, uplo int32, n int64, typeA int32, a Ptr, lda int64, compute int32, device,
		host *uint64) int32 `name:"cusolverDnXpotrf_bufferSize"`
	EigenSize func(h uintptr, jobz, uplo, n int32, a Ptr, lda int32, w Ptr,
		lwork *int32) int32 `name:"cusolverDnDsyevd_bufferSize"`
	Eigen func(h uintptr, jobz, uplo, n int32, a Ptr, lda int32, w, work Ptr, lwork int32,
		info Ptr) int32 `name:"cusolverDnDsyevd"`
	Potrf func(h, p uintptr, uplo int32, n int64, typeA int32, a Ptr, lda int64, compute int32, device Ptr, bytes uint64,
		host *byte, hostBytes uint64, info Ptr) int32 `name:"cusolverDnXpotrf"`
}

// singles are those calls of cuBLAS in single precision.
type singles struct {
	Trsm func(h uintptr, side, uplo, trans, diag, m, n int32, alpha *float32, a Ptr, lda int32, b Ptr,
		ldb int32) int32 `name:"cublasStrsm_v2"`
	Gemv func(h uintptr, trans, m, n int32, alpha *float32, a Ptr, lda int32, x Ptr, incx int32, beta *float32, y Ptr,
		incy int32) int32 `name:"cublasSgemv_v2"`
	GemmEx func(h uintptr, transA, transB, m, n, k int32, alpha *float32, a Ptr, typeA, lda int32, b Ptr, typeB, ldb int32,
		beta *float32, c Ptr, typeC, ldc, compute, algo int32) int32 `name:"cublasGemmEx"`
}

// Their constants. Matrices are column by column there: our lower triangles are their upper ones,
// transposed.
const (
	lower      = 0
	upper      = 1
	leftSide   = 0
	plain      = 0
	transpose  = 1
	nonUnit    = 0
	realSingle = 0
	realDouble = 1
	realHalf   = 2
	inSingle   = 68 // CUBLAS_COMPUTE_32F
	anyway     = -1 // CUBLAS_GEMM_DEFAULT
	vectors    = 1
)

// theirs is the way that a library takes a matrix of ours.
func theirs(transposed bool) int32 {
	if transposed {
		return plain
	}
	return transpose
}

// libraries is Dense by NVIDIA's libraries.
type libraries struct {
	c *chip
	b blas
	f singles
	s solver
	// handles of the libraries; calls set their stream first
	mu             sync.Mutex
	hb, hs, params uintptr
}

// openLibraries is nil where they are not installed.
func openLibraries(c *chip) Dense {
	l := &libraries{c: c}
	blasLibrary, err := load("libcublas.so.13", "libcublas.so.12")
	if err != nil || bind(&l.b, blasLibrary) != nil || bind(&l.f, blasLibrary) != nil {
		return nil
	}
	solverLibrary, err := load("libcusolver.so.12", "libcusolver.so.11")
	if err != nil || bind(&l.s, solverLibrary) != nil {
		return nil
	}
	if l.do("cublasCreate", func() int32 { return l.b.Create(&l.hb) }) != nil ||
		l.do("cusolverDnCreate", func() int32 { return l.s.Create(&l.hs) }) != nil ||
		l.do("cusolverDnCreateParams", func() int32 { return l.s.Params(&l.params) }) != nil {
		return nil
	}
	return l
}

func (l *libraries) Name() string { return "cuBLAS and cuSOLVER" }

// do is calls of a library, which nobody else's come between: the stream is set among them, since
// that of another goroutine may be gone by now. Their statuses are other numbers than the driver's; 3 and 2 are those
// for want of memory.
func (l *libraries) do(call string, fs ...func() int32) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := failed("cuCtxSetCurrent", l.c.SetCurrent(l.c.context)); err != nil {
		return err
	}
	for _, f := range fs {
		switch f() {
		case 0:
		case 2, 3:
			return &Error{Call: call, Status: outOfMemory}
		default:
			return &Error{Call: call, Status: unknownFailure}
		}
	}
	return nil
}

func (l *libraries) Cholesky(q Stream, n int, a Ptr) (bad int, err error) {
	// The other triangle is factorised, which takes cuSOLVER a fifth less time (20 000 points: 0.03
	// s). Halving the matrix, so that most of the work is products of cuBLAS, was no faster (50 000
	// points: 1.05 s for 0.99).
	if err := mirror(l.c, q, n, a, 1); err != nil {
		return 0, err
	}
	var device, host uint64
	N := int64(n)
	if err := l.do("cusolverDnXpotrf_bufferSize", func() int32 { return l.s.SetStream(l.hs, q) }, func() int32 {
		return l.s.Size(l.hs, l.params, lower, N, realDouble, a, N, realDouble, &device, &host)
	}); err != nil {
		return 0, err
	}
	work, err := l.c.Alloc(int64(device) + 256)
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.c.Free(work) }()
	buffer := make([]byte, host+8)
	info := work + Ptr((device+127)/128*128)
	if err := l.do("cusolverDnXpotrf", func() int32 { return l.s.SetStream(l.hs, q) }, func() int32 {
		return l.s.Potrf(l.hs, l.params, lower, N, realDouble, a, N, realDouble, work, device, &buffer[0], host, info)
	}); err != nil {
		return 0, err
	}
	if err := mirror(l.c, q, n, a, 0); err != nil {
		return 0, err
	}
	status := make([]int32, 1)
	if err := l.c.ToHost(q, bytesOf(status), info); err != nil {
		return 0, err
	}
	err = l.c.Sync(q)
	runtime.KeepAlive(buffer)
	return int(status[0]), err
}

func (l *libraries) Gram(q Stream, n int, a, c Ptr) error { return gramByRows(l, q, n, a, c) }

func (l *libraries) Multiply(q Stream, m Multiplication) error {
	numbers := &[2]float64{m.Alpha, m.Beta}
	ta, tb := theirs(!m.TransposeA), theirs(!m.TransposeB) // column by column all is transposed: cᵀ = op(b)ᵀop(a)ᵀ
	rows, columns, inner := int32(m.Rows), int32(m.Columns), int32(m.Inner)
	return l.do("cublasDgemm", func() int32 { return l.b.SetStream(l.hb, q) }, func() int32 {
		if m.Count > 1 {
			return l.b.Batched(l.hb, tb, ta, columns, rows, inner, &numbers[0], m.B, int32(m.StrideB), m.StepB, m.A,
				int32(m.StrideA), m.StepA, &numbers[1], m.C, int32(m.StrideC), m.StepC, int32(m.Count))
		}
		return l.b.Gemm(l.hb, tb, ta, columns, rows, inner, &numbers[0], m.B, int32(m.StrideB), m.A, int32(m.StrideA),
			&numbers[1], m.C, int32(m.StrideC))
	})
}

func (l *libraries) Times(
	q Stream, transposed bool, rows, columns, stride int, alpha float64, a, x Ptr, beta float64, y Ptr,
) error {
	numbers := &[2]float64{alpha, beta}
	return l.do("cublasDgemv", func() int32 { return l.b.SetStream(l.hb, q) }, func() int32 {
		return l.b.Gemv(l.hb, theirs(transposed), int32(columns), int32(rows), &numbers[0], a, int32(stride), x, 1,
			&numbers[1], y, 1)
	})
}

func (l *libraries) Solve(q Stream, n, stride int, factor Ptr, transposed bool, columns int, b Ptr) error {
	one := new(float64)
	*one = 1
	return l.do("cublasDtrsm", func() int32 { return l.b.SetStream(l.hb, q) }, func() int32 {
		return l.b.Trsm(l.hb, leftSide, upper, theirs(transposed), nonUnit, int32(n), int32(columns), one, factor,
			int32(stride), b, int32(n))
	})
}

func (l *libraries) TimesTransposed(q Stream, n int, factor, x Ptr) error {
	return l.do("cublasDtrmv", func() int32 { return l.b.SetStream(l.hb, q) }, func() int32 {
		return l.b.Trmv(l.hb, upper, plain, nonUnit, int32(n), factor, int32(n), x, 1)
	})
}

func (l *libraries) AddOuter(q Stream, n int, alpha float64, x, a Ptr) error {
	factor := new(float64)
	*factor = alpha
	return l.do("cublasDsyr", func() int32 { return l.b.SetStream(l.hb, q) }, func() int32 {
		return l.b.Syr(l.hb, upper, int32(n), factor, x, 1, a, int32(n))
	})
}

func (l *libraries) Product(q Stream, n, columns int, a, x, y Ptr) error {
	numbers := &[2]float64{1, 0}
	N := int32(n)
	return l.do("cublasDgemm", func() int32 { return l.b.SetStream(l.hb, q) }, func() int32 {
		return l.b.Gemm(l.hb, plain, plain, N, int32(columns), N, &numbers[0], a, N, x, N, &numbers[1], y, N)
	})
}

func (l *libraries) Eigen(q Stream, n int, a, values Ptr) error {
	var size int32
	if err := l.do("cusolverDnDsyevd_bufferSize", func() int32 { return l.s.SetStream(l.hs, q) }, func() int32 {
		return l.s.EigenSize(l.hs, vectors, upper, int32(n), a, int32(n), values, &size)
	}); err != nil {
		return err
	}
	work, err := l.c.Alloc(8*int64(size) + 8)
	if err != nil {
		return err
	}
	defer func() { _ = l.c.Free(work) }()
	info := work + Ptr(8*int64(size))
	if err := l.do("cusolverDnDsyevd", func() int32 { return l.s.SetStream(l.hs, q) }, func() int32 {
		return l.s.Eigen(l.hs, vectors, upper, int32(n), a, int32(n), values, work, size, info)
	}); err != nil {
		return err
	}
	status := make([]int32, 1)
	if err := l.c.ToHost(q, bytesOf(status), info); err != nil {
		return err
	}
	if err := l.c.Sync(q); err != nil {
		return err
	}
	if status[0] != 0 {
		return ErrNoEigen
	}
	return nil
}
