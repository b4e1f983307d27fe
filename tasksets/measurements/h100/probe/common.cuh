// Shared helpers of the H100 probe: JSON lines, clocks, green contexts through entry points that are looked up at run time.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

typedef unsigned long long ull;

// ---------- output: one JSON object per line on stdout ----------
static const char *g_step = "?";
static std::mutex g_out;
static void line(const char *format, ...) {
  std::lock_guard<std::mutex> lock(g_out);
  std::printf("{\"step\":\"%s\",", g_step);
  va_list args;
  va_start(args, format);
  std::vprintf(format, args);
  va_end(args);
  std::printf("}\n");
  std::fflush(stdout);
}
static std::string quoted(const char *text) {
  std::string out = "\"";
  for (const char *c = text ? text : ""; *c; ++c) {
    if (*c == '"' || *c == '\\') out += '\\';
    out += (unsigned char)*c < 32 ? ' ' : *c;
  }
  return out + "\"";
}
template <class T> static std::string list(const T &values) {
  std::string out = "[";
  for (auto value : values) out += (out.size() > 1 ? "," : "") + std::to_string(value);
  return out + "]";
}
[[noreturn]] static void stop(const char *what, const char *detail) {
  line("\"kind\":\"error\",\"what\":%s,\"detail\":%s", quoted(what).c_str(), quoted(detail).c_str());
  std::fflush(stdout);
  std::_Exit(3);
}

// ---------- CUDA ----------
#define RT(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) stop(#call, cudaGetErrorString(e_)); } while (0)
struct Driver {
  decltype(&cuDeviceGetDevResource) deviceResource = nullptr;
  decltype(&cuDevSmResourceSplitByCount) splitByCount = nullptr;
  decltype(&cuDevResourceGenerateDesc) desc = nullptr;
  decltype(&cuGreenCtxCreate) greenCreate = nullptr;
  decltype(&cuGreenCtxDestroy) greenDestroy = nullptr;
  decltype(&cuGreenCtxGetDevResource) greenResource = nullptr;
  decltype(&cuGreenCtxStreamCreate) greenStream = nullptr;
  decltype(&cuCtxFromGreenCtx) ctxFromGreen = nullptr;
  decltype(&cuStreamWriteValue32) writeValue = nullptr;
  decltype(&cuModuleLoadData) moduleLoad = nullptr;
  decltype(&cuModuleUnload) moduleUnload = nullptr;
  decltype(&cuGetErrorName) errorName = nullptr;
  decltype(&cuStreamGetGreenCtx) streamGreen = nullptr;
  int version = 0;
  std::map<std::string, int> found; // name -> result of cuGetProcAddress
};
static Driver D;
static const char *name_of(CUresult r) {
  const char *name = nullptr;
  if (D.errorName) D.errorName(r, &name);
  static thread_local char text[64];
  if (!name) { std::snprintf(text, sizeof text, "CUresult %d", (int)r); return text; }
  return name;
}
#define DR(call) do { CUresult e_ = (call); if (e_ != CUDA_SUCCESS) stop(#call, name_of(e_)); } while (0)

static void open_driver() {
  void *lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (!lib) stop("dlopen(libcuda.so.1)", dlerror());
  auto get = (decltype(&cuGetProcAddress_v2))dlsym(lib, "cuGetProcAddress_v2");
  if (!get) stop("dlsym(cuGetProcAddress_v2)", "driver older than CUDA 12.0");
  auto find = [&](const char *name, int since) -> void * {
    void *p = nullptr;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    CUresult r = get(name, &p, since, CU_GET_PROC_ADDRESS_DEFAULT, &status);
    D.found[name] = (r == CUDA_SUCCESS && p) ? 0 : (int)r * 10 + (int)status;
    return r == CUDA_SUCCESS ? p : nullptr;
  };
#define FIND(field, name, since) D.field = (decltype(D.field))find(name, since)
  FIND(deviceResource, "cuDeviceGetDevResource", 12040);
  FIND(splitByCount, "cuDevSmResourceSplitByCount", 12040);
  FIND(desc, "cuDevResourceGenerateDesc", 12040);
  FIND(greenCreate, "cuGreenCtxCreate", 12040);
  FIND(greenDestroy, "cuGreenCtxDestroy", 12040);
  FIND(greenResource, "cuGreenCtxGetDevResource", 12040);
  FIND(greenStream, "cuGreenCtxStreamCreate", 12050);
  FIND(ctxFromGreen, "cuCtxFromGreenCtx", 12040);
  FIND(writeValue, "cuStreamWriteValue32", 12000);
  FIND(moduleLoad, "cuModuleLoadData", 12000);
  FIND(moduleUnload, "cuModuleUnload", 12000);
  FIND(errorName, "cuGetErrorName", 12000);
  FIND(streamGreen, "cuStreamGetGreenCtx", 12040);
  find("cuDevSmResourceSplit", 13010); // only to see whether the driver has it
  find("cuGreenCtxGetId", 13000);
#undef FIND
  RT(cudaSetDevice(0));
  RT(cudaFree(nullptr)); // makes the primary context current
  RT(cudaDriverGetVersion(&D.version));
  if (!D.greenStream || !D.splitByCount) stop("green contexts", "entry points are missing");
}

struct Part {
  CUgreenCtx green = nullptr;
  unsigned asked = 0, sms = 0;
  std::vector<cudaStream_t> streams;
};
static CUdevResource device_sms() {
  CUdevResource all;
  std::memset(&all, 0, sizeof all);
  DR(D.deviceResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
  return all;
}
// Splits the device into as many groups of `group` SMs as the driver creates.
static CUresult split(unsigned group, unsigned flags, std::vector<CUdevResource> &groups, CUdevResource &rest) {
  CUdevResource all = device_sms();
  unsigned n = 0;
  CUresult r = D.splitByCount(nullptr, &n, &all, nullptr, flags, group);
  if (r != CUDA_SUCCESS || n == 0) { groups.clear(); return r; }
  groups.assign(n, CUdevResource{});
  std::memset(&rest, 0, sizeof rest);
  r = D.splitByCount(groups.data(), &n, &all, &rest, flags, group);
  groups.resize(r == CUDA_SUCCESS ? n : 0);
  return r;
}
static CUresult make(std::vector<CUdevResource> groups, Part &part, int streams = 1, int priority = 0) {
  for (auto &group : groups) part.asked += group.sm.smCount;
  CUdevResourceDesc desc;
  CUresult r = D.desc(&desc, groups.data(), (unsigned)groups.size());
  if (r != CUDA_SUCCESS) return r;
  r = D.greenCreate(&part.green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM);
  if (r != CUDA_SUCCESS) return r;
  CUdevResource got;
  std::memset(&got, 0, sizeof got);
  r = D.greenResource(part.green, &got, CU_DEV_RESOURCE_TYPE_SM);
  if (r != CUDA_SUCCESS) return r;
  part.sms = got.sm.smCount;
  for (int i = 0; i < streams; ++i) {
    CUstream s;
    r = D.greenStream(&s, part.green, CU_STREAM_NON_BLOCKING, priority);
    if (r != CUDA_SUCCESS) return r;
    part.streams.push_back((cudaStream_t)s);
  }
  return CUDA_SUCCESS;
}
// Takes `count` groups of 8 SMs from `groups`, beginning at `first`.
static Part take(const std::vector<CUdevResource> &groups, size_t first, size_t count, int streams = 1) {
  if (first + count > groups.size()) stop("take", "not enough groups of 8 SMs");
  Part part;
  CUresult r = make({groups.begin() + first, groups.begin() + first + count}, part, streams);
  if (r != CUDA_SUCCESS) stop("green context", name_of(r));
  return part;
}
static void drop(Part &part) {
  for (auto s : part.streams) cudaStreamDestroy(s);
  if (part.green) D.greenDestroy(part.green);
  part = Part();
}

// ---------- host clock ----------
static inline ull now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (ull)t.tv_sec * 1000000000ull + (ull)t.tv_nsec;
}
struct Budget { // internal time limit of a step, below the outer `timeout`
  ull end;
  explicit Budget(double seconds) : end(now_ns() + (ull)(seconds * 1e9)) {}
  bool over() const { return now_ns() > end; }
};
struct Stat { ull min, p50, p99, max; double mean; size_t n; };
static Stat stat(std::vector<ull> v) {
  Stat s = {0, 0, 0, 0, 0.0, v.size()};
  if (v.empty()) return s;
  std::sort(v.begin(), v.end());
  double sum = 0;
  for (ull x : v) sum += (double)x;
  s.min = v.front(); s.max = v.back(); s.p50 = v[v.size() / 2]; s.p99 = v[std::min(v.size() - 1, v.size() * 99 / 100)]; s.mean = sum / v.size();
  return s;
}
static std::string json(const Stat &s) {
  char text[200];
  std::snprintf(text, sizeof text, "{\"n\":%zu,\"min\":%llu,\"p50\":%llu,\"p99\":%llu,\"max\":%llu,\"mean\":%.1f}", s.n, s.min, s.p50, s.p99, s.max, s.mean);
  return text;
}

// Word in device memory that ends a kernel. A kernel that polls host memory would delay every other access of the GPU to the host.
struct Halt {
  int *word = nullptr;
  bool stopped = false;
  cudaStream_t control = nullptr;
  void open() { RT(cudaMalloc(&word, 64)); RT(cudaMemset(word, 0, 64)); RT(cudaStreamCreateWithFlags(&control, cudaStreamNonBlocking)); RT(cudaDeviceSynchronize()); }
  void set(int value) {
    DR(D.writeValue((CUstream)control, (CUdeviceptr)word, (cuuint32_t)value, CU_STREAM_WRITE_VALUE_DEFAULT));
    RT(cudaStreamSynchronize(control));
    stopped = value != 0;
  }
};

// ---------- completion flag in pinned memory ----------
__global__ void k_flag(volatile uint32_t *flag, uint32_t value, ull *time);
struct Flag {
  volatile uint32_t *host = nullptr;
  CUdeviceptr device = 0;
  uint32_t next = 0;
  bool by_kernel = false; // fallback if streams of green contexts refuse cuStreamWriteValue32
  void open() {
    void *h, *d;
    RT(cudaHostAlloc(&h, 64, cudaHostAllocMapped));
    std::memset(h, 0, 64);
    RT(cudaHostGetDevicePointer(&d, h, 0));
    host = (volatile uint32_t *)h;
    device = (CUdeviceptr)d;
  }
  // Enqueues the write of a new number behind the work of `stream`.
  void mark(cudaStream_t stream) {
    ++next;
    if (!by_kernel) {
      CUresult r = D.writeValue ? D.writeValue((CUstream)stream, device, next, CU_STREAM_WRITE_VALUE_DEFAULT) : CUDA_ERROR_NOT_FOUND;
      if (r == CUDA_SUCCESS) return;
      by_kernel = true;
      line("\"kind\":\"fallback\",\"what\":\"cuStreamWriteValue32\",\"result\":\"%s\"", name_of(r));
    }
    k_flag<<<1, 1, 0, stream>>>((volatile uint32_t *)device, next, nullptr);
    RT(cudaGetLastError());
  }
  struct Halt *halt = nullptr; // stopped after 1 s of waiting: a kernel without an end is in the same queue
  int halted = 0;
  bool done() const { return *host == next; }
  // Waits without a call of the driver. After 200 ms it asks for an error of the stream.
  void wait(cudaStream_t stream) {
    ull start = now_ns();
    while (!done()) {
      if (now_ns() - start > 200000000ull) {
        cudaError_t e = cudaStreamQuery(stream);
        if (e != cudaSuccess && e != cudaErrorNotReady) stop("job", cudaGetErrorString(e));
        if (halt && !halt->stopped && now_ns() - start > 1000000000ull) { halt->set(1); ++halted; }
        if (now_ns() - start > 10000000000ull) stop("job", "not complete after 10 s");
      }
    }
  }
};

// ---------- device code ----------
__device__ __forceinline__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ __forceinline__ ull gtime() { ull t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t; }
struct Rec { ull start, end; unsigned sm, block; };

// One block per SM (large shared memory). Blocks wait for each other, at most `limit` ns, so that they run on different SMs.
__global__ void k_smid(unsigned *ids, unsigned *counter, ull limit, int meet) {
  if (threadIdx.x == 0) {
    ull start = gtime();
    ids[blockIdx.x] = smid();
    atomicAdd(counter, 1);
    if (meet) while (atomicAdd(counter, 0) < gridDim.x && gtime() - start < limit) {}
    else while (gtime() - start < limit) {}
  }
}
__global__ void k_null() {}
__global__ void k_spin(ull ns, Rec *rec) { // each block lasts `ns`
  ull start = gtime();
  while (gtime() - start < ns) {}
  if (rec && threadIdx.x == 0) { Rec r; r.start = start; r.end = gtime(); r.sm = smid(); r.block = blockIdx.x; rec[blockIdx.x] = r; }
}
__global__ void k_stamp(ull *out) { *out = gtime(); }
__global__ void k_flag(volatile uint32_t *flag, uint32_t value, ull *time) { if (time) *time = gtime(); __threadfence_system(); *flag = value; }

// SMs that a kernel on `stream` uses, from two launches: `expect` blocks that meet, and many blocks that do not.
static std::set<unsigned> observe(cudaStream_t stream, unsigned expect, bool *met) {
  const int smem = 160 * 1024;
  static bool once = false;
  if (!once) { RT(cudaFuncSetAttribute(k_smid, cudaFuncAttributeMaxDynamicSharedMemorySize, smem)); once = true; }
  unsigned many = std::max(4 * expect, 528u), *ids, *counter;
  RT(cudaMalloc(&ids, many * sizeof(unsigned)));
  RT(cudaMalloc(&counter, sizeof(unsigned)));
  std::set<unsigned> seen;
  std::vector<unsigned> host(many);
  for (int pass = 0; pass < 2; ++pass) {
    unsigned grid = pass == 0 ? expect : many;
    RT(cudaMemset(counter, 0, sizeof(unsigned)));
    RT(cudaDeviceSynchronize());
    static bool refused = false;
    if (!refused) {
      k_smid<<<grid, 32, smem, stream>>>(ids, counter, pass == 0 ? 20000000ull : 30000ull, pass == 0);
      cudaError_t e = cudaGetLastError();
      if (e != cudaSuccess) { refused = true; line("\"kind\":\"fallback\",\"what\":\"shared memory of k_smid\",\"result\":%s", quoted(cudaGetErrorString(e)).c_str()); }
    }
    if (refused) { k_smid<<<grid, 1024, 0, stream>>>(ids, counter, pass == 0 ? 20000000ull : 30000ull, pass == 0); RT(cudaGetLastError()); }
    RT(cudaStreamSynchronize(stream));
    RT(cudaMemcpy(host.data(), ids, grid * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::set<unsigned> now(host.begin(), host.begin() + grid);
    if (pass == 0 && met) *met = now.size() == expect;
    seen.insert(now.begin(), now.end());
  }
  cudaFree(ids);
  cudaFree(counter);
  return seen;
}
