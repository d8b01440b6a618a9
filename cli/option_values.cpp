// SPDX-License-Identifier: Apache-2.0
#include "option_values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
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

}  // namespace

std::uint64_t whole_number(std::string const& option, std::string const& text, std::uint64_t most) {
  auto const digits = digits_of(text);
  if (!digits) fail(option, text, "is not a whole number");
  std::uint64_t value = 0;
  if (parse_all(*digits, value) == std::errc{} && value <= most) return value;
  fail(option, text, "is not from 0 to " + std::to_string(most));
}

double real_number(std::string const& option, std::string const& text) {
  double value = 0;
  auto const code = parse_all(text, value);
  if (code == std::errc::invalid_argument) fail(option, text, "is not a number");
  if (code != std::errc{}) fail(option, text, "is beyond the range of float64");
  return value;
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

std::optional<int> gpu_named(std::string const& text) {
  if (text == "auto" || text == "cpu") return std::nullopt;
  std::smatch parts;
  if (!std::regex_match(text, parts, std::regex("gpu(:([0-9]{1,4})(-[0-9]{1,4})?)?")))
    fail("--device", text, "is not auto, cpu, gpu, gpu:0 or gpu:0-3");
  if (auto const why = no_gpu_because(); !why.empty())
    throw error("--device " + text + ": no GPU: " + why);
  if (parts[3].matched)
    throw error("--device " + text + ": several GPUs at once are not there yet");
  return parts[2].matched ? std::stoi(parts[2]) : -1;
}

}  // namespace tally::cli
