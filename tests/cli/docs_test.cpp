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

TEST(Documentation, ManualPagesAndCompletionsAreWrittenOnce) {
  const TemporaryFolder folder;
  ProcessOptions options;
  options.folder = folder.path();
  EXPECT_EQ(run_olem({"options", "-o", "share"}, options).exit_code, 0);
  EXPECT_THAT(read_text(folder.file("share/man/man1/olem-order.1")), testing::HasSubstr("\\fB\\-\\-bootstrap\\fR"));
  EXPECT_EQ(read_text(folder.file("share/bash-completion/completions/olem")),
            run_olem({"options", "--format", "bash"}).out);
  EXPECT_EQ(read_text(folder.file("share/zsh/vendor-completions/_olem")), run_olem({"options", "--format", "zsh"}).out);
  EXPECT_EQ(read_text(folder.file("share/fish/vendor_completions.d/olem.fish")),
            run_olem({"options", "--format", "fish"}).out);

  const ProcessResult again = run_olem({"options", "-o", "share"}, options);
  EXPECT_EQ(again.exit_code, 5);
  EXPECT_THAT(again.err, testing::HasSubstr("olem.1 exists already"));
  EXPECT_EQ(run_olem({"options", "-o", "share", "--force"}, options).exit_code, 0);
  folder.write("file", "");
  EXPECT_EQ(run_olem({"options", "-o", "file"}, options).exit_code, 5);
}

}  // namespace
}  // namespace olem::test::docs_test
