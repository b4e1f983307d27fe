  static constexpr unsigned group = @group@; // SMs of one group; each partition consists of groups
  static std::vector<std::vector<CUdevResource>> split(const CUdevResource &all) {
    unsigned needed = 0, created = 0;
    for (unsigned sms : partition_sms) needed += sms / group;
    const auto few = [&] { detail::refuse("partitions", std::to_string(created) + " groups of " + std::to_string(group) + " SMs", std::to_string(needed) + ", which the plan needs"); };
    detail::check(cuDevSmResourceSplitByCount(nullptr, &created, &all, nullptr, 0, group), "cuDevSmResourceSplitByCount");
    if (created < needed) few();
    std::vector<CUdevResource> groups(needed);
    CUdevResource rest{};
    created = needed;
    detail::check(cuDevSmResourceSplitByCount(groups.data(), &created, &all, &rest, 0, group), "cuDevSmResourceSplitByCount");
    if (created < needed) few();
    std::vector<std::vector<CUdevResource>> own;
    auto next = groups.begin();
    for (unsigned sms : partition_sms) {
      own.emplace_back(next, next + sms / group);
      next += sms / group;
    }
    return own;
  }
