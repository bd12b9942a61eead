#ifndef C_FLOORS_H
#define C_FLOORS_H

/* The same work in plain C with the same SQLite, as a reference for our figures. */

/* Inserts `rows` readings into one of our databases with trip 1 and channels 1 to 5, `each` per
   transaction, synchronous=FULL, with or without checking foreign keys.
   Returns the seconds it took, or -1. */
double floor_insert(const char *path, long rows, long each, int foreign_keys);

/* Reads trip 1 in the order of its key. Returns the seconds it took, or -1. */
double floor_scan(const char *path);

/* An adapter that answers 01 0C at once and otherwise only what a set-up needs, on its own thread.
   Returns the descriptor of the client's end, or -1; closing it ends the thread.
   Only one at a time. */
int floor_adapter_open(void);

/* Resets the measurements. */
void floor_adapter_clear(void);

/* The number of requests to the vehicle since the reset, and a percentile (0.5, 0.95) of the time
   from the adapter's prompt to the next request; unit: microseconds. */
long floor_adapter_requests(void);
double floor_adapter_think(double share);

/* A client that only requests 01 0C `count` times. Returns the seconds it took, or -1. */
double floor_client(int descriptor, long count);

/* Monotonic clock and this process's CPU time; unit: seconds. */
double floor_now(void);
double floor_cpu(void);

/* Largest resident size so far; unit: KB. */
long floor_peak_kilobytes(void);

#endif
