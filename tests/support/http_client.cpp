#include "support/http_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace olem::test {

Connection::Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return;
  ::close(socket_);
  socket_ = -1;
}

Connection::~Connection() {
  if (socket_ >= 0) ::close(socket_);
}

bool Connection::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

void Connection::end_sending() { ::shutdown(socket_, SHUT_WR); }

bool Connection::fill() {
  constexpr int kLongest = 60000;
  pollfd polled{socket_, POLLIN, 0};
  char bytes[16384];
  if (socket_ < 0 || ::poll(&polled, 1, kLongest) <= 0) return false;
  const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
  if (count <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::string Connection::read_all() {
  while (fill()) {
  }
  return std::move(buffer_);
}

std::string Connection::read_answer() {
  std::size_t head = 0;
  while ((head = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return "";
  }
  const std::string name = "Content-Length: ";
  const std::size_t place = buffer_.find(name);
  const std::size_t length =
      place < head ? std::strtoul(buffer_.c_str() + place + name.size(), nullptr, 10) : std::size_t{0};
  while (buffer_.size() < head + 4 + length) {
    if (!fill()) return "";
  }
  std::string answer = buffer_.substr(0, head + 4 + length);
  buffer_.erase(0, answer.size());
  return answer;
}

std::string http_request(int port, const std::string& method, const std::string& target, const std::string& body,
                         const std::vector<std::string>& headers) {
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", method, target, port);
  for (const std::string& header : headers) text += header + "\r\n";
  if (method == "POST") text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
  return text + "\r\n" + body;
}

int status_of(const std::string& answer) { return answer.starts_with("HTTP/1.1 ") ? std::atoi(answer.c_str() + 9) : 0; }

std::string body_of(const std::string& answer) {
  const std::size_t head = answer.find("\r\n\r\n");
  return head == std::string::npos ? "" : answer.substr(head + 4);
}

}  // namespace olem::test
