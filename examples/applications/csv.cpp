// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "applications.hpp"

namespace applications {

void csv_states(const Scan<Composition<std::uint8_t, 2>>& scan, const Input<char>& text,
                const Array<std::uint8_t>& states) {
  using Maps = Composition<std::uint8_t, 2>;
  // From field_start, plain, quoted and quote to ...
  constexpr auto map_of = [](CsvState a, CsvState b, CsvState c, CsvState d) {
    return static_cast<std::uint8_t>(a | b << 2 | c << 4 | d << 6);
  };
  constexpr std::uint8_t at_quote = map_of(quoted, plain, quote, quoted);
  constexpr std::uint8_t at_end = map_of(field_start, field_start, quoted, field_start);
  constexpr std::uint8_t at_other = map_of(plain, plain, quoted, plain);
  const auto to_map = KOKKOS_LAMBDA(char c)->std::uint8_t {
    return c == '"' ? at_quote : c == ',' || c == '\n' ? at_end : at_other;
  };
  const auto from_start = KOKKOS_LAMBDA(std::uint8_t map)->std::uint8_t {
    return static_cast<std::uint8_t>(Maps::image(map, field_start));
  };
  scan.inclusive(wavescan::transform_input(text, to_map),
                 wavescan::transform_output(states, from_start));
}

std::int64_t csv_field_ends(const Exec& exec, const Input<std::uint8_t>& states,
                            const Array<std::uint32_t>& ends) {
  const auto positions = wavescan::computed_input(states.extent(0), Position());
  const auto ends_field = KOKKOS_LAMBDA(std::int64_t i, std::uint32_t) {
    return states(i) == field_start;
  };
  return wavescan::copy_if(exec, positions, ends, wavescan::by_index(ends_field));
}

}  // namespace applications
