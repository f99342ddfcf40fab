#include "simulate/streams.h"

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <utility>

#include "olem/error.h"
#include "olem/simulate.h"

namespace olem::internal {

namespace {

constexpr std::size_t kStepRound = 60;
constexpr double kStepEffect = -1.4;  // of Omega on NEC from then on

// Places in both streams.
enum BermudaPlace : Eigen::Index { kLight, kTemp, kSal, kNutrients, kDic, kTa, kOmega, kChla, kPhsw, kCo2, kNec };
enum MarketPlace : Eigen::Index { kFeature, kIndex, kOtherCost, kCost, kPrice, kOtherPrice, kProfit, kCustom };

double wave(double t, double shift, double period = 80.0) {
  return std::sin(2.0 * std::numbers::pi * (t + shift) / period);
}

void set_row(Eigen::MatrixXd& matrix, Eigen::Index to, std::initializer_list<std::pair<Eigen::Index, double>> terms) {
  for (const auto& [from, weight] : terms) matrix(to, from) = weight;
}

}  // namespace

LinearStream::LinearStream(std::string_view name) {
  if (name == "market") {
    kind_ = Kind::kMarket;
    make_market();
  } else {
    if (name != "bermuda" && name != "step" && name != "still")
      throw Error(ErrorCategory::kInternal, "There is no stream with this name.");
    kind_ = name == "step" ? Kind::kStep : name == "still" ? Kind::kStill : Kind::kBermuda;
    if (kind_ == Kind::kStep) step_ = kStepRound;
    make_bermuda();
  }
  factor_ = noise_.llt().matrixL();
}

// The equations of the bundled simulator but for that of NEC; the context is bare noise.
void LinearStream::make_bermuda() {
  names_ = {"Light", "Temp", "Sal", "Nutrients_PC1", "DIC", "TA", "Omega", "Chla", "pHsw", "CO2", "NEC"};
  context_ = {kLight, kTemp, kSal};
  levers_ = {kDic, kTa, kOmega, kChla, kNutrients};
  outcomes_ = {kNec};
  coefficients_ = Eigen::MatrixXd::Zero(11, 11);
  const StructuralModel bundled = bermuda_model();
  const auto place = [&](const std::string& name) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return static_cast<Eigen::Index>(i);
    }
    throw Error(ErrorCategory::kInternal, "The Bermuda simulator has another variable.");
  };
  for (const StructuralNode& node : bundled.nodes) {
    const Eigen::Index to = place(node.name);
    if (to <= kSal || to == kNec) continue;
    const std::vector<double>& weights = std::get<LinearFunction>(node.function).weights;
    for (std::size_t k = 0; k < node.parents.size(); ++k)
      coefficients_(to, place(bundled.nodes[node.parents[k]].name)) = weights[k];
  }
  set_row(coefficients_, kOmega, {{kDic, -1.105665}});
  set_row(coefficients_, kPhsw, {{kTemp, -0.748279}});
  set_row(coefficients_, kCo2, {{kTemp, 0.861332}});
  set_row(coefficients_, kNec,
          {{kLight, 0.032246},
           {kTemp, 5.227658},
           {kOmega, -2.343629},
           {kChla, 0.131829},
           {kNutrients, 0.098818},
           {kPhsw, 2.049256},
           {kCo2, -2.514641}});
  Eigen::VectorXd variances(11);
  variances << 0.012, 0.016, 0.016, 0.016, 0.010, 0.020, 0.016, 0.018, 0.001, 0.0016, 0.015;
  noise_ = variances.asDiagonal();
  rows_ = Eigen::MatrixXd(2, 1);
  rows_ << 1.0, -1.0;
  bounds_ = Eigen::Vector2d(2.540220, -1.040220);
  weights_ = Eigen::VectorXd(5);
  weights_ << 10.0, 8.0, 3.0, 5.0, 10.0;
  datums_ = Eigen::VectorXd::Zero(5);
  one_lever_ = true;
}

void LinearStream::make_market() {
  names_ = {"competitor_feature", "economic_index",     "competitor_raw_cost", "raw_cost",
            "self_pricing",       "competitor_pricing", "total_profit",        "custom_number"};
  context_ = {kFeature, kIndex};
  levers_ = {kCost, kPrice};
  outcomes_ = {kProfit, kCustom};
  coefficients_ = Eigen::MatrixXd::Zero(8, 8);
  set_row(coefficients_, kOtherCost, {{kFeature, 10.0}});
  set_row(coefficients_, kCost, {{kIndex, 10.0}});
  set_row(coefficients_, kPrice, {{kCost, 2.0}, {kOtherCost, 0.4}});
  set_row(coefficients_, kOtherPrice, {{kCost, 0.5}, {kOtherCost, 1.3}});
  set_row(coefficients_, kProfit, {{kPrice, 0.9}, {kCost, -1.0}});
  set_row(coefficients_, kCustom, {{kPrice, -0.9}, {kCost, 1.6}});
  Eigen::VectorXd variances(8);
  variances << 0.04, 0.04, 0.06, 0.06, 0.06, 0.03, 0.01, 0.04;
  noise_ = variances.asDiagonal();
  noise_(kPrice, kOtherPrice) = noise_(kOtherPrice, kPrice) = 0.016;
  rows_ = Eigen::MatrixXd(3, 2);
  rows_ << -1.0, 0.0, 0.0, -1.0, -1.0, -1.0;
  bounds_ = Eigen::Vector3d(0.3, 0.3, -0.05);
  weights_ = Eigen::Vector2d(2.0, 1.0);
  datums_ = Eigen::Vector2d(0.75, 0.0);
  box_ = 3.0;
}

Eigen::MatrixXd LinearStream::coefficients(double t) const {
  Eigen::MatrixXd now = coefficients_;
  switch (kind_) {
    case Kind::kBermuda:
      now(kOmega, kDic) -= 0.05 * wave(t, 10.0);
      now(kPhsw, kTemp) -= 0.06 * wave(t, -10.0);
      now(kCo2, kTemp) -= 0.09 * std::exp(-t);
      now(kNec, kOmega) -= 0.1 * std::exp(-t);
      now(kNec, kCo2) -= 0.1 * wave(t, 10.0);
      break;
    case Kind::kMarket:
      now(kPrice, kCost) += 0.5 * wave(t, 0.0, 12.0);
      now(kCustom, kPrice) -= 0.05 * wave(t, 10.0);
      now(kCustom, kCost) += 0.1 * wave(t, 10.0);
      break;
    case Kind::kStep:
      if (t >= static_cast<double>(step_)) now(kNec, kOmega) = kStepEffect;
      break;
    case Kind::kStill: break;
  }
  return now;
}

Eigen::VectorXd LinearStream::draw_noise(RandomStream& random) const {
  Eigen::VectorXd standard(noise_.rows());
  for (double& number : standard) number = random.normal();
  return factor_ * standard;
}

Eigen::MatrixXd stream_effects(const LinearStream& stream, const Eigen::MatrixXd& coefficients,
                               const std::vector<std::size_t>& altered) {
  Eigen::MatrixXd cut = coefficients;
  for (const std::size_t place : stream.context()) cut.row(static_cast<Eigen::Index>(place)).setZero();
  for (const std::size_t place : altered) cut.row(static_cast<Eigen::Index>(place)).setZero();
  return (Eigen::MatrixXd::Identity(cut.rows(), cut.cols()) - cut).inverse();
}

}  // namespace olem::internal
