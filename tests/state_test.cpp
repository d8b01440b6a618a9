// SPDX-License-Identifier: Apache-2.0
#include "tally/state.hpp"

#include "cpu/operators.hpp"
#include "support/failure_of.hpp"
#include "support/state_cases.hpp"

namespace {

using namespace tally;
using operators::affine, operators::then;
using support::failure_of;

struct cores : support::arrays_here {
  cpu where() const { return {3}; }
};

template <class T>
struct states_of_parts : ::testing::Test {};
using types = ::testing::Types<double, float16, std::uint8_t>;
TYPED_TEST_SUITE(states_of_parts, types);

TYPED_TEST(states_of_parts, are_those_of_a_single_call) {
  cores here;
  support::expect_all_states<TypeParam>(here);
}

std::string to_hex(std::vector<std::byte> const& bytes) {
  std::string out;
  for (auto const b : bytes) {
    char text[3];
    std::snprintf(text, sizeof text, "%02x", unsigned(b));
    out += text;
  }
  return out;
}

TEST(bytes_of_states, are_few_and_say_what_they_are) {
  std::vector<float> const x = {1, 2, -0.5f};
  auto const head = std::string("544c590101") + "0300000073756d" + "0b";
  EXPECT_EQ(to_hex(reduce(cpu{}, x, as_state{sum{}, 5}).serialise()),
            head + "0500000000000000" + "0300000000000000" + "00" + "01" + "00" + "ebff" +
                "00005000");  // 2.5 is 0x500000 / 2^21
}

TEST(bytes_of_states, of_others_are_refused) {
  std::vector<float> const x = {1, 2};
  auto const bytes = reduce(cpu{}, x, as_state{sum{}}).serialise();
  auto const refusal = [&](auto const& to_read, std::vector<std::byte> const& from) {
    return failure_of([&] { std::remove_cvref_t<decltype(to_read)>::deserialise(from); });
  };
  EXPECT_EQ(refusal(state<mean, float>(), bytes), "state: of 'sum', not of 'mean'");
  EXPECT_EQ(refusal(state<sum, double>(), bytes), "state: of element type number 11, not 12");
  auto longer = bytes, shorter = bytes;
  longer.push_back({});
  shorter.pop_back();
  EXPECT_EQ(refusal(state<sum, float>(), longer), "state: more bytes than it has");
  EXPECT_EQ(refusal(state<sum, float>(), shorter), "state: 1 bytes are missing");
  longer = bytes, longer[3] = std::byte(2);
  EXPECT_EQ(refusal(state<sum, float>(), longer), "state: not one of version 1");
}

// A result type of its own changes no state.
TEST(bytes_of_states, do_not_depend_on_the_type_of_results) {
  std::vector<float> const x = {1, 2, 1e-30f};
  EXPECT_EQ(reduce(cpu{}, x, as_state{sum{}}).serialise(),
            reduce(cpu{}, x, as_state{sum{}.as<double>()}).serialise());
  auto const s =
      state<basic_sum<double>, float>::deserialise(reduce(cpu{}, x, as_state{sum{}}).serialise());
  EXPECT_EQ(s.result(), 3.0 + double(1e-30f));
}

TEST(reducers, go_on_behind_a_state_of_any_type) {
  std::vector<float> const x = {1, 2, 0.25f};
  reducer more(reduce(cpu{}, x, as_state{mean{}}), {skip});
  more.add(cpu{}, x);
  EXPECT_EQ(more.result(), 6.5f / 6);
}

TEST(states_of_operators, keep_their_order) {
  auto const x = operators::random_affine(1000);
  auto left = reduce(cpu{}, std::span<affine const>(x.data(), 333), as_state{then{}});
  left.append(reduce(cpu{}, std::span<affine const>(x.data() + 333, 667), as_state{then{}, 333}));
  EXPECT_EQ(left.result(), reduce(cpu{}, x, then{}));
  EXPECT_TRUE(left.is_ordered());
  EXPECT_EQ(failure_of([&] { static_cast<void>(left.serialise()); }),
            "operator: the aggregate cannot write and read its states");
}

TEST(states_of_operators, of_numbers_can_be_sent) {
  auto const x = support::state_values<float>(777, false, 1);
  auto const op = [](float a, float b) { return 0.5f * a + b; };
  using state_type = state<std::remove_const_t<decltype(op)>, float>;
  auto left = reduce(cpu{}, std::span(x.data(), 100), as_state{op});
  left = state_type::deserialise(left.serialise(), op);
  left.append(reduce(cpu{}, std::span(x.data() + 100, 677), as_state{op, 100}));
  EXPECT_EQ(to_bits(left.result()), to_bits(reduce(cpu{}, x, op)));
}

TEST(states_of_several, are_a_state_of_each) {
  auto const x = support::state_values<float>(5000, true, 2);
  auto const all = all_together(sum{}, mean{}, minimum{}, maximum{}, fast_sum{}, describe{});
  for (auto const nan : {propagate, skip}) {
    reducer<float, std::remove_const_t<decltype(all)>> parts(all, {nan});
    parts.add(cpu{}, std::span<float const>(x.data(), 1234));
    auto sent =
        std::remove_cvref_t<decltype(parts.state())>::deserialise(parts.state().serialise(), all);
    EXPECT_EQ(sent.get<3>().serialise(),
              reduce(cpu{}, std::span(x.data(), 1234), as_state{maximum{}}, {nan}).serialise());
    reducer<float, std::remove_const_t<decltype(all)>> rest(sent, {nan});
    rest.add(cpu{}, std::span<float const>(x.data() + 1234, 3766));
    auto const got = rest.result(), want = reduce(cpu{}, x, all, {nan});
    EXPECT_EQ(to_bits(got.first), to_bits(want.first));
    EXPECT_EQ(support::text_of_result(tally::get<1>(got)),
              support::text_of_result(tally::get<1>(want)));
    EXPECT_EQ(support::text_of_result(tally::get<2>(got)),
              support::text_of_result(tally::get<2>(want)));
    EXPECT_EQ(support::text_of_result(tally::get<4>(got)),
              support::text_of_result(tally::get<4>(want)));
    EXPECT_EQ(support::text_of_result(tally::get<5>(got)),
              support::text_of_result(tally::get<5>(want)));
  }
}

}  // namespace
