// A learner of one's own beside those of the registry, compared with a known graph: 4_own_learner DATA.csv GRAPH.csv
#include <olem/olem.h>

#include <algorithm>
#include <cstdio>

// Sorts the columns by their range, without regard to causes, like varsort.
olem::OrderResult learn_by_range(const olem::Table& table, const olem::OrderOptions&, const olem::Precedence&,
                                 const olem::Context&) {
  const std::vector<olem::ColumnSummary> columns = olem::summarise_columns(table);
  std::vector<std::pair<double, std::string>> ranges;
  for (std::size_t j = 0; j < columns.size(); ++j) ranges.emplace_back(columns[j].range(), table.name(j));
  std::sort(ranges.begin(), ranges.end());
  olem::OrderResult result;
  result.method = "range";
  for (const auto& [range, name] : ranges) result.order.push_back(name);
  return result;
}

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "Usage: 4_own_learner DATA.csv GRAPH.csv\n"), 2;
  try {
    const olem::Context context;
    const olem::Table table = olem::read_table(argv[1], {}, context).table;
    std::vector<olem::OrderLearnerKind> kinds;
    for (const char* name : {"olem", "listen", "varsort"}) kinds.push_back(olem::order_learner(name));
    kinds.push_back({.name = "range", .help = "the greatest range is last", .learn = learn_by_range});

    for (const olem::OrderLearnerKind& kind : kinds) {
      const olem::Order order = kind.learn(table, olem::OrderOptions(), olem::Precedence(), context).order;
      olem::GraphFile truth = olem::read_graph(argv[2], context);
      olem::match_nodes(truth, order, kind.name, table.names());
      std::printf("%-8s turns %zu true edges round\n", kind.name.c_str(),
                  olem::order_divergence(olem::to_dag(truth.graph), order));
    }
  } catch (const olem::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), olem::exit_code(error.category());
  }
}
