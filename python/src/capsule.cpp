// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "capsule.hpp"

#include <string>

namespace wavescan::python {
namespace {

// The layout that DLPack (dmlc.github.io/dlpack, version 1) lays down for what capsules point to.

struct DeviceTag {
  std::int32_t type;
  std::int32_t id;
};
enum DeviceType : std::int32_t {
  Cpu = 1,
  Cuda = 2,
  CudaHost = 3,
  Rocm = 10,
  RocmHost = 11,
  CudaManaged = 13
};

struct ElementTag {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
enum ElementCode : std::uint8_t { Signed, Unsigned, Float, BFloat = 4, Complex, Boolean };

struct Tensor {
  void* data;
  DeviceTag device;
  std::int32_t rank;
  ElementTag element;
  std::int64_t* shape;
  std::int64_t* strides;  ///< null: rows one behind the other
  std::uint64_t byte_offset;
};
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};
struct VersionedTensor {
  struct {
    std::uint32_t major;
    std::uint32_t minor;
  } version;
  void* context;
  void (*deleter)(VersionedTensor*);
  std::uint64_t flags;
  Tensor tensor;
};
constexpr std::uint64_t read_only_flag = 1;

Type type_of(const ElementTag& element) {
  if (element.lanes != 1) return Type::Other;
  switch (element.code * 1000 + element.bits) {
    case Signed * 1000 + 8:
      return Type::Int8;
    case Signed * 1000 + 16:
      return Type::Int16;
    case Signed * 1000 + 32:
      return Type::Int32;
    case Signed * 1000 + 64:
      return Type::Int64;
    case Unsigned * 1000 + 8:
      return Type::UInt8;
    case Unsigned * 1000 + 16:
      return Type::UInt16;
    case Unsigned * 1000 + 32:
      return Type::UInt32;
    case Unsigned * 1000 + 64:
      return Type::UInt64;
    case Float * 1000 + 16:
      return Type::Float16;
    case BFloat * 1000 + 16:
      return Type::BFloat16;
    case Float * 1000 + 32:
      return Type::Float32;
    case Float * 1000 + 64:
      return Type::Float64;
    case Complex * 1000 + 64:
      return Type::Complex64;
    case Complex * 1000 + 128:
      return Type::Complex128;
    case Boolean * 1000 + 8:
      return Type::Bool;
    default:
      return Type::Other;
  }
}

[[noreturn]] void reject_type(const char* function, const char* argument, const std::string& wanted,
                              const std::string& came) {
  throw TypeError(std::string("wavescan.") + function + ": '" + argument + "' must " + wanted +
                  ", got " + came);
}

}  // namespace

Array array_of(const char* function, const char* argument, nanobind::handle capsule) {
  const Tensor* tensor = nullptr;
  bool writable = true;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    tensor = &static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"))->tensor;
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    const auto* const managed =
        static_cast<VersionedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->version.major != 1)
      reject_type(function, argument, "speak DLPack 1",
                  "version " + std::to_string(managed->version.major));
    tensor = &managed->tensor;
    writable = (managed->flags & read_only_flag) == 0;
  } else {
    reject_type(function, argument, "be an array", "no DLPack capsule");
  }
  Array array;
  array.name = argument;
  array.type = type_of(tensor->element);
  array.rank = tensor->rank;
  array.writable = writable;
  if (array.rank > Array::most_dimensions)
    reject(function, argument, "have at most 16 dimensions", std::to_string(array.rank));
  std::int64_t step = 1;
  for (int r = array.rank - 1; r >= 0; --r) {
    array.extent[r] = tensor->shape[r];
    array.stride[r] = tensor->strides ? tensor->strides[r] : step;
    step *= array.extent[r];
  }
  array.data = static_cast<char*>(tensor->data) + tensor->byte_offset;
  switch (tensor->device.type) {
    case Cpu:
    case CudaHost:
    case RocmHost:
      break;
    case Cuda:
    case CudaManaged:
    case Rocm:
      array.on_device = true;
      array.device = tensor->device.id;
      break;
    default:
      reject(function, argument, "lie on the host or on a GPU",
             "DLPack's device type " + std::to_string(tensor->device.type));
  }
  return array;
}

std::optional<Array> optional_array_of(const char* function, const char* argument,
                                       const std::optional<nanobind::handle>& capsule) {
  if (!capsule || capsule->is_none()) return std::nullopt;
  return array_of(function, argument, *capsule);
}

Number number_of(const char* function, const char* argument, nanobind::handle value) {
  Number number;
  if (PyLong_Check(value.ptr())) {
    int overflow = 0;
    number.integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0) reject(function, argument, "fit 64 bits", "a larger integer");
    number.is_integer = true;
    number.real = static_cast<double>(number.integer);
    return number;
  }
  number.real = PyFloat_AsDouble(value.ptr());
  if (!PyErr_Occurred()) return number;
  PyErr_Clear();
  number.real = PyComplex_RealAsDouble(value.ptr());
  number.imaginary = PyComplex_ImagAsDouble(value.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    reject_type(function, argument, "be a number", nanobind::type_name(value.type()).c_str());
  }
  number.is_complex = true;
  return number;
}

std::optional<Number> optional_number_of(const char* function, const char* argument,
                                         const std::optional<nanobind::handle>& value) {
  if (!value || value->is_none()) return std::nullopt;
  return number_of(function, argument, *value);
}

}  // namespace wavescan::python
