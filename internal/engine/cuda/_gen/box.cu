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
  int limit;                       // pair updates of a set
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

// max_of is the largest key of a warp. The instruction for that (redux) is an illegal one in what this release of the compiler makes of box_pairs, on the chip.
__device__ __forceinline__ u32 max_of(u32 key) {
  for (int o = 16; o > 0; o >>= 1) key = max(key, __shfl_xor_sync(0xffffffffu, key, o));
  return key;
}

// publish and best_of find the largest key of a block and what came with it: each warp's best is published, all wait once, and each warp looks through them. Of equal keys it is the first; 0 is nobody.
__device__ __forceinline__ void publish(u32 key, int at, u64* room) {
  u32 top = max_of(key), vote = __ballot_sync(0xffffffffu, key == top);
  if ((threadIdx.x & 31) == __ffs(vote) - 1) room[threadIdx.x >> 5] = (u64)top << 32 | (u32)at;
}
__device__ __forceinline__ u32 best_of(const u64* room, int warps, int* at, int* warp) {
  int lane = threadIdx.x & 31;
  u64 word = lane < warps ? room[lane] : 0;
  u32 key = (u32)(word >> 32), top = max_of(key);
  *warp = __ffs(__ballot_sync(0xffffffffu, key == top)) - 1;
  *at = __shfl_sync(0xffffffffu, (int)(u32)word, *warp);
  return top;
}

// box_pairs moves pairs inside a set, each thread having EACH of its variables: the one with the largest z that may be raised and, of those that may be lowered, the one whose pair promises the largest
// decrease (zᵢ - zⱼ)²/curvature (WSS2 of R.-E. Fan, P.-H. Chen and C.-J. Lin, JMLR 6, 2005), until no violation inside is above a share of that of all, which is asked every eighth time. Changes go to
// v, as the sums take them. Rows of k are ld numbers apart. Two waits for the block are in a step: β is written between the first and the second and read after the second.
template <int EACH>
__device__ __forceinline__ void box_pairs(box_state* s, const float* __restrict__ k, int size, int ld, const int* set, int groups, const double* f, const int* point, const u8* group, const double* linear,
    const double* lower, const double* upper, double* beta, u8* mark, int* kept, int* bins, void* v, int wide, int slots) {
  extern __shared__ __align__(16) double memory[];
  double *sb = memory, *slo = sb + ld, *shi = slo + ld;
  float* sdiag = (float*)(shi + ld);
  __shared__ u64 raises[2][2][32], lowers[2][32]; // by turn, so that nobody writes what is still read
  __shared__ float ratios[2][32];
  __shared__ u32 gaps[2][32];
  __shared__ int places[32];
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, threads = blockDim.x, warps = threads >> 5, mine = tid * EACH;
  bool over = s->done, two = groups > 1;
  int count = over ? 0 : s->count;
  float z[EACH], diag[EACH];
  u32 ups = 0, downs = 0, second = 0; // a bit for each variable
  double middle[2] = {s->next[0], s->next[1]};
  float stop = (float)fmax(s->inner * s->violation, 0.5 * s->target);
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    int i = mine + e;
    z[e] = diag[e] = 0.f;
    if (i < count) {
      int t = set[i], g = group[t];
      double b = beta[t], lo = lower[t], hi = upper[t];
      sb[i] = b, slo[i] = lo, shi[i] = hi;
      z[e] = (float)(linear[t] - f[point[t]] - middle[g]);
      sdiag[i] = diag[e] = k[(u64)i * ld + i];
      ups |= (u32)(b < hi) << e, downs |= (u32)(b > lo) << e, second |= (u32)g << e;
    }
  }
  u64 left = s->most - s->steps;
  int most = count ? (int)min((u64)s->limit, left) : 0, steps = 0;
  int held_i = -1, held_j = -1; // β of ours that is to be written
  double new_i = 0, new_j = 0;
  for (; steps < most; steps++) {
    int turn = steps & 1, at[2], from;
    float zi[2], di[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
      if (h == 1 && !two) break;
      u32 ours = two ? ups & (h ? second : ~second) : ups;
      float best = -1.f / 0.f;
      int which = -1;
#pragma unroll
      for (int e = 0; e < EACH; e++)
        {
          bool is = (ours >> e & 1) && !(z[e] <= best);
          best = is ? z[e] : best, which = is ? e : which;
        }
      publish(which < 0 ? 0u : ordered(best), mine + which, raises[turn][h]);
    }
    __syncthreads();
    if (held_i >= 0) sb[held_i] = new_i, held_i = -1;
    if (held_j >= 0) sb[held_j] = new_j, held_j = -1;
    at[1] = -1, zi[1] = di[1] = 0.f;
#pragma unroll
    for (int h = 0; h < 2; h++) {
      if (h == 1 && !two) break;
      u32 top = best_of(raises[turn][h], warps, at + h, &from);
      if (!top) at[h] = -1;
      zi[h] = disordered(top), di[h] = top ? sdiag[at[h]] : 0.f;
    }
    float ki[2][EACH], gap = 0.f, gain = -1.f, ratio = 0.f;
#pragma unroll
    for (int h = 0; h < 2; h++) {
      if (h == 1 && !two) break;
      const float4* row = (const float4*)(k + (u64)max(at[h], 0) * ld + mine);
#pragma unroll
      for (int e = 0; e < EACH; e += 4) {
        float4 x = row[e / 4];
        ki[h][e] = x.x, ki[h][e + 1] = x.y, ki[h][e + 2] = x.z, ki[h][e + 3] = x.w;
      }
    }
    int other = -1;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      bool last = two && (second >> e & 1);
      float d = (last ? zi[1] : zi[0]) - z[e];
      bool may = (downs >> e & 1) && (last ? at[1] : at[0]) >= 0 && d > 0.f;
      gap = may ? fmaxf(gap, d) : gap;
      float by = __fdividef(d, fmaxf((last ? di[1] : di[0]) + diag[e] - 2.f * (last ? ki[1][e] : ki[0][e]), 1e-12f)), now = d * by;
      may = may && now > gain;
      gain = may ? now : gain, other = may ? e | (int)last << 8 : other, ratio = may ? by : ratio;
    }
    u32 key = other < 0 ? 0u : __float_as_uint(fminf(gain, 3e38f)) + 1, top = max_of(key), vote = __ballot_sync(0xffffffffu, key == top);
    if (lane == __ffs(vote) - 1) lowers[turn][warp] = (u64)top << 32 | (u32)(mine + (other & 255)) | (other >= 0 && other >> 8 ? 1u << 30 : 0u), ratios[turn][warp] = ratio;
    bool asks = (steps & 7) == 0;
    if (asks) {
      u32 wide_gap = max_of(__float_as_uint(gap));
      if (lane == 0) gaps[turn][warp] = wide_gap;
    }
    __syncthreads();
    int j;
    top = best_of(lowers[turn], warps, &j, &from);
    if (!top) break;
    if (asks && !(__uint_as_float(max_of(lane < warps ? gaps[turn][lane] : 0u)) > stop)) break;
    bool pair = j >> 30;
    j &= 0x3fffffff;
    int i = pair ? at[1] : at[0];
    const float4* row = (const float4*)(k + (u64)j * ld + mine);
    float kj[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e += 4) {
      float4 x = row[e / 4];
      kj[e] = x.x, kj[e + 1] = x.y, kj[e + 2] = x.z, kj[e + 3] = x.w;
    }
    double bi = sb[i], bj = sb[j], hi = shi[i], lo = slo[j], room_i = hi - bi, room_j = bj - lo, step = fmin((double)ratios[turn][from], fmin(room_i, room_j));
    float by = (float)step;
#pragma unroll
    for (int e = 0; e < EACH; e++) z[e] -= by * ((pair ? ki[1][e] : ki[0][e]) - kj[e]);
    if (i / EACH == tid) {
      held_i = i, new_i = step == room_i ? hi : bi + step;
      u32 bit = 1u << (i % EACH);
      downs |= new_i > slo[i] ? bit : 0u;
      if (!(new_i < hi)) ups &= ~bit;
    }
    if (j / EACH == tid) {
      held_j = j, new_j = step == room_j ? lo : bj - step;
      u32 bit = 1u << (j % EACH);
      ups |= new_j < shi[j] ? bit : 0u;
      if (!(new_j > lo)) downs &= ~bit;
    }
  }
  __syncthreads();
  if (held_i >= 0) sb[held_i] = new_i;
  if (held_j >= 0) sb[held_j] = new_j;
  __syncthreads();
  // What changed, and which free variables stay in the next set: the first ones, which are the newest.
  u32 stays = ups & downs;
  int own = __popc(stays), before = own;
  for (int o = 1; o < 32; o <<= 1) {
    int y = __shfl_up_sync(0xffffffffu, before, o);
    if (lane >= o) before += y;
  }
  if (lane == 31) places[warp] = before;
  __syncthreads();
  int all = 0, room = min(size / 2, size - 2); // two places for the worst pair
  before -= own;
  for (int w = 0; w < warps; w++) {
    if (w < warp) before += places[w];
    all += places[w];
  }
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    int i = mine + e;
    double change = 0;
    if (i < count) {
      int t = set[i];
      bool is = stays >> e & 1 && before < room;
      if (is) kept[before] = t;
      if (stays >> e & 1) before++;
      mark[t] = is;
      change = sb[i] - beta[t];
      beta[t] = sb[i];
    }
    if (i >= size) continue;
    int slot = slots ? (i & ~31) | (i >> 1 & 3) << 3 | (i >> 3 & 3) << 1 | (i & 1) : i;
    if (wide) ((double*)v)[slot] = change;
    else ((float*)v)[slot] = (float)change;
  }
  for (int q = tid; q < 2 * (BINS + 1); q += threads) bins[q] = 0;
  if (tid == 0 && !over) {
    s->kept = min(all, room);
    s->steps += steps;
    s->sets++;
    for (int h = 0; h < 2; h++) s->shift[h] = s->next[h];
    if (steps == 0) s->done = 2; // nothing moves any more
  }
}
#define PAIRS(EACH) \
  extern "C" __global__ void __launch_bounds__(256) box_pairs_##EACH(box_state* s, const float* k, int size, int ld, const int* set, int groups, const double* f, const int* point, const u8* group, \
      const double* linear, const double* lower, const double* upper, double* beta, u8* mark, int* kept, int* bins, void* v, int wide, int slots) { \
    box_pairs<EACH>(s, k, size, ld, set, groups, f, point, group, linear, lower, upper, beta, mark, kept, bins, v, wide, slots); \
  }
PAIRS(4) PAIRS(8)
