#include "order/diffan_network.h"

#include "olem/parallel.h"

namespace olem::internal {

namespace {

constexpr int kSteps = 100;
constexpr double kFirstBeta = 1e-4;
constexpr double kLastBeta = 0.02;

// Samples that pass through the network together: enough for the matrix products to run at full speed, few enough that
// the activations between two layers stay in the second-level cache and that eight cores have work.
constexpr std::size_t kPieceColumns = 128;
// Rows of a weight matrix whose gradient is one piece of work.
constexpr nn::Index kPieceRows = 128;

constexpr auto kHiddenActivation = nn::Activation::kLeakyRelu;

}  // namespace

std::vector<double> diffusion_signal() {
  std::vector<double> signal;
  double product = 1.0;
  for (int t = 0; t < kSteps; ++t) {
    product *= 1.0 - (kFirstBeta + (kLastBeta - kFirstBeta) * t / (kSteps - 1));
    signal.push_back(product);
  }
  return signal;
}

template <class Scalar>
DiffanNetwork<Scalar>::DiffanNetwork(const DiffanShape& shape) : shape_(shape) {
  using nn::Bias;
  linear_.emplace_back(shape.variables + 1, shape.narrow, Bias::kNone, layout_);
  norm_.emplace_back(shape.narrow, layout_);
  linear_.emplace_back(shape.narrow, shape.wide, Bias::kLearned, layout_);
  norm_.emplace_back(shape.wide, layout_);
  linear_.emplace_back(shape.wide, shape.wide, Bias::kLearned, layout_);
  linear_.emplace_back(shape.wide, shape.narrow, Bias::kLearned, layout_);
  linear_.emplace_back(shape.narrow, shape.variables, Bias::kLearned, layout_);
}

template <class Scalar>
void DiffanNetwork<Scalar>::initialise(Scalar* weights, RandomStream random) const {
  for (const auto& layer : linear_) layer.initialise(weights, random);
  for (const auto& layer : norm_) layer.initialise(weights);
}

template <class Scalar>
DiffanNetwork<Scalar>::Batch::Batch(const DiffanShape& shape, nn::Index columns)
    : input(shape.variables + 1, columns),
      target(shape.variables, columns),
      hidden1(shape.narrow, columns),
      normal1(shape.narrow, columns),
      moments1(2, columns),
      factors(shape.narrow, columns),
      hidden2(shape.wide, columns),
      normal2(shape.wide, columns),
      moments2(2, columns),
      hidden3(shape.wide, columns),
      hidden4(shape.narrow, columns),
      output(shape.variables, columns),
      d_hidden1(shape.narrow, columns),
      d_normal1(shape.narrow, columns),
      d_hidden2(shape.wide, columns),
      d_normal2(shape.wide, columns),
      d_hidden3(shape.wide, columns),
      d_hidden4(shape.narrow, columns),
      d_output(shape.variables, columns) {}

template <class Scalar>
std::size_t DiffanNetwork<Scalar>::Batch::bytes(const DiffanShape& shape, nn::Index columns) {
  const nn::Index rows = 4 * shape.variables + 7 * shape.narrow + 6 * shape.wide + 5;
  return static_cast<std::size_t>(rows * columns) * sizeof(Scalar);
}

template <class Scalar>
void DiffanNetwork<Scalar>::forward(const Scalar* weights, Batch& batch, nn::Index first, nn::Index count,
                                    const Dropout* dropout) const {
  const auto part = [&](Matrix& matrix) { return matrix.middleCols(first, count); };
  linear(1).forward(weights, part(batch.input), part(batch.hidden1));
  nn::activate<Scalar>(kHiddenActivation, part(batch.hidden1));
  norm(1).forward(weights, part(batch.hidden1), part(batch.normal1), part(batch.moments1));
  if (dropout != nullptr) {
    nn::draw_dropout<Scalar>(dropout->probability, dropout->seed, "diffan_dropout",
                             dropout->index + static_cast<std::uint64_t>(first), part(batch.factors));
    part(batch.normal1).array() *= part(batch.factors).array();
  }
  linear(2).forward(weights, part(batch.normal1), part(batch.hidden2));
  nn::activate<Scalar>(kHiddenActivation, part(batch.hidden2));
  norm(2).forward(weights, part(batch.hidden2), part(batch.normal2), part(batch.moments2));
  linear(3).forward(weights, part(batch.normal2), part(batch.hidden3));
  nn::activate<Scalar>(kHiddenActivation, part(batch.hidden3));
  linear(4).forward(weights, part(batch.hidden3), part(batch.hidden4));
  nn::activate<Scalar>(kHiddenActivation, part(batch.hidden4));
  linear(5).forward(weights, part(batch.hidden4), part(batch.output));
}

template <class Scalar>
void DiffanNetwork<Scalar>::backward(const Scalar* weights, Batch& batch, nn::Index first, nn::Index count) const {
  const auto part = [&](Matrix& matrix) { return matrix.middleCols(first, count); };
  linear(5).backward(weights, part(batch.d_output), part(batch.d_hidden4));
  nn::activation_backward<Scalar>(kHiddenActivation, part(batch.hidden4), part(batch.d_hidden4));
  linear(4).backward(weights, part(batch.d_hidden4), part(batch.d_hidden3));
  nn::activation_backward<Scalar>(kHiddenActivation, part(batch.hidden3), part(batch.d_hidden3));
  linear(3).backward(weights, part(batch.d_hidden3), part(batch.d_normal2));
  norm(2).backward(weights, part(batch.hidden2), part(batch.moments2), part(batch.d_normal2), part(batch.d_hidden2));
  nn::activation_backward<Scalar>(kHiddenActivation, part(batch.hidden2), part(batch.d_hidden2));
  linear(2).backward(weights, part(batch.d_hidden2), part(batch.d_normal1));
  part(batch.d_normal1).array() *= part(batch.factors).array();
  norm(1).backward(weights, part(batch.hidden1), part(batch.moments1), part(batch.d_normal1), part(batch.d_hidden1));
  nn::activation_backward<Scalar>(kHiddenActivation, part(batch.hidden1), part(batch.d_hidden1));
}

template <class Scalar>
void DiffanNetwork<Scalar>::add_gradient(Batch& batch, Scalar* gradient, const Context& context) const {
  // Every piece sums over the whole batch for weights of its own: nothing is added up between threads. The largest
  // pieces come first.
  struct Piece {
    const nn::Linear<Scalar>* layer;
    const Matrix* x;
    const Matrix* dy;
    nn::Index first;
  };
  std::vector<Piece> pieces;
  const auto cut = [&](int layer, const Matrix& x, const Matrix& dy) {
    for (nn::Index first = 0; first < dy.rows(); first += kPieceRows)
      pieces.push_back({&linear(layer), &x, &dy, first});
  };
  cut(3, batch.normal2, batch.d_hidden3);
  cut(4, batch.hidden3, batch.d_hidden4);
  cut(2, batch.normal1, batch.d_hidden2);
  cut(1, batch.input, batch.d_hidden1);
  cut(5, batch.hidden4, batch.d_output);
  parallel_for(context, 0, pieces.size() + 2, 1, [&](std::size_t i, std::size_t) {
    if (i == pieces.size()) {
      norm(1).add_gradient(batch.hidden1, batch.moments1, batch.d_normal1, gradient);
    } else if (i == pieces.size() + 1) {
      norm(2).add_gradient(batch.hidden2, batch.moments2, batch.d_normal2, gradient);
    } else {
      const Piece& piece = pieces[i];
      piece.layer->add_gradient(*piece.x, *piece.dy, gradient, piece.first,
                                std::min(piece.first + kPieceRows, piece.dy->rows()));
    }
  });
}

template <class Scalar>
void DiffanNetwork<Scalar>::predict(const Scalar* weights, Batch& batch, nn::Index count,
                                    const Context& context) const {
  parallel_for(context, 0, static_cast<std::size_t>(count), kPieceColumns, [&](std::size_t first, std::size_t last) {
    forward(weights, batch, static_cast<nn::Index>(first), static_cast<nn::Index>(last - first), nullptr);
  });
}

template <class Scalar>
double DiffanNetwork<Scalar>::squared_error(const Scalar* weights, Batch& batch, nn::Index count,
                                            const Context& context) const {
  predict(weights, batch, count, context);
  return nn::squared_error<Scalar>(batch.output.leftCols(count), batch.target.leftCols(count), Scalar{1},
                                   batch.d_output.leftCols(count));
}

template <class Scalar>
double DiffanNetwork<Scalar>::loss(const Scalar* weights, Batch& batch, const Dropout& dropout, Scalar* gradient,
                                   const Context& context) const {
  const auto columns = static_cast<std::size_t>(batch.columns());
  const double scale = 1.0 / static_cast<double>(batch.target.size());
  std::vector<double> sums((columns + kPieceColumns - 1) / kPieceColumns);
  parallel_for(context, 0, columns, kPieceColumns, [&](std::size_t first, std::size_t last) {
    const auto at = static_cast<nn::Index>(first);
    const auto count = static_cast<nn::Index>(last - first);
    forward(weights, batch, at, count, &dropout);
    sums[first / kPieceColumns] =
        nn::squared_error<Scalar>(batch.output.middleCols(at, count), batch.target.middleCols(at, count),
                                  static_cast<Scalar>(scale), batch.d_output.middleCols(at, count));
    backward(weights, batch, at, count);
  });
  add_gradient(batch, gradient, context);
  double sum = 0.0;
  for (const double part : sums) sum += part;
  return sum * scale;
}

template class DiffanNetwork<float>;
template class DiffanNetwork<double>;

}  // namespace olem::internal
