#include "convert.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "olem/error.h"

namespace py = pybind11;

namespace olem::python {

namespace {

// What is said differently on a command line. Longer ones first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kPhrases = {{
    {"--drop-columns or --constant drop", "X.drop(columns=...)"},
    {"--constant drop", "X.drop(columns=...)"},
    {"--missing drop", "X.dropna()"},
    {"--drop-columns", "X.drop(columns=...)"},
    {"--columns", "X[[...]]"},
    {"--threads", "n_jobs"},
    {"--seed", "random_state"},
    {"--tier", "tiers"},
    {"--force", "overwrite=True"},
    {"--contexts", "suggest"},
    {"--context", "suggest"},
}};

bool in_flag(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

bool begins_flag(std::string_view text) {
  return text.size() > 2 && text.substr(0, 2) == "--" && text[2] >= 'a' && text[2] <= 'z';
}

std::string_view kind_word(OptionKind kind) {
  switch (kind) {
    case OptionKind::kInteger: return "integer";
    case OptionKind::kReal: return "real";
    case OptionKind::kFlag: return "flag";
    case OptionKind::kChoice: return "choice";
  }
  return "";
}

// Read with the array's own strides: no intermediate copy of C-, Fortran- or non-contiguous arrays. The table is a copy
// of its own, made while the GIL keeps others from changing the array.
Table table_of(std::vector<std::string> names, const py::array_t<double, 0>& values) {
  if (values.ndim() != 2 || static_cast<std::size_t>(values.shape(1)) != names.size())
    throw Error(ErrorCategory::kUsage, "The array must have two dimensions and a column for every name.");
  const auto cells = values.unchecked<2>();
  std::vector<double> columns(static_cast<std::size_t>(values.size()));
  std::size_t next = 0;
  for (py::ssize_t j = 0; j < cells.shape(1); ++j) {
    for (py::ssize_t i = 0; i < cells.shape(0); ++i) columns[next++] = cells(i, j);
  }
  return {std::move(names), std::move(columns)};
}

// Fortran order: the columns as the table has them.
py::array_t<double> array_of(const Table& table) {
  py::array_t<double, py::array::f_style> array({table.rows(), table.columns()});
  std::copy(table.values().begin(), table.values().end(), array.mutable_data());
  return array;
}

void raise(PyObject* type, const Error& error) { PyErr_SetString(type, python_words(error.what()).c_str()); }

}  // namespace

py::object to_python(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean: return py::bool_(json.get<bool>());
    case Json::value_t::number_integer: return py::int_(json.get<std::int64_t>());
    case Json::value_t::number_unsigned: return py::int_(json.get<std::uint64_t>());
    case Json::value_t::number_float: return py::float_(json.get<double>());
    case Json::value_t::string: return py::str(json.get_ref<const std::string&>());
    case Json::value_t::array: {
      py::list list;
      for (const Json& entry : json) list.append(to_python(entry));
      return list;
    }
    case Json::value_t::object: {
      py::dict dict;
      for (const auto& [key, value] : json.items()) dict[py::str(key)] = to_python(value);
      return dict;
    }
    default: return py::none();
  }
}

py::list to_python(const std::vector<Warning>& warnings) {
  py::list list;
  for (const Warning& warning : warnings) {
    py::dict entry;
    entry["code"] = warning.code;
    entry["text"] = python_words(warning.text);
    entry["where"] = warning.where;
    list.append(entry);
  }
  return list;
}

py::list to_python(const OptionSet& set) {
  py::list list;
  for (const Option& option : set.options()) {
    py::dict choices;
    for (const Choice& choice : option.choices) choices[py::str(std::string(choice.name))] = python_words(choice.help);
    py::dict entry;
    entry["name"] = option.name;
    entry["kind"] = std::string(kind_word(option.kind));
    entry["help"] = python_words(option.help);
    entry["rule"] = option.rule;
    entry["choices"] = choices;
    entry["default"] = to_python(option.json());
    list.append(entry);
  }
  return list;
}

void set_options(const OptionSet& set, const OptionTexts& values) {
  for (const auto& [name, value] : values) {
    const Option* const option = set.find(name);
    if (option == nullptr) {
      std::vector<std::string> names;
      for (const Option& known : set.options()) names.push_back(known.name);
      const std::string closest = closest_name(name, names);
      throw Error(ErrorCategory::kUsage,
                  fmt::format("There is no option '{}' here.{}", name,
                              closest.empty() ? "" : fmt::format(" Did you mean '{}'?", closest)));
    }
    option->set_text(value);
  }
}

Precedence precedence_of(const std::string& knowledge, const Table& table) {
  return {parse_knowledge(knowledge, "What is known"), table.names()};
}

std::string python_words(std::string_view text) {
  std::string words;
  while (!text.empty()) {
    if (!begins_flag(text)) {
      words += text.front();
      text.remove_prefix(1);
      continue;
    }
    bool found = false;
    for (const auto& [flag, phrase] : kPhrases) {
      if (text.substr(0, flag.size()) != flag || (text.size() > flag.size() && in_flag(text[flag.size()]))) continue;
      words += phrase;
      text.remove_prefix(flag.size());
      found = true;
      break;
    }
    if (found) continue;
    text.remove_prefix(2);
    while (!text.empty() && in_flag(text.front())) {
      words += text.front() == '-' ? '_' : text.front();
      text.remove_prefix(1);
    }
  }
  return words;
}

void add_errors(py::module_& module) {
  module.def("python_words", &python_words, py::arg("text"),
             "A text of the library with command-line flags spelt as keyword arguments.");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      switch (error.category()) {
        case ErrorCategory::kUsage:
        case ErrorCategory::kData:
        case ErrorCategory::kTask: return raise(PyExc_ValueError, error);
        case ErrorCategory::kFile: return raise(PyExc_OSError, error);
        case ErrorCategory::kResource: return raise(PyExc_MemoryError, error);
        case ErrorCategory::kInterrupted: return raise(PyExc_KeyboardInterrupt, error);
        case ErrorCategory::kInternal: return raise(PyExc_RuntimeError, error);
      }
    }
  });
}

void add_table(py::module_& module) {
  py::class_<Table>(module, "Table", "Named columns of finite numbers.")
      .def(py::init(&table_of), py::arg("names"), py::arg("values").noconvert())
      .def_property_readonly("names", &Table::names)
      .def_property_readonly("rows", &Table::rows)
      .def("to_array", &array_of, "rows x columns, a copy in Fortran order")
      .def(py::pickle([](const Table& table) { return py::make_tuple(table.names(), array_of(table)); },
                      [](const py::tuple& state) {
                        return table_of(state[0].cast<std::vector<std::string>>(),
                                        state[1].cast<py::array_t<double, 0>>());
                      }));
}

}  // namespace olem::python
