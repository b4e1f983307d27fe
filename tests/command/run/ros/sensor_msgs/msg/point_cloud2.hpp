// The part of a message that the tests use.
#pragma once
#include <memory>
namespace sensor_msgs::msg {
struct PointCloud2 {
  using ConstSharedPtr = std::shared_ptr<const PointCloud2>;
  unsigned width = 0;
};
} // namespace sensor_msgs::msg
