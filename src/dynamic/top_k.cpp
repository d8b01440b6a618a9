// SPDX-License-Identifier: Apache-2.0
#include "tally/top_k.hpp"

#include "present.hpp"
#include "selected.hpp"

namespace tally {

struct any_selector::state {
  virtual ~state() = default;
  virtual void add(any_where where, any_array const& chunk) = 0;
  virtual void append(state&& right) = 0;
  virtual std::uint64_t count() const = 0;
  virtual any_top_k_result result() = 0;
  virtual std::vector<std::byte> serialise() = 0;
};

namespace {

using namespace detail;

template <class T>
class state_of final : public any_selector::state {
 public:
  state_of(std::uint64_t k, top_k_options const& options, std::uint64_t first)
      : best_(k, options, first) {}
  explicit state_of(top_k_state<T> const& known) : best_(known) {}

  void add(any_where where, any_array const& chunk) override {
    visit_place(where, [&](auto& there) { best_.add(there, elements_of<T>(chunk)); });
  }
  void append(state&& right) override {
    best_.append(std::move(static_cast<state_of&>(right).best_));
  }
  std::uint64_t count() const override { return best_.count(); }
  any_top_k_result result() override { return kept<T>(std::move(best_).result()); }
  std::vector<std::byte> serialise() override { return best_.state().serialise(); }

 private:
  selector<T> best_;
};

}  // namespace

any_top_k_result top_k(any_where where, any_array const& in, std::uint64_t k,
                       top_k_options options) {
  return visit_place(where, [&](auto& there) { return best_of(there, in, k, options); });
}

void top_k_into(any_where where, any_array const& in, std::uint64_t k, any_output const& values,
                std::span<std::int64_t> indices, std::uint64_t* count, top_k_options options) {
  require_type("top_k_into", "values", values.type, in.type);
  visit_place(where, [&](auto& there) {
    visit(in.type, [&]<class T>(std::type_identity<T>) {
      top_k_into(there, elements_of<T>(in), k, room_of<T>(values), indices, count, options);
    });
  });
}
void top_k_into(any_where where, any_rows const& in, std::uint64_t k, any_output const& values,
                std::span<std::int64_t> indices, std::uint64_t* counts, top_k_options options) {
  require_type("top_k_into", "values", values.type, in.type);
  if (in.valid)
    return select_present("top_k_into", where, in,
                          {{"values", in_memory(values)},
                           {"indices", in_memory(indices.data(), indices.size())},
                           {"counts", in_memory(counts, in.layout.count)}},
                          k, options.nan, indices, [&](any_where there, any_rows const& rows) {
                            top_k_into(there, rows, k, values, indices, counts, options);
                          });
  visit_place(where, [&](auto& there) {
    visit(in.type, [&]<class T>(std::type_identity<T>) {
      top_k_into(there, rows_of<T>(in), k, room_of<T>(values), indices, counts, options);
    });
  });
}
std::uint64_t top_k_into(cpu where, any_array const& in, std::uint64_t k, any_output const& values,
                         std::span<std::int64_t> indices, top_k_options options) {
  std::uint64_t count;
  top_k_into(where, in, k, values, indices, &count, options);
  return count;
}

any_selector::any_selector(dtype elements, std::uint64_t k, top_k_options options,
                           std::uint64_t first)
    : type_(elements),
      state_(visit(elements, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<state> {
        return std::make_unique<state_of<T>>(k, options, first);
      })) {}
any_selector::any_selector(dtype elements, std::unique_ptr<state> known)
    : type_(elements), state_(std::move(known)) {}
any_selector any_selector::deserialise(dtype elements, std::span<std::byte const> bytes) {
  return {elements, visit(elements, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<state> {
            return std::make_unique<state_of<T>>(top_k_state<T>::deserialise(bytes));
          })};
}
std::vector<std::byte> any_selector::serialise() { return state_->serialise(); }
any_selector::any_selector(any_selector&&) noexcept = default;
any_selector& any_selector::operator=(any_selector&&) noexcept = default;
any_selector::~any_selector() = default;

void any_selector::add(any_where where, any_array const& chunk) {
  require_type("top_k", "in", chunk.type, type_);
  state_->add(where, chunk);
}
void any_selector::append(any_selector&& right) {
  require_type("top_k", "the selector on the right", right.type_, type_);
  state_->append(std::move(*right.state_));
}
std::uint64_t any_selector::count() const { return state_->count(); }
any_top_k_result any_selector::result() && { return state_->result(); }

}  // namespace tally
