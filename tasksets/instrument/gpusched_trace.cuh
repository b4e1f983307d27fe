// Records the start, the end and the SM of each thread block of a CUDA kernel, and writes the block trace that
// `gpusched wcet cluster` reads. README.md in this folder explains the use.
//
// The durations follow [Aghilinasab20] Algorithm 3: a block lasts from its start to the start of the block that takes
// its place on the SM. In the paper, the GPU finds this next block during the run. Here, each block records its start,
// its end and its SM, and the host finds the next block after the run.
//
// The header has three parts:
// 1. device code, for CUDA compilers. It needs no CUDA header: special registers are read by inline assembly.
// 2. calculation of the trace, for every C++11 compiler.
// 3. `Recorder`, which owns the buffer on the GPU and the CSV file, for compilers with the CUDA runtime.

#ifndef GPUSCHED_TRACE_CUH
#define GPUSCHED_TRACE_CUH

// clang defines __CUDA__ for CUDA code. Only with the CUDA headers, it also defines __CUDACC__, as nvcc does.
#if defined(__CUDA__) || defined(__CUDACC__)
#define GPUSCHED_TRACE_DEVICE
#endif
#if defined(__CUDACC__) || !defined(__CUDA__)
#define GPUSCHED_TRACE_HOST
#endif

#ifdef GPUSCHED_TRACE_HOST
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
#endif
#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

namespace gpusched_trace {

/// What one thread block records.
struct Record {
  /// %globaltimer when the first thread begins [ns].
  unsigned long long start;
  /// %globaltimer when all threads of the block have called `end` [ns].
  unsigned long long end;
  /// %smid: the SM of the block.
  unsigned int sm;
  unsigned int filler;
};

#ifdef GPUSCHED_TRACE_DEVICE

// Number of the thread block in the grid: x first, then y, then z. A trace has fewer than 2^24 blocks.
static inline __device__ unsigned int block_number() {
  unsigned int x, y, z, width, height;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  asm("mov.u32 %0, %%ctaid.y;" : "=r"(y));
  asm("mov.u32 %0, %%ctaid.z;" : "=r"(z));
  asm("mov.u32 %0, %%nctaid.x;" : "=r"(width));
  asm("mov.u32 %0, %%nctaid.y;" : "=r"(height));
  return (z * height + y) * width + x;
}

static inline __device__ bool is_first_thread() {
  unsigned int x, y, z;
  asm("mov.u32 %0, %%tid.x;" : "=r"(x));
  asm("mov.u32 %0, %%tid.y;" : "=r"(y));
  asm("mov.u32 %0, %%tid.z;" : "=r"(z));
  return (x | y | z) == 0;
}

// The clobber of memory keeps the memory accesses of the kernel between the two reads of the timer.
static inline __device__ unsigned long long now() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}

/// Records the start of the block. Call this function first in the kernel, in all threads. `records` has one element
/// per block of the grid. Returns the argument of `end`: the record of the block in its first thread, and a null
/// pointer in all other threads.
static inline __device__ Record *begin(Record *records) {
  if (!is_first_thread()) {
    return nullptr;
  }
  const unsigned long long time = now();
  unsigned int sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  Record *record = records + block_number();
  record->start = time;
  record->sm = sm;
  return record;
}

/// Records the end of the block. Call this function last in the kernel, in all threads: it contains a barrier, so no
/// thread may return earlier.
static inline __device__ void end(Record *record) {
  __syncthreads();
  if (record != nullptr) {
    record->end = now();
  }
}

#endif // GPUSCHED_TRACE_DEVICE

#ifdef GPUSCHED_TRACE_HOST

/// Largest number of blocks, and longest duration [ns], that a trace may contain.
const std::size_t MOST_BLOCKS = (std::size_t(1) << 24) - 1;
const unsigned long long LONGEST = 1ull << 40;

/// Throws an error unless each block has a start and an end.
inline void check(const std::vector<Record> &records) {
  for (std::size_t block = 0; block < records.size(); ++block) {
    const Record &record = records[block];
    const std::string name = "gpusched_trace: block " + std::to_string(block);
    if (record.start == 0) {
      throw std::runtime_error(name + " has no start: is the grid smaller than the buffer?");
    }
    if (record.end == 0) {
      throw std::runtime_error(name + " has no end: does every thread call end()?");
    }
    if (record.end < record.start) {
      throw std::runtime_error(name + " ends before its start: the timer of the GPU was set back");
    }
  }
}

/// Returns the tick of the timer [ns]: the greatest common divisor of the differences of all recorded times. The result
/// may be a multiple of the true tick by chance, which makes the durations too long, and never too short.
inline unsigned long long tick(const std::vector<Record> &records) {
  unsigned long long divisor = 0;
  const auto add = [&divisor](unsigned long long a, unsigned long long b) {
    unsigned long long rest = a < b ? b - a : a - b;
    while (rest != 0) {
      const unsigned long long next = divisor % rest;
      divisor = rest;
      rest = next;
    }
  };
  for (const Record &record : records) {
    add(record.start, records.front().start);
    add(record.end, records.front().start);
  }
  if (divisor == 0) {
    throw std::runtime_error("gpusched_trace: all recorded times are equal: the blocks are shorter than the tick of the timer");
  }
  return divisor;
}

/// Returns the duration of each block [ns].
///
/// A block lasts until the next block starts on its place ([Aghilinasab20] Algorithm 3), so that the durations contain
/// the time between two blocks. On each SM, the place that is free for the longest time receives the next block. A
/// block without a next block lasts until its recorded end, plus the longest time between two blocks of the run. All
/// durations are one tick longer than the difference of the two times, because the timer rounds both times down.
inline std::vector<unsigned long long> durations(const std::vector<Record> &records) {
  check(records);
  const unsigned long long rounding = tick(records);
  std::vector<std::size_t> starts(records.size());
  for (std::size_t block = 0; block < records.size(); ++block) {
    starts[block] = block;
  }
  std::vector<std::size_t> ends = starts;
  std::stable_sort(starts.begin(), starts.end(), [&records](std::size_t a, std::size_t b) {
    return records[a].sm != records[b].sm ? records[a].sm < records[b].sm : records[a].start < records[b].start;
  });
  std::stable_sort(ends.begin(), ends.end(), [&records](std::size_t a, std::size_t b) {
    return records[a].sm != records[b].sm ? records[a].sm < records[b].sm : records[a].end < records[b].end;
  });
  const unsigned long long unknown = ~0ull;
  std::vector<unsigned long long> durations(records.size(), unknown);
  unsigned long long longest_gap = 0;
  std::size_t free = 0; // Position in `ends` of the place that is free for the longest time.
  for (std::size_t position = 0; position < starts.size(); ++position) {
    const Record &next = records[starts[position]];
    if (position > 0 && records[starts[position - 1]].sm != next.sm) {
      free = position;
    }
    const Record &before = records[ends[free]];
    if (ends[free] != starts[position] && before.end <= next.start) {
      durations[ends[free]] = next.start - before.start;
      longest_gap = std::max(longest_gap, next.start - before.end);
      ++free;
    }
  }
  for (std::size_t block = 0; block < records.size(); ++block) {
    if (durations[block] == unknown) {
      durations[block] = records[block].end - records[block].start + longest_gap;
    }
    if (durations[block] > LONGEST - rounding) {
      throw std::runtime_error("gpusched_trace: block " + std::to_string(block) + " takes longer than 2^40 ns");
    }
    durations[block] += rounding;
  }
  return durations;
}

/// Writes the first line of a trace.
inline void write_columns(std::FILE *file) { std::fputs("run,block,start_ns,duration_ns,q\n", file); }

/// Writes the rows of one run. `q` is 0 for a run in isolation, and 1 for a run under interference.
inline void write_run(std::FILE *file, unsigned int run, int q, const std::vector<Record> &records) {
  const std::vector<unsigned long long> lengths = durations(records);
  unsigned long long first = records.front().start;
  for (const Record &record : records) {
    first = std::min(first, record.start);
  }
  for (std::size_t block = 0; block < records.size(); ++block) {
    std::fprintf(file, "%u,%llu,%llu,%llu,%d\n", run, static_cast<unsigned long long>(block),
                 records[block].start - first, lengths[block], q);
  }
}

#endif // GPUSCHED_TRACE_HOST

#ifdef __CUDACC__

/// Throws an error that names `call` if a call of the CUDA runtime failed.
inline void succeed(cudaError_t result, const char *call) {
  if (result != cudaSuccess) {
    throw std::runtime_error(std::string("gpusched_trace: ") + call + ": " + cudaGetErrorString(result));
  }
}

/// Buffer of the records on the GPU, and the file of the trace.
class Recorder {
public:
  /// `blocks` is the number of thread blocks of the grid. `q` is 0 for runs in isolation, and 1 for runs under
  /// interference. An existing file at `path` is replaced.
  Recorder(std::size_t blocks, const char *path, int q) : records_(blocks), q_(q) {
    if (blocks == 0 || blocks > MOST_BLOCKS) {
      throw std::runtime_error("gpusched_trace: a trace has 1 to 2^24 - 1 blocks");
    }
    if (q != 0 && q != 1) {
      throw std::runtime_error("gpusched_trace: q is 0 or 1");
    }
    succeed(cudaMalloc(reinterpret_cast<void **>(&buffer_), bytes()), "cudaMalloc");
    file_ = std::fopen(path, "w");
    if (file_ == nullptr) {
      cudaFree(buffer_);
      throw std::runtime_error(std::string("gpusched_trace: cannot write ") + path);
    }
    write_columns(file_);
  }

  ~Recorder() {
    std::fclose(file_);
    cudaFree(buffer_);
  }

  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  /// Returns the buffer, as an argument of the kernel.
  Record *records() const { return buffer_; }

  /// Returns the tick of the timer in the last run [ns].
  unsigned long long tick() const { return gpusched_trace::tick(records_); }

  /// Clears the buffer. Call this function before each launch.
  void clear() {
    succeed(cudaMemset(buffer_, 0, bytes()), "cudaMemset");
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  /// Waits for the kernel and appends its run to the trace. Call this function after each launch.
  void append() {
    succeed(cudaGetLastError(), "launch of the kernel");
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    succeed(cudaMemcpy(records_.data(), buffer_, bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    write_run(file_, run_, q_, records_);
    if (std::fflush(file_) != 0 || std::ferror(file_) != 0) {
      throw std::runtime_error("gpusched_trace: cannot write the trace");
    }
    ++run_;
  }

private:
  std::size_t bytes() const { return records_.size() * sizeof(Record); }

  std::vector<Record> records_;
  Record *buffer_ = nullptr;
  std::FILE *file_ = nullptr;
  unsigned int run_ = 0;
  int q_;
};

#endif // __CUDACC__

} // namespace gpusched_trace

#endif // GPUSCHED_TRACE_CUH
