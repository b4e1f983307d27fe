// The part of rclcpp that the how-to page uses, for tests without ROS 2. `spin` sends ten messages to each subscription.
#pragma once
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#define RCLCPP_INFO(logger, ...) (std::printf("%s: ", (logger).c_str()), std::printf(__VA_ARGS__), std::printf("\n"))
#define RCLCPP_WARN(logger, ...) RCLCPP_INFO(logger, __VA_ARGS__)

namespace rclcpp {
inline std::map<std::string, std::string> parameters;

template <typename Message> struct Publisher {
  using SharedPtr = std::shared_ptr<Publisher>;
  std::string topic;
  void publish(const Message &message) { std::printf("%s %u\n", topic.c_str(), message.width); }
};
template <typename Message> struct Subscription {
  using SharedPtr = std::shared_ptr<Subscription>;
};

class Node {
public:
  explicit Node(const std::string &name) : name_(name) {}
  virtual ~Node() = default;
  template <typename Value> Value declare_parameter(const std::string &name, const Value &otherwise) { return parameters.count(name) ? parameters[name] : otherwise; }
  template <typename Message> typename Publisher<Message>::SharedPtr create_publisher(const std::string &topic, int) { return std::make_shared<Publisher<Message>>(Publisher<Message>{topic}); }
  template <typename Message> typename Subscription<Message>::SharedPtr create_subscription(const std::string &, int, std::function<void(std::shared_ptr<const Message>)> callback) {
    send_ = [callback](unsigned number) {
      auto message = std::make_shared<Message>();
      message->width = number;
      callback(message);
    };
    return std::make_shared<Subscription<Message>>();
  }
  const std::string &get_logger() const { return name_; }
  std::function<void(unsigned)> send_;

private:
  std::string name_;
};

inline void init(int count, char **arguments) {
  for (int i = 1; i + 1 < count; i += 2) parameters[arguments[i]] = arguments[i + 1];
}
inline void spin(std::shared_ptr<Node> node) {
  for (unsigned number = 0; number < 10; ++number) {
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
    node->send_(number);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}
inline void shutdown() {}
} // namespace rclcpp
