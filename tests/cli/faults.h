#pragma once

#include <filesystem>
#include <map>

#include "advice.h"
#include "helpers.h"

namespace olem::test {

// Files of a folder by name. A text alone is the table d.csv.
struct Files : std::vector<std::pair<std::string, std::string>> {
  Files() = default;
  Files(std::initializer_list<value_type> files) : vector(files) {}
  Files(std::string table) { emplace_back("d.csv", std::move(table)); }  // NOLINT(google-explicit-constructor)
  Files(const char* table) : Files(std::string(table)) {}                // NOLINT(google-explicit-constructor)
};

// How olem answers: it stops with an exit code, or it gives a result with a warning of this code.
struct Answer {
  Answer(int code) : exit_code(code) {}                      // NOLINT(google-explicit-constructor)
  Answer(const char* code) : exit_code(0), warning(code) {}  // NOLINT(google-explicit-constructor)
  int exit_code;
  std::string warning;
};

// One row of a table of faults.
struct Fault {
  std::string name;
  Files files;                         // of the folder in which olem runs
  std::vector<std::string> arguments;  // the command; where it stops it also gets -o out.json --force
  Answer answer;
  std::vector<std::string> fragments;  // of the message or of the warning
  std::string where = {};              // of the warning; empty: not looked at
};

inline void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

inline std::string fault_name(const testing::TestParamInfo<Fault>& info) { return info.param.name; }

// Everything below a folder, and what is in it.
inline std::map<std::string, std::string> contents(const TemporaryFolder& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    all[entry.path().lexically_relative(folder.path())] =
        entry.is_regular_file() ? read_text(entry.path().string()) : "not a file";
  return all;
}

// olem stops with its code and says why on one line; nothing is printed, and no file is made or changed, not even the
// output that it was told to replace.
inline void expect_refusal(const Fault& fault, ProcessOptions options = {}) {
  const TemporaryFolder folder;
  for (const auto& [name, content] : fault.files) folder.write(name, content);
  std::vector<std::string> arguments = fault.arguments;
  if (std::find(arguments.begin(), arguments.end(), "-o") == arguments.end()) {
    folder.write("out.json", "old");
    arguments = joined(arguments, {"-o", "out.json", "--force"});
  }
  const auto before = contents(folder);
  options.folder = folder.path();
  const ProcessResult result = run_olem(arguments, options);
  EXPECT_EQ(result.exit_code, fault.answer.exit_code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, testing::HasSubstr("olem: "));
  for (const std::string& fragment : fault.fragments) EXPECT_THAT(result.err, testing::HasSubstr(fragment));
  EXPECT_EQ(contents(folder), before);
  expect_sound_advice(arguments, result);
}

// olem gives a result; the warning is in it, with its text, and on standard error.
inline void expect_warning(const Fault& fault) {
  const TemporaryFolder folder;
  for (const auto& [name, content] : fault.files) folder.write(name, content);
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result = run_olem(joined(fault.arguments, {"--json", "--explain-warnings"}), options);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_sound_advice(fault.arguments, result);
  const auto json = parse_json(result.out);
  ASSERT_THAT(warning_codes(json), testing::Contains(fault.answer.warning)) << result.err;
  for (const auto& warning : json["warnings"]) {
    if (warning["code"] != fault.answer.warning) continue;
    const std::string text = warning["text"];
    for (const std::string& fragment : fault.fragments) EXPECT_THAT(text, testing::HasSubstr(fragment));
    EXPECT_THAT(result.err, testing::HasSubstr("warning: " + text + " [" + fault.answer.warning + "]"));
    if (!fault.where.empty()) {
      EXPECT_EQ(warning["where"], fault.where);
    }
    return;
  }
}

inline void expect_answer(const Fault& fault) {
  fault.answer.exit_code != 0 ? expect_refusal(fault) : expect_warning(fault);
}

}  // namespace olem::test
