  // The sizes have no common group size, so one call creates groups of these sizes.
  static std::vector<std::vector<CUdevResource>> split(const CUdevResource &all) {
    const unsigned alignment = all.sm.smCoscheduledAlignment;
    CUresult result = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    std::array<CUdevResource, partitions> found{};
    const unsigned any_sms = CU_DEV_SM_RESOURCE_GROUP_BACKFILL;
    for (unsigned flags : {0u, any_sms}) {
      if (result != CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION) break;
      std::array<CU_DEV_SM_RESOURCE_GROUP_PARAMS, partitions> groups{};
      for (std::size_t i = 0; i < partitions; ++i) {
        groups[i].smCount = partition_sms[i];
        groups[i].coscheduledSmCount = alignment && partition_sms[i] % alignment == 0 ? alignment : 2;
        groups[i].flags = flags;
      }
      CUdevResource rest{};
      const unsigned count = static_cast<unsigned>(partitions);
      result = cuDevSmResourceSplit(found.data(), count, &all, &rest, 0, groups.data());
    }
    detail::check(result, "cuDevSmResourceSplit");
    std::vector<std::vector<CUdevResource>> own;
    for (const CUdevResource &one : found) own.push_back({one});
    return own;
  }
