/* tsrm for C (since C99) and C++: reading statistics.
 *
 * Link the shared object (a Rust `cdylib`) that contains the runtime and the modules. No function here
 * needs an attached thread, except where it says so; all may be called from any thread at any time, but not
 * from a signal handler. A `set` that is none, NULL among them, is found out, whatever it points to.
 *
 * A set of statistics is an array of 64-bit cells. What is in which cell says its description, which is
 * valid as long as the process, also when the set's module is gone.
 */
#ifndef TSRM_H
#define TSRM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the two structs below. A later version only appends to them, so a program goes on working with libraries
 * of later versions; of what was appended it asks the sizes that are in the set. */
#define TSRM_STATS_VERSION 1

enum tsrm_kind {
  TSRM_COUNTER = 1,
  TSRM_GAUGE = 2,
  TSRM_PEAK = 3,
  TSRM_HISTOGRAM = 4
};

/* What became of a set's module; a negative answer is an error. */
enum tsrm_state {
  TSRM_NOT_STARTED = 0,
  TSRM_UP = 1,
  TSRM_RETIRED = 2,
  TSRM_BAD_ARGUMENT = -1
};

/* One statistic. */
typedef struct tsrm_stat {
  uint64_t max;      /* histograms: values beyond it are in the last bucket */
  uint32_t kind;     /* an enum tsrm_kind; a later version may know others */
  uint32_t first;    /* the cell of its value; of a gauge, of its level; of a histogram, the first bucket */
  uint32_t away;     /* gauges: the cell of what is to be subtracted from the level */
  uint32_t buckets;  /* histograms: how many; the cell behind them is the sum of the values */
  const char *name;  /* UTF-8, in snake case */
  const char *unit;  /* "" if there is none */
  const char *help;
} tsrm_stat;

/* One set. */
typedef struct tsrm_set {
  uint32_t version;       /* TSRM_STATS_VERSION of the library */
  uint32_t size;          /* the library's sizeof(tsrm_set) */
  uint32_t stat_size;     /* the library's sizeof(tsrm_stat): how far apart `stats` are; see tsrm_stat_at */
  uint32_t count;         /* how many statistics; 0 if the set is compiled without counting */
  uint32_t cells;         /* how many cells */
  uint32_t reserved;      /* 0 */
  const char *module;
  const char *name;
  const tsrm_stat *stats;
} tsrm_set;

/* The sets whose modules are or have been up: the first one after NULL, each after the one before it, and
 * NULL after the last. Of several with the same names, as a new build of a module may have, it is the one that
 * came up last; a description of another one stays good for the functions below. */
const tsrm_set *tsrm_stats_next(const tsrm_set *after);

/* The set of that name in the module of that name, or NULL; of several, as above. */
const tsrm_set *tsrm_stats_find(const char *module, const char *name);

/* Writes the totals of all threads to `cells`, which has room for `room` (at least set->cells; more is left
 * alone). Answers an enum tsrm_state; on an error nothing is written. */
int tsrm_stats_snapshot(const tsrm_set *set, uint64_t *cells, size_t room);

/* The smallest and the greatest value that are counted in a bucket of the histogram that is the statistic
 * `index` of a set. Either may be NULL. Answers 0, or TSRM_BAD_ARGUMENT and writes nothing. */
int tsrm_stats_bucket(const tsrm_set *set, uint32_t index, uint32_t bucket, uint64_t *low, uint64_t *high);

/* The calling thread's own cells of a set, which is what it has counted since it registered; NULL if it is
 * not inside an attach, or if the machine has no 64-bit atomics. Valid until the end of that attach, for other
 * threads too; to be read by tsrm_cell only. */
const uint64_t *tsrm_stats_shard(const tsrm_set *set);

/* One statistic of a set. */
static inline const tsrm_stat *tsrm_stat_at(const tsrm_set *set, uint32_t index) {
  return (const tsrm_stat *)((const char *)set->stats + (size_t)index * set->stat_size);
}

/* The statistic of that name, or NULL. */
static inline const tsrm_stat *tsrm_stat_named(const tsrm_set *set, const char *name) {
  uint32_t index;
  for (index = 0; index < set->count; index++) {
    const tsrm_stat *stat = tsrm_stat_at(set, index);
    size_t at = 0;
    while (name[at] != 0 && stat->name[at] == name[at])
      at++;
    if (stat->name[at] == name[at])
      return stat;
  }
  return NULL;
}

#if defined(__GCC_ATOMIC_LLONG_LOCK_FREE) && __GCC_ATOMIC_LLONG_LOCK_FREE == 2
/* A cell of a shard that is being counted in just now. For compilers with GCC's atomics. */
static inline uint64_t tsrm_cell(const uint64_t *shard, uint32_t cell) {
  return __atomic_load_n(&shard[cell], __ATOMIC_RELAXED);
}
#endif

/* The value of a statistic in cells that were read (not in a shard): of a histogram, how many values it has. */
static inline uint64_t tsrm_value(const tsrm_stat *stat, const uint64_t *cells) {
  uint64_t value = cells[stat->first];
  uint32_t bucket;
  if (stat->kind == TSRM_GAUGE) {
    value -= cells[stat->away];
    return (int64_t)value < 0 ? 0 : value;
  }
  for (bucket = 1; stat->kind == TSRM_HISTOGRAM && bucket < stat->buckets; bucket++)
    value += cells[stat->first + bucket];
  return value;
}

#ifdef __cplusplus
}
#endif

#endif
