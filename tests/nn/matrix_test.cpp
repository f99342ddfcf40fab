#include "nn/matrix.h"

#include <gtest/gtest.h>

namespace olem::matrix_test {

using namespace internal;
namespace {

using nn::Form;
using nn::Index;

template <class Scalar>
class Products : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Products, Scalars);

// Blocks of larger matrices, so that strides differ from the number of rows.
TYPED_TEST(Products, AgreeWithEigenForBlocksInEveryForm) {
  using Matrix = nn::Matrix<TypeParam>;
  const Index rows = 5;
  const Index columns = 7;
  const Index inner = 4;
  for (const Form form_a : {Form::kPlain, Form::kTransposed}) {
    for (const Form form_b : {Form::kPlain, Form::kTransposed}) {
      const Matrix a = Matrix::Random(10, 10);
      const Matrix b = Matrix::Random(10, 10);
      const auto part_a = form_a == Form::kPlain ? a.block(1, 2, rows, inner) : a.block(1, 2, inner, rows);
      const auto part_b = form_b == Form::kPlain ? b.block(3, 0, inner, columns) : b.block(3, 0, columns, inner);
      const Matrix plain_a = form_a == Form::kPlain ? Matrix(part_a) : Matrix(part_a.transpose());
      const Matrix plain_b = form_b == Form::kPlain ? Matrix(part_b) : Matrix(part_b.transpose());
      Matrix c = Matrix::Random(9, 8);
      Matrix expected = c;
      expected.block(2, 1, rows, columns) = plain_a * plain_b + 0.5 * c.block(2, 1, rows, columns);
      nn::multiply<TypeParam>(part_a, form_a, part_b, form_b, TypeParam(0.5), c.block(2, 1, rows, columns));
      EXPECT_LT((c - expected).norm(), TypeParam(1e-5));
    }
  }
}

TYPED_TEST(Products, WithoutTermsAreWhatIsKept) {
  using Matrix = nn::Matrix<TypeParam>;
  Matrix c = Matrix::Constant(2, 3, TypeParam(4));
  nn::multiply<TypeParam>(Matrix(2, 0), Form::kPlain, Matrix(0, 3), Form::kPlain, TypeParam(1), c);
  EXPECT_EQ(c, Matrix::Constant(2, 3, TypeParam(4)));
  nn::multiply<TypeParam>(Matrix(2, 0), Form::kPlain, Matrix(0, 3), Form::kPlain, TypeParam(0), c);
  EXPECT_EQ(c, Matrix::Zero(2, 3));
}

TYPED_TEST(Products, TakeASingleColumn) {
  using Matrix = nn::Matrix<TypeParam>;
  const Matrix a = Matrix::Random(4, 4);
  const Matrix b = Matrix::Random(4, 3);
  Matrix c(4, 1);
  nn::multiply<TypeParam>(a, Form::kPlain, b.col(1), Form::kPlain, TypeParam(0), c.col(0));
  EXPECT_LT((c - a * b.col(1)).norm(), TypeParam(1e-5));
}

}  // namespace
}  // namespace olem::matrix_test
