#ifndef C_FLOORS_H
#define C_FLOORS_H

/* What plain C does with the same SQLite, for our figures to be compared with. */

/* Inserts `rows` readings into a database of ours that holds trip 1 and channels 1 to 5, `each` in
   a transaction, synchronous=FULL, with foreign keys checked or not.
   Returns the seconds it took, or -1. */
double floor_insert(const char *path, long rows, long each, int foreign_keys);

/* Goes through trip 1 in the order of its key. Returns the seconds it took, or -1. */
double floor_scan(const char *path);

/* An adapter that answers 01 0C at once and everything else as far as a set-up needs it, on a
   thread of its own. Returns the descriptor of the client's end, or -1; closing it ends the
   thread. One at a time. */
int floor_adapter_open(void);

/* Forgets what was measured. */
void floor_adapter_clear(void);

/* Requests to the vehicle since then, and the time from the adapter's prompt to the next request
   that half of them, or 95 %, did not exceed; unit: microseconds. */
long floor_adapter_requests(void);
double floor_adapter_think(double share);

/* A client that does nothing but ask 01 0C `count` times. Returns the seconds it took, or -1. */
double floor_client(int descriptor, long count);

/* Monotonic clock and this process's CPU time; unit: seconds. */
double floor_now(void);
double floor_cpu(void);

/* Largest resident size so far; unit: KB. */
long floor_peak_kilobytes(void);

#endif
