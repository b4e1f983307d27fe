// One program, one step per process:  rtprobe STEP [SECONDS] [CSV]   (JSON lines on stdout; rows for `wcet fit` in CSV)
#include "common.cuh"
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

static FILE *g_csv = nullptr;

// ---------- work of the jobs: fixed work, fixed grid, so that the time depends on the number of SMs ----------
struct Buffers { float4 *a = nullptr, *b = nullptr; float *c = nullptr; unsigned *chain = nullptr; size_t bytes = 0; };
static Buffers M;
__global__ void k_fma(float *out, int rounds) {
  float x[8];
  for (int i = 0; i < 8; ++i) x[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = x[i] * 1.000001f + 0.5f;
  float s = 0;
  for (int i = 0; i < 8; ++i) s += x[i];
  if (s == 12345.678f) out[0] = s;
}
__global__ void k_copy(const float4 *in, float4 *out, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i] = in[i];
}
__global__ void k_read(const float4 *in, float *out, size_t n, int rounds) {
  float s = 0;
  for (int r = 0; r < rounds; ++r)
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
      float4 v = __ldcg(in + i);
      s += v.x + v.y + v.z + v.w;
    }
  if (s == 12345.678f) out[0] = s;
}
__global__ void k_gemm(const float *a, const float *b, float *c, int n) { // 32 x 32 tiles, 256 threads, 4 rows each
  __shared__ float as[32][33], bs[32][33];
  int tx = threadIdx.x & 31, ty = threadIdx.x >> 5, col = blockIdx.x * 32 + tx, row0 = blockIdx.y * 32;
  float acc[4] = {0, 0, 0, 0};
  for (int k = 0; k < n; k += 32) {
    for (int i = 0; i < 4; ++i) {
      as[ty + 8 * i][tx] = a[(row0 + ty + 8 * i) * n + k + tx];
      bs[ty + 8 * i][tx] = b[(k + ty + 8 * i) * n + col];
    }
    __syncthreads();
    for (int j = 0; j < 32; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) acc[i] += as[ty + 8 * i][j] * bs[j][tx];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) c[(row0 + ty + 8 * i) * n + col] = acc[i];
}
__global__ void k_chase(const unsigned *chain, unsigned *out, int hops) {
  unsigned at = threadIdx.x * 97;
  for (int i = 0; i < hops; ++i) at = __ldcg(chain + at);
  if (at == 0xffffffffu) out[0] = at;
}
static const size_t CHAIN = 1u << 24; // 64 MiB of unsigned
__global__ void k_chain(unsigned *chain, unsigned n) { // i -> (a*i + c) mod n is one cycle for n = 2^k, a = 1 mod 4, c odd
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) chain[i] = (i * 1664525u + 1013904223u) & (n - 1);
}
static void buffers() {
  M.bytes = 128u << 20;
  RT(cudaMalloc(&M.a, M.bytes)); RT(cudaMalloc(&M.b, M.bytes));
  RT(cudaMalloc(&M.c, 64u << 20)); RT(cudaMalloc(&M.chain, CHAIN * 4));
  RT(cudaMemset(M.a, 1, M.bytes)); RT(cudaMemset(M.b, 2, M.bytes)); RT(cudaMemset(M.c, 3, 64u << 20));
  k_chain<<<1024, 256>>>(M.chain, (unsigned)CHAIN);
  RT(cudaDeviceSynchronize());
}
static const int KINDS = 6;
static const char *KIND[KINDS] = {"fma", "copy", "l2read", "gemm", "chase", "many"};
static void job(int kind, cudaStream_t s) {
  switch (kind) {
  case 0: k_fma<<<1056, 256, 0, s>>>(M.c, 4000); break;
  case 1: k_copy<<<1056, 256, 0, s>>>(M.a, M.b, M.bytes / 16); break;
  case 2: k_read<<<1056, 256, 0, s>>>(M.a, M.c, (16u << 20) / 16, 8); break;
  case 3: k_gemm<<<dim3(32, 32), 256, 0, s>>>((const float *)M.a, (const float *)M.b, M.c, 1024); break;
  case 4: k_chase<<<1, 32, 0, s>>>(M.chain, (unsigned *)M.c, 1000); break;
  default: for (int i = 0; i < 10; ++i) k_fma<<<264, 256, 0, s>>>(M.c, 400); // a job of ten kernels
  }
}
static void flush_l2(cudaStream_t s) { RT(cudaMemsetAsync(M.b, 7, M.bytes, s)); RT(cudaStreamSynchronize(s)); }

// Runs one job and returns its occupancy on the host clock [ns]; `gpu` gets the time between two events.
// Time between two events. If streams of green contexts refuse events, the time on the host clock instead (`host` is then true).
struct Events {
  cudaEvent_t a, b;
  bool host = false;
  ull start = 0;
  Events() { RT(cudaEventCreate(&a)); RT(cudaEventCreate(&b)); }
  void record(cudaEvent_t e, cudaStream_t s) {
    if (host) return;
    cudaError_t r = cudaEventRecord(e, s);
    if (r != cudaSuccess) {
      cudaGetLastError();
      host = true;
      line("\"kind\":\"fallback\",\"what\":\"cudaEventRecord\",\"result\":%s", quoted(cudaGetErrorString(r)).c_str());
    }
  }
  void begin(cudaStream_t s) { start = now_ns(); record(a, s); }
  void end(cudaStream_t s) { record(b, s); }
  ull ns(cudaStream_t s) {
    if (host) { RT(cudaStreamSynchronize(s)); return now_ns() - start; }
    float ms = 0;
    RT(cudaEventSynchronize(b));
    RT(cudaEventElapsedTime(&ms, a, b));
    return (ull)(ms * 1e6);
  }
};
static ull run(int kind, cudaStream_t s, Flag &flag, Events &ev, ull *gpu, ull *enqueue) {
  ull t0 = now_ns();
  ev.begin(s);
  job(kind, s);
  ev.end(s);
  flag.mark(s);
  ull t1 = now_ns();
  flag.wait(s);
  ull t2 = now_ns();
  if (gpu) *gpu = ev.host ? t2 - t0 : ev.ns(s);
  if (enqueue) *enqueue = t1 - t0;
  return t2 - t0;
}

// ---------- a: info, sizes, SM sets ----------
static void step_info(Budget &) {
  cudaDeviceProp p;
  RT(cudaGetDeviceProperties(&p, 0));
  int least = 0, most = 0, runtime = 0;
  RT(cudaDeviceGetStreamPriorityRange(&least, &most));
  RT(cudaRuntimeGetVersion(&runtime));
  CUdevResource all = device_sms();
  const char *connections = getenv("CUDA_DEVICE_MAX_CONNECTIONS"), *loading = getenv("CUDA_MODULE_LOADING");
  line("\"kind\":\"device\",\"name\":%s,\"cc\":\"%d.%d\",\"sms\":%d,\"l2_bytes\":%d,\"memory\":%zu,\"driver\":%d,\"runtime\":%d,\"priorities\":[%d,%d],"
       "\"sm_count\":%u,\"min_partition\":%u,\"alignment\":%u,\"connections\":%s,\"loading\":%s,\"smem_per_sm\":%zu,\"threads_per_sm\":%d",
       quoted(p.name).c_str(), p.major, p.minor, p.multiProcessorCount, p.l2CacheSize, p.totalGlobalMem, D.version, runtime, least, most,
       all.sm.smCount, all.sm.minSmPartitionSize, all.sm.smCoscheduledAlignment, quoted(connections).c_str(), quoted(loading).c_str(),
       p.sharedMemPerMultiprocessor, p.maxThreadsPerMultiProcessor);
  for (auto &entry : D.found) line("\"kind\":\"symbol\",\"name\":\"%s\",\"status\":%d", entry.first.c_str(), entry.second);
  // Tick of %globaltimer, and its offset to CLOCK_MONOTONIC, from the tightest of 200 handshakes.
  ull *stamp;
  RT(cudaHostAlloc((void **)&stamp, 64, cudaHostAllocMapped));
  ull best = ~0ull;
  long long offset = 0;
  ull previous = 0, tick = 0;
  for (int i = 0; i < 200; ++i) {
    ull a = now_ns();
    k_stamp<<<1, 1>>>(stamp);
    RT(cudaDeviceSynchronize());
    ull b = now_ns();
    if (b - a < best) { best = b - a; offset = (long long)*stamp - (long long)(a + (b - a) / 2); }
    if (previous) { ull x = *stamp - previous, y = tick; while (y) { ull z = x % y; x = y; y = z; } tick = x; }
    previous = *stamp;
  }
  line("\"kind\":\"globaltimer\",\"tick_ns\":%llu,\"offset_ns\":%lld,\"uncertainty_ns\":%llu", tick, offset, best / 2);
}
static void step_sizes(Budget &budget) {
  for (unsigned flags = 0; flags < 4; ++flags)
    for (unsigned count = 1; count <= device_sms().sm.smCount && !budget.over(); count += count < 40 ? 1 : 4) {
      std::vector<CUdevResource> groups;
      CUdevResource rest{};
      CUresult r = split(count, flags, groups, rest);
      std::vector<unsigned> sizes;
      for (auto &g : groups) sizes.push_back(g.sm.smCount);
      line("\"kind\":\"split\",\"flags\":%u,\"asked\":%u,\"result\":\"%s\",\"groups\":%zu,\"sizes\":%s,\"rest\":%u", flags, count, name_of(r), groups.size(),
           list(sizes).c_str(), r == CUDA_SUCCESS && rest.type == CU_DEV_RESOURCE_TYPE_SM ? rest.sm.smCount : 0);
    }
}
static void sets_of(const char *what, std::vector<Part> &parts) {
  std::map<unsigned, int> owners;
  bool sizes = true, all_met = true;
  for (size_t i = 0; i < parts.size(); ++i) {
    bool met = false;
    std::set<unsigned> seen = observe(parts[i].streams[0], parts[i].sms, &met);
    for (unsigned s : seen) owners[s]++;
    sizes &= seen.size() == parts[i].sms;
    all_met &= met;
    line("\"kind\":\"sms\",\"what\":\"%s\",\"part\":%zu,\"asked\":%u,\"granted\":%u,\"met\":%s,\"ids\":%s", what, i, parts[i].asked, parts[i].sms, met ? "true" : "false", list(seen).c_str());
  }
  int shared = 0;
  for (auto &o : owners) shared += o.second > 1;
  line("\"kind\":\"check\",\"what\":\"%s\",\"parts\":%zu,\"sizes_equal\":%s,\"met\":%s,\"shared_sms\":%d,\"covered\":%zu", what, parts.size(), sizes ? "true" : "false", all_met ? "true" : "false", shared, owners.size());
}
static void step_smids(Budget &budget) {
  bool met = false;
  std::set<unsigned> whole = observe(nullptr, device_sms().sm.smCount, &met);
  line("\"kind\":\"sms\",\"what\":\"primary\",\"part\":0,\"asked\":%u,\"granted\":%zu,\"met\":%s,\"ids\":%s", device_sms().sm.smCount, whole.size(), met ? "true" : "false", list(whole).c_str());
  struct Try { const char *what; unsigned group, flags; std::vector<size_t> counts; };
  // Counts of groups per partition; an empty list means one group per partition.
  std::vector<Try> tries = {{"groups-of-8", 8, 0, {}}, {"merged-8", 8, 0, {1, 2, 3, 4, 5}}, {"groups-of-16", 16, 0, {}}, {"groups-of-2-fine", 2, 1, {}}, {"merged-2-fine", 2, 1, {1, 3, 5, 7, 11, 13}}};
  for (auto &t : tries) {
    if (budget.over()) break;
    std::vector<CUdevResource> groups;
    CUdevResource rest{};
    CUresult r = split(t.group, t.flags, groups, rest);
    if (r != CUDA_SUCCESS) { line("\"kind\":\"skip\",\"what\":\"%s\",\"result\":\"%s\"", t.what, name_of(r)); continue; }
    std::vector<Part> parts;
    size_t first = 0, index = 0;
    ull create = 0;
    while (first < groups.size() && (t.counts.empty() || index < t.counts.size())) {
      size_t count = t.counts.empty() ? 1 : t.counts[index];
      if (first + count > groups.size()) break;
      Part part;
      ull a = now_ns();
      r = make({groups.begin() + first, groups.begin() + first + count}, part);
      create = std::max(create, now_ns() - a);
      if (r != CUDA_SUCCESS) { line("\"kind\":\"limit\",\"what\":\"%s\",\"part\":%zu,\"result\":\"%s\"", t.what, index, name_of(r)); break; }
      parts.push_back(part);
      first += count; ++index;
    }
    if (t.counts.empty() && rest.type == CU_DEV_RESOURCE_TYPE_SM && rest.sm.smCount > 0) { // the remainder as one more partition
      Part part;
      r = make({rest}, part);
      line("\"kind\":\"remainder\",\"what\":\"%s\",\"sms\":%u,\"result\":\"%s\"", t.what, rest.sm.smCount, name_of(r));
      if (r == CUDA_SUCCESS) parts.push_back(part);
    }
    line("\"kind\":\"created\",\"what\":\"%s\",\"parts\":%zu,\"longest_create_ns\":%llu", t.what, parts.size(), create);
    sets_of(t.what, parts);
    for (auto &p : parts) drop(p);
  }
  // A descriptor may contain results and the remainder of one split, and nothing of another split.
  std::vector<CUdevResource> a, b;
  CUdevResource rest{}, other{};
  if (split(8, 0, a, rest) == CUDA_SUCCESS && split(8, 0, b, other) == CUDA_SUCCESS && a.size() > 1 && b.size() > 1) {
    Part mixed, joined;
    line("\"kind\":\"rule\",\"what\":\"two groups of different splits\",\"result\":\"%s\"", name_of(make({a[0], b[1]}, mixed)));
    if (rest.type == CU_DEV_RESOURCE_TYPE_SM && rest.sm.smCount) {
      CUresult r = make({a[0], rest}, joined);
      line("\"kind\":\"rule\",\"what\":\"group and remainder\",\"result\":\"%s\",\"sms\":%u", name_of(r), joined.sms);
    }
    drop(mixed); drop(joined);
    // Two independent splits of one group each: do the contexts share SMs (as with two calls of torch GreenContext.create)?
    Part p, q;
    if (make({a[0]}, p) == CUDA_SUCCESS && make({b[0]}, q) == CUDA_SUCCESS) { std::vector<Part> two = {p, q}; sets_of("independent-splits", two); }
  }
}
// Do kernels in `n` green contexts run at the same time? Depends on CUDA_DEVICE_MAX_CONNECTIONS.
static void step_queues(Budget &budget) {
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  std::vector<Part> parts;
  for (size_t i = 0; i < groups.size(); ++i) parts.push_back(take(groups, i, 1, 2));
  Rec *rec;
  RT(cudaMalloc(&rec, sizeof(Rec) * 64));
  for (int streams = 1; streams <= 2; ++streams)
    for (size_t n : {2u, 4u, 7u, 8u, 9u, 12u, 16u}) {
      if (n > parts.size() || budget.over()) break;
      ull worst = 0;
      for (int repeat = 0; repeat < 3; ++repeat) {
        RT(cudaMemset(rec, 0, sizeof(Rec) * 64));
        RT(cudaDeviceSynchronize());
        ull a = now_ns();
        for (int s = 0; s < streams; ++s)
          for (size_t i = 0; i < n; ++i) k_spin<<<1, 1, 0, parts[i].streams[s]>>>(2000000ull, rec + s * 32 + i);
        RT(cudaDeviceSynchronize());
        worst = std::max(worst, now_ns() - a);
      }
      Rec host[64];
      RT(cudaMemcpy(host, rec, sizeof host, cudaMemcpyDeviceToHost));
      ull first = ~0ull, last = 0;
      for (int s = 0; s < streams; ++s) for (size_t i = 0; i < n; ++i) { first = std::min(first, host[s * 32 + i].start); last = std::max(last, host[s * 32 + i].start); }
      line("\"kind\":\"queues\",\"contexts\":%zu,\"streams_each\":%d,\"kernel_ns\":2000000,\"longest_total_ns\":%llu,\"start_spread_ns\":%llu,\"concurrent\":%s", n, streams, worst, last - first, worst < 3000000ull ? "true" : "false");
    }
}
// SMs that run one cluster are in one GPC. Connected components of many clusters approximate the GPCs.
__global__ void k_cluster(unsigned *ids, unsigned *clusters) {
  unsigned c; asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(c));
  if (threadIdx.x == 0) { ids[blockIdx.x] = smid(); clusters[blockIdx.x] = c; ull t = gtime(); while (gtime() - t < 20000) {} }
}
static void step_gpc(Budget &budget) {
  const int smem = 120 * 1024;
  RT(cudaFuncSetAttribute(k_cluster, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
  RT(cudaFuncSetAttribute(k_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  unsigned *ids, *clusters;
  const unsigned MOST = 4096;
  RT(cudaMalloc(&ids, MOST * 4)); RT(cudaMalloc(&clusters, MOST * 4));
  std::vector<unsigned> parent(1024), i0(MOST), c0(MOST);
  for (unsigned i = 0; i < parent.size(); ++i) parent[i] = i;
  auto root = [&](unsigned x) { while (parent[x] != x) x = parent[x] = parent[parent[x]]; return x; };
  std::map<std::pair<unsigned, unsigned>, int> pairs;
  std::set<unsigned> sms;
  for (unsigned size : {2u, 3u, 4u, 5u, 6u, 7u, 8u, 10u, 12u, 14u, 16u})
    for (int repeat = 0; repeat < 20 && !budget.over(); ++repeat) {
      unsigned grid = size * (1 + (repeat * 7) % 24);
      cudaLaunchConfig_t config = {};
      cudaLaunchAttribute attribute;
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim.x = size; attribute.val.clusterDim.y = 1; attribute.val.clusterDim.z = 1;
      config.gridDim = dim3(grid); config.blockDim = dim3(32); config.dynamicSmemBytes = smem; config.attrs = &attribute; config.numAttrs = 1;
      cudaError_t e = cudaLaunchKernelEx(&config, k_cluster, ids, clusters);
      if (e == cudaSuccess) e = cudaDeviceSynchronize();
      if (e != cudaSuccess) { line("\"kind\":\"skip\",\"cluster\":%u,\"result\":%s", size, quoted(cudaGetErrorString(e)).c_str()); cudaGetLastError(); break; }
      RT(cudaMemcpy(i0.data(), ids, grid * 4, cudaMemcpyDeviceToHost));
      RT(cudaMemcpy(c0.data(), clusters, grid * 4, cudaMemcpyDeviceToHost));
      std::map<unsigned, std::vector<unsigned>> members;
      for (unsigned b = 0; b < grid; ++b) { members[c0[b]].push_back(i0[b]); sms.insert(i0[b]); }
      for (auto &m : members) {
        for (unsigned s : m.second) if (s < 1024) parent[root(s)] = root(m.second[0]);
        if (size == 2 && m.second.size() == 2) pairs[{std::min(m.second[0], m.second[1]), std::max(m.second[0], m.second[1])}]++;
      }
    }
  for (unsigned size : {2u, 4u, 8u, 16u}) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size; attribute.val.clusterDim.y = 1; attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(size * 64); config.blockDim = dim3(32); config.dynamicSmemBytes = smem; config.attrs = &attribute; config.numAttrs = 1;
    int most = -1;
    cudaError_t e = cudaOccupancyMaxActiveClusters(&most, k_cluster, &config);
    line("\"kind\":\"active-clusters\",\"size\":%u,\"most\":%d,\"result\":%s", size, most, quoted(cudaGetErrorString(e)).c_str());
    cudaGetLastError();
  }
  std::map<unsigned, std::vector<unsigned>> components;
  for (unsigned s : sms) components[root(s)].push_back(s);
  std::vector<size_t> sizes;
  for (auto &c : components) { sizes.push_back(c.second.size()); line("\"kind\":\"gpc\",\"index\":%zu,\"sms\":%s", sizes.size() - 1, list(c.second).c_str()); }
  int tpc = 0, not_tpc = 0;
  for (auto &p : pairs) (p.first.first / 2 == p.first.second / 2 && p.first.first != p.first.second ? tpc : not_tpc) += p.second;
  line("\"kind\":\"gpcs\",\"components\":%zu,\"sizes\":%s,\"sms_seen\":%zu,\"pairs_on_2t_2t1\":%d,\"other_pairs\":%d", components.size(), list(sizes).c_str(), sms.size(), tpc, not_tpc);
}

// ---------- b: C(m) ----------
static std::vector<unsigned> counts_of_groups(size_t most) {
  std::vector<unsigned> counts;
  for (size_t n = 1; n <= most; ++n) counts.push_back((unsigned)n);
  return counts;
}
static void row(const char *kernel, unsigned sms, ull gpu, ull occupancy, const char *contention, const char *cache, int sample) {
  if (g_csv) std::fprintf(g_csv, "%s,%u,%llu,%llu,%s,%s,%d\n", kernel, sms, gpu, occupancy, contention, cache, sample);
}
static void step_cm(Budget &budget) {
  buffers();
  Flag flag; flag.open();
  Events ev;
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  std::vector<unsigned> counts = counts_of_groups(groups.size());
  counts.push_back(0); // the primary context
  cudaStream_t whole;
  RT(cudaStreamCreateWithFlags(&whole, cudaStreamNonBlocking));
  for (unsigned n : counts) {
    Part part;
    cudaStream_t s = whole;
    unsigned sms = device_sms().sm.smCount;
    if (n) { part = take(groups, 0, n); s = part.streams[0]; sms = part.sms; }
    for (int kind = 0; kind < KINDS; ++kind)
      for (int cold = 0; cold < 2; ++cold) {
        if (budget.over()) { line("\"kind\":\"cut\",\"sms\":%u", sms); return; }
        std::vector<ull> gpu, host, enqueue;
        for (int i = 0; i < 23; ++i) {
          if (cold) flush_l2(whole);
          ull g = 0, e = 0, o = run(kind, s, flag, ev, &g, &e);
          if (i < 3) continue; // warm-up: first launch, clocks
          gpu.push_back(g); host.push_back(o); enqueue.push_back(e);
          row(KIND[kind], sms, g, o, "isolated", cold ? "cold" : "warm", i - 3);
        }
        line("\"kind\":\"cm\",\"kernel\":\"%s\",\"sms\":%u,\"cache\":\"%s\",\"gpu_ns\":%s,\"occupancy_ns\":%s,\"enqueue_ns\":%s", KIND[kind], sms, cold ? "cold" : "warm", json(stat(gpu)).c_str(), json(stat(host)).c_str(), json(stat(enqueue)).c_str());
      }
    if (n) drop(part);
  }
  // Sizes that only a split with IGNORE_SM_COSCHEDULING grants.
  std::vector<CUdevResource> pairs;
  if (split(2, 1, pairs, rest) != CUDA_SUCCESS) return;
  for (size_t n : {1u, 2u, 3u, 5u, 6u, 7u, 9u, 11u}) {
    if (n > pairs.size()) break;
    Part part;
    CUresult r = make({pairs.begin(), pairs.begin() + n}, part);
    if (r != CUDA_SUCCESS) { line("\"kind\":\"skip\",\"what\":\"fine\",\"groups\":%zu,\"result\":\"%s\"", n, name_of(r)); continue; }
    for (int kind = 0; kind < KINDS; ++kind) {
      if (budget.over()) { line("\"kind\":\"cut\",\"sms\":%u", part.sms); return; }
      std::vector<ull> gpu, host, enqueue;
      for (int i = 0; i < 13; ++i) {
        ull g = 0, e = 0, o = run(kind, part.streams[0], flag, ev, &g, &e);
        if (i < 3) continue;
        gpu.push_back(g); host.push_back(o); enqueue.push_back(e);
        row(KIND[kind], part.sms, g, o, "isolated", "warm-fine", i - 3);
      }
      line("\"kind\":\"cm\",\"kernel\":\"%s\",\"sms\":%u,\"cache\":\"warm-fine\",\"gpu_ns\":%s,\"occupancy_ns\":%s,\"enqueue_ns\":%s", KIND[kind], part.sms, json(stat(gpu)).c_str(), json(stat(host)).c_str(), json(stat(enqueue)).c_str());
    }
    drop(part);
  }
}
static void step_traffic(Budget &) { // one job per kernel, for ncu
  buffers();
  for (int kind = 0; kind < KINDS; ++kind) { flush_l2(nullptr); job(kind, nullptr); RT(cudaDeviceSynchronize()); }
  line("\"kind\":\"done\"");
}

// ---------- c: co-runners ----------
__global__ void k_aggressor(int kind, float4 *data, size_t n, size_t stride, volatile int *stop, float *out) {
  float s = threadIdx.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
  __shared__ float shared[1024];
  shared[threadIdx.x] = s;
  __syncthreads();
  ull begin = gtime();
  for (int round = 0; ; ++round) {
    if ((round & 15) == 0 && (*stop || gtime() - begin > 8000000000ull)) break;
    switch (kind) {
    case 0: for (size_t j = i; j < n; j += step) { float4 v = __ldcg(data + j); s += v.x; } break;               // DRAM reads (n above L2) or L2 reads (n below L2)
    case 1: for (size_t j = i; j < n; j += step) data[j] = make_float4(s, s, s, s); break;                       // writes
    case 2: for (int r = 0; r < 256; ++r) { float4 v = __ldcg(data + ((i * stride + (size_t)(round * 256 + r) * step * stride) & (n - 1))); s += v.x; } break; // one stride
    case 3: for (int r = 0; r < 4096; ++r) s = s * 1.000001f + 0.5f; break;                                     // FMA pipe
    case 4: for (int r = 0; r < 1024; ++r) s += shared[(threadIdx.x * 32 + r) & 1023]; break;                   // shared memory with bank conflicts
    case 6: s += *(volatile int *)data; break;                                                                  // host memory (`data` is pinned)
    default: for (int r = 0; r < 64; ++r) atomicAdd(out + 1 + (i & 31), 1.0f);                                  // atomics at L2
    }
  }
  if (s == 12345.678f) out[0] = s;
}
struct Aggressor { const char *name; int kind; size_t bytes, stride; };
static void step_conflict(Budget &budget) {
  buffers();
  Flag flag; flag.open();
  Events ev;
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  Part victim = take(groups, 0, 4, 2), other = take(groups, 4, 8, 1);
  float4 *data;
  float *sink;
  const size_t BIG = 1u << 30;
  RT(cudaMalloc(&data, BIG)); RT(cudaMalloc(&sink, 4096)); RT(cudaMemset(data, 0, BIG)); RT(cudaMemset(sink, 0, 4096));
  Halt halt;
  halt.open();
  flag.halt = &halt;
  std::vector<Aggressor> all = {{"none", -1, 0, 0}, {"dram-read", 0, BIG, 0}, {"dram-write", 1, BIG, 0}, {"l2-read", 0, 24u << 20, 0}, {"l2-write", 1, 24u << 20, 0},
                                {"stride-4KiB", 2, BIG, 256}, {"stride-64KiB", 2, BIG, 4096}, {"stride-2MiB", 2, BIG, 131072}, {"fma", 3, 0, 0}, {"shared-memory", 4, 0, 0}, {"atomics", 5, 0, 0}};
  struct Place { const char *name; cudaStream_t stream; int blocks, sms; bool traffic; };
  std::vector<Place> places = {{"other-partition", other.streams[0], (int)other.sms * 2, (int)other.sms, false}, {"same-context", victim.streams[1], (int)victim.sms, (int)victim.sms, false}};
  Part small, large; // their SMs overlap those of `other`, which is idle then
  if (make({groups.begin() + 12, groups.begin() + 13}, small) == CUDA_SUCCESS) places.push_back({"other-partition", small.streams[0], (int)small.sms * 2, (int)small.sms, true});
  if (make({groups.begin() + 4, groups.end()}, large) == CUDA_SUCCESS) places.push_back({"other-partition", large.streams[0], (int)large.sms * 2, (int)large.sms, true});
  for (auto &place : places)
    for (auto &a : all) {
      if (place.traffic && (a.kind < 0 || a.kind > 1)) continue; // several sizes for traffic only
      for (int kind = 0; kind < KINDS; ++kind) {
        if (budget.over()) { line("\"kind\":\"cut\""); return; }
        halt.set(0);
        if (a.kind >= 0) {
          k_aggressor<<<place.blocks, 512, 0, place.stream>>>(a.kind, data, a.bytes / 16, a.stride, halt.word, sink);
          RT(cudaGetLastError());
          ull t = now_ns(); while (now_ns() - t < 1000000ull) {}
        }
        std::vector<ull> gpu, host;
        for (int i = 0; i < 13; ++i) {
          ull g = 0, o = run(kind, victim.streams[0], flag, ev, &g, nullptr);
          if (i < 3) continue;
          gpu.push_back(g); host.push_back(o);
          if (a.kind < 0 || std::string(place.name) == "same-context") row(KIND[kind], victim.sms, g, o, a.kind < 0 ? "isolated" : "conflict", a.name, i - 3);
        }
        halt.set(1);
        RT(cudaStreamSynchronize(place.stream));
        line("\"kind\":\"conflict\",\"kernel\":\"%s\",\"sms\":%u,\"place\":\"%s\",\"aggressor\":\"%s\",\"aggressor_sms\":%d,\"serial\":%d,\"gpu_ns\":%s,\"occupancy_ns\":%s", KIND[kind], victim.sms, place.name, a.name, a.kind < 0 ? 0 : place.sms, flag.halted, json(stat(gpu)).c_str(), json(stat(host)).c_str());
        flag.halted = 0;
      }
    }
  // Alternate: each sample directly follows a job of another kind in the same partition, one at a time.
  for (int kind = 0; kind < KINDS; ++kind)
    for (int before = 0; before < KINDS && !budget.over(); ++before) {
      std::vector<ull> gpu, host;
      for (int i = 0; i < 12; ++i) {
        run(before, victim.streams[0], flag, ev, nullptr, nullptr);
        ull g = 0, o = run(kind, victim.streams[0], flag, ev, &g, nullptr);
        if (i < 2) continue;
        gpu.push_back(g); host.push_back(o);
        row(KIND[kind], victim.sms, g, o, "conflict", (std::string("after-") + KIND[before]).c_str(), i - 2);
      }
      line("\"kind\":\"alternate\",\"kernel\":\"%s\",\"sms\":%u,\"after\":\"%s\",\"gpu_ns\":%s", KIND[kind], victim.sms, KIND[before], json(stat(gpu)).c_str());
    }
  // Kernels with another division of L1 and shared memory do not share an SM. With the same division, do they?
  for (int same = 0; same < 2 && !budget.over(); ++same) {
    int carveout = same ? 50 : -1;
    RT(cudaFuncSetAttribute(k_gemm, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    RT(cudaFuncSetAttribute(k_aggressor, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    flag.halted = 0;
    halt.set(0);
    k_aggressor<<<(int)victim.sms, 512, 0, victim.streams[1]>>>(5, data, 0, 0, halt.word, sink);
    RT(cudaGetLastError());
    usleep(2000);
    ull o = run(3, victim.streams[0], flag, ev, nullptr, nullptr);
    line("\"kind\":\"carveout\",\"same\":%d,\"serial\":%d,\"first_occupancy_ns\":%llu", same, flag.halted, o);
    halt.set(1);
    RT(cudaStreamSynchronize(victim.streams[1]));
  }
  // Kernels of another partition that read host memory: the dispatch of an empty kernel.
  int *host_word;
  RT(cudaHostAlloc((void **)&host_word, 64, cudaHostAllocMapped));
  struct Poll { int blocks, threads; };
  for (Poll p : {Poll{0, 0}, Poll{1, 1}, Poll{16, 1}, Poll{64, 1}, Poll{64, 32}, Poll{64, 512}}) {
    if (budget.over()) break;
    flag.halted = 0;
    halt.set(0);
    if (p.blocks) k_aggressor<<<p.blocks, p.threads, 0, other.streams[0]>>>(6, (float4 *)host_word, 0, 0, halt.word, sink);
    usleep(2000);
    std::vector<ull> t;
    ull since = now_ns();
    for (int i = 0; i < 200 && now_ns() - since < 1500000000ull; ++i) {
      ull a = now_ns();
      k_null<<<1, 32, 0, victim.streams[0]>>>();
      flag.mark(victim.streams[0]);
      flag.wait(victim.streams[0]);
      if (i >= 5) t.push_back(now_ns() - a);
      if (p.blocks && halt.stopped) break;
    }
    line("\"kind\":\"host-poll\",\"blocks\":%d,\"threads\":%d,\"stopped\":%d,\"dispatch_ns\":%s", p.blocks, p.threads, flag.halted, json(stat(t)).c_str());
    halt.set(1);
    RT(cudaStreamSynchronize(other.streams[0]));
  }
}
// Does it matter in which GPC the other partition is? Victim and aggressor have 8 SMs each; the SM ids tell the GPCs afterwards.
static void step_ports(Budget &budget) {
  buffers();
  Flag flag; flag.open();
  Events ev;
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  float4 *data;
  float *sink;
  Halt halt;
  halt.open();
  const size_t BIG = 1u << 30;
  RT(cudaMalloc(&data, BIG)); RT(cudaMalloc(&sink, 4096)); RT(cudaMemset(data, 0, BIG)); RT(cudaMemset(sink, 0, 4096));
  flag.halt = &halt;
  std::vector<Part> parts;
  for (size_t i = 0; i < groups.size(); ++i) {
    parts.push_back(take(groups, i, 1));
    bool met = false;
    line("\"kind\":\"sms\",\"what\":\"ports\",\"part\":%zu,\"granted\":%u,\"ids\":%s", i, parts[i].sms, list(observe(parts[i].streams[0], parts[i].sms, &met)).c_str());
  }
  struct Case { const char *name; int kind; size_t bytes; };
  for (size_t v : {(size_t)0, (size_t)5, parts.size() - 1})
    for (Case c : {Case{"none", -1, 0}, Case{"l2-read", 0, 24u << 20}, Case{"dram-read", 0, BIG}})
      for (size_t other = 0; other < parts.size(); ++other) {
        if (other == v || (c.kind < 0 && other != (v ? 0 : 1))) continue;
        if (budget.over()) { line("\"kind\":\"cut\""); return; }
        halt.set(0);
        if (c.kind >= 0) {
          k_aggressor<<<parts[other].sms * 2, 512, 0, parts[other].streams[0]>>>(c.kind, data, c.bytes / 16, 0, halt.word, sink);
          RT(cudaGetLastError());
          ull t = now_ns(); while (now_ns() - t < 500000ull) {}
        }
        for (int kind : {2, 1}) { // l2read, copy
          std::vector<ull> gpu;
          for (int i = 0; i < 12; ++i) { ull g = 0; run(kind, parts[v].streams[0], flag, ev, &g, nullptr); if (i >= 2) gpu.push_back(g); }
          line("\"kind\":\"ports\",\"kernel\":\"%s\",\"victim\":%zu,\"aggressor\":\"%s\",\"other\":%zu,\"serial\":%d,\"gpu_ns\":%s", KIND[kind], v, c.name, other, flag.halted, json(stat(gpu)).c_str());
        }
        flag.halted = 0;
        halt.set(1);
        RT(cudaStreamSynchronize(parts[other].streams[0]));
      }
}
static void step_bandwidth(Budget &budget) {
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  float4 *data;
  float *sink;
  const size_t BIG = 1u << 30;
  RT(cudaMalloc(&data, BIG)); RT(cudaMalloc(&sink, 4096)); RT(cudaMemset(data, 0, BIG));
  Events ev;
  cudaStream_t whole;
  RT(cudaStreamCreateWithFlags(&whole, cudaStreamNonBlocking));
  for (unsigned n = 0; n <= groups.size() && !budget.over(); ++n) {
    Part part;
    cudaStream_t s = whole;
    unsigned sms = device_sms().sm.smCount;
    if (n) { part = take(groups, 0, n); s = part.streams[0]; sms = part.sms; }
    struct Case { const char *name; size_t bytes; int rounds; bool write; };
    for (Case c : {Case{"dram-read", BIG, 1, false}, Case{"dram-copy", BIG / 2, 1, true}, Case{"l2-read", 16u << 20, 16, false}}) {
      double best = 0, worst = 1e30;
      for (int i = 0; i < 6; ++i) {
        ev.begin(s);
        if (c.write) k_copy<<<sms * 8, 256, 0, s>>>(data, data + BIG / 32, c.bytes / 16);
        else k_read<<<sms * 8, 256, 0, s>>>(data, sink, c.bytes / 16, c.rounds);
        ev.end(s);
        double rate = (double)c.bytes * c.rounds * (c.write ? 2 : 1) / ((double)ev.ns(s) * 1e-9);
        if (i) { best = std::max(best, rate); worst = std::min(worst, rate); }
      }
      line("\"kind\":\"bandwidth\",\"what\":\"%s\",\"sms\":%u,\"best\":%.0f,\"worst\":%.0f", c.name, sms, best, worst);
    }
    if (n) drop(part);
  }
}

// ---------- pipes: two kernels of one block per SM on the same SMs ----------
__global__ void k_pipe(int pipe, int rounds, const float4 *big, size_t n, float *out, ull *time) {
  __shared__ float sh[2048];
  sh[threadIdx.x & 2047] = threadIdx.x;
  __syncthreads();
  float s = threadIdx.x * 0.001f;
  int k = threadIdx.x;
  size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  ull begin = gtime();
  for (int r = 0; r < rounds; ++r) {
#pragma unroll 8
    for (int i = 0; i < 32; ++i) {
      switch (pipe) {
      case 0: s = s * 1.000001f + 0.5f; break;
      case 1: s = __sinf(s); break;
      case 2: k = k * 1664525 + 1013904223; break;
      case 3: s += sh[(threadIdx.x + i * 33) & 2047]; break;
      case 4: { float4 v = __ldcg(big + ((at + (size_t)(r * 32 + i) * 8192) & ((1u << 20) - 1))); s += v.x; break; } // 16 MiB: L2
      default: { float4 v = __ldcg(big + ((at + (size_t)(r * 32 + i) * 65536) & (n - 1))); s += v.x; }             // DRAM
      }
    }
  }
  if (s == 12345.678f || k == 987654321) out[0] = s;
  if (threadIdx.x == 0) atomicMax(time, gtime() - begin);
}
static void step_pipes(Budget &budget) {
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  Part part = take(groups, 0, 2, 2);
  float4 *big;
  float *out;
  ull *time;
  const size_t BIG = 1u << 30;
  RT(cudaMalloc(&big, BIG)); RT(cudaMemset(big, 0, BIG)); RT(cudaMalloc(&out, 4096)); RT(cudaMalloc(&time, 64));
  const char *names[6] = {"fma", "sfu", "imad", "shared", "l2", "dram"};
  int rounds[6] = {400, 200, 400, 200, 60, 40};
  ull lasts[6] = {0, 0, 0, 0, 0, 0}; // alone
  auto once = [&](int x, int y) {
    ull factor = y >= 0 && lasts[x] && lasts[y] ? std::max(20ull, 8 * lasts[x] / lasts[y] + 1) : 20;
    RT(cudaMemset(time, 0, 16));
    RT(cudaDeviceSynchronize());
    // The second kernel runs longer, so that it covers the first.
    if (y >= 0) { k_pipe<<<part.sms, 512, 0, part.streams[1]>>>(y, (int)(rounds[y] * std::min(factor, 4000ull)), big, BIG / 16, out, time + 1); ull t = now_ns(); while (now_ns() - t < 20000ull) {} }
    k_pipe<<<part.sms, 512, 0, part.streams[0]>>>(x, rounds[x], big, BIG / 16, out, time);
    RT(cudaDeviceSynchronize());
    ull host[2];
    RT(cudaMemcpy(host, time, 16, cudaMemcpyDeviceToHost));
    return host[0];
  };
  for (int x = 0; x < 6; ++x) { once(x, -1); lasts[x] = once(x, -1); }
  for (int x = 0; x < 6; ++x)
    for (int y = -1; y < 6 && !budget.over(); ++y) {
      std::vector<ull> t;
      once(x, y);
      for (int i = 0; i < 7; ++i) t.push_back(once(x, y));
      line("\"kind\":\"pipes\",\"kernel\":\"%s\",\"beside\":\"%s\",\"sms\":%u,\"ns\":%s", names[x], y < 0 ? "none" : names[y], part.sms, json(stat(t)).c_str());
    }
}

// ---------- d: placement of blocks ----------
static void log_placement(const char *config, const std::vector<Rec> &rec) {
  if (!g_csv) return;
  ull first = ~0ull;
  for (auto &r : rec) if (r.start) first = std::min(first, r.start);
  for (auto &r : rec) if (r.start) std::fprintf(g_csv, "%s,%u,%u,%llu,%llu\n", config, r.block, r.sm, r.start - first, r.end - first);
}
static void step_placement(Budget &budget) {
  Rec *rec;
  const unsigned MOST = 8192;
  RT(cudaMalloc(&rec, sizeof(Rec) * MOST));
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  Part part = take(groups, 0, 2, 2);
  cudaStream_t w0, w1;
  RT(cudaStreamCreateWithFlags(&w0, cudaStreamNonBlocking)); RT(cudaStreamCreateWithFlags(&w1, cudaStreamNonBlocking));
  struct Config { const char *name; bool green; unsigned occupant, occupant_threads, blocks, threads; };
  unsigned sms = device_sms().sm.smCount;
  std::vector<Config> configs;
  for (int green = 0; green < 2; ++green) {
    unsigned m = green ? part.sms : sms;
    for (unsigned threads : {64u, 128u, 256u, 512u, 1024u}) {
      configs.push_back({"idle", (bool)green, 0, 0, m / 2, threads});
      configs.push_back({"idle", (bool)green, 0, 0, 2 * m, threads});
      configs.push_back({"idle-queue", (bool)green, 0, 0, 40 * m, threads});
    }
    for (unsigned occupant : {m / 4, m / 2, m, m + m / 2}) // SMs with fewer free slots: does the next kernel prefer the emptiest SM ([Sanudo20] Eqs 2 to 4)?
      for (unsigned threads : {64u, 128u, 1024u}) configs.push_back({"occupied", (bool)green, occupant, 512, m, threads});
  }
  for (auto &c : configs)
    for (int repeat = 0; repeat < 2 && !budget.over(); ++repeat) {
      if (c.occupant + c.blocks > MOST) continue;
      RT(cudaMemset(rec, 0, sizeof(Rec) * MOST));
      RT(cudaDeviceSynchronize());
      cudaStream_t s0 = c.green ? part.streams[0] : w0, s1 = c.green ? part.streams[1] : w1;
      if (c.occupant) {
        k_spin<<<c.occupant, c.occupant_threads, 0, s0>>>(400000ull, rec);
        ull t = now_ns(); while (now_ns() - t < 100000ull) {}
      }
      k_spin<<<c.blocks, c.threads, 0, s1>>>(20000ull, rec + c.occupant);
      RT(cudaDeviceSynchronize());
      std::vector<Rec> host(c.occupant + c.blocks);
      RT(cudaMemcpy(host.data(), rec, sizeof(Rec) * host.size(), cudaMemcpyDeviceToHost));
      char name[96];
      std::snprintf(name, sizeof name, "%s-%s-%ux%u-%ux%u-%d", c.name, c.green ? "green" : "whole", c.occupant, c.occupant_threads, c.blocks, c.threads, repeat);
      log_placement(name, host);
      std::vector<unsigned> order;
      for (unsigned b = c.occupant; b < host.size() && order.size() < 80; ++b) order.push_back(host[b].sm);
      line("\"kind\":\"placement\",\"config\":\"%s\",\"first_sms\":%s", name, list(order).c_str());
    }
}

// ---------- e: overheads ----------
static void host_function(void *flag) { *(volatile uint32_t *)flag = 1; }
static void step_overhead(Budget &budget) {
  Flag flag; flag.open();
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  std::vector<Part> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(take(groups, i * 2, 2, 1));
  cudaStream_t plain;
  RT(cudaStreamCreateWithFlags(&plain, cudaStreamNonBlocking));
  cudaEvent_t spin, block;
  RT(cudaEventCreateWithFlags(&spin, cudaEventDisableTiming));
  RT(cudaEventCreateWithFlags(&block, cudaEventDisableTiming | cudaEventBlockingSync));
  uint32_t *kernel_flag, *kernel_flag_device, *call_flag;
  RT(cudaHostAlloc((void **)&kernel_flag, 64, cudaHostAllocMapped)); RT(cudaHostGetDevicePointer((void **)&kernel_flag_device, kernel_flag, 0));
  RT(cudaHostAlloc((void **)&call_flag, 64, cudaHostAllocMapped));
  cudaGraph_t graph;
  cudaGraphExec_t exec1, exec10;
  for (int nodes : {1, 10}) {
    RT(cudaStreamBeginCapture(parts[0].streams[0], cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < nodes; ++i) k_null<<<1, 32, 0, parts[0].streams[0]>>>();
    RT(cudaStreamEndCapture(parts[0].streams[0], &graph));
    RT(cudaGraphInstantiate(nodes == 1 ? &exec1 : &exec10, graph, 0));
    RT(cudaGraphDestroy(graph));
  }
  std::atomic<bool> noise(false), leave(false);
  std::vector<std::thread> others;
  for (int i = 1; i < 4; ++i) others.emplace_back([&, i] { // three other dispatchers that launch all the time
    cudaSetDevice(0);
    while (!leave) {
      if (!noise) { usleep(1000); continue; }
      k_null<<<1, 32, 0, parts[i].streams[0]>>>();
      cudaStreamSynchronize(parts[i].streams[0]);
    }
  });
  uint32_t number = 0;
  auto wait_until = [](volatile uint32_t *p, uint32_t v) { ull t = now_ns(); while (*p != v) if (now_ns() - t > 2000000000ull) stop("flag", "not written after 2 s"); };
  for (int busy = 0; busy < 2; ++busy) {
    noise = busy;
    for (int green = 0; green < 2; ++green) {
      cudaStream_t s = green ? parts[0].streams[0] : plain;
      for (int mode = 0; mode < 9 && !budget.over(); ++mode) {
        const char *names[9] = {"event-spin", "event-blocking", "write-value", "kernel-flag", "host-function", "graph-1-write-value", "graph-10-write-value", "stream-query", "launch-10-write-value"};
        std::vector<ull> enqueue, total;
        const char *refused = nullptr;
        int n = mode == 1 || mode == 4 ? 500 : 1500;
        for (int i = 0; i < n + 50; ++i) {
          ull a = now_ns();
          if (mode == 5) RT(cudaGraphLaunch(exec1, s));
          else if (mode == 6) RT(cudaGraphLaunch(exec10, s));
          else if (mode == 8) for (int k = 0; k < 10; ++k) k_null<<<1, 32, 0, s>>>();
          else if (mode == 3) k_flag<<<1, 1, 0, s>>>(kernel_flag_device, ++number, nullptr);
          else k_null<<<1, 32, 0, s>>>();
          ull b = 0;
          switch (mode) {
          case 0: case 1: {
            cudaEvent_t e = mode ? block : spin;
            cudaError_t r = cudaEventRecord(e, s);
            if (r != cudaSuccess) { cudaGetLastError(); refused = cudaGetErrorString(r); RT(cudaStreamSynchronize(s)); i = n + 50; break; }
            b = now_ns();
            RT(cudaEventSynchronize(e));
            break;
          }
          case 3: b = now_ns(); wait_until(kernel_flag, number); break;
          case 4: *call_flag = 0; RT(cudaLaunchHostFunc(s, host_function, call_flag)); b = now_ns(); wait_until(call_flag, 1); break;
          case 7: { b = now_ns(); cudaError_t e; while ((e = cudaStreamQuery(s)) == cudaErrorNotReady) {} RT(e); break; }
          default: flag.mark(s); b = now_ns(); flag.wait(s);
          }
          ull d = now_ns();
          if (i >= 50 && !refused) {
            enqueue.push_back(b - a); total.push_back(d - a);
            if (g_csv && green) std::fprintf(g_csv, "%s,%d,%d,%llu,%llu\n", names[mode], busy ? 3 : 0, i - 50, b - a, d - a);
          }
        }
        if (refused) line("\"kind\":\"unsupported\",\"mode\":\"%s\",\"green\":%d,\"result\":%s", names[mode], green, quoted(refused).c_str());
        line("\"kind\":\"overhead\",\"mode\":\"%s\",\"green\":%d,\"other_dispatchers\":%d,\"by_kernel\":%d,\"enqueue_ns\":%s,\"total_ns\":%s", names[mode], green, busy ? 3 : 0, (int)flag.by_kernel, json(stat(enqueue)).c_str(), json(stat(total)).c_str());
      }
    }
  }
  noise = false;
  // Parts of one dispatch: host call -> first instruction -> end -> flag seen, on the clock of the GPU mapped to the host.
  ull *stamp;
  RT(cudaHostAlloc((void **)&stamp, 64, cudaHostAllocMapped));
  ull best = ~0ull;
  long long offset = 0;
  for (int i = 0; i < 400; ++i) { // tightest handshake
    ull a = now_ns();
    k_flag<<<1, 1, 0, parts[0].streams[0]>>>(kernel_flag_device, ++number, stamp);
    wait_until(kernel_flag, number);
    ull b = now_ns();
    if (b - a < best) { best = b - a; offset = (long long)*stamp - (long long)(a + (b - a) / 2); }
  }
  std::vector<ull> to_start, from_end;
  for (int i = 0; i < 1000 && !budget.over(); ++i) {
    ull a = now_ns();
    k_flag<<<1, 1, 0, parts[0].streams[0]>>>(kernel_flag_device, ++number, stamp);
    wait_until(kernel_flag, number);
    ull b = now_ns();
    long long start = (long long)*stamp - offset;
    to_start.push_back((ull)std::max(0ll, start - (long long)a)); from_end.push_back((ull)std::max(0ll, (long long)b - start));
  }
  line("\"kind\":\"parts\",\"clock_uncertainty_ns\":%llu,\"call_to_start_ns\":%s,\"stamp_to_seen_ns\":%s", best / 2, json(stat(to_start)).c_str(), json(stat(from_end)).c_str());
  // Wake-up of a timer, without and with SCHED_FIFO.
  for (int fifo = 0; fifo < 2 && !budget.over(); ++fifo) {
    int rc = 0;
    if (fifo) { sched_param p; p.sched_priority = 80; rc = sched_setscheduler(0, SCHED_FIFO, &p) ? errno : 0; int rl = mlockall(MCL_CURRENT | MCL_FUTURE) ? errno : 0; line("\"kind\":\"realtime\",\"sched_fifo_errno\":%d,\"mlockall_errno\":%d", rc, rl); if (rc) break; }
    std::vector<ull> late;
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    for (int i = 0; i < 1000; ++i) {
      t.tv_nsec += 1000000; if (t.tv_nsec >= 1000000000) { t.tv_nsec -= 1000000000; t.tv_sec++; }
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
      ull due = (ull)t.tv_sec * 1000000000ull + t.tv_nsec, seen = now_ns();
      late.push_back(seen > due ? seen - due : 0);
    }
    line("\"kind\":\"timer\",\"sched_fifo\":%d,\"late_ns\":%s", fifo, json(stat(late)).c_str());
    if (fifo) { sched_param p; p.sched_priority = 0; sched_setscheduler(0, SCHED_OTHER, &p); munlockall(); }
  }
  for (int busy = 0; busy < 2 && !budget.over(); ++busy) { // as the dispatcher idles: sleep until 100 us before the arrival, then spin
    noise = busy;
    std::vector<ull> late;
    ull due = now_ns() + 2000000;
    for (int i = 0; i < 1500; ++i, due += 1000000) {
      ull until = due - 100000;
      timespec t = {(time_t)(until / 1000000000ull), (long)(until % 1000000000ull)};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
      ull seen = now_ns();
      while (seen < due) seen = now_ns();
      late.push_back(seen - due);
      if (g_csv) std::fprintf(g_csv, "wake,%d,%d,,%llu\n", busy ? 3 : 0, i, seen - due);
    }
    line("\"kind\":\"wake\",\"other_dispatchers\":%d,\"late_ns\":%s", busy ? 3 : 0, json(stat(late)).c_str());
  }
  leave = true;
  for (auto &o : others) o.join();
}
// Which calls of one thread delay the launches of another thread (lock of the primary context)?
static const char *PTX = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry late(.param .u64 p) {\n ret;\n}\n";
static void step_lock(Budget &budget) {
  Flag flag; flag.open();
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  Part a = take(groups, 0, 2), b = take(groups, 2, 2);
  const char *names[8] = {"nothing", "module-load", "cudaMalloc+cudaFree", "cudaHostAlloc+free", "stream-create+destroy", "event-synchronize", "memcpy-sync-1MiB", "cudaMallocAsync"};
  char *buffer;
  RT(cudaMalloc(&buffer, 1 << 20));
  std::vector<char> host(1 << 20);
  for (int what = 0; what < 8; ++what)
    for (int busy = 0; busy < 2 && !budget.over(); ++busy) { // busy: a 30 ms kernel runs in partition b during the call
      std::vector<ull> delays, calls;
      for (int repeat = 0; repeat < 4; ++repeat) {
        if (busy) k_spin<<<1, 1, 0, b.streams[0]>>>(30000000ull, nullptr);
        std::atomic<bool> go(false), done(false);
        ull call_ns = 0;
        std::thread other([&] {
          cudaSetDevice(0);
          while (!go) {}
          ull t = now_ns();
          switch (what) {
          case 1: { CUmodule m; if (D.moduleLoad(&m, PTX) == CUDA_SUCCESS) D.moduleUnload(m); else line("\"kind\":\"note\",\"what\":\"module-load failed\""); break; }
          case 2: { void *p; if (cudaMalloc(&p, 64u << 20) == cudaSuccess) cudaFree(p); break; }
          case 3: { void *p; if (cudaHostAlloc(&p, 1 << 20, 0) == cudaSuccess) cudaFreeHost(p); break; }
          case 4: { cudaStream_t s; if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess) cudaStreamDestroy(s); break; }
          case 5: cudaStreamSynchronize(b.streams[0]); break;
          case 6: cudaMemcpyAsync(host.data(), buffer, 1 << 20, cudaMemcpyDeviceToHost, b.streams[0]); cudaStreamSynchronize(b.streams[0]); break;
          case 7: { void *p; if (cudaMallocAsync(&p, 64u << 20, b.streams[0]) == cudaSuccess) cudaFreeAsync(p, b.streams[0]); break; }
          default: usleep(2000);
          }
          call_ns = now_ns() - t;
          done = true;
        });
        go = true;
        ull longest = 0;
        do { // launches of partition a during the call
          ull t = now_ns();
          k_null<<<1, 32, 0, a.streams[0]>>>();
          flag.mark(a.streams[0]);
          flag.wait(a.streams[0]);
          longest = std::max(longest, now_ns() - t);
        } while (!done);
        other.join();
        RT(cudaDeviceSynchronize());
        delays.push_back(longest); calls.push_back(call_ns);
      }
      line("\"kind\":\"lock\",\"other_call\":\"%s\",\"other_partition_busy\":%d,\"longest_dispatch_ns\":%s,\"call_ns\":%s", names[what], busy, json(stat(delays)).c_str(), json(stat(calls)).c_str());
    }
}

// ---------- f: time slices of two processes, priorities of two streams ----------
__global__ void k_gaps(ull duration, ull threshold, ull *gaps, unsigned most, unsigned *count) {
  ull start = gtime(), last = start;
  unsigned n = 0;
  while (last - start < duration) {
    ull t = gtime();
    if (t - last > threshold) { if (blockIdx.x == 0 && threadIdx.x == 0 && n < most) { gaps[2 * n] = last; gaps[2 * n + 1] = t; } ++n; }
    last = t;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *count = n < most ? n : most;
}
static void gaps_of(const char *who, unsigned blocks, unsigned threads, double seconds) {
  const unsigned MOST = 8192;
  ull *gaps;
  unsigned *count, n = 0;
  RT(cudaMalloc(&gaps, MOST * 16)); RT(cudaMalloc(&count, 4)); RT(cudaMemset(count, 0, 4));
  k_gaps<<<blocks, threads>>>((ull)(seconds * 1e9), 20000ull, gaps, MOST, count);
  RT(cudaDeviceSynchronize());
  RT(cudaMemcpy(&n, count, 4, cudaMemcpyDeviceToHost));
  std::vector<ull> host(2 * n + 2), away, on;
  if (n) RT(cudaMemcpy(host.data(), gaps, n * 16, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < n; ++i) { away.push_back(host[2 * i + 1] - host[2 * i]); if (i) on.push_back(host[2 * i] - host[2 * i - 1]); }
  std::vector<ull> first(away.begin(), away.begin() + std::min<size_t>(away.size(), 30)), runs(on.begin(), on.begin() + std::min<size_t>(on.size(), 30));
  line("\"kind\":\"slices\",\"who\":\"%s\",\"blocks\":%u,\"threads\":%u,\"gaps\":%u,\"away_ns\":%s,\"on_ns\":%s,\"first_away\":%s,\"first_on\":%s", who, blocks, threads, n, json(stat(away)).c_str(), json(stat(on)).c_str(), list(first).c_str(), list(runs).c_str());
}
static void step_slice(Budget &) { // one process; the script starts it alone, then twice at the same time
  const char *who = getenv("PROBE_WHO"), *at = getenv("PROBE_AT"); // both processes start at this time [s since boot]
  unsigned sms = device_sms().sm.smCount;
  if (at) { ull due = (ull)(atof(at) * 1e9); while (now_ns() < due) {} }
  gaps_of(who ? who : "alone", 1, 32, 1.2);
  gaps_of(who ? who : "alone", sms * 2, 1024, 1.2);
}
static void step_hog(Budget &) { // long kernels for `preempt` of another process
  ull end = now_ns() + 4000000000ull;
  while (now_ns() < end) { k_spin<<<device_sms().sm.smCount * 2, 1024>>>(20000000ull, nullptr); RT(cudaDeviceSynchronize()); }
  line("\"kind\":\"done\"");
}
static void step_short(Budget &) { // latency of a short kernel while another process runs long kernels
  Flag flag; flag.open();
  std::vector<ull> t;
  for (int i = 0; i < 200; ++i) {
    ull a = now_ns();
    k_null<<<1, 32>>>();
    flag.mark(nullptr);
    flag.wait(nullptr);
    if (i >= 10) t.push_back(now_ns() - a);
    usleep(3000);
  }
  const char *who = getenv("PROBE_WHO");
  line("\"kind\":\"short\",\"who\":\"%s\",\"ns\":%s", who ? who : "alone", json(stat(t)).c_str());
}
static void step_preempt(Budget &budget) {
  int least = 0, most = 0;
  RT(cudaDeviceGetStreamPriorityRange(&least, &most));
  cudaStream_t low, high;
  RT(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least)); RT(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, most));
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  Part gl;
  std::vector<CUdevResource> two(groups.begin(), groups.begin() + 2);
  DR(make(two, gl, 1, least));
  CUstream s;
  DR(D.greenStream(&s, gl.green, CU_STREAM_NON_BLOCKING, most));
  Rec *rec;
  RT(cudaMalloc(&rec, sizeof(Rec) * 65536));
  unsigned sms = device_sms().sm.smCount;
  for (int green = 0; green < 2; ++green)
    for (ull block : {50000ull, 200000ull, 1000000ull, 5000000ull}) {
      std::vector<ull> start;
      unsigned m = green ? gl.sms : sms, blocks = m * 2 * 8; // eight waves of blocks of 1024 threads
      cudaStream_t lo = green ? gl.streams[0] : low, hi = green ? (cudaStream_t)s : high;
      for (int i = 0; i < 8 && !budget.over(); ++i) {
        RT(cudaMemset(rec, 0, sizeof(Rec) * (blocks + 1)));
        RT(cudaDeviceSynchronize());
        k_spin<<<blocks, 1024, 0, lo>>>(block, rec);
        ull t = now_ns(); while (now_ns() - t < 30000ull + block / 3) {}
        ull *stamp = (ull *)(rec + blocks);
        k_stamp<<<1, 1, 0, hi>>>(stamp);
        RT(cudaDeviceSynchronize());
        std::vector<Rec> host(blocks + 1);
        RT(cudaMemcpy(host.data(), rec, sizeof(Rec) * host.size(), cudaMemcpyDeviceToHost));
        ull at = host[blocks].start, last = 0;
        for (unsigned b = 0; b < blocks; ++b) last = std::max(last, host[b].end);
        start.push_back(at > host[0].start ? at - host[0].start : 0);
        if (i == 0) line("\"kind\":\"priority-one\",\"green\":%d,\"block_ns\":%llu,\"high_started_after_low_ns\":%llu,\"low_lasted_ns\":%llu", green, block, at - host[0].start, last - host[0].start);
      }
      line("\"kind\":\"priority\",\"green\":%d,\"block_ns\":%llu,\"start_after_low_ns\":%s,\"note\":\"below eight waves means that the high stream waits for running blocks only\"", green, block, json(stat(start)).c_str());
    }
}
// Which context runs the nodes of a graph that was captured in a green context?
static void step_graph(Budget &) {
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  Part a = take(groups, 0, 2), b = take(groups, 2, 2);
  bool met = false;
  std::set<unsigned> in_a = observe(a.streams[0], a.sms, &met), in_b = observe(b.streams[0], b.sms, &met);
  unsigned *ids, *counter;
  RT(cudaMalloc(&ids, 4096 * 4)); RT(cudaMalloc(&counter, 4)); RT(cudaMemset(counter, 0, 4)); RT(cudaDeviceSynchronize());
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  RT(cudaStreamBeginCapture(a.streams[0], cudaStreamCaptureModeThreadLocal));
  k_smid<<<512, 32, 160 * 1024, a.streams[0]>>>(ids, counter, 20000ull, 0);
  RT(cudaStreamEndCapture(a.streams[0], &graph));
  RT(cudaGraphInstantiate(&exec, graph, 0));
  cudaStream_t plain;
  RT(cudaStreamCreateWithFlags(&plain, cudaStreamNonBlocking));
  struct To { const char *name; cudaStream_t stream; };
  for (To to : {To{"same-green", a.streams[0]}, To{"other-green", b.streams[0]}, To{"primary", plain}}) {
    RT(cudaMemset(ids, 0xff, 512 * 4));
    RT(cudaDeviceSynchronize());
    cudaError_t e = cudaGraphLaunch(exec, to.stream);
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    std::vector<unsigned> host(512);
    RT(cudaMemcpy(host.data(), ids, 512 * 4, cudaMemcpyDeviceToHost));
    std::set<unsigned> seen(host.begin(), host.end());
    int only_a = 0, only_b = 0, neither = 0, missing = (int)std::count(host.begin(), host.end(), ~0u);
    seen.erase(~0u);
    for (unsigned s : seen) { if (in_a.count(s)) ++only_a; else if (in_b.count(s)) ++only_b; else ++neither; }
    line("\"kind\":\"graph\",\"captured_in\":\"a\",\"launched_on\":\"%s\",\"result\":%s,\"sms_in_a\":%d,\"sms_in_b\":%d,\"elsewhere\":%d,\"missing_after_device_synchronize\":%d", to.name, quoted(cudaGetErrorString(e)).c_str(), only_a, only_b, neither, missing);
    RT(cudaStreamSynchronize(to.stream));
  }
  // Does cudaDeviceSynchronize of the primary context wait for a stream of a green context?
  for (int green = 0; green < 2; ++green) {
    cudaStream_t s = green ? a.streams[0] : plain;
    k_spin<<<1, 1, 0, s>>>(50000000ull, nullptr);
    ull t0 = now_ns();
    RT(cudaDeviceSynchronize());
    ull t1 = now_ns();
    RT(cudaStreamSynchronize(s));
    line("\"kind\":\"device-synchronize\",\"green\":%d,\"kernel_ns\":50000000,\"device_synchronize_ns\":%llu,\"until_stream_ns\":%llu", green, t1 - t0, now_ns() - t0);
  }
}

// ---------- g: a small dispatcher, np-edf and np-fp, two partitions ----------
struct Task { const char *name; int kind, repeat; ull period, deadline; };
struct Done { int task; ull number, arrival, decision, enqueued, completion; int kernels; };
// One partition: at each decision all arrivals up to `now` are released; the most urgent job runs to its end.
static void dispatch(const std::vector<Task> &tasks, bool edf, cudaStream_t s, Flag &flag, ull begin, ull end, std::vector<Done> &log, ull &wake) {
  std::vector<ull> next(tasks.size(), 0); // jobs completed or running, per task
  for (;;) {
    ull now = now_ns();
    int best = -1;
    ull key = ~0ull, soonest = ~0ull;
    for (size_t i = 0; i < tasks.size(); ++i) {
      ull arrival = begin + next[i] * tasks[i].period;
      if (arrival >= end) continue;
      if (arrival > now) { soonest = std::min(soonest, arrival); continue; }
      ull k = edf ? arrival + tasks[i].deadline : (ull)i; // ties: the lower position
      if (k < key) { key = k; best = (int)i; }
    }
    if (best < 0) {
      if (soonest == ~0ull) return;
      while (now_ns() < soonest) {} // spin: one core per partition
      ull late = now_ns() - soonest;
      wake = std::max(wake, late);
      continue;
    }
    Done d;
    d.task = best; d.number = next[best]++; d.arrival = begin + d.number * tasks[best].period; d.decision = now; d.kernels = tasks[best].repeat;
    for (int r = 0; r < tasks[best].repeat; ++r) job(tasks[best].kind, s);
    flag.mark(s);
    d.enqueued = now_ns();
    flag.wait(s);
    d.completion = now_ns();
    log.push_back(d);
  }
}
static void step_dispatch(Budget &) {
  buffers();
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  Part parts[2] = {take(groups, 0, 4), take(groups, 4, 8)};
  Part noisy = take(groups, 12, groups.size() - 12);
  Flag flags[2];
  flags[0].open(); flags[1].open();
  // Partition 0: np-edf. Partition 1: np-fp, deadline-monotonic. Utilization about one half each on an H100.
  std::vector<Task> sets[2] = {{{"lidar", 0, 1, 5000000, 4000000}, {"camera", 3, 1, 7000000, 7000000}, {"map", 2, 2, 20000000, 20000000}, {"net", 5, 1, 9000000, 9000000}},
                               {{"radar", 1, 1, 4000000, 3000000}, {"track", 0, 2, 10000000, 9000000}, {"chase", 4, 1, 15000000, 15000000}}};
  float4 *data;
  float *sink;
  Halt halt;
  halt.open();
  RT(cudaMalloc(&data, 1u << 30)); RT(cudaMalloc(&sink, 4096));
  for (int loud = 0; loud < 2; ++loud) {
    for (int p = 0; p < 2; ++p) // occupancy of each task alone: 200 runs through the same code
      for (size_t i = 0; i < sets[p].size() && !loud; ++i) {
        std::vector<ull> o;
        for (int n = 0; n < 203; ++n) {
          ull a = now_ns();
          for (int r = 0; r < sets[p][i].repeat; ++r) job(sets[p][i].kind, parts[p].streams[0]);
          flags[p].mark(parts[p].streams[0]);
          flags[p].wait(parts[p].streams[0]);
          if (n >= 3) o.push_back(now_ns() - a);
        }
        line("\"kind\":\"alone\",\"partition\":%d,\"sms\":%u,\"task\":\"%s\",\"period_ns\":%llu,\"deadline_ns\":%llu,\"occupancy_ns\":%s", p, parts[p].sms, sets[p][i].name, sets[p][i].period, sets[p][i].deadline, json(stat(o)).c_str());
      }
    halt.set(0);
    if (loud) { k_aggressor<<<(int)noisy.sms * 2, 512, 0, noisy.streams[0]>>>(0, data, (1u << 30) / 16, 0, halt.word, sink); usleep(2000); }
    std::vector<Done> log[2];
    ull wake[2] = {0, 0}, begin = now_ns() + 20000000ull, end = begin + 3000000000ull;
    std::thread second([&] { cudaSetDevice(0); dispatch(sets[1], false, parts[1].streams[0], flags[1], begin, end, log[1], wake[1]); });
    dispatch(sets[0], true, parts[0].streams[0], flags[0], begin, end, log[0], wake[0]);
    second.join();
    halt.set(1);
    RT(cudaDeviceSynchronize());
    for (int p = 0; p < 2; ++p) {
      std::vector<std::vector<ull>> occupancy(sets[p].size()), response(sets[p].size());
      std::vector<int> misses(sets[p].size());
      int overlaps = 0, order = 0;
      for (size_t i = 0; i < log[p].size(); ++i) {
        const Done &d = log[p][i];
        occupancy[d.task].push_back(d.completion - d.decision);
        response[d.task].push_back(d.completion - d.arrival);
        misses[d.task] += d.completion > d.arrival + sets[p][d.task].deadline;
        overlaps += i && d.decision < log[p][i - 1].completion;
        std::fprintf(g_csv ? g_csv : stderr, "%d,%d,%s,%llu,%llu,%llu,%llu,%llu,%d\n", loud, p, sets[p][d.task].name, d.number, d.arrival - begin, d.decision - begin, d.enqueued - begin, d.completion - begin, d.kernels);
      }
      // Replay: at each decision the chosen job is the most urgent of those that arrived and are not complete.
      std::vector<ull> next(sets[p].size(), 0);
      for (const Done &d : log[p]) {
        for (size_t t = 0; t < sets[p].size(); ++t) {
          ull arrival = begin + next[t] * sets[p][t].period;
          if (arrival > d.decision || arrival >= end || (int)t == d.task) continue;
          bool before = p == 0 ? arrival + sets[p][t].deadline < d.arrival + sets[p][d.task].deadline || (arrival + sets[p][t].deadline == d.arrival + sets[p][d.task].deadline && (int)t < d.task) : (int)t < d.task;
          order += before;
        }
        next[d.task]++;
      }
      for (size_t t = 0; t < sets[p].size(); ++t)
        line("\"kind\":\"dispatch\",\"loud\":%d,\"partition\":%d,\"policy\":\"%s\",\"sms\":%u,\"task\":\"%s\",\"jobs\":%zu,\"misses\":%d,\"occupancy_ns\":%s,\"response_ns\":%s", loud, p, p ? "np-fp" : "np-edf", parts[p].sms, sets[p][t].name, response[t].size(), misses[t], json(stat(occupancy[t])).c_str(), json(stat(response[t])).c_str());
      line("\"kind\":\"replay\",\"loud\":%d,\"partition\":%d,\"jobs\":%zu,\"overlaps\":%d,\"order_errors\":%d,\"longest_wake_ns\":%llu", loud, p, log[p].size(), overlaps, order, wake[p]);
    }
  }
}

// Runs plans of a file: `run NAME SECONDS LOUD`, `part SMS POLICY`, `task NAME KIND PERIOD DEADLINE` (in order of priority under np-fp).
struct Planned { unsigned sms; bool edf; std::vector<Task> tasks; };
static void step_planned(Budget &budget) {
  const char *path = getenv("PROBE_PLAN");
  FILE *file = path ? std::fopen(path, "r") : nullptr;
  if (!file) stop("PROBE_PLAN", "no file");
  buffers();
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  DR(split(8, 0, groups, rest));
  float4 *data;
  float *sink;
  Halt halt;
  halt.open();
  RT(cudaMalloc(&data, 1u << 30)); RT(cudaMalloc(&sink, 4096)); RT(cudaMemset(data, 0, 1u << 30));
  struct Run { std::string name; double seconds; int loud; std::vector<Planned> parts; };
  std::vector<Run> runs;
  char text[200], a[64], b[64];
  while (std::fgets(text, sizeof text, file)) {
    double seconds; int loud; unsigned sms; ull period, deadline;
    if (std::sscanf(text, "run %63s %lf %d", a, &seconds, &loud) == 3) runs.push_back({a, seconds, loud, {}});
    else if (std::sscanf(text, "part %u %63s", &sms, b) == 2) runs.back().parts.push_back({sms, std::string(b) == "np-edf", {}});
    else if (std::sscanf(text, "task %63s %llu %llu", a, &period, &deadline) == 3) {
      int kind = -1;
      for (int k = 0; k < KINDS; ++k) if (std::string(KIND[k]) == a) kind = k;
      if (kind < 0) stop("PROBE_PLAN", a);
      runs.back().parts.back().tasks.push_back({KIND[kind], kind, 1, period, deadline});
    }
  }
  for (auto &r : runs) {
    if (budget.over()) { line("\"kind\":\"cut\""); return; }
    std::vector<Part> parts;
    size_t first = 0;
    for (auto &p : r.parts) { parts.push_back(take(groups, first, p.sms / 8)); first += p.sms / 8; }
    Part noisy;
    if (r.loud && first < groups.size()) noisy = take(groups, first, groups.size() - first);
    std::vector<Flag> flags(parts.size());
    std::vector<std::vector<Done>> log(parts.size());
    std::vector<ull> wake(parts.size(), 0);
    for (size_t p = 0; p < parts.size(); ++p) {
      flags[p].open();
      for (auto &t : r.parts[p].tasks) for (int n = 0; n < 3; ++n) { job(t.kind, parts[p].streams[0]); flags[p].mark(parts[p].streams[0]); flags[p].wait(parts[p].streams[0]); }
      bool met = false;
      line("\"kind\":\"context\",\"run\":\"%s\",\"partition\":%zu,\"sms\":%u,\"ids\":%s", r.name.c_str(), p, parts[p].sms, list(observe(parts[p].streams[0], parts[p].sms, &met)).c_str());
    }
    halt.set(0);
    if (noisy.green) { k_aggressor<<<(int)noisy.sms * 2, 512, 0, noisy.streams[0]>>>(r.loud == 2, data, (1u << 30) / 16, 0, halt.word, sink); usleep(2000); }
    ull begin = now_ns() + 20000000ull, end = begin + (ull)(r.seconds * 1e9);
    std::vector<std::thread> threads;
    for (size_t p = 0; p < parts.size(); ++p)
      threads.emplace_back([&, p] { cudaSetDevice(0); log[p].reserve(100000); dispatch(r.parts[p].tasks, r.parts[p].edf, parts[p].streams[0], flags[p], begin, end, log[p], wake[p]); });
    for (auto &t : threads) t.join();
    halt.set(1);
    RT(cudaDeviceSynchronize());
    if (noisy.green) RT(cudaStreamSynchronize(noisy.streams[0]));
    for (size_t p = 0; p < parts.size(); ++p) {
      auto &tasks = r.parts[p].tasks;
      std::vector<std::vector<ull>> occupancy(tasks.size()), response(tasks.size());
      std::vector<int> misses(tasks.size());
      int overlaps = 0;
      for (size_t i = 0; i < log[p].size(); ++i) {
        const Done &d = log[p][i];
        occupancy[d.task].push_back(d.completion - d.decision);
        response[d.task].push_back(d.completion - d.arrival);
        misses[d.task] += d.completion > d.arrival + tasks[d.task].deadline;
        overlaps += i && d.decision < log[p][i - 1].completion;
        if (g_csv) std::fprintf(g_csv, "%s,%zu,%s,%llu,%llu,%llu,%llu,%llu,%d\n", r.name.c_str(), p, tasks[d.task].name, d.number, d.arrival - begin, d.decision - begin, d.enqueued - begin, d.completion - begin, d.kernels);
      }
      for (size_t t = 0; t < tasks.size(); ++t)
        line("\"kind\":\"planned\",\"run\":\"%s\",\"loud\":%d,\"partition\":%zu,\"policy\":\"%s\",\"sms\":%u,\"task\":\"%s\",\"jobs\":%zu,\"misses\":%d,\"occupancy_ns\":%s,\"response_ns\":%s", r.name.c_str(), r.loud, p, r.parts[p].edf ? "np-edf" : "np-fp", parts[p].sms, tasks[t].name, response[t].size(), misses[t], json(stat(occupancy[t])).c_str(), json(stat(response[t])).c_str());
      line("\"kind\":\"planned-replay\",\"run\":\"%s\",\"partition\":%zu,\"jobs\":%zu,\"overlaps\":%d,\"longest_wake_ns\":%llu", r.name.c_str(), p, log[p].size(), overlaps, wake[p]);
    }
    for (auto &p : parts) drop(p);
    drop(noisy);
  }
}

int main(int argc, char **argv) {
  g_step = argc > 1 ? argv[1] : "?";
  double seconds = argc > 2 ? atof(argv[2]) : 20;
  if (argc > 3) g_csv = std::fopen(argv[3], "a");
  struct Step { const char *name; void (*run)(Budget &); };
  for (Step s : {Step{"info", step_info}, Step{"sizes", step_sizes}, Step{"smids", step_smids}, Step{"queues", step_queues}, Step{"gpc", step_gpc}, Step{"cm", step_cm}, Step{"traffic", step_traffic},
                 Step{"conflict", step_conflict}, Step{"ports", step_ports}, Step{"bandwidth", step_bandwidth}, Step{"pipes", step_pipes}, Step{"placement", step_placement}, Step{"overhead", step_overhead}, Step{"lock", step_lock},
                 Step{"slice", step_slice}, Step{"hog", step_hog}, Step{"short", step_short}, Step{"preempt", step_preempt}, Step{"graph", step_graph}, Step{"dispatch", step_dispatch}, Step{"planned", step_planned}})
    if (std::strcmp(s.name, g_step) == 0) {
      ull a = now_ns();
      open_driver();
      ull b = now_ns();
      Budget budget(seconds);
      s.run(budget);
      line("\"kind\":\"end\",\"open_ns\":%llu,\"run_ns\":%llu", b - a, now_ns() - b);
      if (g_csv) std::fclose(g_csv);
      std::fflush(stdout);
      std::_Exit(0); // no destructors: a stuck stream must not delay the next step
    }
  std::fprintf(stderr, "usage: rtprobe STEP [SECONDS] [CSV]\n");
  return 2;
}
