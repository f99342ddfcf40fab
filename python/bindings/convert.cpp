#include "convert.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "olem/column_types.h"
#include "olem/error.h"
#include "olem/impute.h"
#include "olem/json_text.h"
#include "olem/task.h"
#include "run.h"

namespace py = pybind11;

namespace olem::python {

namespace {

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
// `column_types` is JSON text as in results; of a column that it does not name the type is what its numbers look like.
Table table_of(std::vector<std::string> names, const py::array_t<double, 0>& values, const std::string& column_types) {
  if (values.ndim() != 2 || static_cast<std::size_t>(values.shape(1)) != names.size())
    throw Error(ErrorCategory::kUsage, "The array must have two dimensions and a column for every name.");
  const auto cells = values.unchecked<2>();
  std::vector<double> columns(static_cast<std::size_t>(values.size()));
  std::size_t next = 0;
  for (py::ssize_t j = 0; j < cells.shape(1); ++j) {
    for (py::ssize_t i = 0; i < cells.shape(0); ++i) columns[next++] = cells(i, j);
  }
  Table table(std::move(names), std::move(columns));
  const Json types = parse_json_text(column_types.empty() ? "{}" : column_types, "column_types");
  std::vector<Column> about;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    about.push_back(types.contains(table.name(j)) ? column_from_json(types[table.name(j)])
                                                  : guess_column(table.column(j)));
  }
  return table.with_about(std::move(about));
}

// The same with NaN for what is missing.
IncompleteTable incomplete_table_of(std::vector<std::string> names, const py::array_t<double, 0>& values,
                                    const std::string& column_types) {
  if (values.ndim() != 2 || static_cast<std::size_t>(values.shape(1)) != names.size())
    throw Error(ErrorCategory::kUsage, "The array must have two dimensions and a column for every name.");
  const auto cells = values.unchecked<2>();
  std::vector<double> columns;
  columns.reserve(static_cast<std::size_t>(values.size()));
  for (py::ssize_t j = 0; j < cells.shape(1); ++j) {
    for (py::ssize_t i = 0; i < cells.shape(0); ++i)
      columns.push_back(std::isfinite(cells(i, j)) ? cells(i, j) : std::numeric_limits<double>::quiet_NaN());
  }
  const IncompleteTable table = make_incomplete(std::move(names), std::move(columns), "X");
  const Json types = parse_json_text(column_types.empty() ? "{}" : column_types, "column_types");
  std::vector<Column> about;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const std::string& name = table.started().name(j);
    about.push_back(types.contains(name) ? column_from_json(types[name]) : table.started().about(j));
  }
  return table.with_started(table.started().with_about(std::move(about)));
}

// Fortran order: the columns as the table has them.
py::array_t<double> array_of(const Table& table) {
  py::array_t<double, py::array::f_style> array({table.rows(), table.columns()});
  std::copy(table.values().begin(), table.values().end(), array.mutable_data());
  return array;
}

py::object remedies_module() { return py::module_::import("olem._remedies"); }

void raise(PyObject* type, const Error& error) {
  try {
    const py::object exception = remedies_module().attr("make_error")(py::handle(type), error.option(), error.finding(),
                                                                      to_python(to_json(error.remedies())));
    PyErr_SetObject(type, exception.ptr());
  } catch (py::error_already_set& failure) {
    failure.restore();
  }
}

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
    const py::object remedies = to_python(to_json(warning.remedies));
    py::dict entry;
    entry["code"] = warning.code;
    entry["text"] = remedies_module().attr("message")(warning.text, remedies);
    entry["where"] = warning.where;
    entry["remedies"] = remedies;
    list.append(entry);
  }
  return list;
}

py::list to_python(const OptionSet& set) {
  py::list list;
  for (const Option& option : set.options()) {
    py::dict choices;
    for (const Choice& choice : option.choices) choices[py::str(std::string(choice.name))] = with_keywords(choice.help);
    py::dict entry;
    entry["name"] = option.name;
    entry["kind"] = std::string(kind_word(option.kind));
    entry["help"] = with_keywords(option.help);
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

std::string with_keywords(std::string_view text) {
  // Option by option the same name as in _remedies.py, which cannot be asked while the package is being imported.
  static const Spelling keywords{[](std::string_view key) { return std::string(key == "seed" ? "random_state" : key); },
                                 nullptr};
  return spell_references(text, keywords);
}

void add_errors() {
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
  py::class_<IncompleteTable>(module, "IncompleteTable", "Named columns, some of whose cells are missing (NaN).")
      .def(py::init(&incomplete_table_of), py::arg("names"), py::arg("values").noconvert(),
           py::arg("column_types") = "")
      .def(
          "declared",
          [](const IncompleteTable& table, const std::string& task) {
            return table.with_started(
                declare_columns(table.started(), parse_task(task, "column_types").columns, "column_types"));
          },
          py::arg("task"), "The table with its columns as the JSON text of a task declares them.")
      .def_property_readonly("names", [](const IncompleteTable& table) { return table.started().names(); })
      .def(
          "complete",
          [](const IncompleteTable& table, int imputations, const RunSettings& settings) {
            ImputeOptions options;
            options.imputations = imputations;
            CompletedTables completed =
                run(settings, [&](const Context& context) { return impute(table, options, context); });
            return py::make_tuple(std::move(completed.tables), to_python(to_json(completed.gaps)));
          },
          py::arg("imputations"), py::arg("settings"), "Completed tables, and what was missing.");
  py::class_<Table>(module, "Table", "Named columns of finite numbers.")
      .def(py::init(&table_of), py::arg("names"), py::arg("values").noconvert(), py::arg("column_types") = "")
      .def_property_readonly("names", &Table::names)
      .def_property_readonly("rows", &Table::rows)
      .def("to_array", &array_of, "rows x columns, a copy in Fortran order")
      .def_property_readonly(
          "column_types", [](const Table& table) { return to_python(column_types_json(named_columns(table))); },
          "by name: type, levels, unit, label, reason, declared")
      .def(
          "declared",
          [](const Table& table, const std::string& task) {
            return declare_columns(table, parse_task(task, "column_types").columns, "column_types");
          },
          py::arg("task"), "The table with its columns as the JSON text of a task declares them.")
      .def(py::pickle(
          [](const Table& table) {
            return py::make_tuple(table.names(), array_of(table), column_types_json(named_columns(table)).dump());
          },
          [](const py::tuple& state) {
            return table_of(state[0].cast<std::vector<std::string>>(), state[1].cast<py::array_t<double, 0>>(),
                            state.size() > 2 ? state[2].cast<std::string>() : "");
          }));
}

}  // namespace olem::python
