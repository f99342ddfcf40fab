#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "olem/json.h"

namespace olem {

// A fitted sampler as a file keeps it: settings, and arrays of finite doubles by name. restore_sampler() takes it back.
struct SamplerState {
  struct Array {
    std::string name;
    std::vector<double> values;
    bool operator==(const Array&) const = default;
  };
  std::string kind;
  Json settings = Json::object();
  std::vector<Array> arrays;
};

}  // namespace olem
