#pragma once

#include <Eigen/Core>
#include <memory>
#include <utility>
#include <vector>

#include "order/olem_plus_columns.h"

namespace olem::internal {

// Classes of a category as target; its rarer levels are one of them.
inline constexpr Eigen::Index kMostClasses = 8;

// What all families of probabilities of levels have: n rows with functions X, of which row i enters the likelihood
// through a few numbers.
class LevelModel {
 public:
  LevelModel(const PlusColumns& columns, std::vector<Eigen::Index> classes, Eigen::Index count)
      : row_count(static_cast<Eigen::Index>(columns.rows)),
        class_of(std::move(classes)),
        class_count(count),
        weights_of_rows(&columns.weights) {}
  LevelModel(const LevelModel&) = delete;
  LevelModel& operator=(const LevelModel&) = delete;
  virtual ~LevelModel() = default;

  void set_functions(Eigen::MatrixXd functions) { design = std::move(functions); }
  const Eigen::MatrixXd& functions() const { return design; }
  double weight(Eigen::Index i) const {
    return weights_of_rows->empty() ? 1.0 : (*weights_of_rows)[static_cast<std::size_t>(i)];
  }

  virtual Eigen::Index parameters() const = 0;
  // The parameters without any effect of the functions.
  virtual Eigen::VectorXd start() const = 0;
  // Spreads the penalty of the functions over the parameters.
  virtual Eigen::VectorXd spread(const Eigen::VectorXd& penalty) const = 0;
  // Fits other functions: the parameters of the old ones, which come first, and zeros.
  virtual Eigen::VectorXd extended(const Eigen::VectorXd& parameters, Eigen::Index old_functions) const = 0;
  // Prepares what the others need, and gives -ln likelihood; infinite for parameters that are none.
  virtual double evaluate(const Eigen::VectorXd& parameters) = 0;
  virtual Eigen::VectorXd gradient() const = 0;
  virtual Eigen::MatrixXd information() const = 0;  // lower triangle
  // -ln P(class of row i) with the row left out, to first order. `inverse`: lower triangle.
  virtual Eigen::VectorXd left_out(const Eigen::MatrixXd& inverse) const = 0;
  // Each row's derivatives of -ln P by the linear predictors and the diagonal of the second ones.
  virtual Eigen::MatrixXd slopes() const = 0;
  virtual Eigen::MatrixXd curvatures() const = 0;

 protected:
  Eigen::Index row_count;
  std::vector<Eigen::Index> class_of;
  Eigen::Index class_count;
  const std::vector<double>* weights_of_rows;
  Eigen::MatrixXd design;
};

// Binary columns and categories: softmax with class 0 as the reference. At most kMostClasses of them.
std::unique_ptr<LevelModel> softmax_model(const PlusColumns& columns, std::vector<Eigen::Index> classes,
                                          Eigen::Index count);

// Ordered levels: P(class <= k) = logistic(t_k - x b).
std::unique_ptr<LevelModel> cumulative_model(const PlusColumns& columns, std::vector<Eigen::Index> classes,
                                             Eigen::Index count);

// Counts with mean exp(x b). `counts` must outlive the model.
std::unique_ptr<LevelModel> count_model(const PlusColumns& columns, const std::vector<double>& counts);

}  // namespace olem::internal
