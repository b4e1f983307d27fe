// Adds two vectors, with and without the instrumentation of gpusched_trace.cuh. Each thread adds `rounds` elements.
//
//   nvcc -std=c++17 vector_add.cu -o vector_add
//   ./vector_add 0 isolated.csv          30 runs in isolation
//   ./vector_add 1 interference.csv      30 runs, while CPU cores access the memory

#include "gpusched_trace.cuh"

static inline __device__ void add(const float *a, const float *b, float *c, int rounds) {
  unsigned int block, threads, thread;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(threads));
  asm("mov.u32 %0, %%tid.x;" : "=r"(thread));
  const unsigned int first = block * threads * static_cast<unsigned int>(rounds) + thread;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const unsigned int i = first + static_cast<unsigned int>(round) * threads;
    c[i] = a[i] + b[i];
  }
}

__global__ void vector_add(const float *a, const float *b, float *c, int rounds) { add(a, b, c, rounds); }

__global__ void vector_add_traced(const float *a, const float *b, float *c, int rounds,
                                  gpusched_trace::Record *records) {
  gpusched_trace::Record *record = gpusched_trace::begin(records);
  add(a, b, c, rounds);
  gpusched_trace::end(record);
}

#ifdef __CUDACC__

#include <cstdio>
#include <exception>
#include <string>

static int record(int q, const char *path) {
  using gpusched_trace::succeed;
  const int blocks = 960, threads = 256, rounds = 16, n = blocks * threads * rounds, runs = 30;
  float *vectors = nullptr;
  succeed(cudaMalloc(reinterpret_cast<void **>(&vectors), 3 * n * sizeof(float)), "cudaMalloc");
  succeed(cudaMemset(vectors, 0, 3 * n * sizeof(float)), "cudaMemset");
  gpusched_trace::Recorder recorder(blocks, path, q);
  for (int run = 0; run < runs; ++run) {
    recorder.clear();
    vector_add_traced<<<blocks, threads>>>(vectors, vectors + n, vectors + 2 * n, rounds, recorder.records());
    recorder.append();
  }
  std::printf("%s: %d runs of %d blocks, tick of the timer: %llu ns\n", path, runs, blocks, recorder.tick());
  succeed(cudaFree(vectors), "cudaFree");
  return 0;
}

int main(int count, char **arguments) {
  const std::string q = count == 3 ? arguments[1] : "";
  if (q != "0" && q != "1") {
    std::fprintf(stderr, "usage: %s 0|1 TRACE.csv\n", arguments[0]);
    return 2;
  }
  try {
    return record(q == "1" ? 1 : 0, arguments[2]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

#endif // __CUDACC__
