#include <olem/olem.h>

#include <cstdio>

int main(int, char** argv) {
  const olem::Context context;
  const olem::Table table = olem::read_table(argv[1], {}, context).table;
  const olem::OrderResult result = olem::learn_order(table, {}, {}, context);
  for (const std::string& name : result.order) std::puts(name.c_str());
}
