// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "PngMemory.hpp"

#include <png.h>

#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
std::size_t largest = unlimited;
bool has_info = true;
int structures = 0;

void* allocate(std::size_t bytes) {
  void* const memory = bytes <= largest ? std::malloc(bytes == 0 ? 1 : bytes) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

AllocationLimit::AllocationLimit(std::size_t bytes) { largest = bytes; }
AllocationLimit::~AllocationLimit() { largest = unlimited; }

NoPngInfo::NoPngInfo() { has_info = false; }
NoPngInfo::~NoPngInfo() { has_info = true; }

int png_structures() { return structures; }

#if defined(__NVCC__)  // which takes it for a function of the device, too
#pragma nv_diag_suppress 20011
#endif
void* operator new(std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// The linker's --wrap puts these in the place of libpng's functions.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

png_structp __real_png_create_read_struct(png_const_charp, png_voidp, png_error_ptr, png_error_ptr);
png_structp __real_png_create_write_struct(png_const_charp, png_voidp, png_error_ptr,
                                           png_error_ptr);
png_infop __real_png_create_info_struct(png_const_structrp);
void __real_png_destroy_read_struct(png_structpp, png_infopp, png_infopp);
void __real_png_destroy_write_struct(png_structpp, png_infopp);

png_structp __wrap_png_create_read_struct(png_const_charp version, png_voidp failure,
                                          png_error_ptr error, png_error_ptr warning) {
  ++structures;
  return __real_png_create_read_struct(version, failure, error, warning);
}
png_structp __wrap_png_create_write_struct(png_const_charp version, png_voidp failure,
                                           png_error_ptr error, png_error_ptr warning) {
  ++structures;
  return __real_png_create_write_struct(version, failure, error, warning);
}
png_infop __wrap_png_create_info_struct(png_const_structrp png) {
  return has_info ? __real_png_create_info_struct(png) : nullptr;
}
void __wrap_png_destroy_read_struct(png_structpp png, png_infopp info, png_infopp end) {
  --structures;
  __real_png_destroy_read_struct(png, info, end);
}
void __wrap_png_destroy_write_struct(png_structpp png, png_infopp info) {
  --structures;
  __real_png_destroy_write_struct(png, info);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
