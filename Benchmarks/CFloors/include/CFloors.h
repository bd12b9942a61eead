#ifndef C_FLOORS_H
#define C_FLOORS_H

/* What plain C does with the same SQLite, for our figures to be compared with. */

/* Inserts `rows` readings into a database of ours that holds trip 1 and channels 1 to 5, `each` in
   a transaction, synchronous=FULL, with foreign keys checked or not.
   Returns the seconds it took, or -1. */
double floor_insert(const char *path, long rows, long each, int foreign_keys);

/* Goes through trip 1 in the order of its key. Returns the seconds it took, or -1. */
double floor_scan(const char *path);

/* Monotonic clock and this process's CPU time; unit: seconds. */
double floor_now(void);
double floor_cpu(void);

/* Largest resident size so far; unit: KB. */
long floor_peak_kilobytes(void);

#endif
