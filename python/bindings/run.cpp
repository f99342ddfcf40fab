#include "run.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace py = pybind11;

namespace olem::python {

namespace {

constexpr std::chrono::milliseconds kSignalPeriod{50};

// What the working thread tells the waiting one.
struct News {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  bool progressed = false;
  double fraction = 0.0;
  std::string phase;
  std::exception_ptr error;
};

// Signals, then progress. What Python raises comes back instead of being thrown past the working thread.
std::exception_ptr visit_python(const py::object& progress, bool progressed, double fraction,
                                const std::string& phase) {
  const py::gil_scoped_acquire gil;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (progressed) progress(fraction, phase);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// Until the work is done, and once more then: the last progress is told, too, unless the work failed.
std::exception_ptr wait_for_end(News& news, const py::object& progress, std::atomic<bool>& stop) {
  std::exception_ptr raised;
  std::unique_lock lock(news.mutex);
  for (bool done = false; !done;) {
    news.changed.wait_for(lock, kSignalPeriod, [&] { return news.done || (news.progressed && !raised); });
    done = news.done;
    if (raised || news.error) continue;
    const bool progressed = std::exchange(news.progressed, false);
    const double fraction = news.fraction;
    const std::string phase = news.phase;
    lock.unlock();
    raised = visit_python(progress, progressed, fraction, phase);
    if (raised) stop = true;
    lock.lock();
  }
  return raised;
}

}  // namespace

void run_work(const RunSettings& settings, const std::function<void(const Context&)>& work) {
  std::atomic<bool> stop{false};
  News news;
  Context context;
  context.threads = settings.threads;
  context.seed = settings.seed;
  context.interrupt = &stop;
  if (!settings.progress.is_none()) {
    context.progress = [&news](double fraction, std::string_view phase) {
      const std::lock_guard lock(news.mutex);
      news.progressed = true;
      news.fraction = fraction;
      news.phase = phase;
      news.changed.notify_one();
    };
  }
  std::exception_ptr raised;
  {
    const py::gil_scoped_release without_gil;
    std::thread worker([&] {
      std::exception_ptr error;
      try {
        work(context);
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(news.mutex);
      news.error = std::move(error);
      news.done = true;
      news.changed.notify_one();
    });
    raised = wait_for_end(news, settings.progress, stop);
    worker.join();
  }
  if (raised) std::rethrow_exception(raised);
  if (news.error) std::rethrow_exception(news.error);
}

void add_run_settings(py::module_& module) {
  py::class_<RunSettings>(module, "RunSettings", "Threads (0: one per core), seed and progress callback of one call.")
      .def(py::init([](int threads, std::uint64_t seed, py::object progress) {
             return RunSettings{threads, seed, std::move(progress)};
           }),
           py::kw_only(), py::arg("threads") = 1, py::arg("seed") = 0, py::arg("progress") = py::none());
}

}  // namespace olem::python
