// Longest times between two readings of the clock by threads that do nothing else, each on its own processor.
// Build: gcc -O2 -pthread gaps.c -o gaps. Run: ./gaps THREADS SECONDS
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 64 };

struct core {
    int number;
    uint64_t longest, above_50us, above_1ms, lost;
};

static uint64_t duration;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void *watch(void *argument) {
    struct core *core = argument;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core->number, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    uint64_t last = now(), end = last + duration;
    while (last < end) {
        uint64_t time = now(), gap = time - last;
        if (gap > 50000) {
            core->above_50us++;
            core->lost += gap;
        }
        core->above_1ms += gap > 1000000;
        if (gap > core->longest) core->longest = gap;
        last = time;
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 3 || atoi(arguments[1]) < 1 || atoi(arguments[1]) > MOST) {
        fprintf(stderr, "usage: gaps THREADS SECONDS, with 1 to %d threads\n", MOST);
        return 2;
    }
    int threads = atoi(arguments[1]);
    duration = (uint64_t)(atof(arguments[2]) * 1e9);
    struct core cores[MOST] = {0};
    pthread_t handles[MOST];
    for (int i = 0; i < threads; i++) {
        cores[i].number = i;
        pthread_create(&handles[i], NULL, watch, &cores[i]);
    }
    for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
    puts("processor,longest_ns,above_50us,above_1ms,lost_ns");
    for (int i = 0; i < threads; i++)
        printf("%d,%lu,%lu,%lu,%lu\n", i, cores[i].longest, cores[i].above_50us, cores[i].above_1ms, cores[i].lost);
    return 0;
}
