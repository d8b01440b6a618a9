// SPDX-License-Identifier: Apache-2.0
#include "state.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "commands.hpp"
#include "tally/error.hpp"
#include "tally/io/output.hpp"

namespace tally::cli {
namespace {

// A file is the magic, the version, the settings, the reduction's own bytes, and a checksum. In
// version 1 no integer was missing, and a product of integers was modulo 2^64.
constexpr std::uint32_t magic = 0x594c4154;  // "TALY"
constexpr std::uint8_t version = 2;
constexpr std::uint8_t no_type = 0xff;
constexpr std::size_t longest = std::size_t(1) << 20;  // far more than any state has
constexpr std::size_t checksum_bytes = sizeof(std::uint64_t);

// FNV-1a: against accidents, not against malice.
std::uint64_t checksum(std::span<std::byte const> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (auto const b : bytes) hash = (hash ^ std::uint64_t(b)) * 0x100000001b3;
  return hash;
}

std::vector<std::byte> read_all(std::string const& file) {
  std::ifstream in(file == "-" ? "/dev/stdin" : file, std::ios::binary);
  std::vector<std::byte> bytes(longest + 1);
  in.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()));
  if (!in.is_open() || in.bad()) throw error(file + ": " + std::strerror(errno));
  if (!in.eof()) throw error(file + ": is not a saved state");
  bytes.resize(std::size_t(in.gcount()));
  return bytes;
}

dtype type_from(std::uint8_t number) {
  if (number >= dtype_names.size())
    throw error("state: element type number " + std::to_string(number) + " does not exist");
  return dtype(number);
}

reduction_settings read_settings(byte_reader& in) {
  reduction_settings s;
  auto const named = in.get_text();
  s.command = command_named(named);
  if (!s.command || !(s.command->options & saves_state))
    throw error("state: of the unknown command '" + named + "'");
  s.type = type_from(in.get<std::uint8_t>());
  s.ddof = in.get<std::uint64_t>();
  s.skip_nan = in.get<bool>();
  if (auto const out = in.get<std::uint8_t>(); out != no_type) s.out_type = type_from(out);
  return s;
}

placement read_placement(byte_reader& in) {
  auto const number = in.get<std::uint8_t>();
  if (number > std::uint8_t(placement::scattered))
    throw error("state: placement number " + std::to_string(number) + " does not exist");
  return placement(number);
}

saved_state parse(std::string const& file, std::span<std::byte const> bytes) {
  byte_reader head(bytes);
  if (bytes.size() < sizeof magic || head.get<std::uint32_t>() != magic)
    throw error("is not a saved state");
  auto const found = head.get<std::uint8_t>();
  if (found < 1 || found > version)
    throw error("is a saved state of version " + std::to_string(found) + ", not 1 or 2");
  if (bytes.size() < sizeof magic + sizeof version + checksum_bytes)
    throw error("is a truncated or damaged state");
  auto const body = bytes.first(bytes.size() - checksum_bytes);
  if (byte_reader(bytes.subspan(body.size())).get<std::uint64_t>() != checksum(body))
    throw error("is a truncated or damaged state");
  byte_reader in(body.subspan(sizeof magic + sizeof version));
  auto settings = read_settings(in);
  if (found == 1 && has_all_digits(settings))
    settings.out_type = aggregate_of(settings).results().value().type;
  auto const place = read_placement(in);
  saved_state s{file, settings, place, reduction(settings, 0), bytes.size()};
  s.value.read(in);
  if (!in.at_end()) throw error("has bytes after the state");
  return s;
}

}  // namespace

void save_state(std::string const& file, reduction_settings const& settings, placement place,
                reduction const& value) {
  byte_writer out;
  out.put(magic);
  out.put(version);
  out.put(settings.command->name);
  out.put(std::uint8_t(settings.type));
  out.put(settings.ddof);
  out.put(settings.skip_nan);
  out.put(settings.out_type ? std::uint8_t(*settings.out_type) : no_type);
  out.put(std::uint8_t(place));
  value.write(out);
  auto const body = out.take();
  byte_writer end;
  end.put(checksum(body));

  io::output_file target(file);
  target.write(body);
  target.write(end.take());
  target.commit();
}

void save_state(arguments const& options, reduction_settings const& settings,
                reduction const& value) {
  save_state(*options.save_state, settings,
             options.first_index ? placement::run : placement::unknown, value);
}

saved_state load_state(std::string const& file) {
  auto const bytes = read_all(file);
  try {
    return parse(file, bytes);
  } catch (std::runtime_error const& e) {
    throw error(file + ": " + e.what());
  }
}

}  // namespace tally::cli
