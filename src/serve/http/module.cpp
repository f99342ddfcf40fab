// The module that holds cpp-httplib: see serve/http_server.h. cpp-httplib parses requests and writes answers; sockets,
// their time limits and their threads are looked after here.
#include <httplib.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "serve/http_server.h"

namespace olem::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLinger{500};
constexpr std::size_t kHeadLimit = 64 << 10U;
constexpr std::size_t kRequestsPerConnection = 10000;
constexpr std::chrono::milliseconds kStopPeriod{20};

// Waits until the socket can be read (POLLIN) or written (POLLOUT).
bool wait_for(int socket, short event, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{socket, event, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// One connection. cpp-httplib's own stream limits the time of each read, so that a client who sends a byte now and then
// could hold it for ever; here the whole request has a deadline, and its head a size.
class ConnectionStream : public httplib::Stream {
 public:
  ConnectionStream(int socket, const HttpLimits& limits) : socket_(socket), limits_(limits) {}

  // Waits for the first byte of the next request; false when the connection ended or was idle for too long.
  bool next_request() {
    head_read_ = 0;
    in_head_ = true;
    deadline_ = Clock::now() + limits_.idle;
    if (begin_ == end_ && !fill()) return false;
    deadline_ = Clock::now() + limits_.whole;
    return true;
  }

  // The head was understood; what is read from here on is the body, whose length is known.
  void end_head() { in_head_ = false; }
  // The request was read to its end, so that another may follow.
  bool whole() const { return whole_ && !in_head_; }
  bool head_too_large() const { return in_head_ && head_read_ >= kHeadLimit; }

  bool is_readable() const override { return begin_ != end_ || wait_for(socket_, POLLIN, deadline_); }
  bool is_writable() const override { return wait_for(socket_, POLLOUT, deadline_); }

  ssize_t read(char* to, std::size_t size) override {
    if (head_too_large() || (begin_ == end_ && !fill())) {
      whole_ = false;
      return -1;
    }
    std::size_t count = std::min(size, end_ - begin_);
    if (in_head_) count = std::min(count, kHeadLimit - head_read_);
    std::copy_n(buffer_.data() + begin_, count, to);
    begin_ += count;
    if (in_head_) head_read_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* from, std::size_t size) override {
    const Clock::time_point deadline = Clock::now() + limits_.whole;
    std::size_t sent = 0;
    while (sent < size) {
      const ssize_t count = ::send(socket_, from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count > 0) {
        sent += static_cast<std::size_t>(count);
      } else if (errno != EINTR && (errno != EAGAIN || !wait_for(socket_, POLLOUT, deadline))) {
        return -1;
      }
    }
    return static_cast<ssize_t>(sent);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = "127.0.0.1";
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override { get_remote_ip_and_port(ip, port); }
  socket_t socket() const override { return socket_; }

 private:
  bool fill() {
    while (wait_for(socket_, POLLIN, deadline_)) {
      const ssize_t count = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (count > 0) {
        begin_ = 0;
        end_ = static_cast<std::size_t>(count);
        return true;
      }
      if (count == 0 || (errno != EINTR && errno != EAGAIN)) return false;
    }
    return false;
  }

  int socket_;
  const HttpLimits& limits_;
  std::array<char, 16384> buffer_{};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Clock::time_point deadline_;
  bool in_head_ = true;
  bool whole_ = true;
  std::size_t head_read_ = 0;
};

// A thread for each connection, made when it is first needed. When all are taken, the job runs in the thread that
// brings it: that one must be quick, see LoopbackServer::process_and_close_socket. The same thread calls `watch` every
// few milliseconds and for every connection.
class ConnectionThreads : public httplib::TaskQueue {
 public:
  ConnectionThreads(std::size_t most, std::function<void()> watch) : most_(most), watch_(std::move(watch)) {}

  void on_idle() override { watch_(); }

  void enqueue(std::function<void()> job) override {
    watch_();
    if (take(job)) {
      ready_.notify_one();
    } else {
      job();
    }
  }

  void shutdown() override {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    ready_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  bool take(std::function<void()>& job) {
    const std::scoped_lock lock(mutex_);
    if (busy_ == most_) return false;
    if (busy_ == threads_.size()) {
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        return false;  // the system grants no more
      }
    }
    ++busy_;
    jobs_.push_back(std::move(job));
    return true;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ready_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      {
        const std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
      }
      lock.lock();
      --busy_;
    }
  }

  std::size_t most_;
  std::function<void()> watch_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<std::thread> threads_;
  std::deque<std::function<void()>> jobs_;
  std::size_t busy_ = 0;  // jobs that wait or run
  bool stopping_ = false;
};

HttpRequest head_of(const httplib::Request& request) {
  HttpRequest head{request.method, request.target, {}, {}};
  for (const auto& [name, value] : request.headers) head.headers.push_back({name, value});
  return head;
}

void put(const HttpAnswer& answer, httplib::Response& response) {
  response.status = answer.status;
  std::string type = "text/plain";
  for (const HttpHeader& header : answer.headers) {
    if (header.name == "Content-Type") {
      type = header.value;
    } else {
      response.set_header(header.name, header.value);
    }
  }
  response.set_content(answer.body, type);
}

class LoopbackServer final : public HttpServer, private httplib::Server {
 public:
  LoopbackServer() {
    new_task_queue = [this] { return new ConnectionThreads(limits_.connections, [this] { watch(); }); };
    set_idle_interval(kStopPeriod);
    // SO_REUSEADDR alone: with SO_REUSEPORT, cpp-httplib's choice, two servers would share a port and their requests.
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_keep_alive_timeout(std::chrono::duration_cast<std::chrono::seconds>(HttpLimits().idle).count());
    set_keep_alive_max_count(kRequestsPerConnection);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      const HttpRequest head = head_of(request);
      if (const std::optional<HttpAnswer> refused = service_->refuse(head)) {
        put(*refused, response);
        return HandlerResponse::Handled;
      }
      if (request.method == "POST") return HandlerResponse::Unhandled;  // the body comes first
      put(service_->answer(head), response);
      return HandlerResponse::Handled;
    });
    Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
      HttpRequest whole = head_of(request);
      whole.body = request.body;
      put(service_->answer(whole), response);
    });
    set_error_handler(Handler([this](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) put(service_->broken(response.status), response);
    }));
    set_exception_handler([this](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
      put(service_->broken(500), response);
    });
  }

  int listen(int port) override {
    errno = 0;
    if (port == 0) {
      port = bind_to_any_port("127.0.0.1");
    } else if (!bind_to_port("127.0.0.1", port)) {
      port = -1;
    }
    if (port <= 0) return errno != 0 ? -errno : -EADDRINUSE;
    // cpp-httplib lets five connections wait; a browser opens six at once.
    ::listen(svr_sock_, 128);
    return port;
  }

  bool run(HttpService& service, const HttpLimits& limits, const std::function<bool()>& stop_now) override {
    service_ = &service;
    limits_ = limits;
    stop_now_ = stop_now;
    accepting_ = std::this_thread::get_id();
    listen_after_bind();
    return stopping();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    if (std::this_thread::get_id() == accepting_) {
      turn_away(socket);
    } else if (enter(socket)) {
      try {
        converse(socket);
      } catch (const std::exception&) {
        // Out of memory, say: the end of this connection and of nothing else.
      }
      leave(socket);
    }
    ::close(socket);
    return true;
  }

  // In the thread that accepts, so that nobody closes what another still listens on.
  void watch() {
    if (stopping() || !stop_now_()) return;
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
      // Nothing more is read; what is being answered still goes out.
      for (const int socket : connections_) ::shutdown(socket, SHUT_RD);
    }
    stop();
  }

  bool enter(int socket) {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return false;
    connections_.insert(socket);
    return true;
  }

  void leave(int socket) {
    const std::scoped_lock lock(mutex_);
    connections_.erase(socket);
  }

  bool stopping() {
    const std::scoped_lock lock(mutex_);
    return stopping_;
  }

  static std::string raw(const HttpAnswer& answer, const char* reason) {
    std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " " + reason + "\r\nConnection: close\r\n";
    for (const HttpHeader& header : answer.headers) text += header.name + ": " + header.value + "\r\n";
    return text + "Content-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n" + answer.body;
  }

  // One connection too many. In the thread that accepts: nothing here waits.
  void turn_away(int socket) const {
    const std::string text = raw(service_->broken(503), "Service Unavailable");
    static_cast<void>(::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    ::shutdown(socket, SHUT_WR);
    // What was sent already is read, since closing before would make the system withdraw the answer.
    std::array<char, 16384> ignored{};
    static_cast<void>(::recv(socket, ignored.data(), ignored.size(), MSG_DONTWAIT));
  }

  void converse(int socket) {
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    ConnectionStream stream(socket, limits_);
    for (std::size_t count = 1; stream.next_request(); ++count) {
      bool close = count == kRequestsPerConnection || stopping();
      bool closed = false;
      const bool answered = process_request(stream, close, closed, [&](httplib::Request& request) {
        stream.end_head();
        request.ranges.clear();                    // everything is small, and answered whole
        request.headers.erase("Accept-Encoding");  // and goes no further than this machine
        if (!service_->refuse(head_of(request))) return;
        // What follows may be a body that nobody read.
        close = true;
        request.headers.erase("Connection");
        request.set_header("Connection", "close");
      });
      if (!answered && stream.head_too_large()) {
        const std::string text = raw(service_->broken(431), "Request Header Fields Too Large");
        static_cast<void>(stream.write(text.data(), text.size()));
      }
      if (answered && stream.whole() && !close && !closed) continue;
      finish(socket);
      return;
    }
  }

  // Lets the client read the last answer while it may still be sending.
  static void finish(int socket) {
    ::shutdown(socket, SHUT_WR);
    const Clock::time_point deadline = Clock::now() + kLinger;
    std::array<char, 16384> ignored{};
    while (wait_for(socket, POLLIN, deadline)) {
      const ssize_t count = ::recv(socket, ignored.data(), ignored.size(), MSG_DONTWAIT);
      if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return;
    }
  }

  HttpService* service_ = nullptr;
  HttpLimits limits_;
  std::function<bool()> stop_now_;
  std::thread::id accepting_;
  std::mutex mutex_;
  std::set<int> connections_;
  bool stopping_ = false;
};

}  // namespace
}  // namespace olem::internal

extern "C" __attribute__((visibility("default"))) olem::internal::HttpServer* olem_http_server() {
  return new olem::internal::LoopbackServer;
}
