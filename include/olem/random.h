#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace olem {

// A stream of random numbers that is a pure function of (seed, purpose, index): Philox4x32-10 (Salmon et al.
// 2011) in counter mode. Two streams with different keys are independent, so work can be spread over threads
// in any way without changing a number. Distributions are inverse CDFs of one uniform each: the draws are the
// same with every standard library.
class RandomStream {
 public:
  // `purpose` names the use ("jitter", "bootstrap"); `index` tells the instances of one use apart.
  RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  double uniform();  // in (0, 1), never 0 or 1; 52 bits
  double uniform(double low, double high);
  std::uint64_t below(std::uint64_t bound);  // uniform on 0 .. bound - 1, without bias; bound >= 1
  double normal();                           // standard normal
  double exponential(double scale);          // mean `scale`
  double beta(double a, double b);           // a, b > 0
  // `count` different numbers out of 0 .. population - 1, ascending. Cost O(population).
  std::vector<std::size_t> sample_without_replacement(std::size_t population, std::size_t count);

 private:
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

// A number that is part of an index, and how many bits it may take.
struct IndexPart {
  std::uint64_t value = 0;
  unsigned bits = 0;
};

// The index of a stream that several numbers tell apart, the first in the highest bits. Different numbers give
// different indices: a number that does not fit into its bits is an internal error, and so are parts with more than 64
// bits.
std::uint64_t stream_index(std::initializer_list<IndexPart> parts);

// One block of the generator: exposed so that it can be tested against published vectors.
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// The uniform number made of 64 random bits: the middle of one of 2^52 equal parts of (0, 1). Exposed so that its ends
// can be tested.
double unit_interval(std::uint64_t bits);

// Quantile of the standard normal distribution, 0 < p < 1, to about 1e-15.
double normal_quantile(double p);

}  // namespace olem
