// The sweep on a device. A warp takes 64 points and looks at all others, near ones first, 32 at a time; tiles whose
// boxes are too far away are skipped. A filter in single precision throws out the pairs that cannot improve a point;
// the warp decides the rest in double, with the operations of the processor in the processor's order, so that the bits
// agree.
#include <cuda_runtime.h>

#include <cstdio>
#include <limits>

#include "entropy/cuda_door.h"

namespace olem::internal {

namespace {

constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr int kTile = 32;       // points in a tile, and tiles in a group
constexpr int kQueries = 2;     // tiles of points that a warp takes
constexpr int kCandidates = 8;  // points that it meets at a time
constexpr int kWarpsInBlock = 4;
constexpr int kBlocksPerProcessor = 5;
constexpr int kWarpsPerProcessor = 64;  // enough to keep a multiprocessor busy until the end
constexpr uint32_t kNobody = 0xFFFFFFFFU;
constexpr float kFar = 0x1p60F;  // where the points are that fill up the last tile; squares of it add up

struct View {
  size_t points;
  int columns;
  int width;   // columns, and one that stands for "none left out" in the first step
  int stride;  // of rows, kth and nearest
  int tiles;
  int groups;            // of tiles
  const double* rows;    // [point][stride]
  double* kth;           // [point][stride]: least squared distance without each column
  uint32_t* nearest;     // the same: to whom
  const float* fine;     // [tile][column][lane]
  const float* box_low;  // [group][column][tile]
  const float* box_high;
  float* reach;  // [point]: pairs whose reduced distance is not below this cannot improve the point
  double scale;
  double coordinate_error;
  float shrink;
  const int* stop;
  unsigned long long* done;  // groups that were looked at, by all warps
};

__device__ float reach_for(const View& view, double worst) {
  const double distance = sqrt(worst) * view.scale + view.coordinate_error;
  const double reach = distance * distance * (1.0 + 0x1p-20);
  return static_cast<float>(reach < 0x1p126 ? reach : 0x1p126);
}

// The squared distance of i and j without column v: one rounding each, in the order of the columns. All lanes of the
// warp take part, each with its own v.
__device__ double exact_distance(const View& view, size_t i, size_t j, int v, int lane) {
  double sum = 0.0;
  for (int first = 0; first < view.columns; first += 32) {
    const int own = first + lane;
    double term = 0.0;
    if (own < view.columns) {
      const double difference = __dsub_rn(view.rows[i * view.stride + own], view.rows[j * view.stride + own]);
      term = __dmul_rn(difference, difference);
    }
    const int count = min(32, view.columns - first);
    for (int u = 0; u < count; ++u) {
      const double other = __shfl_sync(kAllLanes, term, u);
      if (first + u != v) sum = __dadd_rn(sum, other);
    }
  }
  return sum;
}

__device__ double largest_of_warp(double value) {
  for (int step = 16; step > 0; step /= 2) value = fmax(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
}

__device__ float largest_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
}

// Offers j to i; returns the reach of i that follows. Several warps may work on one point: distances, which are not
// negative, are ordered like their bits.
__device__ float decide(const View& view, size_t i, size_t j, int lane) {
  double worst = 0.0;
  for (int first = 0; first < view.width; first += 32) {
    const int v = first + lane;
    const double exact = exact_distance(view, i, j, v, lane);
    if (v < view.width) {
      double* const kth = view.kth + i * view.stride + v;
      double best = *const_cast<volatile double*>(kth);
      if (exact < best) {
        atomicMin(reinterpret_cast<unsigned long long*>(kth), __double_as_longlong(exact));
        view.nearest[i * view.stride + v] = static_cast<uint32_t>(j);
        best = exact;
      }
      worst = fmax(worst, best);
    }
  }
  const float reach = reach_for(view, largest_of_warp(worst));
  if (lane == 0) view.reach[i] = reach;
  return reach;
}

// Bits of the tiles of a group that may hold a point that improves one of the warp's.
__device__ unsigned near_tiles(const View& view, int group, const float* own_low, const float* own_high, float reach,
                               int lane) {
  const float* const low = view.box_low + static_cast<size_t>(group) * view.columns * kTile + lane;
  const float* const high = view.box_high + static_cast<size_t>(group) * view.columns * kTile + lane;
  float sum = 0.0F;
  float largest = 0.0F;
  for (int v = 0; v < view.columns; ++v) {
    const float gap = fmaxf(fmaxf(low[v * kTile] - own_high[v], own_low[v] - high[v * kTile]), 0.0F);
    sum = __fmaf_rn(gap, gap, sum);
    largest = fmaxf(largest, gap);
  }
  const bool near = __fmaf_rn(-largest, largest, sum * view.shrink) < reach;
  return __ballot_sync(kAllLanes, near && group * kTile + lane < view.tiles);
}

// `shares` warps take the same points, and every one of them a share of the groups; `limit` is the number of groups.
__global__ void __launch_bounds__(kWarpsInBlock * 32, kBlocksPerProcessor)
    sweep_kernel(const View view, int query_tiles, int shares, int limit, float* boxes) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(blockIdx.x) * kWarpsInBlock + static_cast<int>(threadIdx.x) / 32;
  if (warp >= query_tiles * shares) return;
  const int query_tile = warp / shares;
  const int share = warp % shares;
  const float* const own_low = boxes + static_cast<size_t>(query_tile) * 2 * view.columns;
  const float* const own_high = own_low + view.columns;
  const size_t tile_size = static_cast<size_t>(view.columns) * kTile;
  const float* own[kQueries];
  float reach[kQueries];
  size_t point[kQueries];
  for (int q = 0; q < kQueries; ++q) {
    // The last warp may have one tile only: then it takes that one twice, and nothing can improve the copy.
    const int tile = query_tile * kQueries + q;
    own[q] = view.fine + static_cast<size_t>(min(tile, view.tiles - 1)) * tile_size + lane;
    point[q] = static_cast<size_t>(tile) * kTile + lane;
  }
  const int first_group = query_tile * kQueries / kTile;
  for (int turn = share; turn < limit; turn += shares) {
    if (*const_cast<const volatile int*>(view.stop) != 0) return;
    // Outwards from the own group.
    const int away = (turn + 1) / 2;
    const int group = (first_group + (turn % 2 == 1 ? away : view.groups - away)) % view.groups;
    for (int q = 0; q < kQueries; ++q) {
      const bool real = point[q] < view.points;
      reach[q] = real ? const_cast<const volatile float*>(view.reach)[point[q]] : -__FLT_MAX__;
    }
    unsigned mask = near_tiles(view, group, own_low, own_high, largest_of_warp(fmaxf(reach[0], reach[1])), lane);
    for (; mask != 0; mask &= mask - 1) {
      const int tile = group * kTile + __ffs(static_cast<int>(mask)) - 1;
      const float* const others = view.fine + static_cast<size_t>(tile) * tile_size;
      for (int c0 = 0; c0 < kTile; c0 += kCandidates) {
        float sum[kQueries][kCandidates];
        float largest[kQueries][kCandidates];
#pragma unroll
        for (int q = 0; q < kQueries; ++q) {
#pragma unroll
          for (int c = 0; c < kCandidates; ++c) sum[q][c] = largest[q][c] = 0.0F;
        }
#pragma unroll 4
        for (int v = 0; v < view.columns; ++v) {
          float x[kQueries];
#pragma unroll
          for (int q = 0; q < kQueries; ++q) x[q] = own[q][v * kTile];
          float y[kCandidates];
#pragma unroll
          for (int c = 0; c < kCandidates; c += 4) {
            const float4 four = *reinterpret_cast<const float4*>(others + v * kTile + c0 + c);
            y[c] = four.x;
            y[c + 1] = four.y;
            y[c + 2] = four.z;
            y[c + 3] = four.w;
          }
#pragma unroll
          for (int q = 0; q < kQueries; ++q) {
#pragma unroll
            for (int c = 0; c < kCandidates; ++c) {
              const float difference = y[c] - x[q];
              sum[q][c] = __fmaf_rn(difference, difference, sum[q][c]);
              largest[q][c] = fmaxf(largest[q][c], fabsf(difference));
            }
          }
        }
        bool any = false;
#pragma unroll
        for (int q = 0; q < kQueries; ++q) {
#pragma unroll
          for (int c = 0; c < kCandidates; ++c) {
            sum[q][c] = __fmaf_rn(-largest[q][c], largest[q][c], sum[q][c] * view.shrink);
            any |= sum[q][c] < reach[q];
          }
        }
        if (!__any_sync(kAllLanes, any)) continue;
#pragma unroll
        for (int q = 0; q < kQueries; ++q) {
#pragma unroll
          for (int c = 0; c < kCandidates; ++c) {
            const size_t j = static_cast<size_t>(tile) * kTile + c0 + c;
            unsigned hits = __ballot_sync(kAllLanes, sum[q][c] < reach[q] && j != point[q] && j < view.points);
            for (; hits != 0; hits &= hits - 1) {
              const int hit = __ffs(static_cast<int>(hits)) - 1;
              const float now = decide(view, point[q] - lane + hit, j, lane);
              if (lane == hit) reach[q] = now;
            }
          }
        }
      }
    }
    if (lane == 0) atomicAdd(view.done, 1ULL);
  }
}

__global__ void gather_rows(const double* values, const uint32_t* order, size_t points, int columns, int stride,
                            double* rows) {
  const size_t p = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (p >= points) return;
  for (int v = 0; v < stride; ++v)
    rows[p * stride + v] = v < columns ? values[static_cast<size_t>(v) * points + order[p]] : 0.0;
}

__global__ void drop_column(const double* from, size_t points, int from_stride, int column, int columns, int stride,
                            double* rows) {
  const size_t p = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (p >= points) return;
  for (int v = 0; v < stride; ++v)
    rows[p * stride + v] = v < columns ? from[p * from_stride + v + (v >= column ? 1 : 0)] : 0.0;
}

// One warp for a tile: its coordinates as the filter sees them, and its box.
__global__ void fill_tiles(const View view, const double* centre, float* fine, float* box_low, float* box_high) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int tile = static_cast<int>((static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32);
  if (tile >= view.tiles) return;
  const size_t p = static_cast<size_t>(tile) * kTile + lane;
  const bool real = p < view.points;
  for (int v = 0; v < view.columns; ++v) {
    const float x = real ? static_cast<float>((view.rows[p * view.stride + v] - centre[v]) * view.scale) : kFar;
    fine[(static_cast<size_t>(tile) * view.columns + v) * kTile + lane] = x;
    const float low = -largest_of_warp(real ? -x : -__FLT_MAX__);
    const float high = largest_of_warp(real ? x : -__FLT_MAX__);
    const size_t box = (static_cast<size_t>(tile / kTile) * view.columns + v) * kTile + tile % kTile;
    if (lane == 0) {
      box_low[box] = low;
      box_high[box] = high;
    }
  }
}

// The boxes of the points of one warp, [query tile][low, high][column].
__global__ void fill_query_boxes(const View view, int query_tiles, float* boxes) {
  const size_t index = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<size_t>(query_tiles) * view.columns) return;
  const int query_tile = static_cast<int>(index / view.columns);
  const int v = static_cast<int>(index % view.columns);
  float low = __FLT_MAX__;
  float high = -__FLT_MAX__;
  for (int tile = query_tile * kQueries; tile < min(view.tiles, (query_tile + 1) * kQueries); ++tile) {
    const size_t box = (static_cast<size_t>(tile / kTile) * view.columns + v) * kTile + tile % kTile;
    low = fminf(low, view.box_low[box]);
    high = fmaxf(high, view.box_high[box]);
  }
  boxes[static_cast<size_t>(query_tile) * 2 * view.columns + v] = low;
  boxes[(static_cast<size_t>(query_tile) * 2 + 1) * view.columns + v] = high;
}

// One warp for a point: its nearest neighbours of the step before are the first that are tried.
__global__ void start_bounds(const View view, const uint32_t* winners, int winners_width, int winners_stride) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const size_t i = (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (i >= view.points) return;
  for (int v = lane; v < view.width; v += 32) {
    view.kth[i * view.stride + v] = __longlong_as_double(0x7FF0000000000000LL);
    view.nearest[i * view.stride + v] = kNobody;
  }
  __syncwarp();
  float reach = 0x1p126F;
  for (int w = 0; w < winners_width; ++w) {
    const uint32_t j = winners[i * winners_stride + w];
    if (j == kNobody || (w > 0 && j == winners[i * winners_stride + w - 1])) continue;
    reach = decide(view, i, j, lane);
    __syncwarp();
  }
  if (lane == 0) view.reach[i] = reach;
}

__global__ void scatter(const View view, const uint32_t* order, int v, double* result) {
  const size_t p = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (p < view.points) result[order[p]] = view.kth[p * view.stride + v];
}

thread_local char last_message[256] = "";

// Whether a call failed; then the message is kept.
bool failed(cudaError_t error) {
  if (error == cudaSuccess) return false;
  std::snprintf(last_message, sizeof(last_message), "%s", cudaGetErrorString(error));
  cudaGetLastError();  // so that the next call does not report it again
  return true;
}

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  bool allocate(size_t size) { return !failed(cudaMalloc(&data_, size * sizeof(T))); }
  T* data() const { return data_; }
  void swap(DeviceArray& other) {
    T* const data = data_;
    data_ = other.data_;
    other.data_ = data;
  }

 private:
  T* data_ = nullptr;
};

int stride_for(int width) { return (width + 3) / 4 * 4; }
unsigned blocks_for(size_t threads, size_t in_block) {
  return static_cast<unsigned>((threads + in_block - 1) / in_block);
}

}  // namespace

struct CudaSweepState {
  View view{};
  int query_tiles = 0;
  bool first_step = true;
  int winners_width = 0;  // of the step before
  int winners_stride = 0;
  int processors = 1;
  double turns = 1.0;  // of the current step, for all warps
  DeviceArray<uint32_t> order;
  DeviceArray<double> rows;
  DeviceArray<double> other_rows;  // of one column less, or room for results
  DeviceArray<double> kth;
  DeviceArray<uint32_t> nearest;
  DeviceArray<uint32_t> winners;
  DeviceArray<float> fine;
  DeviceArray<float> box_low;
  DeviceArray<float> box_high;
  DeviceArray<float> boxes;
  DeviceArray<float> reach;
  DeviceArray<double> centre;
  DeviceArray<int> stop;
  DeviceArray<unsigned long long> done;
  cudaStream_t work = nullptr;
  cudaStream_t watch = nullptr;  // for what is asked and said while the kernel runs
  cudaEvent_t ended = nullptr;

  CudaSweepState() = default;
  ~CudaSweepState() {
    if (ended != nullptr) cudaEventDestroy(ended);
    if (watch != nullptr) cudaStreamDestroy(watch);
    if (work != nullptr) cudaStreamDestroy(work);
  }
  CudaSweepState(const CudaSweepState&) = delete;
  CudaSweepState& operator=(const CudaSweepState&) = delete;

  bool prepare(const double* const* values, const uint32_t* its_order, size_t points, size_t columns);
  bool begin(const CudaStep& step);
  bool take(double* without, double* joint);
  bool remove(int column);
};

namespace {

constexpr int kThreads = 256;

const char* message() { return last_message; }

int open_device(char* name, size_t size) {
  int device = 0;
  cudaDeviceProp properties;
  if (failed(cudaGetDevice(&device)) || failed(cudaGetDeviceProperties(&properties, device)) ||
      failed(cudaFree(nullptr)))
    return 1;
  std::snprintf(name, size, "%s", properties.name);
  return 0;
}

int free_memory(size_t* bytes) {
  size_t total = 0;
  return failed(cudaMemGetInfo(bytes, &total)) ? 1 : 0;
}

int start(const double* const* values, const uint32_t* order, size_t points, size_t columns, CudaSweepState** state) {
  *state = new CudaSweepState;
  if ((*state)->prepare(values, order, points, columns)) return 0;
  delete *state;
  *state = nullptr;
  return 1;
}

int begin_step(CudaSweepState* state, const CudaStep* step) { return state->begin(*step) ? 0 : 1; }

int poll_step(CudaSweepState* state, double* fraction, int* ended) {
  const cudaError_t error = cudaEventQuery(state->ended);
  *ended = error == cudaErrorNotReady ? 0 : 1;
  unsigned long long done = 0;
  if (*ended == 0) {
    cudaGetLastError();
    if (failed(cudaMemcpyAsync(&done, state->done.data(), sizeof(done), cudaMemcpyDeviceToHost, state->watch)) ||
        failed(cudaStreamSynchronize(state->watch)))
      return 1;
    *fraction = static_cast<double>(done) / state->turns;
    return 0;
  }
  *fraction = 1.0;
  return failed(error) ? 1 : 0;
}

void stop_step(CudaSweepState* state) {
  const int stop = 1;
  cudaMemcpyAsync(state->stop.data(), &stop, sizeof(stop), cudaMemcpyHostToDevice, state->watch);
  cudaStreamSynchronize(state->watch);
  cudaStreamSynchronize(state->work);
}

int take_distances(CudaSweepState* state, double* without, double* joint) {
  return state->take(without, joint) ? 0 : 1;
}

int remove_column(CudaSweepState* state, size_t column) { return state->remove(static_cast<int>(column)) ? 0 : 1; }

void finish(CudaSweepState* state) { delete state; }

}  // namespace

bool CudaSweepState::prepare(const double* const* values, const uint32_t* its_order, size_t points, size_t columns) {
  view.points = points;
  view.columns = static_cast<int>(columns);
  view.width = view.columns + 1;
  view.stride = stride_for(view.width);
  view.tiles = static_cast<int>((points + kTile - 1) / kTile);
  view.groups = (view.tiles + kTile - 1) / kTile;
  query_tiles = (view.tiles + kQueries - 1) / kQueries;
  const size_t room = points * static_cast<size_t>(view.stride);
  const size_t boxed = static_cast<size_t>(view.groups) * kTile * columns;
  int device = 0;
  if (failed(cudaGetDevice(&device)) ||
      failed(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device)) ||
      failed(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking)) ||
      failed(cudaStreamCreateWithFlags(&watch, cudaStreamNonBlocking)) ||
      failed(cudaEventCreateWithFlags(&ended, cudaEventDisableTiming)))
    return false;
  if (!order.allocate(points) || !rows.allocate(room) || !other_rows.allocate(room) || !kth.allocate(room) ||
      !nearest.allocate(room) || !winners.allocate(room) ||
      !fine.allocate(static_cast<size_t>(view.tiles) * kTile * columns) || !box_low.allocate(boxed) ||
      !box_high.allocate(boxed) || !boxes.allocate(static_cast<size_t>(query_tiles) * 2 * columns) ||
      !reach.allocate(static_cast<size_t>(query_tiles) * kQueries * kTile) || !centre.allocate(columns) ||
      !stop.allocate(1) || !done.allocate(1))
    return false;
  // The values arrive in the room of the rows that come later.
  if (failed(cudaMemcpyAsync(order.data(), its_order, points * sizeof(uint32_t), cudaMemcpyHostToDevice, work)))
    return false;
  for (size_t v = 0; v < columns; ++v) {
    if (failed(cudaMemcpyAsync(other_rows.data() + v * points, values[v], points * sizeof(double),
                               cudaMemcpyHostToDevice, work)))
      return false;
  }
  gather_rows<<<blocks_for(points, kThreads), kThreads, 0, work>>>(other_rows.data(), order.data(), points,
                                                                   view.columns, view.stride, rows.data());
  return !failed(cudaGetLastError()) && !failed(cudaStreamSynchronize(work));
}

bool CudaSweepState::begin(const CudaStep& step) {
  view.rows = rows.data();
  view.kth = kth.data();
  view.nearest = nearest.data();
  view.fine = fine.data();
  view.box_low = box_low.data();
  view.box_high = box_high.data();
  view.reach = reach.data();
  view.scale = step.scale;
  view.coordinate_error = step.coordinate_error;
  view.shrink = step.shrink;
  view.stop = stop.data();
  view.done = done.data();
  if (failed(cudaMemcpyAsync(centre.data(), step.centre, static_cast<size_t>(view.columns) * sizeof(double),
                             cudaMemcpyHostToDevice, work)) ||
      failed(cudaMemsetAsync(stop.data(), 0, sizeof(int), work)) ||
      failed(cudaMemsetAsync(done.data(), 0, sizeof(unsigned long long), work)))
    return false;
  fill_tiles<<<blocks_for(static_cast<size_t>(view.tiles) * 32, kThreads), kThreads, 0, work>>>(
      view, centre.data(), fine.data(), box_low.data(), box_high.data());
  fill_query_boxes<<<blocks_for(static_cast<size_t>(query_tiles) * static_cast<size_t>(view.columns), kThreads),
                     kThreads, 0, work>>>(view, query_tiles, boxes.data());
  start_bounds<<<blocks_for(view.points * 32, kThreads), kThreads, 0, work>>>(
      view, winners.data(), first_step ? 0 : winners_width, winners_stride);
  // Before the first step nothing is known: the own group makes bounds for all others.
  const auto sweep_groups = [&](int shares, int limit) {
    sweep_kernel<<<blocks_for(static_cast<size_t>(query_tiles) * static_cast<size_t>(shares), kWarpsInBlock),
                   kWarpsInBlock * 32, 0, work>>>(view, query_tiles, shares, limit, boxes.data());
  };
  if (first_step) sweep_groups(1, 1);
  const int wanted = kWarpsPerProcessor * processors;
  const int shares = min(view.groups, (wanted + query_tiles - 1) / query_tiles);
  sweep_groups(shares, view.groups);
  turns = static_cast<double>(query_tiles) * (view.groups + (first_step ? 1 : 0));
  return !failed(cudaGetLastError()) && !failed(cudaEventRecord(ended, work));
}

bool CudaSweepState::take(double* without, double* joint) {
  double* const result = other_rows.data();
  const size_t points = view.points;
  const int count = view.columns + (joint != nullptr ? 1 : 0);
  for (int v = 0; v < count; ++v) {
    scatter<<<blocks_for(points, kThreads), kThreads, 0, work>>>(view, order.data(), v,
                                                                 result + static_cast<size_t>(v) * points);
  }
  const size_t size = points * static_cast<size_t>(view.columns);
  if (failed(cudaGetLastError()) ||
      failed(cudaMemcpyAsync(without, result, size * sizeof(double), cudaMemcpyDeviceToHost, work)))
    return false;
  if (joint != nullptr &&
      failed(cudaMemcpyAsync(joint, result + size, points * sizeof(double), cudaMemcpyDeviceToHost, work)))
    return false;
  return !failed(cudaStreamSynchronize(work));
}

bool CudaSweepState::remove(int column) {
  const int columns = view.columns - 1;
  const int stride = stride_for(columns);
  drop_column<<<blocks_for(view.points, kThreads), kThreads, 0, work>>>(rows.data(), view.points, view.stride, column,
                                                                        columns, stride, other_rows.data());
  rows.swap(other_rows);
  nearest.swap(winners);
  winners_width = view.width;
  winners_stride = view.stride;
  view.columns = columns;
  view.width = columns;
  view.stride = stride;
  first_step = false;
  return !failed(cudaGetLastError()) && !failed(cudaStreamSynchronize(work));
}

}  // namespace olem::internal

extern "C" __attribute__((visibility("default"))) const olem::internal::CudaDoor* olem_cuda_door() {
  using namespace olem::internal;
  static const CudaDoor kDoor = {message,   open_device, free_memory,    start,         begin_step,
                                 poll_step, stop_step,   take_distances, remove_column, finish};
  return &kDoor;
}
