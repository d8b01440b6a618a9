// SPDX-License-Identifier: Apache-2.0
//
// .npz: a .zip file of .npy files, each of them stored or deflated. Its directory is at its end.
#include <algorithm>
#include <cstring>

#include "formats.hpp"
#include "number.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

// A range of the file's bytes; what lies beyond throws.
class zip_bytes {
 public:
  zip_bytes(std::string name, mapping file) : name_(std::move(name)), file_(std::move(file)) {}

  std::size_t size() const { return file_.size; }
  std::uint64_t number(std::uint64_t at, unsigned bytes) const {
    std::uint64_t x = 0;
    auto const text = part(at, bytes);
    for (unsigned i = bytes; i-- > 0;) x = x << 8 | (unsigned char)text[i];
    return x;
  }
  std::string_view part(std::uint64_t at, std::uint64_t bytes) const {
    if (at > file_.size || bytes > file_.size - at) fail("ends too soon for what it says it holds");
    return {reinterpret_cast<char const*>(file_.data.get()) + at, std::size_t(bytes)};
  }
  mapping slice(std::uint64_t at, std::uint64_t bytes) const {
    part(at, bytes);
    return {std::shared_ptr<std::byte const>(file_.data, file_.data.get() + at),
            std::size_t(bytes)};
  }
  [[noreturn]] void fail(std::string const& what) const { throw error(name_ + ": " + what); }

 private:
  std::string name_;
  mapping file_;
};

struct member {
  std::string name;
  std::uint64_t method, packed, header;
  std::uint32_t crc;
  bool encrypted, is_npy = false;
};

constexpr std::uint32_t directory_magic = 0x02014b50, end_magic = 0x06054b50,
                        large_end_magic = 0x06064b50, locator_magic = 0x07064b50;
constexpr std::uint64_t is_elsewhere = 0xffffffff;  // in the extra field, as 64 bits

struct directory {
  std::uint64_t at, count;
};

directory find_directory(zip_bytes const& zip) {
  constexpr std::uint64_t end_bytes = 22, locator_bytes = 20, longest_comment = 0xffff;
  auto const size = zip.size();
  for (auto back = end_bytes; back <= std::min<std::uint64_t>(size, end_bytes + longest_comment);
       ++back) {
    auto const end = size - back;
    if (zip.number(end, 4) != end_magic) continue;
    directory found{zip.number(end + 16, 4), zip.number(end + 10, 2)};
    if (end >= locator_bytes && zip.number(end - locator_bytes, 4) == locator_magic) {
      auto const large = zip.number(end - locator_bytes + 8, 8);
      if (zip.number(large, 4) == large_end_magic)
        found = {zip.number(large + 48, 8), zip.number(large + 32, 8)};
    }
    return found;
  }
  zip.fail("is no whole .npz file: it has no directory at its end");
}

// Numbers that 32 bits are too few for stand in an extra field, in this order.
void read_large_numbers(zip_bytes const& zip, std::uint64_t at, std::uint64_t end, member& m,
                        std::uint64_t unpacked) {
  while (at + 4 <= end) {
    auto const id = zip.number(at, 2), size = zip.number(at + 2, 2);
    auto next = at + 4;
    if (id == 1) {
      if (unpacked == is_elsewhere) next += 8;
      for (auto* const x : {&m.packed, &m.header})
        if (*x == is_elsewhere) *x = zip.number(next, 8), next += 8;
    }
    at += 4 + size;
  }
}

std::vector<member> read_members(zip_bytes const& zip) {
  auto const [begin, count] = find_directory(zip);
  std::vector<member> all;
  auto at = begin;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (zip.number(at, 4) != directory_magic) zip.fail("has a damaged directory");
    auto const name = zip.number(at + 28, 2), extra = zip.number(at + 30, 2),
               comment = zip.number(at + 32, 2);
    member m{std::string(zip.part(at + 46, name)),
             zip.number(at + 10, 2),
             zip.number(at + 20, 4),
             zip.number(at + 42, 4),
             std::uint32_t(zip.number(at + 16, 4)),
             (zip.number(at + 8, 2) & 1) != 0};
    read_large_numbers(zip, at + 46 + name, at + 46 + name + extra, m, zip.number(at + 24, 4));
    at += 46 + name + extra + comment;
    m.is_npy = m.name.ends_with(".npy");
    if (m.is_npy) m.name.resize(m.name.size() - 4);
    all.push_back(std::move(m));
  }
  return all;
}

member const& choose_member(std::string const& file, std::vector<member> const& all,
                            open_options const& options) {
  if (all.empty()) throw error(file + ": holds no array");
  std::vector<std::string> names;
  for (auto const& m : all) names.push_back(m.name);
  if (std::ranges::none_of(all, &member::is_npy))
    throw error(file + ": " + foreign_archive(file, names) + raw_hint(options));
  return all[choose(file, "array", names, options.column)];
}

zip_bytes all_of(reader& input) {
  auto file = input.map();
  if (!file.data) file = input.keep_rest();
  return {input.name(), std::move(file)};
}

}  // namespace

std::vector<std::string> arrays_of(identified file) {
  auto input = std::move(file).take().input;
  std::vector<std::string> names;
  for (auto& m : read_members(all_of(input)))
    if (m.is_npy) names.push_back(std::move(m.name));
  return names;
}

std::unique_ptr<source> open_npz(reader input, open_options options) {
  auto const zip = all_of(input);
  auto const all = read_members(zip);
  auto const& m = choose_member(input.name(), all, options);
  options.column.reset();
  auto const name = input.name() + ": " + quoted(m.name);
  constexpr std::uint64_t stored = 0, deflated = 8, header_bytes = 30;
  if (m.encrypted || (m.method != stored && m.method != deflated))
    throw error(name + ": is encrypted, or compressed in a way that is not supported");
  auto const data =
      m.header + header_bytes + zip.number(m.header + 26, 2) + zip.number(m.header + 28, 2);
  auto const packed = zip.slice(data, m.packed);
  if (m.method == stored && crc_of({packed.data.get(), packed.size}, options.where) != m.crc)
    throw error(name + ": " + wrong_crc);
  reader array(input_file(name, packed));
  if (m.method == deflated) array.decode(decode_deflate(m.crc));
  if (array.peek(npy_magic.size()) != npy_magic) throw error(name + ": is not a .npy file");
  return open_npy(std::move(array), options);
}

}  // namespace tally::io
