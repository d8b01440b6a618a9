// SPDX-License-Identifier: Apache-2.0
#include "directions.hpp"

#include <memory>
#include <sstream>
#include <stdexcept>

#include "execution.hpp"

namespace simt {
namespace {

std::unique_ptr<directions> given;

constexpr char const* names[] = {"run", "late", "old"};

choice::kind kind_of(std::string const& name) {
  for (int i = 0; i < 3; ++i)
    if (name == names[i]) return choice::kind(i);
  throw std::invalid_argument("schedule: what is \"" + name + "\"?");
}

choice choice_of(std::istream& in) {
  choice c;
  std::string what;
  in >> c.launch >> c.block >> c.lane >> c.decision >> what;
  c.what = kind_of(what);
  if (c.what == choice::run) in >> c.next_block >> c.next_lane;
  if (in.fail()) throw std::invalid_argument("schedule: a choice has too few numbers");
  return c;
}

}  // namespace

std::string to_text(schedule const& s) {
  std::ostringstream out;
  out << "simt-schedule 1\ntest " << s.test << "\nseed " << s.seed << "\nresident "
      << s.resident_blocks << "\n# launch block lane decision: what\n";
  for (choice const& c : s.choices) {
    out << "choice " << c.launch << ' ' << c.block << ' ' << c.lane << ' ' << c.decision << ' '
        << names[c.what];
    if (c.what == choice::run) out << ' ' << c.next_block << ' ' << c.next_lane;
    out << '\n';
  }
  return out.str();
}

schedule schedule_of(std::string const& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != "simt-schedule 1")
    throw std::invalid_argument("schedule: the first line is not \"simt-schedule 1\"");
  schedule s;
  while (std::getline(lines, line)) {
    std::istringstream in(line);
    std::string word;
    if (!(in >> word) || word[0] == '#') continue;
    if (word == "choice") {
      s.choices.push_back(choice_of(in));
    } else if (word == "test") {
      in >> s.test;
    } else if (word == "seed") {
      in >> s.seed;
    } else if (word == "resident") {
      in >> s.resident_blocks;
    } else {
      throw std::invalid_argument("schedule: what is \"" + word + "\"?");
    }
  }
  return s;
}

directions::directions(schedule s, random_numbers random, unsigned one_in)
    : all_(std::move(s)), random_(random), one_in_(one_in) {
  for (choice const& c : all_.choices) by_decision_[key_of(c)] = c;
}

choice directions::decision_of(lane& l, choice::kind what) const {
  return {launch_, l.home->number, l.index, l.decisions++, what};
}

choice const* directions::find_choice(choice const& now) const {
  auto const at = by_decision_.find(key_of(now));
  return at != by_decision_.end() && at->second.what == now.what ? &at->second : nullptr;
}

bool directions::happens(lane& l, choice::kind what) {
  choice const now = decision_of(l, what);
  if (one_in_ == 0) return find_choice(now) != nullptr;
  bool const yes = random_(one_in_) == 0;
  if (yes) all_.choices.push_back(now);
  return yes;
}

void directions::write(choice now, lane const& next) {
  now.next_block = next.home->number;
  now.next_lane = next.index;
  all_.choices.push_back(now);
}

directions* given_directions() { return given.get(); }

void follow(schedule s) { given = std::make_unique<directions>(std::move(s)); }

void improvise(schedule s, std::uint64_t seed, unsigned one_in) {
  given = std::make_unique<directions>(std::move(s), random_numbers(seed), one_in);
}

schedule end_schedule() {
  schedule const s = given ? given->all() : schedule{};
  given = nullptr;
  return s;
}

}  // namespace simt
