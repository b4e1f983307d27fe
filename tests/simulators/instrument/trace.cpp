// Computes traces with the host code of gpusched_trace.cuh. Standard input has one or more runs: the number of the run,
// q and the number of blocks, then start, end and SM of each block. The rows of each run, or its error, follow on
// standard output.

#include "gpusched_trace.cuh"

int main() {
  gpusched_trace::write_columns(stdout);
  unsigned int run;
  int q;
  unsigned long long blocks;
  while (std::scanf("%u %d %llu", &run, &q, &blocks) == 3) {
    std::vector<gpusched_trace::Record> records(blocks);
    for (gpusched_trace::Record &record : records) {
      if (std::scanf("%llu %llu %u", &record.start, &record.end, &record.sm) != 3) {
        return 1;
      }
    }
    try {
      gpusched_trace::write_run(stdout, run, q, records);
    } catch (const std::exception &error) {
      std::printf("%s\n", error.what());
    }
  }
  return 0;
}
