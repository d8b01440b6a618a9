// SPDX-License-Identifier: Apache-2.0
#include "option_values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <optional>
#include <regex>

#include "nearest.hpp"
#include "tally/devices.hpp"
#include "tally/error.hpp"
#include "tally/io/number.hpp"

namespace tally::cli {
namespace {

template <class T>
std::errc parse_all(std::string const& text, T& value) {
  auto const begin = text.data() + (text.starts_with('+') ? 1 : 0), end = text.data() + text.size();
  auto const result = std::from_chars(begin, end, value);
  return result.ptr == end ? result.ec : std::errc::invalid_argument;
}

// All digits of a whole number: 1500, 1.5e3 or 1.5k, say.
std::optional<std::string> digits_of(std::string const& text) {
  std::smatch part;
  std::regex const form("[+]?([0-9]*)[.]?([0-9]*)([eE]([+-]?[0-9]{1,3}))?([kMGT])?");
  if (!std::regex_match(text, part, form)) return std::nullopt;
  auto digits = part[1].str() + part[2].str();
  if (digits.empty()) return std::nullopt;
  int zeros = (part[4].matched ? std::stoi(part[4]) : 0) - int(part[2].length());
  if (part[5].matched) zeros += 3 * int(1 + std::string_view("kMGT").find(part[5].str()));
  if (zeros > 0) digits.append(std::size_t(zeros), '0');
  auto const whole = digits.size() - std::min(digits.size(), std::size_t(std::max(-zeros, 0)));
  if (digits.find_first_not_of('0', whole) != digits.npos) return std::nullopt;
  return "0" + digits.substr(0, whole);
}

[[noreturn]] void fail(std::string const& option, std::string const& text, std::string const& why) {
  throw usage_error(option + ": '" + text + "' " + why);
}

// The number that a part of the text is.
double real_number_in(std::string const& option, std::string const& text, std::string const& part) {
  double value = 0;
  auto const code = parse_all(part, value);
  if (code == std::errc::invalid_argument) fail(option, text, "is not a number");
  if (code != std::errc{}) fail(option, text, "is beyond the range of float64");
  return value;
}

fraction quotient_named(std::string const& option, std::string const& text, std::size_t bar) {
  fraction q;
  if (parse_all(text.substr(0, bar), q.numerator) != std::errc{} ||
      parse_all(text.substr(bar + 1), q.denominator) != std::errc{})
    fail(option, text, "is not a quotient of whole numbers below 2^64");
  if (q.denominator == 0 || q.numerator > q.denominator) fail(option, text, "is not from 0 to 1");
  return q;
}

// A place that is written as a decimal, per cent, or as a quotient.
fraction place_named(std::string const& option, std::string const& text) {
  if (auto const bar = text.find('/'); bar != text.npos) return quotient_named(option, text, bar);
  constexpr int decimals = 19;
  constexpr std::uint64_t one = 10'000'000'000'000'000'000u;  // in units of the last of them
  bool const per_cent = text.ends_with('%');
  auto const number = text.substr(0, text.size() - per_cent);
  std::smatch part;
  if (std::regex_match(number, std::regex("-[0.]*0[0.]*"))) return {0, 1};
  if (std::regex_match(number, part, std::regex("([+]?[0-9.]+)([eE]([+-]?[0-9]{1,2}))?"))) {
    auto const power = (part[3].matched ? std::stoi(part[3]) : 0) + decimals - 2 * per_cent;
    auto const units = digits_of(part[1].str() + "e" + std::to_string(power));
    std::uint64_t value = one;
    if (units && (parse_all(*units, value) != std::errc{} || value > one))
      fail(option, text, "is not from 0 to 1");
    auto const common = std::gcd(value, one);
    if (units) return {value / common, one / common};
  }
  auto const value = real_number_in(option, text, number);
  if (!(value >= 0 && value <= (per_cent ? 100 : 1))) fail(option, text, "is not from 0 to 1");
  fail(option, text, "has more than 19 decimals");
}

}  // namespace

std::uint64_t whole_number(std::string const& option, std::string const& text, std::uint64_t most,
                           std::uint64_t least) {
  auto const digits = digits_of(text);
  if (!digits) fail(option, text, "is not a whole number");
  std::uint64_t value = 0;
  if (parse_all(*digits, value) == std::errc{} && value >= least && value <= most) return value;
  fail(option, text, "is not from " + std::to_string(least) + " to " + std::to_string(most));
}

std::int64_t signed_number(std::string const& option, std::string const& text) {
  bool const negative = text.starts_with('-');
  auto const digits = digits_of(text.substr(negative));
  if (!digits || digits->size() > 9) fail(option, text, "is not a whole number");
  auto const value = std::int64_t(whole_number(option, *digits));
  return negative ? -value : value;
}

std::vector<std::uint64_t> whole_numbers(std::string const& option, std::string const& text) {
  std::vector<std::uint64_t> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto const end = std::min(text.find(',', begin), text.size());
    all.push_back(whole_number(option, text.substr(begin, end - begin),
                               std::numeric_limits<std::int64_t>::max()));
    begin = end + 1;
  }
  return all;
}

std::optional<std::string> integer_text(std::string const& text) {
  bool const negative = text.starts_with('-') && !text.starts_with("-+");
  auto const digits = digits_of(text.substr(negative));
  if (!digits) return std::nullopt;
  return (negative ? "-" : "") +
         digits->substr(std::min(digits->find_first_not_of('0'), digits->size() - 1));
}

double real_number(std::string const& option, std::string const& text) {
  return real_number_in(option, text, text);
}

std::vector<place> places(std::string const& option, std::string const& text) {
  std::vector<place> all;
  std::size_t begin = 0;
  for (auto end = begin; end != text.npos; begin = end + 1) {
    end = text.find(',', begin);
    auto const one = text.substr(begin, end - begin);
    all.push_back({one, place_named(option, one)});
  }
  return all;
}

void parse_number(std::string const& option, std::string const& text, any_number& value) {
  std::byte bytes[sizeof value.bits];
  auto const result = io::parse_number(text, value.type, bytes);
  if (result == io::parsed::number) {
    value = any_number::at(value.type, bytes);
    return;
  }
  fail(option, text,
       (result == io::parsed::out_of_range ? "does not fit into " : "is not a number of type ") +
           std::string(name(value.type)));
}

std::string choice(std::string const& option, std::string const& text,
                   std::vector<std::string> const& choices) {
  if (std::ranges::count(choices, text)) return text;
  std::string all;
  for (auto const& one : choices) all += (all.empty() ? "is not one of " : ", ") + one;
  fail(option, text, all + did_you_mean(text, choices));
}

char separator(std::string const& option, std::string const& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && std::string_view("\"\r\n+-.").find(text[0]) == std::string_view::npos &&
      !std::isalnum((unsigned char)text[0]))
    return text[0];
  fail(option, text, "is not one character that can be between numbers");
}

dtype type_named(std::string const& option, std::string const& text) {
  if (auto const type = dtype_named(text)) return *type;
  fail(option, text,
       "is not an element type" + did_you_mean(text, {dtype_names.begin(), dtype_names.end()}));
}

std::vector<int> gpus_named(std::string const& text) {
  if (text == "auto" || text == "cpu") return {};
  std::string const one = "([0-9]{1,3})(-([0-9]{1,3}))?";
  if (!std::regex_match(text, std::regex("gpu(:" + one + "(," + one + ")*)?")))
    fail("--device", text, "is not auto, cpu, gpu, gpu:0, gpu:0-3 or gpu:0,2");
  std::regex const some(one);
  std::vector<int> found;
  for (std::sregex_iterator part(text.begin(), text.end(), some), end; part != end; ++part) {
    auto const first = std::stoi((*part)[1]);
    auto const last = (*part)[3].matched ? std::stoi((*part)[3]) : first;
    if (last < first) fail("--device", text, "counts down");
    for (int i = first; i <= last; ++i) found.push_back(i);
  }
  if (auto const why = no_gpu_because(); !why.empty())
    throw error("--device " + text + ": no GPU: " + why);
  return found.empty() ? std::vector{-1} : found;
}

}  // namespace tally::cli
