
// @reason@ So this file creates the partitions only.
#ifdef GPUSCHED_MAIN
#include <cstdio>

int main() try {
  gpusched_plan::Partitions plan;
  for (std::size_t i = 0; i < gpusched_plan::partitions; ++i)
    std::printf("partition %u: %u SMs\n", static_cast<unsigned>(i), plan[i].sms);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
#endif
#endif // GPUSCHED_PLAN_HPP
