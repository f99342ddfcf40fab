#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "olem/serve.h"
#include "serve/http.h"
#include "serve/rehearsal_api.h"

namespace olem::internal {

// The rehearsal page and the API of every model that is served: GET /api/models lists them, and `?model=PLACE` behind
// an address of the API says which of them is asked, the first when it is not there. Models that are still to be
// learned are learned here, one after the other in a thread of their own; until then their API answers 503. May be used
// by many threads at once.
class ModelShelf : public HttpService {
 public:
  // At least one model. `context` as for RehearsalApi; its threads are those of learning too.
  ModelShelf(std::vector<ServedModel> models, const ServeOptions& options, int port, const Context& context);
  // Waits for the learning, which an interruption of the context ends.
  ~ModelShelf() override;
  ModelShelf(const ModelShelf&) = delete;
  ModelShelf& operator=(const ModelShelf&) = delete;

  std::optional<HttpAnswer> refuse(const HttpRequest& head) const override;
  HttpAnswer answer(const HttpRequest& request) override;
  HttpAnswer broken(int status) const override;

 private:
  struct Entry {
    ServedModel source;
    std::unique_ptr<RehearsalApi> api;  // null until it is learned
    std::string id;                     // says whether a link means this model
    std::string title;                  // the name of its task, may be empty
    double fraction = 0.0;              // of learning
    std::string phase;
    std::string error;  // why it could not be learned
  };

  void put(Entry& entry, RehearsalModel model);
  void learn(Entry& entry);
  Json models_json() const;

  ServeOptions options_;
  int port_;
  Context context_;
  mutable std::mutex mutex_;  // of what changes while learning: all of an entry but its source
  std::vector<Entry> entries_;
  std::thread learning_;
};

}  // namespace olem::internal
