// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_KEPTPLANS_HPP
#define WAVESCAN_IMPL_KEPTPLANS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

/// @file
/// @brief The plans that free functions find again.
///
/// To make a plan takes longer than to run it on small arrays: memory is allocated, and freed at
/// its end, which waits for the device; algorithms and decompositions are chosen; tables are
/// uploaded. So a free function gives its plan to a process-wide store, and the next call that asks
/// for the same takes it out again. While a call has it, nobody else does: threads that ask at the
/// same time for the same plan make one each. Work on a device may still run when a plan is given
/// back, because the next call enqueues behind it, on the same instance. A plan holds a copy of its
/// instance, so that no other instance can get the address of one that a kept plan belongs to.

namespace wavescan::Impl {

/// @brief All plans that are kept, a list whose first was used last.
class KeptPlans {
 public:
  /// @brief A plan of any type.
  struct Entry {
    explicit Entry(const void* type_of_entry) : type(type_of_entry) {}
    virtual ~Entry() = default;
    const void* type;
    std::size_t bytes = 0;        ///< of its workspace
    std::unique_ptr<Entry> next;  ///< that was used before
  };
  using Owned = std::unique_ptr<Entry>;

  /// @brief A plan of any type on an instance.
  template <class Exec>
  struct EntryOn : Entry {
    EntryOn(const void* type_of_entry, const Exec& instance)
        : Entry(type_of_entry), exec(instance) {}
    virtual void throw_if_stuck() const = 0;
    Exec exec;
  };

  static constexpr std::size_t most_plans = 32;
  static constexpr std::size_t usual_limit = std::size_t(4) << 30;

  /// @brief The one store. Kokkos' finalization empties it; it is never destroyed, since a program
  /// may end in any order.
  static KeptPlans& store() {
    static KeptPlans& plans = *new KeptPlans;
    return plans;
  }

  /// @brief Takes out the plan of this type that fits and was used last; null if there is none.
  template <class Fits>
  Owned take(const void* type, const Fits& fits) {
    const std::lock_guard lock(mutex_);
    Owned* at = &latest_;
    while (*at && ((*at)->type != type || !fits(**at))) at = &(*at)->next;
    return take_out(*at);
  }

  /// @brief Keeps a plan, and destroys those used longest ago where there are too many.
  void give_back(Owned entry) {
    Owned dropped;  // outside the lock: to free memory waits for devices
    const std::lock_guard lock(mutex_);
    empty_at_finalize();
    entry->next = std::move(latest_);
    latest_ = std::move(entry);
    dropped = drop_excess();
  }

  /// @brief Reports a call on this instance that has got stuck; its plan is not kept.
  template <ExecutionSpace Exec>
  void throw_if_stuck(const Exec& exec) {
    Owned dropped;
    const std::lock_guard lock(mutex_);
    for (Owned* at = &latest_; *at; at = &(*at)->next) {
      const auto* const plan = dynamic_cast<const EntryOn<Exec>*>(at->get());
      if (!plan || plan->exec != exec) continue;
      try {
        plan->throw_if_stuck();
      } catch (...) {
        dropped = take_out(*at);
        throw;
      }
    }
  }

  /// @brief Destroys all plans that no call has.
  void release() {
    Owned dropped;
    const std::lock_guard lock(mutex_);
    dropped = std::move(latest_);
  }

  /// @brief Limits the bytes of plans that are kept from now on; with 0, no plan is kept at all.
  void limit(std::size_t bytes) {
    Owned dropped;
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
    dropped = drop_excess();
  }

  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const Entry* entry = latest_.get(); entry; entry = entry->next.get()) sum += entry->bytes;
    return sum;
  }

 private:
  KeptPlans() = default;

  static Owned take_out(Owned& place) {
    Owned entry = std::move(place);
    if (entry) place = std::move(entry->next);
    return entry;
  }

  /// @brief Takes out those used longest ago where there are too many.
  Owned drop_excess() {
    Owned* at = &latest_;
    std::size_t plans = 0, bytes = 0;
    while (*at && limit_ > 0 && ++plans <= most_plans && (bytes += (*at)->bytes) <= limit_)
      at = &(*at)->next;
    return std::move(*at);
  }

  void empty_at_finalize() {
    if (std::exchange(hooked_, true)) return;
    Kokkos::push_finalize_hook([] { store().release(); });
  }

  mutable std::mutex mutex_;
  Owned latest_;
  std::size_t limit_ = usual_limit;
  bool hooked_ = false;
};

/// @brief A plan whose kernels wait for each other, and give up after a time.
template <class Plan>
concept WatchedPlan = requires(const Plan& plan) {
  plan.throw_if_stuck();
};

/// @brief A plan that a free function has for the time of a call.
template <class Plan, ExecutionSpace Exec, std::equality_comparable Key>
class KeptPlan {
 public:
  /// @param make makes the plan, if there is none for this instance and key
  template <std::invocable Make>
  KeptPlan(const Exec& exec, const Key& key, const Make& make)
      : entry_(KeptPlans::store().take(&type_id, [&](const KeptPlans::Entry& entry) {
          const auto& kept = static_cast<const Entry&>(entry);
          return kept.exec == exec && kept.key == key;
        })) {
    if (!entry_) entry_ = std::make_unique<Entry>(exec, key, make);
  }
  /// A plan whose call failed is not kept.
  ~KeptPlan() {
    if (std::uncaught_exceptions() > exceptions_) return;
    // What is counted here is not also the caller's, whose plan may be around this one.
    const std::size_t before = std::min(allocated_, allocated_bytes());
    entry_->bytes += std::exchange(allocated_bytes(), before) - before;
    KeptPlans::store().give_back(std::move(entry_));
  }
  KeptPlan(const KeptPlan&) = delete;
  KeptPlan& operator=(const KeptPlan&) = delete;

  const Plan& operator*() const { return plan(); }
  const Plan* operator->() const { return &plan(); }

 private:
  struct Entry : KeptPlans::EntryOn<Exec> {
    template <class Make>
    Entry(const Exec& instance, const Key& k, const Make& make)
        : KeptPlans::EntryOn<Exec>(&type_id, instance), key(k), plan(make()) {}
    void throw_if_stuck() const override {
      if constexpr (WatchedPlan<Plan>) plan.throw_if_stuck();
    }
    Key key;
    Plan plan;
  };
  static constexpr char type_id = 0;  ///< its address tells the types of entries apart

  const Plan& plan() const { return static_cast<const Entry&>(*entry_).plan; }

  int exceptions_ = std::uncaught_exceptions();
  std::size_t allocated_ = allocated_bytes();  ///< before the plan is made and called
  KeptPlans::Owned entry_;
};

/// @brief The plan that `make()` makes, or that an earlier call with an equal key made.
template <class Plan, ExecutionSpace Exec, std::equality_comparable Key, std::invocable Make>
KeptPlan<Plan, Exec, Key> kept_plan_of(const Exec& exec, const Key& key, const Make& make) {
  return {exec, key, make};
}

/// @brief The plan that `Plan(exec, arguments...)` makes, or that an earlier call with equal
/// arguments made.
template <class Plan, ExecutionSpace Exec, std::equality_comparable... Arguments>
auto kept_plan(const Exec& exec, const Arguments&... arguments) {
  return kept_plan_of<Plan>(exec, std::tuple<Arguments...>(arguments...),
                            [&] { return Plan(exec, arguments...); });
}

/// @brief The plan that `Plan::like(exec, view, options...)` makes, or that an earlier call with a
/// View of the same extents and equal options made.
template <class Plan, ExecutionSpace Exec, AnyView V, std::equality_comparable... Options>
auto kept_like(const Exec& exec, const V& view, const Options&... options) {
  std::array<std::size_t, V::rank()> extents;
  for (std::size_t r = 0; r < V::rank(); ++r) extents[r] = view.extent(r);
  return kept_plan_of<Plan>(exec, std::tuple<decltype(extents), Options...>(extents, options...),
                            [&] { return Plan::like(exec, view, options...); });
}

/// @brief An array for functions that have no plan.
template <class T, ExecutionSpace Exec>
struct KeptArray {
  KeptArray(const Exec& exec, std::string_view name, Index size) {
    allocate(exec, view, std::string(name), size);
  }
  T* data() const { return view.data(); }
  Kokkos::View<T*, typename Exec::memory_space> view;
};
/// @param name a literal
template <class T, ExecutionSpace Exec>
auto kept_array(const Exec& exec, std::string_view name, Index size) {
  return kept_plan<KeptArray<T, Exec>>(exec, name, size);
}

}  // namespace wavescan::Impl

#endif
