// One kernel for each optimization. cliffs.py compiles it in variants that a user would call the same; these macros differ.
#ifndef INDEX
#define INDEX uint // the type of indices and sizes
#endif
#ifndef T
#define T float // the type of elements
#endif
#ifndef CONST
#define CONST const // of arguments that are only read
#endif
#ifdef EXTRA // one operation more
#define VALUE(value) ((value) * (T)3)
#else
#define VALUE(value) (value)
#endif
#ifdef SECOND_BLOCK // a branch that all work-items take alike
#define BEGIN if (n != 1) {
#define END }
#elif defined(GUARD) // a branch that some work-items might not take
#define BEGIN if (get_global_id(0) < n + 1000000000UL && get_global_id(1) < n + 1000000000UL) {
#define END }
#elif defined(BOUNDS) // the end of rows and columns
#define BEGIN if ((INDEX)get_global_id(0) < n && (INDEX)get_global_id(1) < n) {
#define END }
#else
#define BEGIN
#define END
#endif
#ifdef SWAPPED // rows for columns
#define X 1
#define Y 0
#else
#define X 0
#define Y 1
#endif
#ifdef EARLY_RETURN // of groups, before barriers
#define LEAVE(row) \
  if ((row) >= n) \
    return;
#else
#define LEAVE(row)
#endif
#ifdef UNROLL
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED
#endif
#ifdef LINEAR_ID // rows and columns of one id
#define COLUMN(d, n) (get_global_id(0) % (n))
#define ROW(d, n) (get_global_id(0) / (n))
#else
#define COLUMN(d, n) get_global_id(d)
#define ROW(d, n) get_global_id(d)
#endif
#ifdef HELPER // a function of the program
INDEX place(INDEX row, INDEX column, INDEX n) {
  return row * n + column;
}
T read(global CONST T *from, INDEX i) {
  return from[i];
}
uint arrive(volatile global uint *counter) {
  return atomic_inc(counter);
}
#else
#define place(row, column, n) ((row) * (n) + (column))
#define read(from, i) ((from)[i])
#define arrive(counter) atomic_inc(counter)
#endif

kernel void copy(INDEX n, global CONST T *from, global T *to) {
  const INDEX x = COLUMN(X, n), y = ROW(Y, n);
  BEGIN
  to[place(y, x, n)] = VALUE(read(from, place(y, x, n)));
  END
}

kernel void transpose(INDEX n, global CONST T *from, global T *to) {
  const INDEX x = COLUMN(X, n), y = ROW(Y, n);
  BEGIN
  to[place(x, y, n)] = VALUE(read(from, place(y, x, n)));
  END
}

// The sum of five neighbors, inside of a border.
kernel void stencil(INDEX n, global CONST T *from, global T *to) {
  const INDEX x = COLUMN(X, n) + 1, y = ROW(Y, n) + 1, pitch = n + 2;
  BEGIN
  to[place(y, x, pitch)] = VALUE(read(from, place(y, x, pitch)) + read(from, place(y, x - 1, pitch)) +
                                 read(from, place(y, x + 1, pitch)) + read(from, place(y - 1, x, pitch)) +
                                 read(from, place(y + 1, x, pitch)));
  END
}

// The bytes on both sides, around the ends of a row.
kernel void around(INDEX n, global CONST uchar *from, global uchar *to) {
  const INDEX x = COLUMN(X, n), y = ROW(Y, n);
  BEGIN
  to[place(y, x, n)] = (uchar)VALUE(from[place(y, (x + n - 1) % n, n)] + from[place(y, (x + 1) % n, n)]);
  END
}

// Pairs of numbers: the elements of one member are two elements apart.
kernel void pairs(INDEX n, global CONST T *from, global T *to) {
  const INDEX i = get_global_id(0);
  BEGIN
  to[place(i, 0, 2)] = VALUE(read(from, place(i, 1, 2)));
  to[place(i, 1, 2)] = read(from, place(i, 0, 2));
  END
}

// A chain of multiply-adds: each waits for the one before, unless other work-items have some.
kernel void chain(INDEX n, global CONST T *from, global T *to) {
  const INDEX i = get_global_id(0);
  BEGIN
  T x = read(from, i);
  UNROLLED
  for (INDEX k = 0; k < n; ++k)
    x = fma(VALUE(x), (T)0.5, (T)1);
  to[i] = x;
  END
}

kernel void histogram(INDEX n, global CONST T *from, global uint *to) {
  const INDEX i = get_global_id(0);
  BEGIN
  atomic_inc(&to[(uint)VALUE(read(from, i)) % 256]);
  END
}

// Sums of all elements before, within a group: many steps in local memory after one load.
kernel void steps(INDEX n, global CONST T *from, global T *to, local T *sums) {
  const INDEX i = get_global_id(0), me = get_local_id(0), size = get_local_size(0);
  BEGIN
  T sum = VALUE(read(from, i));
  for (INDEX step = 1; step < size; step *= 2) {
    sums[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me >= step)
      sum += sums[me - step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  to[i] = sum;
  END
}

// Every work-item multiplies one number, by a loop that swaps.
kernel void product(INDEX n, global CONST T *from, volatile global uint *to) {
  const INDEX i = get_global_id(0);
  BEGIN
  const uint factor = (uint)VALUE(read(from, i)) | 1;
  uint old;
  do
    old = *to;
  while (atomic_cmpxchg(to, old, old * factor) != old);
  END
}

// A work-group multiplies in local memory, and its first work-item swaps.
kernel void group_product(INDEX n, global CONST T *from, volatile global uint *to, local uint *partial) {
  const uint me = get_local_id(0);
  BEGIN
  partial[me] = (uint)VALUE(read(from, (INDEX)get_global_id(0))) | 1;
  for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step)
      partial[me] *= partial[me + step];
  }
  if (me == 0) {
    uint seen = *to, old;
    do {
      old = seen;
      seen = atomic_cmpxchg(to, old, old * partial[0]);
    } while (seen != old);
  }
  END
}

// A work-group sums in local memory, and the last group adds the sums of all.
kernel void last_group(INDEX n, global CONST T *from, global uint *sums, volatile global uint *arrived, global uint *total,
                       local uint *partial) {
  const uint me = get_local_id(0);
  BEGIN
  partial[me] = (uint)VALUE(read(from, (INDEX)get_global_id(0)));
  for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step)
      partial[me] += partial[me + step];
  }
  if (me == 0) {
    sums[get_group_id(0)] = partial[0];
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    partial[0] = arrive(arrived) == get_num_groups(0) - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (partial[0]) {
    for (size_t i = me; i < get_num_groups(0); i += get_local_size(0))
      atomic_add(total, sums[i]);
    *arrived = 0;
  }
  END
}

// The greatest number, which is swapped in while it is greater.
kernel void greatest(INDEX n, global CONST T *from, volatile global uint *to) {
  const INDEX i = get_global_id(0);
  BEGIN
  const uint mine = (uint)VALUE(read(from, i));
  uint old = *to;
  while (old < mine) {
    const uint seen = atomic_cmpxchg(to, old, mine);
    if (seen == old)
      break;
    old = seen;
  }
  END
}

// A loop in which all work-items step over the array.
kernel void strided(INDEX n, global CONST T *from, global T *to) {
  BEGIN
  T sum = 0;
  for (INDEX i = get_global_id(0); i < n; i += get_global_size(0))
    sum += VALUE(read(from, i));
  to[get_global_id(0)] = sum;
  END
}

// c = a * b. Neighboring work-groups load the same columns.
kernel void matrix(INDEX n, global CONST T *a, global CONST T *b, global T *c) {
  const INDEX column = COLUMN(X, n), row = ROW(Y, n);
  LEAVE(row)
  BEGIN
  T sum = 0;
  for (INDEX k = 0; k < n; ++k)
    sum += VALUE(read(a, place(row, k, n)) * read(b, place(k, column, n)));
  c[place(row, column, n)] = sum;
  END
}

// Squares of distances between the points of two sets, of n coordinates each.
kernel void distances(INDEX n, global CONST T *a, global CONST T *b, global T *c) {
  const INDEX column = COLUMN(X, n), row = ROW(Y, n);
  LEAVE(row)
  BEGIN
  T sum = 0;
  for (INDEX k = 0; k < n; ++k) {
    const T difference = read(a, place(row, k, n)) - read(b, place(k, column, n));
    sum += VALUE(difference * difference);
  }
  c[place(row, column, n)] = sum;
  END
}

// The product again. A work-group copies a piece of one row of a to local memory. Groups above each other load the same of b.
#define PIECE 64
#ifdef LOCAL_ARGUMENT
kernel void row_tile(INDEX n, global CONST T *a, global CONST T *b, global T *c, local T *piece) {
#else
kernel void row_tile(INDEX n, global CONST T *a, global CONST T *b, global T *c) {
  local T piece[PIECE];
#endif
#ifdef ONE_DIMENSION
  const INDEX tiles = n / get_local_size(0), tile = get_group_id(0) % tiles, row = get_group_id(0) / tiles;
  const INDEX me = get_local_id(0), column = tile * get_local_size(0) + me;
#else
  const INDEX me = get_local_id(X), column = COLUMN(X, n), row = ROW(Y, n);
#endif
  LEAVE(row)
  BEGIN
  T sum = 0;
  for (INDEX start = 0; start < n; start += PIECE) {
    for (INDEX k = me; k < PIECE; k += get_local_size(X))
      piece[k] = read(a, place(row, start + k, n));
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED
    for (INDEX k = 0; k < PIECE; ++k)
      sum += VALUE(piece[k] * read(b, place(start + k, column, n)));
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[place(row, column, n)] = sum;
  END
}
