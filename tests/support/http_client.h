#pragma once

#include <string>
#include <vector>

namespace olem::test {

// A connection to a server on this machine, for bytes of any kind. Nothing here throws: a server may end a connection
// whenever it likes.
class Connection {
 public:
  explicit Connection(int port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool send(const std::string& bytes);
  void end_sending();
  // Everything until the server ends the connection, or is silent for a minute.
  std::string read_all();
  // One answer, head and body, and what follows left for the next; "" when the connection ended before.
  std::string read_answer();

 private:
  bool fill();

  int socket_ = -1;
  std::string buffer_;
};

// A request that a good client would send; bodies are JSON.
std::string http_request(int port, const std::string& method, const std::string& target, const std::string& body = "",
                         const std::vector<std::string>& headers = {});

// Of an answer: 0 when there is none.
int status_of(const std::string& answer);
std::string body_of(const std::string& answer);

}  // namespace olem::test
