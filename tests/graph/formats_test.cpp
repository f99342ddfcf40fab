#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/graphs.h"
#include "olem/graph_file.h"
#include "olem/metrics.h"
#include "support/process.h"

namespace olem::formats_test {

using namespace internal;
namespace {

using test::data_error;
using test::holds;

constexpr GraphFormat kAllFormats[] = {GraphFormat::kEdgeList, GraphFormat::kAdjacency, GraphFormat::kJson,
                                       GraphFormat::kDot,      GraphFormat::kGml,       GraphFormat::kGraphml,
                                       GraphFormat::kTetrad};

// One file of each format with the graph Light -> Temp -> Sal, Light -> Sal, Wind alone where the format can say so.
struct Sample {
  GraphFormat format;
  const char* text;
};

constexpr Sample kSamples[] = {
    {GraphFormat::kEdgeList, "from,to,weight\nLight,Temp,0.083\nTemp,\"Sal\",-0.48\nLight,Sal,1e-3\n"},
    {GraphFormat::kAdjacency, ",Light,Temp,Sal,Wind\nTemp,0,0,1,0\nLight,0,1,1,0\nSal,0,0,0,0\nWind,0,0,0,0\n"},
    {GraphFormat::kJson,
     "// learned\n{\"method\": \"x\", \"nodes\": [\"Light\", \"Temp\", \"Sal\", \"Wind\"],\n"
     " \"edges\": [[\"Light\", \"Temp\"], [\"Temp\", \"Sal\"], [\"Light\", \"Sal\"]]}"},
    {GraphFormat::kDot,
     "/* drawn */ strict digraph \"my graph\" {\n  rankdir=LR; node [shape=box]\n  Wind Light [label=\"a -> b\"]; "
     "Temp; "
     "Sal\n  subgraph cluster_1 { Light -> Temp -> Sal [color=red]; }\n  Light:e -> {Temp \"Sal\"} // both\n}\n"},
    {GraphFormat::kGml,
     "Creator \"somebody\"\n# a comment\ngraph [\n  directed 1\n  node [ id 1 label \"Light\" graphics [ x 1.5 ] ]\n"
     "  node [ id 2 label \"Temp\" ]\n  node [ id 3 label \"&#83;al\" ]\n  node [ id 7 label \"Wind\" ]\n"
     "  edge [ source 1 target 2 ]\n  edge [ source 2 target 3 value 0.5 ]\n  edge [ source 1 target 3 ]\n]\n"},
    {GraphFormat::kGraphml,
     "<?xml version=\"1.0\"?>\n<graphml><key id=\"d0\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
     "<graph edgedefault=\"directed\">\n<node id=\"n0\"><data key=\"d0\">Light</data></node><node id=\"Temp\"/>\n"
     "<node id=\"Sal\"/><node id=\"Wind\"/><edge source=\"n0\" target=\"Temp\"/><edge source=\"Temp\" target=\"Sal\"/>"
     "<edge source=\"n0\" target=\"Sal\"/></graph></graphml>\n"},
    {GraphFormat::kTetrad,
     "Graph Nodes:\nLight;Temp;Sal;Wind\n\nGraph Edges:\n1. Light --> Temp dd nl\n2. Sal <-- Temp\n3. Light --> Sal\n\n"
     "Graph Attributes:\nScore: -12.5\n"},
};

MixedGraph sample_graph() { return Dag({"Light", "Temp", "Sal", "Wind"}, std::vector<Edge>{{0, 1}, {1, 2}, {0, 2}}); }

TEST(Formats, EverySampleIsRecognisedAndRead) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(format_name(sample.format));
    EXPECT_EQ(sniff_format(sample.text, "f"), sample.format);
    const GraphFile file = parse_graph(sample.text, "f");
    EXPECT_EQ(file.format, sample.format);
    EXPECT_EQ(file.lists_nodes, sample.format != GraphFormat::kEdgeList);
    EXPECT_EQ(file.graph.with_nodes(sample_graph().names().list()), sample_graph());
  }
}

std::string with_line_ends(const std::string& text, const std::string& line_end) {
  std::string result;
  for (const char c : text) result += c == '\n' ? line_end : std::string(1, c);
  return result;
}

TEST(Formats, ByteOrderMarkAndWindowsLineEndsMakeNoDifference) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(format_name(sample.format));
    const GraphFile plain = parse_graph(sample.text, "f");
    EXPECT_EQ(parse_graph("\xEF\xBB\xBF" + with_line_ends(sample.text, "\r\n"), "f").graph, plain.graph);
  }
}

// Every prefix, and every text with one byte changed, is either read or refused with a data error.
TEST(Formats, TruncatedAndDamagedFilesAreRefusedCleanly) {
  const auto try_parse = [](const std::string& text) {
    for (const bool order : {false, true}) {
      try {
        if (order) {
          parse_order(text, "f");
        } else {
          parse_graph_or_order(text, "f");
        }
      } catch (const Error& error) {
        ASSERT_EQ(error.category(), ErrorCategory::kData) << error.what();
        ASSERT_TRUE(holds(error.what(), "f")) << error.what();
      }
    }
  };
  std::vector<std::string> texts;
  for (const Sample& sample : kSamples) texts.emplace_back(sample.text);
  texts.emplace_back("Light\n\"Te,\"\"mp\"\nSal\n");
  texts.emplace_back("{\"order\": [\"a\", \"b\"]}");
  texts.emplace_back("from,to,edge\na,b,o->\nb,c,---\n");
  texts.emplace_back(R"({"nodes": ["a", "b"], "edges": [], "undirected": [], "marks": [["a", "o-o", "b"]]})");
  for (const std::string& text : texts) {
    for (std::size_t length = 0; length <= text.size(); ++length) try_parse(text.substr(0, length));
    for (std::size_t i = 0; i < text.size(); ++i) {
      for (const char c : {'\0', '"', '\n', '[', '}', '<', '-', ',', ' ', '\xff', '1'}) {
        std::string damaged = text;
        damaged[i] = c;
        try_parse(damaged);
      }
    }
  }
}

TEST(Formats, ACutOffFileIsNotTakenForASmallerGraph) {
  for (const Sample& sample : kSamples) {
    // Lines are complete statements in an edge list, and the edges of a Tetrad file are the end of it.
    if (sample.format == GraphFormat::kEdgeList || sample.format == GraphFormat::kTetrad) continue;
    const std::string text = sample.text;
    for (std::size_t length = 30; length + 3 < text.size(); ++length) {
      EXPECT_THROW(parse_graph(text.substr(0, length), "f"), Error) << text.substr(0, length);
    }
  }
}

std::string repeated(const std::string& piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(Formats, DeepNestingEndsInAnErrorNotInACrash) {
  constexpr std::size_t kDepth = 300'000;
  for (const std::string& text :
       {repeated("[", kDepth), repeated("{\"edges\":", kDepth), "<graphml>" + repeated("<graph>", kDepth),
        repeated("<a>", kDepth) + repeated("</a>", kDepth), "graph [" + repeated("a [", kDepth),
        "digraph {" + repeated("{", kDepth), "digraph {" + repeated("subgraph {", kDepth),
        "digraph { a <" + repeated("<", kDepth), repeated("[", kDepth) + repeated("]", kDepth)}) {
    data_error([&] { parse_graph(text, "f"); });
  }
}

// As networkx 3.6 writes them (write_gml, write_graphml): one value a line, numeric references, a namespace, weights.
TEST(Formats, FilesOfNetworkx) {
  const std::string gml =
      "graph [\n  directed 1\n  node [\n    id 0\n    label \"Sal &#38; Co\"\n  ]\n  node [\n    id 1\n"
      "    label \"Gr&#246;&#223;e\"\n  ]\n  edge [\n    source 1\n    target 0\n    weight 0.5\n  ]\n]\n";
  const std::string graphml =
      "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
      "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n  <key id=\"d0\" for=\"edge\" attr.name=\"weight\" "
      "attr.type=\"double\" />\n  <graph edgedefault=\"directed\">\n    <node id=\"Sal &amp; Co\" />\n    <node "
      "id=\"Größe\" />\n    <edge source=\"Größe\" target=\"Sal &amp; Co\">\n      <data key=\"d0\">0.5</data>\n    "
      "</edge>\n  </graph>\n</graphml>\n";
  const MixedGraph expected = Dag({"Sal & Co", "Größe"}, std::vector<Edge>{{1, 0}});
  EXPECT_EQ(parse_graph(gml, "f").graph, expected);
  EXPECT_EQ(parse_graph(graphml, "f").graph, expected);
}

struct BadFile {
  const char* text;
  const char* message;  // a part of it
};

TEST(Formats, MalformedFilesAreNamedWithLineAndReason) {
  constexpr BadFile kBad[] = {
      {"", "f: The file is empty"},
      {" \n\n", "f: The file is empty"},
      {"a\nb\n", "not a graph"},
      {"from,to\na,b\nb,a\n", "line 3: The graph has a cycle: b -> a -> b (the other one is on line 2)"},
      {"from,to\na,b\nb,c\nc,a\n", "a -> b -> c -> a"},
      {"from,to\na,a\n", "line 2: The edge a --> a leads from a node to itself"},
      {"from,to\na,b\na,b\n", "line 3: There are two edges between 'a' and 'b'"},
      {"from,to\na\n", "line 2: There are 1 fields"},
      {"from,to\na,\n", "line 2: The name of a node is empty"},
      {"from,to\n\"a,b\n", "line 2: A quote that opens in this line is never closed"},
      {"from,to\n\"a\"x,b\n", "line 2: There is text between a closing quote and the next separator"},
      {"from,to,weight\na,b,nan\n", "line 2: The weight 'nan'"},
      {"from,to,weight\na,b,1e999\n", "line 2: The weight '1e999'"},
      {"from,to,weight\na,b,0\n", "line 2: An edge of weight 0"},
      {"from,to,colour\na,b,red\n", "line 1: The column 'colour' is not known"},
      {"from,to,from\na,b,c\n", "line 1: The column 'from' is there twice"},
      {"from,to,edge\na,b,=>\n", "line 2: '=>' is not a kind of edge"},
      {"from,to\na,b\xff\n", "line 2: The text is not valid UTF-8"},
      {",a,b\na,0,1\nb,1,x\n", "line 3: The entry 'x' from 'b' to 'b'"},
      {",a,b\na,0,1\nc,1,0\n", "line 3: An edge names 'c'"},
      {",a,b\na,0,1\na,1,0\n", "line 3: There are two rows for 'a'"},
      {",a,b\na,0,1\n", "2 names in the first line but 1 rows"},
      {",a,b\na,1,1\nb,0,0\n", "leads from a node to itself"},
      {",a,b\na,0,0.5\nb,0.25,0\n", "The graph has a cycle"},
      {",a,a\na,0,1\na,0,0\n", "Two nodes are called 'a'"},
      {"0,1\n1,0\n", "numbers only"},
      {"a,b\nb,c\n", "An edge list starts with the line from,to"},
      {R"({"nodes": ["a", "b"], "edges": [["a", "c"]]})", "'c', which is not among the nodes"},
      {R"({"nodes": ["alpha", "b"], "edges": [["alhpa", "b"]]})", "Did you mean 'alpha'?"},
      {R"({"nodes": ["a", "a"], "edges": []})", "Two nodes are called 'a'"},
      {R"({"nodes": ["a", 1], "edges": []})", "Entry 2 of 'nodes'"},
      {R"({"nodes": "a", "edges": []})", "'nodes' must be a list"},
      {R"({"edges": {}})", "'edges' must be a list"},
      {R"({"edges": [["a", "b"], ["a"]]})", "Entry 2 of 'edges'"},
      {R"({"edges": [["a", "b"], ["b", "a"]]})", "cycle: b -> a -> b"},
      {R"({"edges": [], "marks": [["a", "x", "b"]]})", "'x' is not a kind of edge"},
      {R"({"nodes": ["a\u0000"], "edges": []})", "NUL"},
      {R"({"order": ["a", "b"]})", "This is an order"},
      {R"({"x": 1})", "neither 'edges'"},
      {"{\"edges\": [\n[\"a\", \"b\"],\n]}", "line 3: The JSON text is malformed"},
      {"digraph { a -> b -> a }", "cycle"},
      {"digraph {\n a -> ; }", "line 2: A node is expected here, not ';'"},
      {"digraph { a -- b }", "'->' is expected in a digraph"},
      {"digraph { a -> b", "It may be cut off"},
      {"digraph { a -> b [dir=sideways] }", "dir is 'sideways'"},
      {"digraph { a -> b } }", "text after the end"},
      {"digraph { \"a -> b }", "A quote opens here"},
      {"digraph { a -> a }", "from a node to itself"},
      {"digraph { a -> b; a -> b }", "two edges"},
      {"digraph { a & b }", "The sign '&'"},
      {"graph [ node [ id 1 ] node [ id 1 label \"b\" ] ]", "Two nodes have the id 1"},
      {"graph [ node [ label \"a\" ] ]", "The node has no id"},
      {"graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "target of the edge is node 2"},
      {"graph [ node [ id 1 ] edge [ source 1 ] ]", "The edge has no target"},
      {"graph [\n node [ id 1 ", "line 2: 'node [' is never closed"},
      {"graph [ ] ]", "a ] without its ["},
      {"graph [ directed ]", "'directed' has no value"},
      {"graph [ ] graph [ ]", "second graph"},
      {"<graphml><graph></graphml>", "The XML text is malformed"},
      {"<html></html>", "not GraphML"},
      {"<graphml>\n<graph>\n<node/>\n</graph></graphml>", "line 3: The node has no id"},
      {"<graphml><graph><node id=\"a\"/><edge source=\"a\" target=\"b\"/></graph></graphml>",
       "target of the edge is 'b'"},
      {"<graphml><graph><node id=\"a\"/><node id=\"a\"/></graph></graphml>", "Two nodes are called 'a'"},
      {"Graph Nodes:\na;b\n\n", "'Graph Edges:' is missing"},
      {"Graph Nodes:\na;b\n\nGraph Edges:\n1. a -> b\n", "line 5: '1. a -> b' is not an edge"},
      {"Graph Nodes:\na;b\n\nGraph Edges:\n1. a --> c\n", "line 5: An edge names 'c'"},
      {"Graph Edges:\n1. a --> c\n", "must come before the edges"},
      {"Graph Nodes:\na;;b\n\nGraph Edges:\n", "name of a node is empty"},
  };
  for (const BadFile& bad : kBad) {
    const std::string message = data_error([&] { parse_graph(bad.text, "f"); });
    EXPECT_TRUE(holds(message, bad.message)) << bad.text << "\n  " << message;
    EXPECT_EQ(message.substr(0, 1), "f") << message;
  }
}

TEST(Formats, NodesMayBeCalledLikeTheColumnsOfAnEdgeList) {
  const MixedGraph graph = parse_graph("from,to\nfrom,to\na,b\n", "f").graph;
  for (const GraphFormat format : {GraphFormat::kEdgeList, GraphFormat::kAdjacency, GraphFormat::kJson})
    EXPECT_EQ(parse_graph(write_graph_text(graph, format), "f").graph, graph);
}

TEST(Formats, NodesMayBeginLikeAnotherFormat) {
  for (const char* name : {"{a", "[a", "<a", "//a", "#a", "graph {", "digraph", "Graph Nodes:", "from"}) {
    const MixedGraph graph = Dag({name, "b"}, std::vector<Edge>{{0, 1}});
    for (const GraphFormat format : {GraphFormat::kEdgeList, GraphFormat::kAdjacency, GraphFormat::kJson,
                                     GraphFormat::kDot, GraphFormat::kGml, GraphFormat::kGraphml}) {
      SCOPED_TRACE(fmt::format("{} as {}", name, format_name(format)));
      EXPECT_EQ(parse_graph(write_graph_text(graph, format), "f").graph, graph);
    }
  }
  const MixedGraph braced = Dag({"{a", "b"}, std::vector<Edge>{{0, 1}});
  EXPECT_EQ(parse_graph(write_graph_text(braced, GraphFormat::kTetrad), "f").graph, braced);
}

TEST(Formats, EdgeListVariants) {
  const MixedGraph expected = Dag({"a", "b c"}, std::vector<Edge>{{0, 1}});
  for (const char* text : {"from,to\na,b c", "from;to\na;b c\n", "to\tfrom\nb c\ta\n", "Source,Target\n a , b c \n",
                           "from,to\r\n\r\n\"a\",\"b c\"\r\n"}) {
    EXPECT_EQ(parse_graph(text, "f").graph.with_nodes({"a", "b c"}), expected) << text;
  }
  EXPECT_EQ(parse_graph("from,to\n", "f").graph.size(), 0U);
}

TEST(Formats, AdjacencyWithoutRowNamesFollowsTheHeader) {
  const GraphFile file = parse_graph("a,b,c\n0,0.7,0\n0,0,-1\n0,0,0\n", "f");
  EXPECT_EQ(file.graph, MixedGraph(Dag({"a", "b", "c"}, std::vector<Edge>{{0, 1}, {1, 2}})));
}

TEST(Formats, EqualEntriesBothWaysAreAnUndirectedEdge) {
  const GraphFile file = parse_graph(",a,b\na,0,1\nb,1,0\n", "f");
  EXPECT_EQ(file.graph.kind(), GraphKind::kCpdag);
  EXPECT_TRUE(file.graph.undirected(0, 1));
}

TEST(Formats, DotMarks) {
  const GraphFile file = parse_graph(
      "digraph { edge [dir=none]; a -> b; { edge [dir=both]; a -> c } a -> d [dir=back] a -> e [dir=both "
      "arrowtail=odot]\n"
      "b -> c [dir=both,arrowhead=odot,arrowtail=none]; b -> d [dir=forward, arrowhead=vee] }",
      "f");
  const MixedGraph& graph = file.graph;
  const auto at = [&](const char* name) { return graph.names().index(name); };
  EXPECT_TRUE(graph.undirected(at("a"), at("b")));
  EXPECT_EQ(graph.mark(at("a"), at("c")), Mark::kArrow);
  EXPECT_EQ(graph.mark(at("c"), at("a")), Mark::kArrow);
  EXPECT_TRUE(graph.directed(at("d"), at("a")));
  EXPECT_EQ(graph.mark(at("e"), at("a")), Mark::kCircle);
  EXPECT_EQ(graph.mark(at("a"), at("e")), Mark::kArrow);
  EXPECT_EQ(graph.mark(at("b"), at("c")), Mark::kCircle);
  EXPECT_EQ(graph.mark(at("c"), at("b")), Mark::kTail);
  EXPECT_TRUE(graph.directed(at("b"), at("d")));
  EXPECT_EQ(graph.kind(), GraphKind::kPag);
  EXPECT_FALSE(file.lists_nodes);
}

TEST(Formats, AnUndirectedDotGraphIsReadAndRefusedOnlyWhereADirectionIsNeeded) {
  const GraphFile file = parse_graph("graph g { a -- b -- c }", "f");
  EXPECT_EQ(file.graph.kind(), GraphKind::kCpdag);
  EXPECT_EQ(file.graph.edge_count(), 2U);
  data_error([&] { to_dag(file.graph); });
}

TEST(Formats, JsonResultOfALearnerMayCarryItsOrder) {
  const std::string text = R"({"nodes": ["a", "b"], "edges": [], "order": ["b", "a"]})";
  EXPECT_EQ(parse_graph(text, "f").order, (Order{"b", "a"}));
  EXPECT_EQ(parse_order(text, "f"), (Order{"b", "a"}));
  EXPECT_TRUE(parse_graph_or_order(text, "f").graph);
}

TEST(Formats, JsonShapeOfAPag) {
  MixedGraph graph({"a", "b", "c", "d"}, GraphKind::kPag);
  graph.set_edge(0, 1, Mark::kCircle, Mark::kArrow);
  graph.set_undirected(1, 2);
  graph.set_directed(3, 2);
  EXPECT_EQ(to_json(graph).dump(), R"({"nodes":["a","b","c","d"],"edges":[["d","c"]],"undirected":[["b","c"]],)"
                                   R"("marks":[["a","o->","b"]]})");
}

// Names that every format but Tetrad's must carry through quoting and escaping.
std::string random_name(RandomStream& random) {
  static const std::vector<std::string> pieces = {
      "a",     "B",   "7", " ", ",",  ";",  "\"", "'", "\\",    "\n",           "\t",      "|",
      "<",     ">",   "&", "[", "]",  "{",  "}",  "#", "//",    "->",           "-",       ".",
      "é",     "漢",  "𝛼", "=", "--", "\r", ":",  "+", "graph", "\xEF\xBB\xBF", "digraph", "node",
      "&amp;", "from"};
  std::string name;
  const std::size_t length = 1 + random.below(5);
  for (std::size_t i = 0; i < length; ++i) name += pieces[random.below(pieces.size())];
  return name;
}

MixedGraph random_graph(RandomStream& random, GraphKind kind, bool plain_names) {
  const std::size_t size = 1 + random.below(8);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size; ++i) {
    std::string name = plain_names ? "node " + std::to_string(i) : random_name(random) + std::to_string(i);
    names.push_back(std::move(name));
  }
  const Dag dag = test::random_dag(random, size, 0.5);
  MixedGraph graph(names, kind);
  constexpr Mark kMarks[] = {Mark::kTail, Mark::kArrow, Mark::kCircle};
  for (const Edge& edge : dag.edges()) {
    graph.set_directed(edge.from, edge.to);
    if (kind == GraphKind::kCpdag && random.below(2) == 0) graph.set_undirected(edge.from, edge.to);
    if (kind == GraphKind::kPag && random.below(4) > 0) {
      // Arrows follow the order of the DAG so that no directed cycle can arise.
      const Mark at_to = kMarks[random.below(3)];
      const Mark at_from = kMarks[random.below(3)];
      graph.set_edge(edge.from, edge.to, at_to == Mark::kTail && at_from == Mark::kArrow ? Mark::kCircle : at_from,
                     at_to);
    }
  }
  return graph;
}

RC_GTEST_PROP(FormatsProperty, WhatIsWrittenIsReadBack, (std::uint64_t seed)) {
  RandomStream random(seed, "round trip");
  const auto kind = static_cast<GraphKind>(random.below(3));
  for (const GraphFormat format : kAllFormats) {
    if (kind == GraphKind::kPag && format == GraphFormat::kAdjacency) continue;
    MixedGraph graph = random_graph(random, kind, format == GraphFormat::kTetrad);
    // Only JSON says which kind was meant when the edges would allow a narrower one.
    if (format != GraphFormat::kJson || kind != GraphKind::kPag) graph.set_kind(graph.narrowest_kind());
    const std::string text = write_graph_text(graph, format);
    const GraphFile file = parse_graph(text, "f");
    RC_ASSERT(file.format == format);
    const MixedGraph read = format == GraphFormat::kEdgeList ? file.graph.with_nodes(graph.names().list()) : file.graph;
    RC_ASSERT(read == graph);
    RC_ASSERT(write_graph_text(graph, format) == text);
  }
}

RC_GTEST_PROP(FormatsProperty, OrdersAreReadBack, (std::uint64_t seed)) {
  RandomStream random(seed, "orders");
  Order order;
  const std::size_t size = 1 + random.below(6);
  for (std::size_t i = 0; i < size; ++i) order.push_back(random_name(random) + std::to_string(i));
  RC_ASSERT(parse_order(write_order_text(order), "f") == order);
  RC_ASSERT(parse_order(Json{{"order", order}}.dump(), "f") == order);
  RC_ASSERT(parse_order(Json(order).dump(), "f") == order);
}

TEST(Formats, WhatAFormatCannotHoldItRefuses) {
  MixedGraph pag({"a", "b"}, GraphKind::kPag);
  pag.set_edge(0, 1, Mark::kCircle, Mark::kArrow);
  const auto refused = [](const MixedGraph& graph, GraphFormat format) {
    try {
      write_graph_text(graph, format);
    } catch (const Error& error) {
      return error.category() == ErrorCategory::kUsage;
    }
    return false;
  };
  EXPECT_TRUE(refused(pag, GraphFormat::kAdjacency));
  EXPECT_TRUE(refused(MixedGraph(), GraphFormat::kAdjacency)) << "it would be an empty file";
  for (const char* name : {"a;b", "a,b", " a", "a\nb", "a --> b", "o-> a", "a dd", "1. a", "Graph Edges:"}) {
    EXPECT_TRUE(refused(MixedGraph({name}), GraphFormat::kTetrad)) << name;
  }
}

TEST(Formats, NamesOfFormats) {
  for (const GraphFormat format : kAllFormats) EXPECT_EQ(parse_format_name(format_name(format)), format);
  EXPECT_THROW(parse_format_name("xls"), Error);
}

TEST(Orders, BadOnesAreNamed) {
  EXPECT_TRUE(holds(data_error([] { parse_order("a\nb\na\n", "o.txt"); }), "o.txt, line 3: Two nodes are called 'a'"));
  EXPECT_TRUE(holds(data_error([] { parse_order("from,to\na,b\n", "o.txt"); }), "an order is needed"));
  EXPECT_TRUE(holds(data_error([] { parse_order(R"({"order": ["a", 2]})", "o.json"); }), "Entry 2 of 'order'"));
  EXPECT_TRUE(holds(data_error([] { parse_order("\n", "o.txt"); }), "empty"));
  EXPECT_TRUE(holds(data_error([] { parse_order("\"\"", "o.txt"); }), "is empty"));
  EXPECT_TRUE(holds(data_error([] { parse_order("[ ]", "o.json"); }), "There is no name in the order"));
}

TEST(Files, AreReadByPathAndMissingOnesAreFileErrors) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("graph.txt", kSamples[3].text);  // the name says nothing about the format
  EXPECT_EQ(read_graph(path).graph.edge_count(), 3U);
  EXPECT_EQ(read_order(folder.write("order.json", "b\na\n")), (Order{"b", "a"}));
  EXPECT_TRUE(read_graph_or_order(folder.file("order.json")).order);
  try {
    read_graph(folder.file("none.csv"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kFile);
  }
}

}  // namespace
}  // namespace olem::formats_test
