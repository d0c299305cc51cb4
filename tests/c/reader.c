/* What a program in C, or C++, reads of the statistics of a library that it links. `tests/c.rs` builds it as
 * both and compares the whole of what it says. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tsrm.h"

#ifdef __cplusplus
extern "C" {
#endif
int host_is_single_threaded(void);
int host_start(void);
int host_attach(void (*f)(void *), void *data);
int host_add(uint64_t bytes);
int host_count(void);
int host_close(void);
int host_detach(void);
int host_retire(void);
int host_register_later(void);
int host_shutdown(void);
#ifdef __cplusplus
}
#endif

static void done(const char *what, int answer) {
  printf("%s: %s\n", what, answer == 0 ? "done" : "refused");
}

/* Of cells that were read. */
static void print_values(const tsrm_set *set, const uint64_t *cells) {
  uint32_t index, bucket;
  for (index = 0; index < set->count; index++) {
    const tsrm_stat *stat = tsrm_stat_at(set, index);
    printf("  %s: %" PRIu64, stat->name, tsrm_value(stat, cells));
    for (bucket = 0; bucket < stat->buckets; bucket++) {
      uint64_t low = 0, high = 0, count = cells[stat->first + bucket];
      if (tsrm_stats_bucket(set, index, bucket, &low, &high) != 0) printf(" no bucket");
      if (count > 0) printf(", %" PRIu64 " from %" PRIu64 " to %" PRIu64, count, low, high);
    }
    if (stat->kind == TSRM_HISTOGRAM) printf(", sum %" PRIu64, cells[stat->first + stat->buckets]);
    printf("\n");
  }
}

static void print_set(const tsrm_set *set) {
  uint64_t *cells = (uint64_t *)malloc((set->cells + 1) * sizeof *cells);
  int state;
  cells[set->cells] = 77;
  state = tsrm_stats_snapshot(set, cells, set->cells + 1);
  printf("%s.%s: state %d\n", set->module, set->name, state);
  print_values(set, cells);
  if (cells[set->cells] != 77) printf("  written beyond its end\n");
  free(cells);
}

static void print_all(const char *when) {
  const tsrm_set *set = NULL;
  printf("-- %s\n", when);
  while ((set = tsrm_stats_next(set)) != NULL) print_set(set);
}

static void describe_all(void) {
  const tsrm_set *set = NULL;
  uint32_t index;
  printf("-- what there is\n");
  while ((set = tsrm_stats_next(set)) != NULL) {
    printf("%s.%s: %u statistics in %u cells\n", set->module, set->name, set->count, set->cells);
    if (set->version != TSRM_STATS_VERSION || set->size != sizeof *set || set->reserved != 0)
      printf("  other structs: version %u, size %u\n", set->version, set->size);
    if (set->stat_size != sizeof(tsrm_stat)) printf("  other statistics: size %u\n", set->stat_size);
    if (tsrm_stats_find(set->module, set->name) != set) printf("  not found by its name\n");
    for (index = 0; index < set->count; index++) {
      const tsrm_stat *stat = tsrm_stat_at(set, index);
      printf("  %s: kind %u, unit \"%s\", first %u, away %u, buckets %u, max %" PRIu64 "; %s\n", stat->name,
             stat->kind, stat->unit, stat->first, stat->away, stat->buckets, stat->max, stat->help);
    }
  }
}

/* Each of these is refused. */
static void bad_arguments(const tsrm_set *client) {
  tsrm_set copy = *client;
  const tsrm_set *bad[4];
  uint64_t cells[64], low = 77, high = 77;
  size_t i;
  int answers = 0;
  bad[0] = &copy;
  bad[1] = (const tsrm_set *)(uintptr_t)1;
  bad[2] = (const tsrm_set *)((const char *)client + 1);
  bad[3] = (const tsrm_set *)UINTPTR_MAX;
  for (i = 0; i < sizeof cells / sizeof *cells; i++) cells[i] = 77;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    answers += tsrm_stats_next(bad[i]) != NULL;
    answers += tsrm_stats_snapshot(bad[i], cells, 64) != TSRM_BAD_ARGUMENT;
    answers += tsrm_stats_shard(bad[i]) != NULL;
    answers += tsrm_stats_bucket(bad[i], 3, 0, &low, &high) != TSRM_BAD_ARGUMENT;
  }
  answers += tsrm_stats_snapshot(NULL, cells, 64) != TSRM_BAD_ARGUMENT;
  answers += tsrm_stats_snapshot(client, cells, client->cells - 1) != TSRM_BAD_ARGUMENT;
  answers += tsrm_stats_snapshot(client, cells, 0) != TSRM_BAD_ARGUMENT;
  answers += tsrm_stats_snapshot(client, NULL, 64) != TSRM_BAD_ARGUMENT;
  answers += tsrm_stats_shard(NULL) != NULL;
  answers += tsrm_stats_find(NULL, "client") != NULL;
  answers += tsrm_stats_find("client", NULL) != NULL;
  answers += tsrm_stats_find("client", "") != NULL;
  answers += tsrm_stats_find("client", "clien") != NULL;
  answers += tsrm_stats_find("off", "client") != NULL;
  answers += tsrm_stats_bucket(NULL, 3, 0, &low, &high) != TSRM_BAD_ARGUMENT;
  /* A counter, no statistic, and behind the last bucket. */
  answers += tsrm_stats_bucket(client, 0, 0, &low, &high) != TSRM_BAD_ARGUMENT;
  answers += tsrm_stats_bucket(client, client->count, 0, &low, &high) != TSRM_BAD_ARGUMENT;
  answers += tsrm_stats_bucket(client, UINT32_MAX, 0, &low, &high) != TSRM_BAD_ARGUMENT;
  answers += tsrm_stat_named(client, "no such") != NULL;
  answers += tsrm_stat_named(client, tsrm_stat_at(client, 3)->name) != tsrm_stat_at(client, 3);
  answers += tsrm_stats_bucket(client, 3, tsrm_stat_at(client, 3)->buckets, &low, &high) != TSRM_BAD_ARGUMENT;
  answers += tsrm_stats_bucket(client, 3, UINT32_MAX, &low, &high) != TSRM_BAD_ARGUMENT;
  for (i = 0; i < sizeof cells / sizeof *cells; i++) answers += cells[i] != 77;
  answers += low != 77 || high != 77;
  /* This one is right: both are optional, and there may be nothing to be written. */
  answers += tsrm_stats_bucket(client, 3, 0, NULL, NULL) != 0;
  answers += tsrm_stats_snapshot(tsrm_stats_find("client", "off"), NULL, 0) != TSRM_UP;
  answers += tsrm_stats_bucket(tsrm_stats_find("client", "off"), 0, 0, NULL, NULL) != TSRM_BAD_ARGUMENT;
  printf("bad arguments that are not refused: %d\n", answers);
}

/* What another thread sees in a shard that is counted in. */
struct look {
  const uint64_t *shard;
  uint32_t cell;
  int is_over;            /* what is to be counted, is */
  uint32_t different;     /* how many values it has seen so far */
  uint32_t steps_back;
  uint64_t last;
};

static void *look(void *data) {
  struct look *look = (struct look *)data;
  int is_over;
  do {
    uint64_t now;
    is_over = __atomic_load_n(&look->is_over, __ATOMIC_ACQUIRE);
    now = tsrm_cell(look->shard, look->cell);
    look->steps_back += now < look->last;
    if (now != look->last) __atomic_fetch_add(&look->different, 1, __ATOMIC_RELAXED);
    look->last = now;
  } while (!is_over);
  return NULL;
}

/* Inside an attach. */
static void read_shard(void *data) {
  const tsrm_set *set = (const tsrm_set *)data;
  const tsrm_stat *bytes = tsrm_stat_at(set, 0);
  const uint64_t *shard = tsrm_stats_shard(set);
  uint64_t cells[64], before, added = 0, wrong = 0;
  struct look seen;
  pthread_t thread;
  uint32_t cell;
  if (shard == NULL || set->cells > 64) {
    printf("no shard\n");
    return;
  }
  printf("-- this thread's part\n");
  for (cell = 0; cell < set->cells; cell++) cells[cell] = tsrm_cell(shard, cell);
  print_values(set, cells);

  memset(&seen, 0, sizeof seen);
  seen.shard = shard;
  seen.cell = bytes->first;
  before = seen.last = tsrm_cell(shard, bytes->first);
  if (pthread_create(&thread, NULL, look, &seen) != 0) abort();
  /* Until the other one has seen it go up, and not for ever. */
  while (__atomic_load_n(&seen.different, __ATOMIC_RELAXED) < 100 && added < 100000000) {
    host_add(1);
    added++;
    wrong += tsrm_cell(shard, bytes->first) != before + added;
  }
  host_add(100000000 - added);
  __atomic_store_n(&seen.is_over, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  printf("wrong here: %" PRIu64 "; there: %s, steps back: %u, at the end: %s\n", wrong,
         seen.different < 100 ? "nothing seen" : "seen", seen.steps_back,
         seen.last == before + 100000000 ? "exact" : "wrong");
}

/* On a thread of its own. */
static void *count(void *data) {
  (void)data;
  done("count on another thread", host_count());
  if (tsrm_stats_shard(tsrm_stats_find("client", "client")) != NULL) printf("a shard outside\n");
  return NULL;
}

int main(void) {
  const tsrm_set *client, *later;
  pthread_t thread;

  printf("%s library\n", host_is_single_threaded() ? "NTS" : "ZTS");
  print_all("nothing yet");
  if (tsrm_stats_find("client", "client") != NULL) printf("found too early\n");
  done("start", host_start());
  client = tsrm_stats_find("client", "client");
  if (client == NULL) return 1;
  describe_all();
  bad_arguments(client);

  if (tsrm_stats_shard(client) != NULL) printf("a shard outside\n");
  done("count", host_count());
  if (tsrm_stats_shard(client) != NULL) printf("a shard outside\n");
  done("attach", host_attach(read_shard, (void *)(uintptr_t)client));
  print_all("counted");

  done("detach", host_detach());
  if (pthread_create(&thread, NULL, count, NULL) != 0) abort();
  pthread_join(thread, NULL);
  done("close here", host_close());
  print_all("counted on a thread that is gone");

  done("detach", host_detach());
  done("retire", host_retire());
  print_all("retired");
  done("close", host_close());
  done("register the later version", host_register_later());
  later = tsrm_stats_find("client", "client");
  printf("found: %s\n", later == NULL || later == client ? "the older one" : "the later one");
  print_all("the later one");
  printf("-- the older one\n");
  print_set(client);
  if (tsrm_stats_next(client) != tsrm_stats_find("client", "off")) printf("no way on\n");
  done("shutdown", host_shutdown());
  done("count", host_count());
  if (tsrm_stats_find("client", "client") != later) printf("another one is found\n");
  print_all("shut down");

  done("start again", host_start());
  if (tsrm_stats_find("client", "client") != client) printf("not the first one again\n");
  done("count", host_count());
  print_all("the older one again");
  done("detach", host_detach());
  done("close", host_close());
  done("shutdown", host_shutdown());
  print_all("at the end");
  return 0;
}
