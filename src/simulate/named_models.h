#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace olem::internal {

// The noise of one equation, and what its parameters are.
struct EquationNoise {
  enum class Kind {
    kNormal,    // variance a
    kUniform,   // from a to b
    kBeta,      // shapes a and b
    kCoin,      // 1 with probability a, otherwise 0
    kRowGroup,  // the group of the row: 1 to a in turn; of a trial a new one
    kOfGroup,   // normal with variance a, one number for each value of the first parent and seed
    kBefore,    // no noise: the value of column a in the row before, 0 in the first row; of a trial it must be given
  };
  Kind kind = Kind::kNormal;
  double a = 0.0;
  double b = 0.0;
};

// A column: value = function(values of the columns before it, its noise). A hidden one is in no table.
struct Equation {
  std::string_view name;
  EquationNoise noise;
  std::vector<std::size_t> parents;
  double (*function)(const double* v, double e);
  std::string_view text;
  bool hidden = false;
};

// A system of equations, causes first, with its task as a task file holds it.
struct EquationSystem {
  std::string_view name;
  std::string_view help;
  std::vector<Equation> equations;
  std::string_view task;
};

const std::vector<EquationSystem>& equation_systems();

// Two of them that are models of physics and physiology: comfort.cpp, glucose.cpp.
EquationSystem comfort_system();
EquationSystem glucose_system();

// A rate whose noise grows with its level: rate.cpp.
EquationSystem rate_system();

// Rounds that depend on the round before: rounds_model.cpp.
EquationSystem rounds_system();

// Those of acted_models.cpp.
void add_acted_systems(std::vector<EquationSystem>& systems);

}  // namespace olem::internal
