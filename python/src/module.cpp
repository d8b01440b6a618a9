// SPDX-License-Identifier: Apache-2.0
//
// What the package tally calls: arrays in, arrays out; names, defaults and docstrings are Python's.
#include <nanobind/stl/string.h>

#include <utility>

#include "calls.hpp"

namespace tally::python {
void bind_digits(nb::module_&);
void bind_dlpack(nb::module_&);
void bind_reductions(nb::module_&);
void bind_scans(nb::module_&);
void bind_selections(nb::module_&);
void bind_states(nb::module_&);
}  // namespace tally::python

NB_MODULE(_core_once, module) {
  using namespace tally::python;
  nb::set_leak_warnings(false);  // the interpreter does not end all that the package holds
  nb::register_exception_translator([](std::exception_ptr const& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (wrong_type const& e) {
      PyErr_SetString(PyExc_TypeError, e.what());
    } catch (tally::error const& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
  module.def("set_threads", set_threads, nb::arg("count"),
             "Limits calls on the CPU to so many threads; 0: as many as there are cores.");
  module.def("threads", threads, "What set_threads() was given last; 0, if nothing.");
  module.def("integer", integer);
  module.def("dtype_of_elements", [](char const* call, nb::handle x) {
    return std::string(tally::name(read_array(call, "x", x).type));
  });
  module.def("dtype_name", [](char const* call, nb::handle dtype) {
    return std::string(tally::name(dtype_of(call, dtype)));
  });
  bind_digits(module);
  bind_dlpack(module);
  bind_reductions(module);
  bind_scans(module);
  bind_selections(module);
  bind_states(module);
}

namespace {

// Objects of Python that the module keeps, and nanobind's, are of one interpreter: a second module,
// of another one or of this one, would take them from the first. Isolated interpreters Python
// refuses before it calls this.
int load_once(PyObject* module) {
  static bool loaded = false;
  if (!std::exchange(loaded, true)) return nanobind__core_once_exec(module);
  PyErr_SetString(PyExc_ImportError, "tally can be loaded once in a process, by one interpreter");
  return -1;
}

}  // namespace

extern "C" NB_EXPORT PyObject* PyInit__core() {
  auto* const made = PyInit__core_once();
  if (!made) return nullptr;
  for (auto* slot = reinterpret_cast<PyModuleDef*>(made)->m_slots; slot->slot != 0; ++slot)
    if (slot->slot == Py_mod_exec) slot->value = reinterpret_cast<void*>(load_once);
  return made;
}
