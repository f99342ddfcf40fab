// A program of somebody else that serves a model until SIGTERM: its libolem.a must find the module for HTTP.
#include <olem/model_file.h>
#include <olem/serve.h>

#include <atomic>
#include <csignal>
#include <cstdio>

namespace {
std::atomic<bool> stop{false};
extern "C" void on_signal(int) { stop = true; }
}  // namespace

int main(int, char** argv) {
  std::signal(SIGTERM, on_signal);
  olem::Context context;
  context.interrupt = &stop;
  olem::ServeOptions options;
  options.port = 0;
  const auto show = [](const std::string& address) {
    std::puts(address.c_str());
    std::fflush(stdout);
  };
  olem::serve(olem::read_model(argv[1], context), options, show, context);
}
