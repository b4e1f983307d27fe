/* C interface of gpusched-budget: memory time of best-effort cores in the next regulation period ([Aghilinasab20] V and VI-B). C11 and
   C++17, with or without an operating system. The guide is docs/how-to/budgets-on-a-machine.md.

   All times are nanoseconds. The functions allocate no memory, use no floats, and never block. They read and write only the memory of
   their arguments. A function returns 0, or a negative gb_status. Calls with different structures may run at the same time. */
#ifndef GPUSCHED_BUDGET_H
#define GPUSCHED_BUDGET_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define GB_ABI 1
#define GB_MAX_CLUSTERS 1024
#define GB_MAX_ACTIVE 1048576

typedef enum {
  GB_OK = 0,
  GB_NULL = -1,       /* a pointer is null, or not aligned */
  GB_UNPREPARED = -2, /* the structure was not prepared by gb_init() or gb_table_init() */
  GB_CLUSTERS = -3,   /* the number of clusters is not from 1 to GB_MAX_CLUSTERS */
  GB_ACTIVE = -4,     /* `active` is not from 1 to GB_MAX_ACTIVE */
  GB_PERIOD = -5,     /* `period` is not from 1 to 2^63 - 1, or `nominal` exceeds `period` */
  GB_DEADLINE = -6,   /* `deadline` exceeds 2^63 - 1 */
  GB_WORK = -7,       /* a cluster has no blocks, e0 is 0, e0 exceeds e1, or all blocks together take longer than 2^63 - 1 */
  GB_INTERVALS = -8,  /* the intervals do not begin with block 0, are not ascending, or disagree with the clusters */
  GB_LENGTH = -9,     /* an array has another length than required */
  GB_BLOCKS = -10,    /* more blocks of a cluster are unfinished than it has, or more than GB_MAX_ACTIVE blocks run */
  GB_POLICY = -11,    /* `policy` is no gb_policy, or `both_ends` is neither 0 nor 1 */
  GB_LATE = -12       /* the kernel exceeds its deadline: some input of the analysis is wrong. The budget is `nominal` */
} gb_status;

typedef enum { GB_NOMINAL = 0, GB_FAIR = 1, GB_GREEDY = 2, GB_SMOOTH = 3 } gb_policy;

typedef struct {
  uint64_t blocks;    /* N: number of blocks in a complete run of the kernel */
  uint64_t e0, e1;    /* WCET of a block in isolation, and while best-effort cores access memory all the time */
  uint64_t position;  /* set by gb_init() */
} gb_cluster;

typedef struct {
  uint32_t policy;    /* gb_policy */
  uint32_t active;    /* M: blocks that run at the same time; `active_blocks` of the kernel */
  uint64_t period;    /* T: regulation period */
  uint64_t nominal;   /* nominal memory time of best-effort cores per period: Q*T of `budget nominal`, rounded up */
  uint64_t deadline;  /* WCET under the nominal budget: `wcet_nominal_ns` of `budget nominal` without --sync. Less is unsafe */
  uint32_t both_ends; /* 1 if this WCET is from --straddling both, otherwise 0 */
  uint32_t reserved;  /* 0 */
} gb_setting;

/* State of one kernel. The fields are private. */
typedef struct { uint64_t state[12]; } gb_allocator;

/* Version of the interface, GB_ABI. */
int gb_abi(void);

/* Prepares `allocator`. `clusters` are in the order of the kernel. The function sorts them in at most count*count steps. The array belongs
   to the allocator until the next gb_init(): do not move or change it. */
int gb_init(gb_allocator *allocator, const gb_setting *setting, gb_cluster *clusters, size_t count);

/* Before each further run of the kernel. */
int gb_restart(gb_allocator *allocator);

/* The step: writes the memory time of best-effort cores in the period that begins `elapsed` after the start of the kernel to `budget`, from
   `nominal` to `period`. The period in which the kernel starts has the memory time `nominal`. `remaining` has one number for each cluster,
   in the order of the kernel: its blocks that have not ended. A number that is too large is safe. After an error, `budget` is `nominal` if
   the allocator is prepared, and otherwise unchanged. For N clusters, the loops take at most 3*N steps, with at most 8 divisions of 64
   bits and 3 of 128 bits. */
int gb_decide(gb_allocator *allocator, uint64_t elapsed, const uint64_t *remaining, size_t count, uint64_t *budget);

/* Consecutive block numbers of one cluster. The interval ends where the next one begins. */
typedef struct {
  uint64_t first;     /* first block */
  uint64_t cluster;   /* position of the cluster in the kernel */
} gb_interval;

/* Cluster intervals of one kernel. The fields are private. */
typedef struct { uint64_t state[10]; } gb_table;

/* Prepares `table`. `blocks` has the number of blocks of each of `clusters` clusters, in the order of the kernel. `rest` is memory for
   (intervals + 1)*clusters numbers. Both arrays `interval` and `rest` belong to the table until the next gb_table_init(). */
int gb_table_init(gb_table *table, const gb_interval *interval, size_t intervals, const uint64_t *blocks, size_t clusters,
                  uint64_t *rest, size_t length);

/* Writes the number of unfinished blocks of each cluster to `counts`, for gb_decide(). Blocks start in the order of their numbers. All
   blocks below `next` have started, and the blocks `running` have started but not ended. For N clusters, M running blocks and I intervals,
   the loops take at most N + (M + 1)*(log2(I) + 2) steps, without divisions. `running` may be null if `active` is 0. */
int gb_remaining(const gb_table *table, uint64_t next, const uint64_t *running, size_t active, uint64_t *counts, size_t count);
#ifdef __cplusplus
}
#endif
#endif
