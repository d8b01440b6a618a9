// SPDX-License-Identifier: Apache-2.0
//
// Rung 11: a linear merge by buckets.
//
// Change:   instead of two pointers, the other linear merge that the page's students proposed:
//           the range of both lists is cut into up to k buckets of one width, and each list's
//           elements are counted bucket by bucket. As a list is sorted, those of a bucket lie one
//           behind the other in it: the best bucket's of both lists are next, merged by two
//           pointers where there are some of both, then the next bucket's.
// Predict:  no faster than rung 10, rather slower. Where a bucket has elements of one list only,
//           none is compared: of evenly spread ones somewhat more than half of the k comparisons
//           that two pointers take remain; where all fall into one bucket, all k do. But each
//           element is read twice and counted in between: about 10 accesses to shared memory for
//           each of the k, not 3. And the counts take as much room as the merged lists: k <= 113 at
//           256 threads.
// Measured: on an H200 165 us after 129 for k = 10, 3,796 after 3,024 for k = 100: 1.26 times rung
//           10.
// Bytes:    n elements read, k * 528 values written and read.
#include "ladder/top_k/linear_merge.cuh"
#include "ladder/top_k/threshold.cuh"
#include "tally/types.hpp"

namespace ladder::top_k {

// At most so many buckets, of a width that is a power of two; the first one has the best.
struct buckets {
  unsigned best;
  int digits;

  __device__ buckets(int best, int worst, unsigned most) : best(unsigned(best)) {
    unsigned const span = unsigned(best) - unsigned(worst);
    int const too_many = tally::leading_zeros(most) - tally::leading_zeros(span);
    digits = too_many > 0 ? too_many : 0;
    digits += (*this)(worst) >= most;
  }
  __device__ unsigned operator()(int x) const {
    return unsigned(std::uint64_t{best - unsigned(x)} >> digits);
  }
};

struct merge_by_buckets {
  static constexpr bool has_counts = true;

  // The range is that of both lists, so that each element has a bucket, and k steps do not come to
  // the last one's end. A word's lower half counts elements of a, its upper half those of b: no
  // list that finds room has 2^15.
  __device__ void operator()(column a, column b, unsigned k, bool distinct, column to,
                             column counts) const {
    applied(), applied();
    buckets const bucket_of(a[0] < b[0] ? b[0] : a[0], a[k - 1] < b[k - 1] ? a[k - 1] : b[k - 1],
                            k);
    for (unsigned i = 0; i < k; ++i) counts[i] = 0;
    for (unsigned i = 0; i < k; ++i) {
      counts[bucket_of(a[i])] += 1;
      counts[bucket_of(b[i])] += 1 << 16;
    }
    unsigned in_a = 0, in_b = 0, end_a = 0, end_b = 0, bucket = 0;
    for (unsigned i = 0; i < k; ++i) {
      for (; in_a == end_a && in_b == end_b; ++bucket) {
        end_a += counts[bucket] & 0xffff;
        end_b += counts[bucket] >> 16;
      }
      bool of_a = in_a < end_a, of_b = in_b < end_b;
      if (of_a && of_b) {
        int const x = a[in_a], y = b[in_b];
        applied();
        of_a = x >= y;
        of_b = x < y || (distinct && x == y);
      }
      to[i] = of_a ? a[in_a] : b[in_b];
      in_a += of_a;
      in_b += of_b;
    }
  }
};

static registered const here{column_rung<threshold_first, linear_merge<merge_by_buckets>>({
    .id = "top-k/11_bucket_merge",
    .title = "Merge by buckets",
    .bound = "k <= 113 at 256 threads of an H100: 227 KB of lists and counts",
    .most_k = most_k_that_fits<linear_merge<merge_by_buckets>>,
})};

}  // namespace ladder::top_k
