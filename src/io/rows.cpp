// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "number.hpp"

namespace tally::io {
namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_blank(char c, char delimiter) { return (c == ' ' || c == '\t') && c != delimiter; }

char const* skip_blanks(char const* p, char const* end, char delimiter) {
  while (p != end && is_blank(*p, delimiter)) ++p;
  return p;
}

std::string_view trimmed(char const* begin, char const* end, char delimiter) {
  begin = skip_blanks(begin, end, delimiter);
  while (end != begin && is_blank(end[-1], delimiter)) --end;
  return {begin, end};
}

// The first delimiter or line end in [p, end).
char const* end_of_field(char const* p, char const* end, char delimiter) {
#ifdef __SSE2__
  auto const d = _mm_set1_epi8(delimiter), lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  for (; end - p >= 16; p += 16) {
    auto const x = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
    auto const found = _mm_or_si128(_mm_cmpeq_epi8(x, d),
                                    _mm_or_si128(_mm_cmpeq_epi8(x, lf), _mm_cmpeq_epi8(x, cr)));
    if (int const mask = _mm_movemask_epi8(found)) return p + std::countr_zero(unsigned(mask));
  }
#endif
  while (p != end && *p != delimiter && !is_line_end(*p)) ++p;
  return p;
}

// Of a field that begins with a quote: the closing one, or null.
char const* closing_quote(char const* begin, char const* end) {
  for (auto p = begin + 1;; p += 2) {
    p = static_cast<char const*>(std::memchr(p, '"', std::size_t(end - p)));
    if (!p) return nullptr;
    if (p + 1 == end || p[1] != '"') return p;
  }
}

// With one quote for two.
std::string unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    i += text[i] == '"';
  }
  return out;
}

struct field {
  std::string_view text;  // without quotes around it, and without blanks
  scanned_number number;  // `other` if all of the text is not one
  char const* end;        // a delimiter, a line end, or the end of the text
};

enum class outcome { whole, cut_off, wrong };

// What goes through one part of a text.
class row_parser {
 public:
  row_parser(std::string_view text, bool last, char delimiter)
      : begin_(text.data()), end_(begin_ + text.size()), last_(last), delimiter_(delimiter) {}

  outcome take(char const* p, field& out) {
    if (p != end_ && *p == '"') return take_quoted(p, out);
    p = skip_blanks(p, end_, delimiter_);
    auto const number_end = scan_number(p, end_, out.number);
    auto const end = skip_blanks(number_end, end_, delimiter_);
    if (end == end_ || *end == delimiter_ || is_line_end(*end)) {
      out.text = {p, number_end};
      out.end = end;
    } else {
      out.end = end_of_field(end, end_, delimiter_);
      out.text = trimmed(p, out.end, delimiter_);
      out.number.what = scanned_number::kind::other;
    }
    return outcome::whole;
  }

  // Without a look at what it is.
  outcome skip(char const* p, field& out) {
    if (p != end_ && *p == '"') return take_quoted(p, out);
    out.end = end_of_field(p, end_, delimiter_);
    return outcome::whole;
  }

  // Takes the fields of a row that are wanted; returns how many there are in all, and moves p
  // behind them. 0: the row is cut off, or there is a problem.
  std::size_t take_fields(char const*& p, std::vector<std::size_t> const& wanted,
                          std::vector<field>& row) {
    field unwanted;
    std::size_t width = 0, taken = 0;
    for (;; ++p) {
      bool const is_wanted = taken < row.size() && wanted[taken] == width;
      auto& here = is_wanted ? row[taken++] : unwanted;
      auto const how = is_wanted ? take(p, here) : skip(p, here);
      if (how != outcome::whole || is_cut_off(here.end)) return 0;
      ++width;
      p = here.end;
      if (p == end_ || *p != delimiter_) return width;
    }
  }

  bool is_cut_off(char const* p) const { return p == end_ && !last_; }
  std::optional<parsed_part::problem> problem() const {
    if (!wrong_at_) return std::nullopt;
    return parsed_part::problem{std::size_t(wrong_at_ - begin_), wrong_};
  }
  void fail(char const* at, std::string what) { wrong_at_ = at, wrong_ = std::move(what); }

 private:
  outcome take_quoted(char const* p, field& out) {
    auto const closing = closing_quote(p, end_);
    if (!last_ && (!closing || closing + 1 == end_)) return outcome::cut_off;
    if (!closing) return fail(p, "a quoted field has no end: " + shown(p, end_)), outcome::wrong;
    out.end = closing + 1;
    if (out.end != end_ && *out.end != delimiter_ && !is_line_end(*out.end)) {
      auto const end = end_of_field(out.end, end_, delimiter_);
      return fail(p, "text follows the closing quote of " + shown(p, end)), outcome::wrong;
    }
    out.text = trimmed(p + 1, closing, delimiter_);
    if (scan_number(out.text.data(), closing, out.number) != out.text.data() + out.text.size())
      out.number.what = scanned_number::kind::other;
    return outcome::whole;
  }

  static std::string shown(char const* p, char const* end) {
    return quoted({p, std::size_t(std::min<std::ptrdiff_t>(end - p, 1000))});
  }

  char const *begin_, *end_;
  bool last_;
  char delimiter_;
  char const* wrong_at_ = nullptr;
  std::string wrong_;
};

// Where a word may be a row of CSV.
std::string hint_at_csv(std::string_view word) {
  for (char const c : {';', '|', ','}) {
    if (word.find(c) == word.npos) continue;
    std::string hint =
        "; of CSV, --header or --no-header says what its first row is, --column which column";
    if (c != ',') {
      hint += ", --delimiter '";
      hint += c;
      hint += "' what is between fields";
    }
    return hint;
  }
  return "";
}

std::string text_for(parsed result, std::string_view text, column_rules const& rules) {
  if (result == parsed::out_of_range)
    return quoted(text) + " does not fit into " +
           (rules.type ? std::string(name(*rules.type)) : "a decimal number here");
  if (rules.type && rules.is_named(text))
    return quoted(text) + " says that there is no number, for which " +
           std::string(name(*rules.type)) + " has no value";
  return quoted(text) + " is not a number" +
         (rules.type ? " of type " + std::string(name(*rules.type)) : "");
}

}  // namespace

std::string hint_at_delimiter(std::string_view field) {
  auto const at = field.find_first_of(";|\t");
  if (at == field.npos) return "";
  auto const c = field[at] == '\t' ? "tab" : std::string("'") + field[at] + "'";
  return "; --delimiter " + c + " if that is between fields";
}

void parsed_part::begin(std::size_t at, column_rules const& rules, std::size_t column_count) {
  from = end = at;
  rows = 0;
  columns.resize(column_count);
  for (auto& column : columns) column.clear(rules);
  misfits.assign(column_count, {});
  wrong.reset();
  this->rules = &rules;
}

namespace {

std::string wrong_width(std::size_t width, row_format const& format) {
  return "fields: " + std::to_string(width) +
         ", in the first row: " + std::to_string(format.header_width) +
         (format.width > format.header_width ? " and a name in front" : "") +
         (format.header_width == 1 ? hint_at_delimiter(format.names[0]) : "");
}

// Whether a row's numbers are in their columns; else out.wrong says why not.
bool put_numbers(std::vector<field> const& row, row_format const& format, char const* begin,
                 parsed_part& out) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (out.misfits[i].data()) continue;
    auto const text = row[i].text;
    auto const result = out.columns[i].add(text, row[i].number);
    if (result == parsed::number) continue;
    if (format.several) {
      out.misfits[i] = text;
      continue;
    }
    out.wrong = {std::size_t(text.data() - begin),
                 "column " + quoted(format.names[i]) + ": " + text_for(result, text, *out.rules) +
                     (format.header_width == 1 ? hint_at_delimiter(text) : "")};
    return false;
  }
  ++out.rows;
  return true;
}

}  // namespace

void parse_rows(std::string_view text, std::size_t until, bool last, row_format const& format,
                parsed_part& out) {
  row_parser parser(text, last, format.delimiter);
  std::vector<field> row(format.wanted.size());  // numbers count when the row is whole
  auto const begin = text.data(), stop = begin + until, end = begin + text.size();
  for (auto p = begin + out.from; p < stop;) {
    if (is_line_end(*p)) {
      out.end = std::size_t(++p - begin);
      continue;
    }
    if (format.width == 1) {  // a number and a line end, mostly
      scanned_number number;
      auto const number_end = scan_number(p, end, number);
      if (number_end != end && *number_end == '\n' && number.what != scanned_number::kind::other &&
          out.columns[0].add({p, number_end}, number) == parsed::number) {
        ++out.rows;
        p = number_end + 1;
        out.end = std::size_t(p - begin);
        continue;
      }
    }
    auto const row_begin = p;
    auto const width = parser.take_fields(p, format.wanted, row);
    if (width == 0) return void(out.wrong = parser.problem());
    if (width != format.width) {
      out.wrong = {std::size_t(row_begin - begin), wrong_width(width, format)};
      return;
    }
    if (!put_numbers(row, format, begin, out)) return;
    if (p != end) ++p;
    out.end = std::size_t(p - begin);
  }
}

void parse_words(std::string_view text, std::size_t until, parsed_part& out) {
  auto const begin = text.data(), end = begin + until;
  for (auto p = begin + out.from; p < end;) {
    if (is_space(*p)) {
      ++p;
      continue;
    }
    scanned_number number;
    auto word_end = scan_number(p, end, number);
    if (word_end != end && !is_space(*word_end)) number.what = scanned_number::kind::other;
    while (word_end != end && !is_space(*word_end)) ++word_end;
    std::string_view const word(p, word_end);
    auto const result = out.columns[0].add(word, number);
    if (result != parsed::number) {
      auto const csv = hint_at_csv(word);
      bool const is_name = csv.empty() && std::isalpha((unsigned char)word[0]);
      out.wrong = {std::size_t(p - begin), text_for(result, word, *out.rules) + csv,
                   is_name          ? "; --header if that is the name of a column"
                   : word[0] == '#' ? "; tail -n +2 leaves out a first line of names"
                                    : ""};
      return;
    }
    p = word_end;
  }
  out.end = until;
}

row_taken take_row(std::string_view text, std::size_t at, char delimiter, bool last) {
  row_parser parser(text, last, delimiter);
  row_taken out;
  auto const begin = text.data(), end = begin + text.size();
  auto p = begin + at;
  while (p != end && is_line_end(*p)) ++p;
  if (p == end) return out.end = text.size(), out.cut_off = !last, out;
  for (field here;; ++p) {
    auto const field_begin = p;
    auto const how = parser.skip(p, here);
    if (how == outcome::cut_off || (how == outcome::whole && parser.is_cut_off(here.end)))
      return out.cut_off = true, out;
    if (how == outcome::wrong) return out.wrong = parser.problem(), out;
    p = here.end;
    bool const quotes = field_begin != p && *field_begin == '"';
    out.fields.push_back(quotes ? unquoted(trimmed(field_begin + 1, p - 1, delimiter))
                                : std::string(trimmed(field_begin, p, delimiter)));
    if (p == end || *p != delimiter) break;
  }
  out.end = std::size_t(p - begin) + (p != end);
  return out;
}

std::size_t end_of_lines(std::string_view text) { return text.find_last_of("\r\n") + 1; }

std::size_t end_of_words(std::string_view text) { return text.find_last_of(" \t\n\v\f\r") + 1; }

// Without branches: line ends come at any place.
void line_counter::add(std::string_view text) {
  if (text.empty()) return;
  auto const ends = [](char before, char c) {
    return int(c == '\r') | (int(c == '\n') & int(before != '\r'));
  };
  lines_ += std::uint64_t(ends(last_, text[0]));
  std::uint64_t lines = 0;
  for (std::size_t i = 1; i < text.size(); ++i) lines += std::uint64_t(ends(text[i - 1], text[i]));
  lines_ += lines;
  last_ = text.back();
}

}  // namespace tally::io
