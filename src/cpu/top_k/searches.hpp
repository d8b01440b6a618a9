// SPDX-License-Identifier: Apache-2.0
//
// The parts of a search that top_k.cpp and quantile.cpp share. TALLY_SEARCHES() has them compiled,
// TALLY_SEARCHES(extern) says that they are.
#pragma once

#include "rank_search.hpp"

#define TALLY_SEARCHES_OF(EXTERN, R)                                                               \
  EXTERN template std::vector<counts> count_each(ranking<R>, pieces<R> const&, bits_of<R>, int);   \
  EXTERN template bracket<bits_of<R>> bracket_of(ranking<R>, R const*, std::size_t, std::uint64_t, \
                                                 bool, int);                                       \
  EXTERN template gathered<R> gather(ranking<R>, pieces<R> const&, interval<bits_of<R>>,           \
                                     std::int64_t, int);                                           \
  EXTERN template search<bits_of<R>> narrow(ranking<R>, pieces<R> const&, search<bits_of<R>>,      \
                                            int);                                                  \
  EXTERN template threshold<bits_of<R>> select(ranking<R>, pieces<R> const&, search<bits_of<R>>,   \
                                               int);
#define TALLY_SEARCHES(EXTERN)                                                      \
  TALLY_SEARCHES_OF(EXTERN, std::uint8_t)                                           \
  TALLY_SEARCHES_OF(EXTERN, std::uint16_t)                                          \
  TALLY_SEARCHES_OF(EXTERN, std::uint32_t) TALLY_SEARCHES_OF(EXTERN, std::uint64_t) \
      TALLY_SEARCHES_OF(EXTERN, float16) TALLY_SEARCHES_OF(EXTERN, bfloat16)        \
          TALLY_SEARCHES_OF(EXTERN, float) TALLY_SEARCHES_OF(EXTERN, double)
