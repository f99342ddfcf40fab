#include "helpers.h"

namespace olem::test::docs_test {
namespace {

// To make the page anew: olem options > docs/options.md
TEST(Documentation, OptionsPageIsWhatTheExecutablePrints) {
  const ProcessResult result = run_olem({"options"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, read_text(source_path("docs/options.md")));
}

}  // namespace
}  // namespace olem::test::docs_test
