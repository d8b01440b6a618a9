// SPDX-License-Identifier: Apache-2.0
//
// Reductions in instalments: what is known of some elements, to be put together with what is known
// of others.
#include <nanobind/stl/string.h>

#include <cstring>
#include <limits>
#include <mutex>

#include "calls.hpp"

namespace tally::python {
namespace {

// An integer of more than 64 bits, by its digits.
nb::object python_integer(wide_integer const& x) {
  return nb::steal(PyLong_FromString(x.text().c_str(), nullptr, 10));
}

nb::bytes python_bytes(std::span<std::byte const> all) {
  return nb::bytes(reinterpret_cast<char const*>(all.data()), all.size());
}
std::span<std::byte const> in_bytes(nb::bytes const& all) {
  return {reinterpret_cast<std::byte const*>(all.c_str()), all.size()};
}

// The indices of missing elements; only Arrow's columns miss any.
std::vector<std::size_t> missing_in(array const& x) {
  std::vector<std::size_t> all;
  if (x.valid)
    for (std::uint64_t i = 0; i < x.size(); ++i)
      if (!x.valid[std::int64_t(i)]) all.push_back(i);
  return all;
}

// Elements side by side, of a floating type; those that are missing are NaN.
std::vector<std::byte> in_c_order(array const& x, std::vector<std::size_t> const& missing) {
  auto const bytes = std::int64_t(size_of(x.type));
  std::vector<std::byte> all(bytes_of(x.type, x.shape));
  std::vector<std::uint64_t> at(x.shape.size());
  std::int64_t from = 0;
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    std::memcpy(all.data() + std::int64_t(i) * bytes,
                static_cast<std::byte const*>(x.data) + from * bytes, std::size_t(bytes));
    for (std::size_t d = at.size(); d-- > 0;) {
      from += x.strides[d];
      if (++at[d] < x.shape[d]) break;
      from -= std::int64_t(std::exchange(at[d], 0)) * x.strides[d];
    }
  }
  visit(x.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (floating<T>)
      for (auto const i : missing)
        any_number(quiet_nan<T>()).store(all.data() + std::int64_t(i) * bytes);
  });
  return all;
}

dtype named(std::string const& text) {
  if (auto const type = dtype_named(text)) return *type;
  fail_value("a state of '" + text + "', which Tally does not have");
}

// A state is for one thread at a time. Python's lock does not see to that: calls that add elements
// let others run meanwhile. They give this one back before they wait for Python's.
class lock_of_state {
 public:
  // What f() returns, called when no other thread is at the state.
  template <class F>
  auto operator()(F const& f) const {
    std::lock_guard const lock(mutex_);
    return f();
  }

 private:
  mutable std::mutex mutex_;
};

class reducer {
 public:
  reducer(std::string aggregate, std::string const& elements, bool wide, bool skip)
      : name_(std::move(aggregate)),
        op_(any_aggregate(name_, {.wide = wide}).on(named(elements))),
        options_{skip ? tally::skip : propagate},
        all_(op_, options_) {}

  void add(std::string const& call, nb::handle given) {
    auto const x = on_host(read_array(call.c_str(), "x", given));
    if (x.type != op_.elements())
      fail_type(call + ": x holds " + std::string(name(x.type)) + ", those before it " +
                std::string(name(op_.elements())));
    auto const missing = missing_in(x);
    if (!missing.empty() && !is_floating(x.type) && options_.nan == propagate)
      fail_value(call + ": x has nulls, which nan='skip' leaves out");
    nb::gil_scoped_release const elsewhere;
    alone_([&] {
      if (x.size() > ~std::uint64_t(0) - all_.count())
        fail_value(call + ": more elements than 64 bits count");
      bool const as_it_lies = lies_in_c_order(x) && (missing.empty() || !is_floating(x.type));
      if (as_it_lies) {
        all_.add(cpu{threads()}, any_array(x.type, x.data, x.size()), missing);
      } else {
        auto const copy = in_c_order(x, missing);
        all_.add(cpu{threads()}, any_array(x.type, copy.data(), x.size()));
      }
    });
  }
  void append(reducer const& other) {
    any_reducer const right = other.alone_([&] { return other.all_; });
    alone_([&] {
      if (right.count() > ~std::uint64_t(0) - all_.count())
        fail_value("merge: more elements than 64 bits count");
      all_.append(right);
    });
  }

  // What another aggregate of the same elements makes of what is known here.
  nb::object result(std::string const& call, std::string const& aggregate, std::uint64_t ddof,
                    nb::handle as) const {
    aggregate_options how{.ddof = ddof};
    if (!as.is_none()) how.as = dtype_of(call.c_str(), as);
    bool const own = aggregate == name_ && how.ddof == 0 && !how.as;
    auto const op = own ? op_ : other(call, aggregate, how);
    auto const found = alone_([&]() -> std::optional<any_result> {
      if (!all_.has_result()) return std::nullopt;
      return own ? all_.result() : all_.result(op);
    });
    if (!found) return nb::float_(std::numeric_limits<double>::quiet_NaN());
    if (found->wide()) return python_integer(*found->wide());
    return python_number(found->value());
  }

  std::uint64_t count() const {
    return alone_([&] { return all_.count(); });
  }
  std::string elements() const { return std::string(name(op_.elements())); }
  nb::bytes bytes() const {
    byte_writer out;
    alone_([&] { all_.write(out); });
    return python_bytes(out.take());
  }
  void read(nb::bytes const& bytes) {
    byte_reader in(in_bytes(bytes));
    any_reducer fresh(op_, options_);
    fresh.read(in);
    if (!in.at_end()) fail_value("from_bytes: there are more bytes than those of a state");
    alone_([&] { all_ = std::move(fresh); });
  }

 private:
  std::string name_;
  bound_aggregate op_;
  reduce_options options_;
  any_reducer all_;
  lock_of_state alone_;

  bound_aggregate other(std::string const& call, std::string const& aggregate,
                        aggregate_options const& how) const {
    try {
      return any_aggregate(aggregate, how).on(op_.elements());
    } catch (error const& e) {
      fail_type(call + ": " + e.what());
    }
  }
};

// Elements of one dimension, none of them missing.
array line_of(std::string const& call, nb::handle given) {
  auto x = read_array(call.c_str(), "x", given);
  if (x.shape.size() != 1) fail_value(call + ": x has not one dimension");
  if (x.valid) fail_value(call + ": x has nulls");
  return x;
}

// A cumulative sum chunk by chunk.
class scanner_of_sums {
 public:
  scanner_of_sums(std::string const& elements, std::string const& results, bool skip)
      : in_(named(elements)),
        out_(named(results)),
        all_(any_aggregate("sum"), in_, out_, {.nan = skip ? tally::skip : propagate}) {}

  nb::object scan(std::string const& call, nb::handle given, nb::handle out, bool exclusive) {
    auto const x = chunk_of(call, given);
    result to(call.c_str(), out_, x.shape, x, out);
    auto const& view = to.view();
    require_side_by_side(call, view.strides[0], view.shape[0]);
    any_array const from(in_, x.data, x.size());
    any_output const room{out_, view.data, x.size()};
    {
      nb::gil_scoped_release const elsewhere;
      alone_([&] {
        exclusive ? all_.exclusive(cpu{threads()}, from, room)
                  : all_.inclusive(cpu{threads()}, from, room);
      });
    }
    return to.take();
  }
  void skip(std::string const& call, nb::handle given) {
    auto const x = chunk_of(call, given);
    nb::gil_scoped_release const elsewhere;
    alone_([&] { all_.skip(cpu{threads()}, any_array(in_, x.data, x.size())); });
  }
  void append(nb::bytes const& carry) {
    alone_([&] { all_.append(in_bytes(carry)); });
  }
  nb::object total() const {
    return python_number(alone_([&] { return all_.total(); }));
  }
  nb::bytes carry() const {
    return python_bytes(alone_([&] { return all_.carry(); }));
  }
  void resume(nb::bytes const& carry) {
    alone_([&] { all_.resume(in_bytes(carry)); });
  }

 private:
  dtype in_, out_;
  any_scanner all_;
  lock_of_state alone_;

  static void require_side_by_side(std::string const& call, std::int64_t stride, std::uint64_t n) {
    if (stride != 1 && n > 1) fail_value(call + ": elements do not lie side by side");
  }
  array chunk_of(std::string const& call, nb::handle given) const {
    auto x = line_of(call, given);
    if (x.device != array::host) fail_value(call + ": x lies on a GPU");
    if (x.type != in_)
      fail_type(call + ": x holds " + std::string(name(x.type)) + ", those before it " +
                std::string(name(in_)));
    require_side_by_side(call, x.strides[0], x.shape[0]);
    return x;
  }
};

// A top-k chunk by chunk.
class selector_of_best {
 public:
  selector_of_best(std::string const& elements, std::uint64_t k, bool smallest, bool distinct,
                   bool skip, std::uint64_t first)
      : type_(named(elements)),
        all_(type_, k,
             {.order = smallest ? order::smallest : order::largest,
              .distinct = distinct,
              .nan = skip ? tally::skip : propagate},
             first) {}

  void add(std::string const& call, nb::handle given) {
    auto const x = on_host(line_of(call, given));
    if (x.type != type_)
      fail_type(call + ": x holds " + std::string(name(x.type)) + ", those before it " +
                std::string(name(type_)));
    if (x.strides[0] != 1 && x.shape[0] > 1)
      fail_value(call + ": elements do not lie side by side");
    nb::gil_scoped_release const elsewhere;
    alone_([&] { all_.add(cpu{threads()}, any_array(type_, x.data, x.size())); });
  }
  void append(selector_of_best& other) {
    auto right = any_selector::deserialise(other.type_, other.known());
    alone_([&] { all_.append(std::move(right)); });
  }
  // Values and indices in memory of NumPy's.
  nb::object result() {
    auto const found = best();
    array like{.type = type_, .from = &numpy_arrays()};
    std::vector<std::uint64_t> const shape = {found.indices.size()};
    python::result values("Selector", type_, shape, like);
    python::result indices("Selector", dtype::int64, shape, like);
    if (!found.indices.empty()) {
      std::memcpy(values.view().data, found.values.data, found.values.size * size_of(type_));
      std::memcpy(indices.view().data, found.indices.data(), found.indices.size_bytes());
    }
    return nb::make_tuple(values.take(), indices.take());
  }
  std::uint64_t count() const {
    return alone_([&] { return all_.count(); });
  }
  std::string elements() const { return std::string(name(type_)); }
  nb::bytes bytes() { return python_bytes(known()); }
  void read(nb::bytes const& bytes) {
    alone_([&] { all_ = any_selector::deserialise(type_, in_bytes(bytes)); });
  }

 private:
  dtype type_;
  any_selector all_;
  lock_of_state alone_;

  std::vector<std::byte> known() {
    return alone_([&] { return all_.serialise(); });
  }
  // A copy tells it, as a selector that has told its result is used up.
  any_top_k_result best() try {
    return any_selector::deserialise(type_, known()).result();
  } catch (error const& e) {
    throw error_of("Selector.result", e);
  }
};

}  // namespace

void bind_states(nb::module_& module) {
  nb::class_<reducer>(module, "Reducer")
      .def(nb::init<std::string, std::string const&, bool, bool>())
      .def("add", &reducer::add)
      .def("append", &reducer::append)
      .def("result", &reducer::result, nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def_prop_ro("count", &reducer::count)
      .def_prop_ro("elements", &reducer::elements)
      .def("bytes", &reducer::bytes)
      .def("read", &reducer::read);
  nb::class_<scanner_of_sums>(module, "Scanner")
      .def(nb::init<std::string const&, std::string const&, bool>())
      .def("scan", &scanner_of_sums::scan, nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def("skip", &scanner_of_sums::skip)
      .def("append", &scanner_of_sums::append)
      .def("total", &scanner_of_sums::total)
      .def("carry", &scanner_of_sums::carry)
      .def("resume", &scanner_of_sums::resume);
  nb::class_<selector_of_best>(module, "Selector")
      .def(nb::init<std::string const&, std::uint64_t, bool, bool, bool, std::uint64_t>())
      .def("add", &selector_of_best::add)
      .def("append", &selector_of_best::append)
      .def("result", &selector_of_best::result)
      .def_prop_ro("count", &selector_of_best::count)
      .def_prop_ro("elements", &selector_of_best::elements)
      .def("bytes", &selector_of_best::bytes)
      .def("read", &selector_of_best::read);
}

}  // namespace tally::python
