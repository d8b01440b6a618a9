// SPDX-License-Identifier: Apache-2.0
#include "formats.hpp"

#include <algorithm>
#include <cctype>

#include "number.hpp"

namespace tally::io {
namespace {

using namespace std::string_view_literals;

// In what is done with it, FILE stands for the file's name, and STEM for that without its ending.
struct signature {
  std::string_view magic, what, way = "";
  std::size_t at = 0;
  bool letters = false;  // so may text begin
};

constexpr auto duckdb = R"~(duckdb -c "copy 'FILE' to 'STEM.csv'" makes CSV of it)~"sv;
constexpr auto spreadsheet = "ssconvert FILE STEM.csv makes CSV of it"sv;
constexpr auto arrow = R"~(python3 -c "import pyarrow.feather as f, pyarrow.csv as c; )~"
                       R"~(c.write_csv(f.read_table('FILE'), 'STEM.csv')" makes CSV of it)~"sv;
constexpr auto hdf5 = "h5dump -d NAME -b LE -o STEM.raw FILE makes raw data of an array in it"sv;
constexpr auto matlab =
    R"~(python3 -c "import numpy, scipy.io; numpy.savez('STEM.npz', **scipy.io.loadmat('FILE'))" )~"
    "makes .npz of it"sv;
constexpr auto pickle =
    R"~(python3 -c "import numpy; numpy.save('STEM.npy', numpy.load('FILE', allow_pickle=True))" )~"
    "makes .npy of an array in it, and runs what code it holds"sv;
constexpr auto r_data =
    R"~(Rscript -e "write.csv(readRDS('FILE'), 'STEM.csv')" makes CSV of it)~"sv;

constexpr signature signatures[] = {
    {"\x1f\x8b"sv, "is compressed twice", "gzip -dc FILE prints what is in it"},
    {"\x28\xb5\x2f\xfd"sv, "is compressed twice", "zstd -dc FILE prints what is in it"},
    {"\3757zXZ\0"sv, "is compressed twice", "xz -dc FILE prints what is in it"},
    {"BZh"sv, "is compressed twice", "bzip2 -dc FILE prints what is in it", 0, true},
    {"\x04\x22\x4d\x18"sv, "is compressed by lz4", "lz4 -dc FILE prints what is in it"},
    {"\x02\x21\x4c\x18"sv, "is compressed by lz4", "lz4 -dc FILE prints what is in it"},
    {"LZIP\x01"sv, "is compressed by lzip", "lzip -dc FILE prints what is in it"},
    {"\x89LZO\0\r\n\x1a\n"sv, "is compressed by lzop", "lzop -dc FILE prints what is in it"},
    {"\x1f\x9d\x90"sv, "is compressed by compress", "gzip -dc FILE prints what is in it"},
    {"7z\xbc\xaf\x27\x1c"sv, "is a 7z archive", "7z e -so FILE prints what is in it"},
    {"Rar!\x1a\x07"sv, "is a RAR archive", "unrar p -inul FILE prints what is in it"},
    {"ustar"sv, "is a tar archive", "tar -xf unpacks it", 257},
    {"PAR1"sv, "is Parquet", duckdb, 0, true},
    {"ARROW1\0\0"sv, "is an Arrow file", arrow},
    {"\x10\0\0\0\0\0\n\0"sv, "is an Arrow stream",
     R"~(python3 -c "import pyarrow as p, pyarrow.csv as c; )~"
     R"~(c.write_csv(p.ipc.open_stream('FILE').read_all(), 'STEM.csv')" makes CSV of it)~",
     8, true},
    {"FEA1"sv, "is a Feather file", arrow, 0, true},
    {"ORC"sv, "is ORC",
     R"~(python3 -c "import pyarrow.orc as o, pyarrow.csv as c; )~"
     R"~(c.write_csv(o.read_table('FILE'), 'STEM.csv')" makes CSV of it)~",
     0, true},
    {"Obj\x01"sv, "is Avro"},
    {"\x89HDF\r\n\x1a\n"sv, "is HDF5", hdf5},
    {"MATLAB 7.3 MAT-file"sv, "is a MATLAB file of version 7.3, which is HDF5", hdf5},
    {"MATLAB 5.0 MAT-file"sv, "is a MATLAB file", matlab},
    {"CDF\x01"sv, "is NetCDF", "ncdump -v NAME FILE prints what is in it"},
    {"CDF\x02"sv, "is NetCDF", "ncdump -v NAME FILE prints what is in it"},
    {"CDF\x05"sv, "is NetCDF", "ncdump -v NAME FILE prints what is in it"},
    {"SQLite format 3\0"sv, "is an SQLite database",
     R"(sqlite3 FILE "select COLUMN from TABLE" prints its numbers)"},
    {"DUCK"sv, "is a DuckDB database",
     R"~(duckdb FILE -c "copy TABLE to 'STEM.csv'" makes CSV of it)~", 8, true},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "is an old Office file (.xls)", spreadsheet},
    {"\200\002c"sv, "is a Python pickle", pickle},
    {"\200\003c"sv, "is a Python pickle", pickle},
    {"\200\004\225"sv, "is a Python pickle", pickle},
    {"\200\005\225"sv, "is a Python pickle", pickle},
    {"X\n\0\0\0\x02"sv, "is an R object (.rds)", r_data},
    {"X\n\0\0\0\x03"sv, "is an R object (.rds)", r_data},
    {"RDX2\n"sv, "is an R workspace (.RData)", "", 0, true},
    {"RDX3\n"sv, "is an R workspace (.RData)", "", 0, true},
    {"<stata_dta>"sv, "is a Stata file"},
    {"$FL2@(#)"sv, "is an SPSS file"},
    {"SIMPLE  =                    T"sv, "is FITS"},
    {"%PDF-"sv, "is PDF", "pdftotext -layout FILE STEM.txt makes text of it"},
    {"TALY"sv, "is a saved state", "tally merge FILE reads it", 0, true},
    {"version https://git-lfs."sv, "is a pointer of Git LFS", "git lfs pull fetches the file"},
};

// Without a magic of its own: common properties, a dictionary, and 8 bytes that leave the size
// open.
bool is_lzma(std::string_view beginning) {
  return beginning.size() > 5 && beginning.starts_with("\x5d\0\0"sv) &&
         beginning.substr(5).starts_with("\xff\xff\xff\xff\xff\xff\xff\xff"sv);
}

bool has_controls(std::string_view text) {
  return std::ranges::any_of(text,
                             [](unsigned char c) { return c < ' ' && !(c >= '\t' && c <= '\r'); });
}

// What a shell takes for one word as it is, or FILE.
std::string shell_word(std::string const& path) {
  bool const plain = !path.empty() && path[0] != '-' && std::ranges::all_of(path, [](char c) {
    return std::isalnum((unsigned char)c) || "._/-"sv.find(c) != ""sv.npos;
  });
  return plain ? path : "FILE";
}

// "WHAT; WAY" with the file's name in it.
std::string told(std::string_view what, std::string_view way, std::string const& path) {
  auto const file = shell_word(path);
  auto const dot = file.rfind('.');
  bool const ends = dot != file.npos && dot > file.rfind('/') + 1;
  auto const stem = ends ? file.substr(0, dot) : file;
  std::string text(what);
  if (!way.empty()) text += "; ";
  while (!way.empty()) {
    auto const name = std::min(way.find("FILE"), way.find("STEM"));
    text += way.substr(0, name);
    if (name == way.npos) break;
    text += way[name] == 'F' ? file : stem;
    way.remove_prefix(name + 4);
  }
  return text;
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

bool begins_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() && equal_ignoring_case(text.substr(0, lower.size()), lower);
}

// As iconv calls it.
std::string encoding_of(std::string_view beginning) {
  if (beginning.starts_with("\xff\xfe\0\0"sv) || beginning.starts_with("\0\0\xfe\xff"sv))
    return "UTF-32";
  if (beginning.starts_with("\xff\xfe"sv) || beginning.starts_with("\xfe\xff"sv)) return "UTF-16";
  // Without a mark: of ASCII alone the same bytes of every two or four are zero.
  for (std::size_t const width : {4, 2}) {
    auto const whole = beginning.substr(0, beginning.size() / width * width);
    for (std::size_t const letter : {std::size_t(0), width - 1}) {
      std::size_t i = 0;
      auto const fits = [&](char c) {
        return i++ % width == letter ? (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r') : c == 0;
      };
      if (whole.size() >= 2 * width && std::ranges::all_of(whole, fits))
        return width == 4 ? letter ? "UTF-32BE" : "UTF-32LE" : letter ? "UTF-16BE" : "UTF-16LE";
    }
  }
  return {};
}

}  // namespace

std::string foreign_format(std::string const& path, std::string_view beginning) {
  if (is_lzma(beginning))
    return told("is compressed by lzma", "xz -dc FILE prints what is in it", path);
  for (auto const& [magic, what, way, at, letters] : signatures)
    if (beginning.size() >= at && beginning.substr(at).starts_with(magic) &&
        (!letters || has_controls(beginning)))
      return told(what, way, path);
  return {};
}

std::string foreign_text(std::string const& path, std::string_view beginning) {
  auto const text = without_blanks(without_mark(beginning));
  for (auto const tag : {"<?xml"sv, "<!doctype"sv, "<html"sv})
    if (begins_ignoring_case(text, tag)) return tag == "<?xml" ? "is XML" : "is an HTML page";
  if (text.empty()) return {};
  auto const inside = without_blanks(text.substr(1));
  bool const object = text[0] == '{' && (inside.starts_with('"') || inside.starts_with('}'));
  auto const end = inside.find_first_of(",] \t\r\n");
  auto const first = inside.substr(0, end);
  bool const value = first == "true" || first == "false" || first == "null" ||
                     first.find_first_not_of("0123456789+-.eE") == first.npos;
  bool const list = text[0] == '[' && !inside.empty() &&
                    ("[{\""sv.find(inside[0]) != ""sv.npos ||
                     (value && end != inside.npos && (inside[end] == ',' || inside[end] == ']')));
  if (object) return told("is JSON", "jq .FIELD FILE prints a field of each object", path);
  if (list && inside.starts_with('{'))
    return told("is JSON", "jq '.[].FIELD' FILE prints a field of each object", path);
  if (list) return told("is JSON", "jq '.[]' FILE prints its numbers", path);
  return {};
}

std::string told_odd_text(std::string const& path, std::string_view beginning) {
  auto const what = "looks like text, but has bytes that text in UTF-8 has not";
  if (has_controls(beginning)) return what;
  return told(what,
              "if these are letters, iconv -f LATIN1 -t UTF-8 FILE makes UTF-8 of it, "
              "and --column or --header reads CSV as it is",
              path);
}

std::string foreign_archive(std::string const& path, std::span<std::string const> names) {
  auto const file = [&](auto const& is_it) {
    auto const found = std::ranges::find_if(names, is_it);
    return found == names.end() ? std::string() : *found;
  };
  auto const has = [&](std::string_view name) {
    return !file([&](std::string const& n) { return n == name; }).empty();
  };
  if (has("xl/workbook.xml") || has("xl/workbook.bin"))
    return told("is an Excel workbook (.xlsx)", spreadsheet, path);
  if (has("mimetype") && has("content.xml"))
    return told("is an OpenDocument file (.ods)", spreadsheet, path);
  if (has("word/document.xml")) return "is a Word document (.docx)";
  if (!file([](auto const& n) { return n.ends_with("/data.pkl"); }).empty())
    return "is a PyTorch file; numpy.savez makes .npz of its tensors";
  auto const text = file([](auto const& n) {
    return n.ends_with(".csv") || n.ends_with(".tsv") || n.ends_with(".txt");
  });
  if (!text.empty())
    return told("is a ZIP archive", "unzip -p FILE prints what is in it", path) + ", " +
           quoted(text) + " say";
  return "is a ZIP archive in which no file is a .npy";
}

std::string foreign_encoding(std::string const& path, std::string_view beginning) {
  auto const name = encoding_of(beginning);
  if (name.empty()) return {};
  return told("is text in " + name, "iconv -f " + name + " -t UTF-8 FILE makes UTF-8 of it", path);
}

}  // namespace tally::io
