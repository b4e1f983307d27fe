/* Reads commands from the standard input, and prints the statuses and results of the C interface. */
#include "gpusched_budget.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number(void) {
  uint64_t value;
  if (scanf("%" SCNu64, &value) != 1) exit(2);
  return value;
}

static gb_cluster clusters[GB_MAX_CLUSTERS + 1];
static uint64_t list[4096], counts[GB_MAX_CLUSTERS + 1], rest[65536];
static gb_interval interval[4096];

static size_t numbers(uint64_t *into) {
  size_t count = (size_t)number();
  for (size_t at = 0; at < count; at++) into[at] = number();
  return count;
}

static int failed;
#define EXPECT(status, call) \
  do { \
    int found = (call); \
    if (found != (status)) { printf("line %d: %d\n", __LINE__, found); failed++; } \
  } while (0)

/* Each wrong call has its status. `budget` is nominal if the allocator is prepared. */
static void misuse(void) {
  gb_allocator state, unprepared;
  gb_table table;
  memset(&unprepared, 0, sizeof unprepared);
  gb_setting setting = {GB_GREEDY, 2, 1000, 130, 5000, 0, 0}, wrong;
  uint64_t budget = 7, one[2] = {1, 0};
  gb_cluster two[2] = {{3, 10, 20, 0}, {4, 10, 11, 0}};
  EXPECT(GB_ABI, gb_abi());
  EXPECT(GB_NULL, gb_init(NULL, &setting, two, 2));
  EXPECT(GB_NULL, gb_init(&state, NULL, two, 2));
  EXPECT(GB_UNPREPARED, gb_restart(&state));
  EXPECT(GB_NULL, gb_init(&state, &setting, NULL, 2));
  EXPECT(GB_NULL, gb_init(&state, &setting, (gb_cluster *)(void *)((char *)clusters + 1), 2));
  EXPECT(GB_CLUSTERS, gb_init(&state, &setting, two, 0));
  EXPECT(GB_CLUSTERS, gb_init(&state, &setting, two, SIZE_MAX));
  wrong = setting, wrong.policy = 4;
  EXPECT(GB_POLICY, gb_init(&state, &wrong, two, 2));
  wrong = setting, wrong.both_ends = 2;
  EXPECT(GB_POLICY, gb_init(&state, &wrong, two, 2));
  wrong = setting, wrong.reserved = 1;
  EXPECT(GB_POLICY, gb_init(&state, &wrong, two, 2));
  EXPECT(GB_UNPREPARED, gb_decide(&state, 0, one, 2, &budget));
  EXPECT(GB_UNPREPARED, gb_decide(&unprepared, 0, one, 2, &budget));
  EXPECT(7, (int)budget);
  EXPECT(GB_OK, gb_init(&state, &setting, two, 2));
  EXPECT(GB_NULL, gb_decide(NULL, 0, one, 2, &budget));
  EXPECT(GB_NULL, gb_decide(&state, 0, one, 2, NULL));
  EXPECT(7, (int)budget);
  EXPECT(GB_NULL, gb_decide(&state, 0, NULL, 2, &budget));
  EXPECT(130, (int)budget);
  budget = 7;
  EXPECT(GB_LENGTH, gb_decide(&state, 0, one, 1, &budget));
  EXPECT(130, (int)budget);
  EXPECT(GB_LENGTH, gb_decide(&state, 0, one, SIZE_MAX, &budget));
  one[0] = 4;
  EXPECT(GB_BLOCKS, gb_decide(&state, 0, one, 2, &budget));
  one[0] = 3;
  EXPECT(GB_LATE, gb_decide(&state, 5001, one, 2, &budget));
  EXPECT(130, (int)budget);
  EXPECT(GB_OK, gb_decide(&state, 4000, one, 2, &budget));
  EXPECT(1000, (int)budget);
  EXPECT(GB_OK, gb_restart(&state));
  EXPECT(GB_NULL, gb_restart(NULL));

  uint64_t blocks[1] = {5}, running[1] = {4};
  interval[0].first = 0, interval[0].cluster = 0;
  EXPECT(GB_NULL, gb_table_init(NULL, interval, 1, blocks, 1, rest, 2));
  EXPECT(GB_NULL, gb_table_init(&table, NULL, 1, blocks, 1, rest, 2));
  EXPECT(GB_NULL, gb_table_init(&table, interval, 1, NULL, 1, rest, 2));
  EXPECT(GB_NULL, gb_table_init(&table, interval, 1, blocks, 1, NULL, 2));
  EXPECT(GB_CLUSTERS, gb_table_init(&table, interval, 1, blocks, 0, rest, 0));
  EXPECT(GB_LENGTH, gb_table_init(&table, interval, SIZE_MAX, blocks, 1, rest, 0));
  EXPECT(GB_LENGTH, gb_table_init(&table, interval, SIZE_MAX / 16, blocks, 1, rest, SIZE_MAX / 16 + 1));
  EXPECT(GB_LENGTH, gb_table_init(&table, interval, 1, blocks, 1, rest, 1));
  EXPECT(GB_UNPREPARED, gb_remaining(&table, 0, running, 1, counts, 1));
  EXPECT(GB_OK, gb_table_init(&table, interval, 1, blocks, 1, rest, 2));
  EXPECT(GB_NULL, gb_remaining(NULL, 5, running, 1, counts, 1));
  EXPECT(GB_NULL, gb_remaining(&table, 5, NULL, 1, counts, 1));
  EXPECT(GB_NULL, gb_remaining(&table, 5, running, 1, NULL, 1));
  EXPECT(GB_LENGTH, gb_remaining(&table, 5, running, 1, counts, 2));
  EXPECT(GB_LENGTH, gb_remaining(&table, 5, running, 1, counts, SIZE_MAX));
  EXPECT(GB_BLOCKS, gb_remaining(&table, 5, running, SIZE_MAX, counts, 1));
  EXPECT(GB_BLOCKS, gb_remaining(&table, 5, running, GB_MAX_ACTIVE + 1, counts, 1));
  EXPECT(GB_OK, gb_remaining(&table, 5, running, 1, counts, 1));
  EXPECT(1, (int)counts[0]);
  EXPECT(GB_OK, gb_remaining(&table, 2, NULL, 0, counts, 1));
  EXPECT(3, (int)counts[0]);
  printf("misuse %d\n", failed);
}

int main(void) {
  static gb_allocator allocator;
  static gb_table table;
  char word[16];
  while (scanf("%15s", word) == 1) {
    if (!strcmp(word, "init")) {
      gb_setting setting = {0};
      setting.policy = (uint32_t)number();
      setting.active = (uint32_t)number();
      setting.period = number();
      setting.nominal = number();
      setting.deadline = number();
      setting.both_ends = (uint32_t)number();
      size_t count = (size_t)number();
      for (size_t at = 0; at < count; at++) {
        clusters[at].blocks = number();
        clusters[at].e0 = number();
        clusters[at].e1 = number();
      }
      printf("init %d\n", gb_init(&allocator, &setting, clusters, count));
    } else if (!strcmp(word, "decide")) {
      uint64_t elapsed = number(), budget = 777;
      size_t count = numbers(list);
      int status = gb_decide(&allocator, elapsed, list, count, &budget);
      printf("decide %d %" PRIu64 "\n", status, budget);
    } else if (!strcmp(word, "restart")) {
      printf("restart %d\n", gb_restart(&allocator));
    } else if (!strcmp(word, "table")) {
      size_t intervals = (size_t)number(), count = (size_t)number();
      for (size_t at = 0; at < intervals; at++) {
        interval[at].first = number();
        interval[at].cluster = number();
      }
      for (size_t at = 0; at < count; at++) counts[at] = number();
      printf("table %d\n", gb_table_init(&table, interval, intervals, counts, count, rest, (intervals + 1) * count));
    } else if (!strcmp(word, "remaining")) {
      uint64_t next = number();
      size_t active = numbers(list), count = (size_t)number();
      int status = gb_remaining(&table, next, list, active, counts, count);
      printf("remaining %d", status);
      for (size_t at = 0; !status && at < count; at++) printf(" %" PRIu64, counts[at]);
      printf("\n");
    } else if (!strcmp(word, "misuse")) {
      misuse();
    } else {
      return 2;
    }
  }
  return 0;
}
