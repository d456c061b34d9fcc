// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ANYALGORITHM_HPP
#define WAVESCAN_IMPL_ANYALGORITHM_HPP

#include <functional>

namespace wavescan::Impl {

/// @brief The way in which a plan computes, chosen when it is made: anything with
/// `enqueue(problem)` and, if it can get stuck, `throw_if_stuck()`. Empty: there is nothing to do.
template <class Problem>
class AnyAlgorithm {
 public:
  AnyAlgorithm() = default;
  template <class Algorithm>
  explicit AnyAlgorithm(const Algorithm& algorithm)
      : enqueue_([algorithm](const Problem& p) { algorithm.enqueue(p); }) {
    if constexpr (requires { algorithm.throw_if_stuck(); })
      throw_if_stuck_ = [algorithm] { algorithm.throw_if_stuck(); };
  }

  void enqueue(const Problem& problem) const {
    if (enqueue_) enqueue_(problem);
  }
  void throw_if_stuck() const {
    if (throw_if_stuck_) throw_if_stuck_();
  }

 private:
  std::function<void(const Problem&)> enqueue_;
  std::function<void()> throw_if_stuck_;
};

/// @brief A device's own way, and another one for what that declines.
template <class Exec, class Special, class Portable>
struct SpecialOrPortable {
  Exec exec;
  Special special;
  Portable portable;

  void enqueue(const auto& problem) const {
    if (!special.enqueue(exec, problem)) portable.enqueue(problem);
  }
};
template <class Exec, class Special, class Portable>
SpecialOrPortable(const Exec&, const Special&, const Portable&)
    -> SpecialOrPortable<Exec, Special, Portable>;

}  // namespace wavescan::Impl

#endif
