// Input of a peer, and the measurement of its time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

using i64 = std::int64_t;
using u128 = unsigned __int128;

// All numbers of the file `argv[1]`, in the order of the file.
struct Input {
    std::vector<i64> numbers;
    std::size_t at = 0;

    explicit Input(char **argv) {
        std::ifstream file(argv[1]);
        for (i64 number; file >> number;) numbers.push_back(number);
    }
    i64 next() { return numbers.at(at++); }
    bool done() const { return at == numbers.size(); }
};

// Runs `work` argv[2] times. Prints the processor time of all runs [ns] and the numbers that the last run returns.
template <class Work> int measure(char **argv, Work work) {
    auto now = [] {
        timespec time;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return i64(time.tv_sec) * 1000000000 + time.tv_nsec;
    };
    std::vector<i64> found;
    i64 start = now();
    for (i64 run = std::atoll(argv[2]); run > 0; run--) found = work();
    std::printf("%lld", (long long)(now() - start));
    for (i64 number : found) std::printf(" %lld", (long long)number);
    std::printf("\n");
    return 0;
}

// A sporadic task of one processor.
struct Task {
    i64 wcet, deadline, period;
};

// Reads task sets: the number of tasks, and then C, D and T of each task.
inline std::vector<std::vector<Task>> task_sets(Input &input) {
    std::vector<std::vector<Task>> sets;
    while (!input.done()) {
        std::vector<Task> set(input.next());
        for (Task &task : set) task = {input.next(), input.next(), input.next()};
        sets.push_back(set);
    }
    return sets;
}
