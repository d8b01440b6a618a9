// SPDX-License-Identifier: Apache-2.0
#include "option_values.hpp"

#include <charconv>
#include <optional>
#include <regex>

#include "nearest.hpp"
#include "tally/error.hpp"
#include "tally/rounding.hpp"

namespace tally::cli {
namespace {

template <class T>
std::errc parse_all(std::string const& text, T& value) {
  auto const begin = text.data() + (text.starts_with('+') ? 1 : 0), end = text.data() + text.size();
  auto const result = std::from_chars(begin, end, value);
  return result.ptr == end ? result.ec : std::errc::invalid_argument;
}

[[noreturn]] void fail(std::string const& option, std::string const& text, std::string const& why) {
  throw usage_error(option + ": '" + text + "' " + why);
}

template <std::integral T>
T integer_of(std::string const& option, std::string const& text, T least, T most) {
  T value{};
  auto const code = parse_all(text, value);
  if (code == std::errc{} && value >= least && value <= most) return value;
  if (code == std::errc::invalid_argument) fail(option, text, "is not a whole number");
  fail(option, text, "is not from " + std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace

std::uint64_t whole_number(std::string const& option, std::string const& text, std::uint64_t most) {
  return integer_of<std::uint64_t>(option, text, 0, most);
}

double real_number(std::string const& option, std::string const& text) {
  double value = 0;
  auto const code = parse_all(text, value);
  if (code == std::errc::invalid_argument) fail(option, text, "is not a number");
  if (code != std::errc{}) fail(option, text, "is beyond the range of float64");
  return value;
}

template <element T>
T number_of(std::string const& option, std::string const& text) {
  if constexpr (floating<T>)
    return convert<T>(real_number(option, text));
  else if constexpr (std::is_same_v<T, bool>)
    return whole_number(option, text, 1) != 0;
  else
    return integer_of<T>(option, text, std::numeric_limits<T>::min(),
                         std::numeric_limits<T>::max());
}
template bool number_of(std::string const&, std::string const&);
template std::int8_t number_of(std::string const&, std::string const&);
template std::int16_t number_of(std::string const&, std::string const&);
template std::int32_t number_of(std::string const&, std::string const&);
template std::int64_t number_of(std::string const&, std::string const&);
template std::uint8_t number_of(std::string const&, std::string const&);
template std::uint16_t number_of(std::string const&, std::string const&);
template std::uint32_t number_of(std::string const&, std::string const&);
template std::uint64_t number_of(std::string const&, std::string const&);
template float16 number_of(std::string const&, std::string const&);
template bfloat16 number_of(std::string const&, std::string const&);
template float number_of(std::string const&, std::string const&);
template double number_of(std::string const&, std::string const&);

dtype type_named(std::string const& option, std::string const& text) {
  if (auto const type = dtype_named(text)) return *type;
  fail(option, text,
       "is not an element type; did you mean " +
           nearest(text, {dtype_names.begin(), dtype_names.end()}) + "?");
}

void check_device(std::string const& text) {
  if (text == "auto" || text == "cpu") return;
  if (std::regex_match(text, std::regex("gpu(:[0-9]+(-[0-9]+)?)?")))
    throw error("--device " + text + ": this build has no GPU support");
  fail("--device", text, "is not auto, cpu, gpu or gpu:0-3");
}

}  // namespace tally::cli
