// Support vector machines: minimise ½βᵀKβ - cᵀβ over boxes lo ≤ β ≤ hi with the sum of β given in each of one or two groups, by working sets (ThunderSVM, Z. Wen et al., JMLR 19, 2018).
// z = c - Kβ; up are the variables with β < hi, down those with β > lo. A set is chosen over all variables (box_select), its block of K is made (square32 of direct.cu after box_points), pairs
// inside it are moved by one block of threads (box_pairs), and f = Kβ is brought up to date by the product of all rows with the changes, which the kernels for sums make. Nothing waits for the host.
#define BINS 4096
#define SCAN 512

struct box_state {
  double high[2], low[2];   // m and M of each group
  double shift[2], next[2]; // what scores are taken from: the middle of the last set's and of this one's
  double violation, target, inner; // inner: pairs stop at this share of the violation
  u64 steps, most;                 // pair updates, and their bound
  int done, sets, count, kept;     // count: variables in the set, the kept ones last
  u32 barrier;
  int limit;                       // pair updates for each variable of a set
};

__device__ __forceinline__ void all_wait(u32* at, u32 blocks) { // all blocks of a launch that runs together
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    u32 old = atomicAdd(at, 1u), until = (old / blocks + 1) * blocks, now;
    do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(at) : "memory");
    while (now < until);
    __threadfence();
  }
  __syncthreads();
}

struct best { double v; int at; };
// larger_of is the larger value, of equal ones the first.
__device__ __forceinline__ best larger_of(best a, best b) { return b.v > a.v || (b.v == a.v && b.at < a.at) ? b : a; }
__device__ __forceinline__ best largest_of(best x, best* room) { // of a block of SCAN threads
  for (int o = 16; o > 0; o >>= 1) {
    best y;
    y.v = __shfl_xor_sync(0xffffffffu, x.v, o), y.at = __shfl_xor_sync(0xffffffffu, x.at, o);
    x = larger_of(x, y);
  }
  __syncthreads();
  if ((threadIdx.x & 31) == 0) room[threadIdx.x >> 5] = x;
  __syncthreads();
  x = room[0];
  for (int w = 1; w < SCAN / 32; w++) x = larger_of(x, room[w]);
  return x;
}
__device__ __forceinline__ int total_of(int x, int* room) {
  for (int o = 16; o > 0; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) room[threadIdx.x >> 5] = x;
  __syncthreads();
  x = 0;
  for (int w = 0; w < SCAN / 32; w++) x += room[w];
  return x;
}

// cut_off finds, by one warp, the bin from which on take of the counts are: bins above it are taken whole, of it the first edge. Where all are taken it is -1.
__device__ __forceinline__ void cut_off(const int* counts, int take, int total, int* bin, int* edge) {
  int lane = threadIdx.x & 31, each = (BINS + 1 + 31) / 32, lo = lane * each, hi = min(lo + each, BINS + 1), mine = 0;
  for (int b = lo; b < hi; b++) mine += counts[b];
  int above = mine; // of this lane and those after it
  for (int o = 1; o < 32; o <<= 1) {
    int y = __shfl_down_sync(0xffffffffu, above, o);
    if (lane + o < 32) above += y;
  }
  if (lane == 0 && take >= total) *bin = -1, *edge = 0;
  int before = above - mine;
  if (take < total && before < take && above >= take)
    for (int b = hi - 1; b >= lo; b--) {
      if (before + counts[b] >= take) { *bin = b, *edge = take - before; break; }
      before += counts[b];
    }
  if (take < total && take == 0 && lane == 0) *bin = BINS + 1, *edge = 0;
}

struct box_vars { // of the programme, by variable
  const int* point;
  const u8* group;
  const double *linear, *lower, *upper;
  double* beta;
};

// box_select finds m and M of each group and chooses at most size variables: those that were kept of the last set, the pair that violates the most, and of the others as many to be raised as to be
// lowered, the worst first, to a 4096th of the violation; of those that are as bad, the first. All blocks run at once.
extern "C" __global__ void __launch_bounds__(SCAN) box_select(box_state* s, u64 count, int groups, const double* f, const int* point, const u8* group, const double* linear, const double* lower,
    const double* upper, const double* beta, float* up, float* down, u8* mark, const int* kept, int size, best* part, int* bins, int* counts, int* set) {
  __shared__ int hist[2][BINS + 1];
  __shared__ best room[SCAN / 32];
  __shared__ int ints[SCAN / 32], cut[4], flags[4][SCAN / 32];
  if (s->done) return;
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  u32 blocks = gridDim.x;
  u64 chunk = ((count + blocks - 1) / blocks + SCAN - 1) / SCAN * SCAN, lo = blockIdx.x * chunk, hi = min(lo + chunk, count);
  double shift[2] = {s->shift[0], s->shift[1]};
  best high[2], low[2]; // of -z
  for (int g = 0; g < 2; g++) high[g].v = low[g].v = -1.0 / 0.0, high[g].at = low[g].at = 0x7fffffff;
  for (u64 t = lo + tid; t < hi; t += SCAN) {
    double b = beta[t], z = linear[t] - f[point[t]];
    int g = group[t];
    bool u = b < upper[t], d = b > lower[t];
    up[t] = u ? (float)(z - shift[g]) : -1.f / 0.f;
    down[t] = d ? (float)(z - shift[g]) : 1.f / 0.f;
    best x = {z, (int)t}, y = {-z, (int)t};
#pragma unroll
    for (int k = 0; k < 2; k++) {
      if (u && k == g) high[k] = larger_of(high[k], x);
      if (d && k == g) low[k] = larger_of(low[k], y);
    }
  }
  for (int g = 0; g < groups; g++) {
    best x = largest_of(high[g], room), y = largest_of(low[g], room);
    if (tid == 0) part[(2 * g) * blocks + blockIdx.x] = x, part[(2 * g + 1) * blocks + blockIdx.x] = y;
  }
  all_wait(&s->barrier, blocks);
  int worst = 0;
  double violation = -1.0 / 0.0;
  for (int g = 0; g < groups; g++) {
    best none = {-1.0 / 0.0, 0x7fffffff}, x = none, y = none;
    for (u32 b = tid; b < blocks; b += SCAN) x = larger_of(x, part[(2 * g) * blocks + b]), y = larger_of(y, part[(2 * g + 1) * blocks + b]);
    high[g] = largest_of(x, room), low[g] = largest_of(y, room);
    double v = high[g].v + low[g].v;
    if (v > violation) violation = v, worst = g;
  }
  bool over = !(violation > s->target) || s->steps >= s->most;
  if (blockIdx.x == 0 && tid == 0) {
    for (int g = 0; g < groups; g++) s->high[g] = high[g].v, s->low[g] = -low[g].v, s->next[g] = 0.5 * (high[g].v - low[g].v);
    s->violation = violation;
    if (over) s->done = 1;
  }
  if (over) return;
  float highest[2] = {(float)(high[0].v - shift[0]), (float)(high[1].v - shift[1])}, lowest[2] = {(float)(-low[0].v - shift[0]), (float)(-low[1].v - shift[1])}, scale = (float)(BINS / violation);
  int first = high[worst].at, last = low[worst].at;
  auto bin_of = [&](u64 t, bool& lowers) -> int {
    if (mark[t]) return -1;
    if ((int)t == first) { lowers = false; return BINS; }
    if ((int)t == last) { lowers = true; return BINS; }
    int g = group[t];
    float raise = up[t] - lowest[g], lower = highest[g] - down[t];
    lowers = lower > raise;
    float score = lowers ? lower : raise;
    return score > 0.f ? (int)fminf(score * scale, BINS - 1.f) : -1;
  };
  for (int b = tid; b < 2 * (BINS + 1); b += SCAN) (&hist[0][0])[b] = 0;
  __syncthreads();
  for (u64 t = lo + tid; t < hi; t += SCAN) {
    bool lowers = false;
    int b = bin_of(t, lowers);
    if (b >= 0) atomicAdd(&hist[lowers][b], 1);
  }
  __syncthreads();
  for (int b = tid; b < 2 * (BINS + 1); b += SCAN)
    if ((&hist[0][0])[b]) atomicAdd(bins + b, (&hist[0][0])[b]);
  all_wait(&s->barrier, blocks);
  int all[2];
  for (int side = 0; side < 2; side++) {
    int sum = 0;
    for (int b = tid; b <= BINS; b += SCAN) sum += hist[side][b] = bins[side * (BINS + 1) + b];
    all[side] = total_of(sum, ints);
  }
  int keep = s->kept, space = size - keep;
  int raised = min(all[0], max(space / 2, space - all[1])), lowered = min(all[1], space - raised);
  if (warp == 0) cut_off(hist[0], raised, all[0], cut, cut + 1);
  if (warp == 1) cut_off(hist[1], lowered, all[1], cut + 2, cut + 3);
  __syncthreads();
  int own[4] = {0, 0, 0, 0};
  for (u64 t = lo + tid; t < hi; t += SCAN) {
    bool lowers = false;
    int b = bin_of(t, lowers), edge = cut[2 * lowers];
    own[0] += b >= 0 && !lowers && b > edge, own[1] += b >= 0 && !lowers && b == edge;
    own[2] += b >= 0 && lowers && b > edge, own[3] += b >= 0 && lowers && b == edge;
  }
  for (int k = 0; k < 4; k++) {
    int sum = total_of(own[k], ints);
    if (tid == 0) counts[blockIdx.x * 4 + k] = sum;
  }
  all_wait(&s->barrier, blocks);
  int at[4];
  for (int k = 0; k < 4; k++) {
    int sum = 0;
    for (u32 b = tid; b < blockIdx.x; b += SCAN) sum += counts[b * 4 + k];
    at[k] = total_of(sum, ints);
  }
  int sure[2] = {raised - cut[1], lowered - cut[3]};
  for (u64 t0 = lo; t0 < hi; t0 += SCAN) {
    u64 t = t0 + tid;
    bool lowers = false, is[4] = {false, false, false, false};
    int b = t < hi ? bin_of(t, lowers) : -1;
    if (b >= 0) {
      int edge = cut[2 * lowers];
      is[0] = !lowers && b > edge, is[1] = !lowers && b == edge, is[2] = lowers && b > edge, is[3] = lowers && b == edge;
    }
    u32 votes[4];
    __syncthreads();
    for (int k = 0; k < 4; k++) {
      votes[k] = __ballot_sync(0xffffffffu, is[k]);
      if (lane == 0) flags[k][warp] = __popc(votes[k]);
    }
    __syncthreads();
    for (int k = 0; k < 4; k++) {
      int before = at[k], sum = 0;
      for (int w = 0; w < SCAN / 32; w++) {
        if (w < warp) before += flags[k][w];
        sum += flags[k][w];
      }
      before += __popc(votes[k] & ((1u << lane) - 1));
      at[k] += sum;
      if (!is[k]) continue;
      if (k == 0) set[before] = (int)t;
      if (k == 1 && before < cut[1]) set[sure[0] + before] = (int)t;
      if (k == 2) set[raised + before] = (int)t;
      if (k == 3 && before < cut[3]) set[raised + sure[1] + before] = (int)t;
    }
  }
  if (blockIdx.x > 0) return;
  for (int i = tid; i < keep; i += SCAN) set[raised + lowered + i] = kept[i];
  if (tid == 0) s->count = raised + lowered + keep;
}

// box_points copies the rows of the points of a set, of so many words; rows beyond the last are 0.
extern "C" __global__ void box_points(const box_state* s, const int* set, const int* point, const u32* from, u32* to, int size, int words) {
  u64 id = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= (u64)size * words) return;
  int i = (int)(id / words), w = (int)(id % words);
  to[id] = i < s->count ? from[(u64)point[set[i]] * words + w] : 0u;
}

// ordered is a number as an integer of the same order.
__device__ __forceinline__ u32 ordered(float x) {
  u32 b = __float_as_uint(x);
  return b & 0x80000000u ? ~b : b | 0x80000000u;
}
__device__ __forceinline__ float disordered(u32 k) { return __uint_as_float(k & 0x80000000u ? k & 0x7fffffffu : ~k); }

struct chosen { u32 key; int at; float z, diag; double room; };

// best_of publishes the best thread of each warp and finds that of all of them: one wait for the block. Of equal ones it is the first. 0 is nobody.
__device__ __forceinline__ int best_of(u32 key, u32* winner, chosen* room, int warps, const chosen& mine) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  u32 top = __reduce_max_sync(0xffffffffu, key), vote = __ballot_sync(0xffffffffu, key == top);
  if (lane == __ffs(vote) - 1) room[warp] = mine, room[warp].key = top;
  __syncthreads();
  u32 k = lane < warps ? room[lane].key : 0u;
  top = __reduce_max_sync(0xffffffffu, k), vote = __ballot_sync(0xffffffffu, k == top && lane < warps);
  *winner = top;
  return __ffs(vote) - 1;
}

// box_pairs moves pairs inside a set, each thread having EACH of its variables: the one with the largest z that may be raised and, of those that may be lowered, the one whose pair promises the largest
// decrease (zᵢ - zⱼ)²/curvature (WSS2 of R.-E. Fan, P.-H. Chen and C.-J. Lin, JMLR 6, 2005), until no violation inside is above a share of that of all. Changes go to v, as the sums take them.
template <int EACH>
__device__ __forceinline__ void box_pairs(box_state* s, const float* k, int size, const int* set, int groups, const double* f, const int* point, const u8* group, const double* linear, const double* lower,
    const double* upper, double* beta, u8* mark, int* kept, int* bins, void* v, int wide, int slots) {
  __shared__ chosen raises[2][2][32], lowers[2][32]; // by turn, so that nobody writes what is still read
  __shared__ u32 gaps[2][32];
  __shared__ int places[32];
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, threads = blockDim.x, warps = threads >> 5;
  bool over = s->done;
  int count = over ? 0 : s->count;
  double b[EACH], start[EACH], lo[EACH], hi[EACH];
  float z[EACH], diag[EACH];
  int g[EACH], t[EACH];
  const double inf = 1.0 / 0.0;
  double middle[2] = {s->next[0], s->next[1]}, target = s->target;
  float stop = (float)fmax(s->inner * s->violation, 0.5 * target);
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    int i = tid + e * threads;
    t[e] = -1, g[e] = 0, z[e] = diag[e] = 0.f, b[e] = start[e] = lo[e] = hi[e] = 0.0;
    if (i < count) {
      t[e] = set[i], g[e] = group[t[e]];
      b[e] = start[e] = beta[t[e]], lo[e] = lower[t[e]], hi[e] = upper[t[e]];
      z[e] = (float)(linear[t[e]] - f[point[t[e]]] - middle[g[e]]);
      diag[e] = k[(u64)i * size + i];
    }
  }
  u64 left = s->most - s->steps;
  int most = (int)min((u64)s->limit * (u64)count, left), steps = 0;
  for (; steps < most; steps++) {
    int turn = steps & 1;
    float zi[2], di[2];
    int at[2];
    double ri[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
      zi[h] = -1.f / 0.f, at[h] = -1;
      if (h >= groups) continue;
      u32 key = 0;
      chosen mine = {0, -1, 0.f, 0.f, 0.0};
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        u32 now = t[e] >= 0 && g[e] == h && b[e] < hi[e] ? ordered(z[e]) : 0u;
        if (now > key) key = now, mine.at = tid + e * threads, mine.z = z[e], mine.diag = diag[e], mine.room = hi[e] - b[e];
      }
      u32 top;
      const chosen& c = raises[turn][h][best_of(key, &top, raises[turn][h], warps, mine)];
      if (top) zi[h] = c.z, di[h] = c.diag, at[h] = c.at, ri[h] = c.room;
    }
    float ki[EACH], gap = 0.f;
    u32 key = 0;
    chosen mine = {0, -1, 0.f, 0.f, 0.0};
    int pair = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int i = tid + e * threads, from = at[g[e] && groups > 1 ? 1 : 0];
      ki[e] = from >= 0 && t[e] >= 0 ? k[(u64)from * size + i] : 0.f;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      bool second = g[e] && groups > 1;
      float d = t[e] >= 0 && b[e] > lo[e] ? (second ? zi[1] : zi[0]) - z[e] : 0.f;
      if (!(d > 0.f)) continue;
      gap = fmaxf(gap, d);
      float curve = fmaxf((second ? di[1] : di[0]) + diag[e] - 2.f * ki[e], 1e-12f);
      u32 now = __float_as_uint(fminf(__fdividef(d * d, curve), 3e38f)) + 1;
      if (now > key) key = now, mine.at = tid + e * threads, mine.z = d, mine.diag = curve, mine.room = b[e] - lo[e], pair = second;
    }
    mine.at |= pair << 30;
    u32 wide_gap = __reduce_max_sync(0xffffffffu, __float_as_uint(gap));
    if (lane == 0) gaps[turn][warp] = wide_gap;
    u32 top;
    const chosen& c = lowers[turn][best_of(key, &top, lowers[turn], warps, mine)];
    float worst = __uint_as_float(__reduce_max_sync(0xffffffffu, lane < warps ? gaps[turn][lane] : 0u));
    if (!top || !(worst > stop)) break;
    pair = c.at >> 30;
    int i = pair ? at[1] : at[0], j = c.at & 0x3fffffff;
    double room_i = pair ? ri[1] : ri[0], room_j = c.room, step = fmin((double)__fdividef(c.z, c.diag), fmin(room_i, room_j));
    float by = (float)step;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int me = tid + e * threads;
      if (t[e] < 0) continue;
      float kj = k[(u64)j * size + me], ours = groups > 1 && (g[e] != 0) != (pair != 0) ? k[(u64)i * size + me] : ki[e];
      z[e] -= by * (ours - kj);
      if (me == i) b[e] = step == room_i ? hi[e] : b[e] + step;
      if (me == j) b[e] = step == room_j ? lo[e] : b[e] - step;
    }
  }
  // What changed, and which free variables stay in the next set: the first ones, which are the newest.
  int room = size / 2, so_far = 0;
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    int i = tid + e * threads;
    bool stays = t[e] >= 0 && b[e] > lo[e] && b[e] < hi[e];
    u32 vote = __ballot_sync(0xffffffffu, stays);
    __syncthreads();
    if (lane == 0) places[warp] = __popc(vote);
    __syncthreads();
    int before = so_far;
    for (int w = 0; w < warps; w++) {
      if (w < warp) before += places[w];
      so_far += places[w];
    }
    before += __popc(vote & ((1u << lane) - 1));
    stays = stays && before < room;
    if (stays) kept[before] = t[e];
    if (t[e] >= 0) {
      mark[t[e]] = stays;
      beta[t[e]] = b[e];
    }
    if (i < size) {
      double change = b[e] - start[e];
      int slot = slots ? (i & ~31) | (i >> 1 & 3) << 3 | (i >> 3 & 3) << 1 | (i & 1) : i;
      if (wide) ((double*)v)[slot] = change;
      else ((float*)v)[slot] = (float)change;
    }
  }
  for (int q = tid; q < 2 * (BINS + 1); q += threads) bins[q] = 0;
  __syncthreads();
  if (tid == 0 && !over) {
    s->kept = min(so_far, room);
    s->steps += steps;
    s->sets++;
    for (int h = 0; h < 2; h++) s->shift[h] = s->next[h];
    if (steps == 0) s->done = 2; // nothing moves any more
  }
}
#define PAIRS(EACH) \
  extern "C" __global__ void __launch_bounds__(1024) box_pairs_##EACH(box_state* s, const float* k, int size, const int* set, int groups, const double* f, const int* point, const u8* group, const double* linear, \
      const double* lower, const double* upper, double* beta, u8* mark, int* kept, int* bins, void* v, int wide, int slots) { \
    box_pairs<EACH>(s, k, size, set, groups, f, point, group, linear, lower, upper, beta, mark, kept, bins, v, wide, slots); \
  }
PAIRS(1) PAIRS(2)
