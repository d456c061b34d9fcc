// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_AGREEMENT_HPP
#define WAVESCAN_IMPL_MPI_AGREEMENT_HPP

#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_Require.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>

/// @file
/// @brief Agreements, by which processes come to know that one of them cannot go on, or has other
/// arguments.
///
/// Every operation has agreements at fixed places, in which all its processes take part whatever
/// has happened to them: a process that caught an exception goes on as far as the agreement, sends
/// what others wait for (its contents do not matter any more), and all of them throw there. So
/// nobody waits for a message that never comes.

namespace wavescan::Impl::mpi {

/// @brief The exception that `work()` threw, if it did.
template <class Work>
std::exception_ptr exception_of(const Work& work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// @brief A number for a text, the same everywhere (FNV-1a).
inline std::int64_t number_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<std::int64_t>(hash);
}

/// @brief A number for an operation and types, the same in all processes of a program.
template <class... Types>
std::int64_t number_of_call(std::string_view operation) {
  return (number_of(operation) ^ ... ^ number_of(typeid(Types).name()));
}

/// @brief The bits of a number, for comparisons.
inline std::int64_t bits_of(double x) { return std::bit_cast<std::int64_t>(x); }

/// @brief One agreement of all processes of a communicator: one reduction of a few numbers, of the
/// same size in all operations.
class Agreement {
 public:
  /// @brief A value that has to be the same everywhere, by the name that an error has for it.
  struct Field {
    const char* name = "";
    std::int64_t value = 0;
  };

  /// @param error  what this process has caught, or null
  /// @param least  a number whose least value over all processes is asked for
  Agreement(const Communicator& comm, std::string_view operation,
            std::initializer_list<Field> fields, const std::exception_ptr& error,
            std::int64_t least = 0)
      : comm_(comm), operation_(operation), error_(error) {
    std::copy_n(fields.begin(), std::min(fields.size(), fields_.size()), fields_.begin());
    numbers_[0] = error ? comm.rank() : nobody;
    numbers_[1] = least;
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      numbers_[2 + 2 * k] = fields_[k].value;
      numbers_[3 + 2 * k] = ~fields_[k].value;  // whose least is that of the greatest value
    }
  }

  /// @brief Waits for all others.
  /// @return the least of the numbers `least`
  /// @throws what this process has caught; std::invalid_argument or std::runtime_error for what
  /// another one has; std::invalid_argument if a field differs
  std::int64_t reach() {
    check(MPI_Allreduce(MPI_IN_PLACE, numbers_.data(), static_cast<int>(numbers_.size()),
                        MPI_INT64_T, MPI_MIN, comm_.get()),
          "MPI_Allreduce");
    if (numbers_[0] != nobody) tell_error(static_cast<int>(numbers_[0]));
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      const std::int64_t least = numbers_[2 + 2 * k], greatest = ~numbers_[3 + 2 * k];
      if (least != greatest)
        reject(operation_, fields_[k].name, "must be the same on all ranks",
               std::to_string(fields_[k].value) + " here, and from " + std::to_string(least) +
                   " to " + std::to_string(greatest));
    }
    return numbers_[1];
  }

 private:
  static constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

  struct Told {
    bool invalid_argument;
    std::array<char, 1000> text;
  };

  [[noreturn]] void tell_error(int rank) {
    Told told{};
    if (rank == comm_.rank()) {
      try {
        std::rethrow_exception(error_);
      } catch (const std::exception& error) {
        told.invalid_argument = dynamic_cast<const std::invalid_argument*>(&error) != nullptr;
        const std::string_view text = error.what();
        std::copy_n(text.begin(), std::min(text.size(), told.text.size() - 1), told.text.begin());
      } catch (...) {
        std::copy_n("an exception of an unknown type", 31, told.text.begin());
      }
    }
    check(MPI_Bcast(&told, static_cast<int>(sizeof(told)), MPI_BYTE, rank, comm_.get()),
          "MPI_Bcast");
    if (error_) std::rethrow_exception(error_);
    const std::string message =
        std::string(told.text.data()) + " (on rank " + std::to_string(rank) + ")";
    if (told.invalid_argument) throw std::invalid_argument(message);
    throw std::runtime_error(message);
  }

  const Communicator& comm_;
  std::string operation_;
  std::exception_ptr error_;
  std::array<Field, 12> fields_{};
  std::array<std::int64_t, 26> numbers_{};
};

/// @brief Does `work()` in all processes; if one of them throws, all do.
template <class Work>
void together(const Communicator& comm, std::string_view operation,
              std::initializer_list<Agreement::Field> fields, const Work& work) {
  const std::exception_ptr error = exception_of(work);
  Agreement(comm, operation, fields, error).reach();
}

}  // namespace wavescan::Impl::mpi

#endif
