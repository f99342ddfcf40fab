#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

#include "decide/helpers.h"
#include "helpers.h"
#include "olem/model_file.h"
#include "olem/random.h"
#include "support/http_client.h"

namespace olem::test::serve_test {

using namespace internal;
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OLEM_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OLEM_SANITIZED 1
#endif
#endif
// Sanitizers make a request ten times as slow, and keep memory for themselves.
#ifdef OLEM_SANITIZED
constexpr int kRequests = 800;
constexpr int kMalformed = 300;
constexpr bool kMemoryIsOurs = false;
#else
constexpr int kRequests = 10000;
constexpr int kMalformed = 2000;
constexpr bool kMemoryIsOurs = true;
#endif
constexpr double kStopsWithin = 10.0;  // a second is promised; a loaded machine with sanitizers gets more

// A folder with a model, served.
class Serve : public testing::Test {
 protected:
  Serve() { write_model(folder_.file("m.olem"), farm_model(60, "linear"), false); }

  void start(const std::vector<std::string>& arguments = {}) {
    server_ =
        std::make_unique<RunningOlem>(joined({"serve", "-q", "m.olem", "--port", "0"}, arguments), folder_.path());
    const std::string address = server_->read_line();
    ASSERT_THAT(address, StartsWith("http://127.0.0.1:"));
    ASSERT_EQ(address.back(), '/');
    port_ = std::stoi(address.substr(std::string("http://127.0.0.1:").size()));
  }

  std::string ask(const std::string& bytes) const {
    Connection connection(port_);
    connection.send(bytes);
    connection.end_sending();
    return connection.read_all();
  }
  std::string get(const std::string& target) const { return ask(http_request(port_, "GET", target)); }
  std::string post(const std::string& target, const std::string& body) const {
    return ask(http_request(port_, "POST", target, body));
  }

  std::size_t resident_kilobytes() const {
    std::ifstream status(fmt::format("/proc/{}/status", server_->pid()));
    for (std::string word; status >> word;) {
      std::size_t kilobytes = 0;
      if (word == "VmRSS:" && status >> kilobytes) return kilobytes;
    }
    return 0;
  }

  TemporaryFolder folder_;
  std::unique_ptr<RunningOlem> server_;
  int port_ = 0;
};

TEST_F(Serve, RehearsesUntilItIsStopped) {
  start();
  EXPECT_THAT(get("/"), HasSubstr("<!DOCTYPE html>"));
  EXPECT_EQ(parse_json(body_of(get("/api/model")))["order"].size(), 4U);
  const auto rehearsed = parse_json(body_of(post("/api/rehearse", R"({"alterations": {"dose": 1, "rate": 5}})")));
  EXPECT_GT(rehearsed["success_probability"].get<double>(), rehearsed["without_action"].get<double>());
  const auto recommended = parse_json(body_of(post("/api/recommend", "{}")));
  const std::string id = recommended["id"];
  folder_.write("decision.json", body_of(get("/api/result/" + id + ".json")));

  // The same as olem decide says, and olem report reads it.
  ProcessOptions here;
  here.folder = folder_.path();
  auto decided = parse_json(run_olem({"decide", "--model", "m.olem", "--json"}, here).out)["decisions"][0];
  for (const char* const key : {"alterations", "success_probability", "interval", "without_action", "status"})
    EXPECT_EQ(recommended["decision"][key], decided[key]) << key;
  EXPECT_EQ(run_olem({"report", "decision.json", "-o", "decision.html"}, here).exit_code, 0);
  EXPECT_EQ(server_->stop(SIGTERM), 0);
}

TEST_F(Serve, CtrlCEndsItAtOnceWhateverItIsDoing) {
  start({"--steps", "100000", "--patience", "100000", "--restarts", "1000", "--time-limit", "300"});
  Connection idle(port_);
  std::string answer;
  std::thread asking([&] { answer = post("/api/recommend", "{}"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(server_->stop(SIGINT), 0);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), kStopsWithin);
  asking.join();
  EXPECT_EQ(status_of(answer), 503);
}

TEST_F(Serve, APortInUseIsAFileError) {
  start();
  ProcessOptions here;
  here.folder = folder_.path();
  const ProcessResult second = run_olem({"serve", "-q", "m.olem", "--port", std::to_string(port_)}, here);
  EXPECT_EQ(second.exit_code, 5);
  EXPECT_EQ(second.out, "");
  EXPECT_EQ(second.err, fmt::format("olem: Port {} of 127.0.0.1 cannot be used: Another program listens there. Give "
                                    "another one (--port NUMBER), or take any that is free (--port 0).\n",
                                    port_));
}

TEST_F(Serve, WhatIsNoModelIsRefused) {
  ProcessOptions here;
  here.folder = folder_.path();
  folder_.write("task.json", "{}");
  EXPECT_EQ(run_olem({"serve", "task.json"}, here).exit_code, 3);
  EXPECT_EQ(run_olem({"serve", "nothing.olem"}, here).exit_code, 5);
  const ProcessResult port = run_olem({"serve", "m.olem", "--port", "70000"}, here);
  EXPECT_EQ(port.exit_code, 2);
  EXPECT_THAT(port.err, HasSubstr("--port"));
  EXPECT_EQ(run_olem({"serve", "m.olem", "--optimizer", "magic"}, here).exit_code, 2);
}

TEST_F(Serve, ATaskIsLearnedFirstAndStandsBesideAModel) {
  folder_.write("farm.csv", csv_of(farm(60, 1)));
  folder_.write("farm.json", R"({"data": "farm.csv", "name": "Farm", "context": ["weather"], "outcome": ["yield"],
    "alterable": {"dose": [-2, 2], "rate": [0, 6]}, "desired": {"yield": [3, null]}, "observed": {"weather": 0.1}})");
  start({"farm.json", "--sampler", "linear"});
  const auto list = [&] { return parse_json(body_of(get("/api/models")))["models"]; };
  ASSERT_EQ(list().size(), 2U);
  while (list()[1]["state"] == "learning") std::this_thread::yield();
  EXPECT_EQ(list()[1]["state"], "ready") << list().dump();
  EXPECT_EQ(list()[0]["file"], "m.olem");
  EXPECT_EQ(list()[1]["file"], "farm.json");
  EXPECT_EQ(list()[1]["title"], "Farm");
  EXPECT_THAT(list()[0]["date"].get<std::string>(), StartsWith("20"));
  const auto learned = parse_json(body_of(get("/api/model?model=1")));
  EXPECT_EQ(learned["data"].dump(), R"({"source":"farm.csv","rows":60})");
  EXPECT_EQ(learned["can_draw_context"], true);
  EXPECT_EQ(server_->stop(SIGTERM), 0);
  // Options of learning where nothing is learned are a mistake.
  ProcessOptions here;
  here.folder = folder_.path();
  const ProcessResult useless = run_olem({"serve", "m.olem", "--sampler", "linear"}, here);
  EXPECT_EQ(useless.exit_code, 2);
  EXPECT_THAT(useless.err, HasSubstr("nothing is learned"));
}

TEST_F(Serve, ManyRequestsDoNotMakeItGrow) {
  start();
  constexpr int kClients = 8;
  std::atomic<int> good{0};
  // The requests [first, last), each client on a connection of its own.
  const auto hammer = [&](int first, int last) {
    std::vector<std::thread> clients;
    for (int client = 0; client < kClients; ++client) {
      clients.emplace_back([&, client] {
        Connection connection(port_);
        for (int i = first + client; i < last; i += kClients) {
          const std::string move = fmt::format(R"({{"context": {{"weather": {}}}, "alterations": {{"dose": {}}}}})",
                                               0.01 * (i % 40), 0.001 * (i % 1000));
          switch (i % 10) {
            case 0: connection.send(http_request(port_, "POST", "/api/rehearse", move)); break;
            case 5: connection.send(http_request(port_, "GET", "/api/model")); break;
            default: connection.send(http_request(port_, "GET", i % 2 == 0 ? "/" : "/page.js"));
          }
          if (status_of(connection.read_answer()) == 200) ++good;
        }
      });
    }
    for (std::thread& client : clients) client.join();
  };
  hammer(0, kRequests / 5);
  const std::size_t early = resident_kilobytes();
  hammer(kRequests / 5, kRequests);
  const std::size_t late = resident_kilobytes();
  EXPECT_EQ(good, kRequests);
  if (kMemoryIsOurs) {
    EXPECT_LT(late, early + 4096) << early;
  }
  EXPECT_EQ(server_->stop(SIGTERM), 0);
}

// A request that is wrong in one of many ways, by chance.
std::string malformed(RandomStream& random, int port) {
  const std::string body = R"({"context": {"weather": 0.1}, "alterations": {"dose": 1}})";
  const auto bytes = [&](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += static_cast<char>(random.below(256));
    return text;
  };
  const auto post = [&](const std::string& content, const std::vector<std::string>& headers = {}) {
    return http_request(port, "POST", "/api/rehearse", content, headers);
  };
  const auto raw = [&](const std::string& line, const std::string& rest) {
    return fmt::format("{}\r\nHost: 127.0.0.1:{}\r\n{}\r\n", line, port, rest);
  };
  const std::string json = "Content-Type: application/json\r\n";
  switch (random.below(20)) {
    case 0: {
      const std::string whole = post(body);
      return whole.substr(0, 1 + random.below(whole.size() - 1));
    }
    case 1: return bytes(1 + random.below(300));
    case 2: return bytes(random.below(100)) + "\r\n\r\n" + bytes(random.below(100));
    case 3:
      return raw("POST /api/rehearse HTTP/1.1", fmt::format("{}Content-Length: {}\r\n", json, 1 + random.below(1000))) +
             "{\"a";
    case 4: return raw("POST /api/rehearse HTTP/1.1", json + "Content-Length: 99999999999999999999\r\n") + body;
    case 5: return raw("POST /api/rehearse HTTP/1.1", json + "Content-Length: -5\r\n") + body;
    case 6: return post(body, {"X-Long: " + std::string(8200 + random.below(100000), 'x')});
    case 7: return post(body, std::vector<std::string>(5000 + random.below(5000), "X-Many: value"));
    case 8: {
      std::string broken = body;
      broken[random.below(broken.size())] = static_cast<char>(random.below(32));
      return post("\x01" + broken);
    }
    case 9: return post(R"({"context": {"weather)" + bytes(3) + "\xff\": 1}}");
    case 10: return "GET /api/model HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    case 11: return post(body, {"Origin: http://evil.example"});
    case 12: return raw("GET /../../etc/passwd HTTP/1.1", "");
    case 13: return raw("GET /api/result/..%2f..%2fetc%2fpasswd.json HTTP/1.1", "");
    case 14:
      return raw("POST /api/rehearse HTTP/1.1", json + "Transfer-Encoding: chunked\r\n") + "fffffffffffffff0\r\n" +
             bytes(50);
    case 15: return raw("GET /" + std::string(8200 + random.below(50000), 'y') + " HTTP/1.1", "");
    case 16: return post(std::string(70 + random.below(5000), '['));
    case 17:
      return raw("POST /api/rehearse HTTP/1.1",
                 json + fmt::format("Content-Encoding: gzip\r\nContent-Length: {}\r\n", 20)) +
             bytes(20);
    case 18: return raw("FETCH / HTTP/1.1", "");
    default:
      return raw("POST /api/rehearse HTTP/1.1",
                 fmt::format("Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {}\r\n", body.size())) +
             body;
  }
}

TEST_F(Serve, MalformedRequestsEndConnectionsAndNothingElse) {
  start();
  RandomStream random(1, "test.malformed");
  for (int i = 0; i < kMalformed; ++i) {
    const std::string bytes = malformed(random, port_);
    Connection connection(port_);
    const bool leaves = random.below(10) == 0;  // before the answer
    connection.send(bytes);
    if (leaves) continue;
    connection.end_sending();
    const std::string answer = connection.read_all();
    // One answer or none.
    ASSERT_TRUE(answer.empty() || status_of(answer) / 100 == 4) << bytes.substr(0, 300) << "\n->\n" << answer;
    ASSERT_EQ(answer.find("HTTP/1.1 ", 9), std::string::npos) << bytes.substr(0, 300) << "\n->\n" << answer;
  }
  EXPECT_EQ(status_of(post("/api/rehearse", "{}")), 200);
  EXPECT_EQ(server_->stop(SIGTERM), 0);
}

TEST_F(Serve, TheHundredAndFirstConnectionIsToldToComeAgain) {
  start();
  std::vector<std::unique_ptr<Connection>> open;
  for (int i = 0; i < 100; ++i) open.push_back(std::make_unique<Connection>(port_));
  EXPECT_EQ(status_of(ask("")), 503);
  open.clear();
  std::string answer;
  for (int i = 0; i < 100 && status_of(answer) != 200; ++i) answer = get("/");
  EXPECT_EQ(status_of(answer), 200);
}

}  // namespace
}  // namespace olem::test::serve_test
