// SPDX-License-Identifier: Apache-2.0
#include "tally/top_k_state.hpp"

#include "support/failure_of.hpp"
#include "support/state_cases.hpp"

namespace {

using namespace tally;
using support::failure_of;

// Of parts, each by a selector of its own, some of which go on with what others sent.
template <class T>
void expect_parts(std::uint64_t k, top_k_options const& options) {
  auto const x = support::state_values<T>(3000, true, unsigned(k));
  selector<T> whole(k, options), first(k, options), last(k, options, 2000);
  whole.add(cpu{}, x);
  first.add(cpu{}, std::span<T const>(x.data(), 700));
  last.add(cpu{}, std::span<T const>(x.data() + 2000, 1000));
  selector<T> parts(top_k_state<T>::deserialise(first.state().serialise()));
  parts.add(cpu{}, std::span<T const>(x.data() + 700, 1300));
  parts.append(selector<T>(top_k_state<T>::deserialise(last.state().serialise())));
  EXPECT_EQ(parts.state().serialise(), whole.state().serialise());
  auto const got = std::move(parts).result(), want = std::move(whole).result();
  EXPECT_EQ(got.indices, want.indices);
  ASSERT_EQ(got.values.size(), want.values.size());
  for (std::size_t i = 0; i < got.values.size(); ++i)
    EXPECT_EQ(to_bits(T(got.values[i])), to_bits(T(want.values[i])));
}

TEST(states_of_selections, go_on_elsewhere) {
  for (std::uint64_t k : {0, 1, 17, 2900, 3000})
    for (bool sorted : {false, true})
      for (bool distinct : {false, true})
        for (auto const which : {largest, smallest})
          for (auto const nan : {propagate, skip}) {
            top_k_options const options{which, sorted, distinct, nan};
            expect_parts<float>(k, options);
            expect_parts<std::int8_t>(k, options);
            expect_parts<float16>(k, options);
          }
}

TEST(states_of_selections, that_cannot_be_are_refused) {
  std::vector<std::int32_t> const x = {5, 3, 4};
  selector<std::int32_t> best(2);
  best.add(cpu{}, x);
  auto const s = best.state();
  EXPECT_EQ(s.best.indices, (std::vector<std::int64_t>{0, 2}));
  auto const failure = [&](auto const& change) {
    auto changed = s;
    change(changed);
    return failure_of([&] { top_k_state<std::int32_t>::deserialise(changed.serialise()); });
  };
  EXPECT_EQ(failure([](auto& c) { c.k = 1; }), "state: 2 elements of 3 as the best 1");
  EXPECT_EQ(failure([](auto& c) { c.best.indices = {2, 0}; }),
            "state: the indices of the best do not ascend up to the next one");
  auto bytes = s.serialise();
  bytes.pop_back();
  EXPECT_EQ(failure_of([&] { top_k_state<std::int32_t>::deserialise(bytes); }),
            "state: 1 bytes are missing");
  EXPECT_EQ(failure_of([&] { top_k_state<float>::deserialise(s.serialise()); }),
            "state: of element type number 3, not 11");
}

}  // namespace
