  static constexpr unsigned group = @group@; // SMs of one group; each partition consists of groups
  static std::vector<std::vector<CUdevResource>> split(const CUdevResource &all) {
    unsigned needed = 0, created = 0;
    for (unsigned sms : partition_sms) needed += sms / group;
    const auto check = [&](CUresult result) {
      detail::check(result, "cuDevSmResourceSplitByCount");
      if (created >= needed) return;
      const std::string found = std::to_string(created) + " groups of " + std::to_string(group) + " SMs";
      detail::refuse("partitions", found, std::to_string(needed) + ", which the plan needs");
    };
    check(cuDevSmResourceSplitByCount(nullptr, &created, &all, nullptr, 0, group));
    std::vector<CUdevResource> groups(needed);
    CUdevResource rest{};
    created = needed;
    check(cuDevSmResourceSplitByCount(groups.data(), &created, &all, &rest, 0, group));
    std::vector<std::vector<CUdevResource>> own;
    auto next = groups.begin();
    for (unsigned sms : partition_sms) {
      own.emplace_back(next, next + sms / group);
      next += sms / group;
    }
    return own;
  }
