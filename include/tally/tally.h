/* SPDX-License-Identifier: Apache-2.0
 *
 * Tally for C, and for what speaks C: reductions, scans and selections of arrays of any element
 * type, shape and strides, along any axes, on cores and on GPUs (tally/ndarray.hpp). The bits are
 * those of the calls in C++.
 *
 *   float x[2][3] = {{1, 2, 3}, {4, 5, 6}}, sums[2];
 *   int64_t shape[] = {2, 3};
 *   int32_t axis = 1;
 *   tally_array in = {.data = x, .dtype = TALLY_FLOAT32, .dimensions = 2, .shape = shape};
 *   tally_array out = {.data = sums, .dtype = TALLY_FLOAT32, .dimensions = 1, .shape = shape};
 *   tally_where *here;
 *   if (tally_cpu(0, &here) || tally_reduce(here, "sum", &in, NULL, 1, &axis, 1, &out, NULL))
 *     fprintf(stderr, "%s\n", tally_message());
 *   tally_close(here);
 *
 * Each function returns TALLY_OK, or what went wrong: tally_message() tells it in words, which name
 * the argument and its value. What is written when a call has failed is unspecified. A tally_where
 * makes one call at a time.
 */
#ifndef TALLY_TALLY_H
#define TALLY_TALLY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The interface that this header describes; tally_interface() has that of the library. Later ones
 * only add to it. */
#define TALLY_INTERFACE 1

enum tally_status {
  TALLY_OK = 0,
  TALLY_WRONG = 1,     /* arguments that do not fit, or a device that is not there or has failed */
  TALLY_NO_MEMORY = 2, /* of the host */
};

enum tally_dtype {
  TALLY_BOOL, /* a byte, 0 or 1 */
  TALLY_INT8,
  TALLY_INT16,
  TALLY_INT32,
  TALLY_INT64,
  TALLY_UINT8,
  TALLY_UINT16,
  TALLY_UINT32,
  TALLY_UINT64,
  TALLY_FLOAT16,
  TALLY_BFLOAT16,
  TALLY_FLOAT32,
  TALLY_FLOAT64,
  TALLY_UNKNOWN = -1 /* as options have it: that of the call without them */
};

/* An array of so many dimensions, whose strides count elements: null strides are C order. Data are
 * aligned to their elements. Outputs lie apart from what is read, but for a scan's, and from one
 * another.
 *
 * Of one that is read, elements may be missing: `valid` is a bitmap as Arrow has it, in which the
 * element at `data` has the bit `valid_offset`, from the lowest one of the first byte on, and one
 * so many elements behind it the bit as far on. Null: all are there. Missing elements are as NaNs;
 * of integers they are absent with skip_nan; without it floating-point results are NaN, positions
 * are those of the first of them, and a result that is an integer is TALLY_WRONG, if an element is
 * missing of what any result is made of. At most 12 dimensions of such arrays follow none of the
 * others. */
typedef struct tally_array {
  void* data;
  int32_t dtype;
  int32_t dimensions;
  int64_t const* shape;
  int64_t const* strides;
  uint8_t const* valid;
  int64_t valid_offset;
} tally_array;

/* Where calls run. */
typedef struct tally_where tally_where;

/* The calling thread's cores, or so many threads; 0: all of them. */
int tally_cpu(int32_t threads, tally_where** where);
/* A GPU, as CUDA counts; -1: the current one. `stream` is a cudaStream_t, which outlives it, or
 * null for the default one. Calls are asynchronous in it; those that have to wait say so. */
int tally_gpu(int32_t device, void* stream, tally_where** where);
void tally_close(tally_where* where);
/* Waits for a GPU's stream; of cores there is nothing to wait for. */
int tally_synchronise(tally_where* where);
/* The GPU in whose memory that is, or -1. */
int tally_gpu_holding(void const* data);

/* What went wrong in this thread's latest call that failed. */
char const* tally_message(void);
int tally_interface(void);

/* What calls may be told. Initialise it with TALLY_OPTIONS, which asks for nothing; a null pointer
 * does so, too. Calls look at those of them that concern them. */
typedef struct tally_options {
  uint32_t size;     /* sizeof(tally_options): later interfaces have more */
  int32_t skip_nan;  /* NaNs are absent */
  int32_t as;        /* reduce: the type of results */
  int32_t exclusive; /* scan */
  int32_t reverse;   /* scan: from the last element on */
  int32_t smallest;  /* top_k, kth_value: these are the best */
  int32_t largest;   /* kth_value */
  int32_t by_index;  /* top_k: in the order of indices, and not the best first */
  int32_t distinct;  /* top_k: different values only */
  int32_t method;    /* quantile: of tally_method */
  uint64_t ddof;     /* variance, standard_deviation, describe */
  void const* init;  /* scan: a value of the output's type, in memory of the host, or null */
} tally_options;
#define TALLY_OPTIONS {sizeof(tally_options), 0, TALLY_UNKNOWN, 0, 0, 0, 0, 0, 0, 0, 0, NULL}

enum tally_method { TALLY_LINEAR, TALLY_LOWER, TALLY_HIGHER, TALLY_NEAREST, TALLY_MIDPOINT };

/* The names of aggregates, from 0 on; null behind the last one. */
char const* tally_aggregate_name(int32_t index);

/* One of the numbers that an aggregate's result is made of. */
typedef struct tally_number {
  char const* name; /* "value" where it is the only one */
  int32_t dtype;
} tally_number;
enum { TALLY_MOST_NUMBERS = 12 };
/* How many numbers the result for such elements has, and what they are: `numbers` has room for
 * TALLY_MOST_NUMBERS, or is null. */
int tally_results(char const* aggregate, int32_t elements, tally_options const* options,
                  int32_t* count, tally_number* numbers);

/* Reductions along axes, which count from 0, or from the end if negative. `b` is the second array
 * of dot, or null. There is an output for each of the result's numbers, in the shape of the axes
 * that are left; or in that of `a` with 1 for each of `axes`. */
int tally_reduce(tally_where* where, char const* aggregate, tally_array const* a,
                 tally_array const* b, int32_t axis_count, int32_t const* axes,
                 int32_t output_count, tally_array const* outputs, tally_options const* options);

/* Of sums ("sum", "fast_sum"), products ("product": of floating types and of 64-bit integers) and
 * extrema ("minimum", "maximum"). `out` has the shape of `in`, and
 * lies apart from it or in its place. Sums of integers go to any integers on cores; on a GPU to
 * their own type and to TALLY_INT64, of unsigned ones and bools TALLY_UINT64. Sums of floating
 * types go to any of these, all other scans to their own type. */
int tally_scan(tally_where* where, char const* aggregate, tally_array const* in, int32_t axis_count,
               int32_t const* axes, tally_array const* out, tally_options const* options);

/* `values` and `indices` (TALLY_INT64) have the shape of `in`, with k along the axis. Of a line
 * that is shorter than k the rest has the index -1, and is NaN or 0. */
int tally_top_k(tally_where* where, tally_array const* in, int32_t axis, uint64_t k,
                tally_array const* values, tally_array const* indices,
                tally_options const* options);

/* The same, chosen by the sums with `bias`, of in's shape (a stride may be 0): elements of `in` are
 * what comes back. */
int tally_top_k_biased(tally_where* where, tally_array const* in, tally_array const* bias,
                       int32_t axis, uint64_t k, tally_array const* values,
                       tally_array const* indices, tally_options const* options);

/* The element at place k of the sorted ones, from 1 on, and where it was: in the shape of the axes
 * that are left. */
int tally_kth_value(tally_where* where, tally_array const* in, int32_t axis_count,
                    int32_t const* axes, uint64_t k, tally_array const* values,
                    tally_array const* indices, tally_options const* options);

/* From 0 to 1: 95 / 100 is what no double is. */
typedef struct tally_fraction {
  uint64_t numerator, denominator;
} tally_fraction;

/* `out` has the elements' type, or of integers TALLY_FLOAT64; they are in place of that if the
 * method chooses one of them (lower, higher, nearest), and 0 where there are none. It has the shape
 * of the axes that are left behind a first one of `count`. Quantiles are either doubles or, where
 * `q` is null, fractions, in memory of the host. */
int tally_quantile(tally_where* where, tally_array const* in, int32_t axis_count,
                   int32_t const* axes, size_t count, double const* q,
                   tally_fraction const* fractions, tally_array const* out,
                   tally_options const* options);

/* The same of segments: segment s has the elements of `in`, which has one dimension and, as `b` and
 * the output of a scan, a stride of 1, from
 * offsets[s] up to offsets[s + 1] (TALLY_INT64, one dimension, C order, where `in` lies). Outputs
 * have a place for each segment. Offsets in a GPU's memory ascend within the array, which is not
 * looked at, and no segment is longer than `longest`; on cores that is not asked for. A scan leaves
 * places in no segment as they are. */
int tally_reduce_segments(tally_where* where, char const* aggregate, tally_array const* a,
                          tally_array const* b, tally_array const* offsets, uint64_t longest,
                          int32_t output_count, tally_array const* outputs,
                          tally_options const* options);
int tally_scan_segments(tally_where* where, char const* aggregate, tally_array const* in,
                        tally_array const* offsets, uint64_t longest, tally_array const* out,
                        tally_options const* options);
/* Outputs have the shape (segments, k), in C order. */
int tally_top_k_segments(tally_where* where, tally_array const* in, tally_array const* offsets,
                         uint64_t longest, uint64_t k, tally_array const* values,
                         tally_array const* indices, tally_options const* options);
/* `out` has the shape (segments, count), in C order. */
int tally_quantile_segments(tally_where* where, tally_array const* in, tally_array const* offsets,
                            uint64_t longest, size_t count, double const* q,
                            tally_fraction const* fractions, tally_array const* out,
                            tally_options const* options);

#ifdef __cplusplus
}
#endif

#endif
