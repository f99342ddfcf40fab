#include "serve/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "support/http_client.h"

namespace olem::http_server_test {

using namespace internal;
namespace {

using test::body_of;
using test::Connection;
using test::http_request;
using test::status_of;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Says what it was asked; refuses "/no" without looking at the body.
class Echo : public HttpService {
 public:
  std::optional<HttpAnswer> refuse(const HttpRequest& head) const override {
    if (head.target != "/no") return std::nullopt;
    return HttpAnswer{403, {{"Content-Type", "text/plain"}}, "no"};
  }
  HttpAnswer answer(const HttpRequest& request) override {
    while (hold) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {200,
            {{"Content-Type", "text/plain"}, {"X-Kind", "echo"}},
            request.method + " " + request.target + " " + request.body};
  }
  HttpAnswer broken(int status) const override {
    return {status, {{"Content-Type", "text/plain"}}, "broken " + std::to_string(status)};
  }

  std::atomic<bool> hold{false};
};

class Server : public testing::Test {
 protected:
  Server() { limits_.idle = limits_.whole = std::chrono::seconds(20); }
  ~Server() override { stop(); }

  void start() {
    port_ = server_->listen(0);
    ASSERT_GT(port_, 0);
    running_ = std::thread([this] { server_->run(echo_, limits_, [this] { return stop_.load(); }); });
  }

  void stop() {
    stop_ = true;
    if (running_.joinable()) running_.join();
  }

  // The answer on a connection of its own.
  std::string ask(const std::string& bytes) const {
    Connection connection(port_);
    connection.send(bytes);
    connection.end_sending();
    return connection.read_all();
  }

  std::string get(const std::string& target, const std::vector<std::string>& headers = {}) const {
    return http_request(port_, "GET", target, "", headers);
  }

  std::unique_ptr<HttpServer> server_ = make_http_server();
  HttpLimits limits_;
  Echo echo_;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  std::thread running_;
};

TEST_F(Server, AnswersOnOneConnectionAfterTheOther) {
  start();
  Connection connection(port_);
  for (int i = 0; i < 3; ++i) {
    connection.send(get("/a"));
    const std::string answer = connection.read_answer();
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_THAT(answer, HasSubstr("X-Kind: echo\r\n"));
    EXPECT_EQ(body_of(answer), "GET /a ");
  }
  connection.send(http_request(port_, "POST", "/b", "some body"));
  EXPECT_EQ(body_of(connection.read_answer()), "POST /b some body");
  // Sent at once, answered in turn.
  connection.send(get("/1") + http_request(port_, "POST", "/2", "x") + get("/3"));
  EXPECT_EQ(body_of(connection.read_answer()), "GET /1 ");
  EXPECT_EQ(body_of(connection.read_answer()), "POST /2 x");
  EXPECT_EQ(body_of(connection.read_answer()), "GET /3 ");
  connection.send(get("/last", {"Connection: close"}));
  EXPECT_EQ(body_of(connection.read_all()), "GET /last ");
  EXPECT_EQ(body_of(ask("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n")), "");
}

TEST_F(Server, LooksAtNothingBehindARefusedRequest) {
  start();
  const std::string hidden = get("/hidden");
  const std::string answer = ask(http_request(port_, "POST", "/no", hidden) + hidden);
  EXPECT_EQ(status_of(answer), 403);
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("GET /hidden ")));
}

TEST_F(Server, WhatCannotBeUnderstoodIsAnsweredOnceAndEndsTheConnection) {
  start();
  for (const char* const bytes : {"hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "BREW / HTTP/1.1\r\n\r\n",
                                  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}) {
    const std::string answer = ask(bytes + get("/next"));
    EXPECT_EQ(status_of(answer), 400) << bytes;
    EXPECT_EQ(body_of(answer), "broken 400") << bytes;
  }
}

TEST_F(Server, HeadsThatAreTooLongAreRefused) {
  start();
  EXPECT_EQ(status_of(ask(get("/" + std::string(9000, 'a')))), 414);
  EXPECT_EQ(status_of(ask(get("/", {"X: " + std::string(9000, 'a')}))), 400);
  EXPECT_EQ(body_of(ask(get("/", {"X: " + std::string(8000, 'a')}))), "GET / ");
  EXPECT_EQ(status_of(ask(get("/", std::vector<std::string>(20000, "X: y")))), 400);
  EXPECT_EQ(status_of(ask(std::string(1000000, 'a'))), 431);
}

TEST_F(Server, RangesAreNotServedAndDoNoHarm) {
  start();
  EXPECT_EQ(body_of(ask(get("/whole", {"Range: bytes=0-1"}))), "GET /whole ");
  std::string many = "Range: bytes=0-1";
  while (many.size() < 8000) many += ",0-1";
  const std::string answer = ask(get("/", {many}));
  EXPECT_TRUE(status_of(answer) == 200 || status_of(answer) == 416) << answer.substr(0, 100);
  EXPECT_LT(answer.size(), 2000U);
}

TEST_F(Server, ASlowRequestIsNotWaitedForLongerThanAnother) {
  limits_.whole = std::chrono::milliseconds(300);
  start();
  Connection slow(port_);
  const auto begin = std::chrono::steady_clock::now();
  bool open = true;
  for (int i = 0; open && i < 600; ++i) {
    open = slow.send(i == 0 ? "G" : "E");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // Cut off long before it is done; sending into the void fails soon after.
  EXPECT_FALSE(open);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  Connection half(port_);
  half.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc");
  EXPECT_NE(status_of(half.read_all()), 200);
  EXPECT_EQ(body_of(ask(get("/still"))), "GET /still ");
}

TEST_F(Server, AnIdleConnectionEnds) {
  limits_.idle = std::chrono::milliseconds(200);
  start();
  Connection idle(port_);
  EXPECT_EQ(idle.read_all(), "");
  Connection used(port_);
  used.send(get("/a"));
  EXPECT_EQ(body_of(used.read_answer()), "GET /a ");
  EXPECT_EQ(used.read_all(), "");
}

TEST_F(Server, OneConnectionTooManyIsToldSo) {
  limits_.connections = 3;
  start();
  echo_.hold = true;
  std::vector<std::unique_ptr<Connection>> taken;
  for (int i = 0; i < 3; ++i) {
    taken.push_back(std::make_unique<Connection>(port_));
    taken.back()->send(get("/held"));
  }
  std::string answer;
  // Until the last of the three has been seen.
  for (int i = 0; i < 100 && status_of(answer) != 503; ++i) answer = ask("");
  EXPECT_EQ(status_of(answer), 503);
  EXPECT_EQ(body_of(answer), "broken 503");
  echo_.hold = false;
  for (const auto& connection : taken) EXPECT_EQ(body_of(connection->read_answer()), "GET /held ");
  taken.clear();
  for (int i = 0; i < 100 && status_of(answer) != 200; ++i) answer = ask(get("/again"));
  EXPECT_EQ(status_of(answer), 200);
}

TEST_F(Server, StopsWithConnectionsOpenAndFinishesWhatItAnswers) {
  start();
  Connection idle(port_);
  Connection busy(port_);
  echo_.hold = true;
  busy.send(get("/busy"));
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  stop_ = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  echo_.hold = false;
  const auto begin = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(body_of(busy.read_all()), "GET /busy ");
  EXPECT_EQ(idle.read_all(), "");
}

TEST_F(Server, APortThatIsInUseIsNotShared) {
  start();
  EXPECT_EQ(make_http_server()->listen(port_), -EADDRINUSE);
}

}  // namespace
}  // namespace olem::http_server_test
