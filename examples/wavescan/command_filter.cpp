// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Npy.hpp>
#include <WaveScanIO_Png.hpp>
#include <WaveScanIO_Wav.hpp>
#include <WaveScan_FiltFilt.hpp>
#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>
#include <memory>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"
#include "plot.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

struct ToFilter {
  std::string input, output, plot;
  std::optional<std::string> b, a, sos;
  bool both_ways = false;
  std::optional<int> axis;
};

bool is_wav(const std::string& name) {
  if (name == "-") return std::cin.peek() == 'R';  // of RIFF
  return name.ends_with(".wav") || name.ends_with(".WAV");
}

/// @brief Rows of six numbers from a .npy file, or from text: rows end with semicolons.
std::vector<wavescan::FilterSection> sections_of(const std::string& text) {
  std::vector<double> numbers;
  if (text.ends_with(".npy")) {
    const wavescan_io::NpyArray array = wavescan_io::read_npy(text);
    if (array.shape.back() != 6)
      throw std::invalid_argument("--sos: " + text + " must have rows of six");
    numbers = array.as<double>();
  } else {
    for (const std::string& row : split(text, ';')) {
      const auto section = numbers_of<double>("--sos", row);
      if (section.size() != 6)
        throw std::invalid_argument("--sos: each section has six numbers, got " +
                                    std::to_string(section.size()));
      numbers.insert(numbers.end(), section.begin(), section.end());
    }
  }
  std::vector<wavescan::FilterSection> sos(numbers.size() / 6);
  for (std::size_t i = 0; i < numbers.size(); ++i) sos[i / 6][i % 6] = numbers[i];
  return sos;
}

/// @brief Whether a pole lies outside the unit circle, by more than rounding may do. Source: the
/// recursion of Schur and Cohn, which takes one pole after the other off the denominator.
bool is_unstable(std::vector<double> a) {
  double scale = 1;
  for (double& coefficient : a) coefficient /= scale, scale *= 1 + 1e-6;
  while (a.size() > 1) {
    const double last = a.back() / a.front();
    if (std::abs(last) >= 1) return true;
    auto shorter = a;
    for (std::size_t i = 0; i < a.size(); ++i)
      shorter[i] = (a[i] - last * a[a.size() - 1 - i]) / (1 - last * last);
    shorter.pop_back();
    a = shorter;
  }
  return false;
}

/// @brief What the command line describes.
struct Description {
  std::vector<double> b, a;
  std::vector<wavescan::FilterSection> sos;

  explicit Description(const ToFilter& options) : a{1} {
    if (options.sos) {
      if (options.b || options.a)
        throw std::invalid_argument("--sos: takes the place of --b and --a");
      sos = sections_of(*options.sos);
    } else if (options.b) {
      b = numbers_of<double>("--b", *options.b);
      if (options.a) a = numbers_of<double>("--a", *options.a);
    } else {
      throw std::invalid_argument("a filter is required: --b and --a, or --sos");
    }
  }

  bool unstable() const {
    if (sos.empty()) return is_unstable(a);
    return std::any_of(sos.begin(), sos.end(), [](const wavescan::FilterSection& section) {
      return is_unstable({section.begin() + 3, section.end()});
    });
  }

  template <class T>
  void apply(const DeviceMatrix<T>& data, int axis, bool both_ways) const {
    const Exec exec;
    const auto once = wavescan::ScanOptions().axis(axis);
    const wavescan::FiltFiltOptions twice{.axis = axis};
    if (!sos.empty())
      both_ways ? wavescan::sosfiltfilt(exec, sos, data, data, twice)
                : wavescan::sosfilt(exec, sos, data, data, once);
    else
      both_ways ? wavescan::filtfilt(exec, b, a, data, data, twice)
                : wavescan::lfilter(exec, b, a, data, data, once);
    exec.fence();
  }

  /// @brief The gain at a frequency, in half turns a sample.
  double gain(double frequency) const {
    const auto z = std::polar(1.0, -std::numbers::pi * frequency);
    const auto value = [&](const double* c, std::size_t count) {
      std::complex<double> sum = 0;
      for (std::size_t i = count; i-- > 0;) sum = sum * z + c[i];
      return sum;
    };
    if (sos.empty()) return std::abs(value(b.data(), b.size()) / value(a.data(), a.size()));
    double product = 1;
    for (const auto& s : sos) product *= std::abs(value(s.data(), 3) / value(s.data() + 3, 3));
    return product;
  }
};

/// @brief The first samples of a signal, before and after, and the filter's gain.
wavescan_io::ColorImage picture(const Description& filter, bool both_ways,
                                const std::vector<double>& before,
                                const std::vector<double>& after) {
  const auto points = [](const std::vector<double>& samples) {
    std::vector<Point> all;
    for (std::size_t j = 0; j < samples.size(); ++j)
      all.push_back({static_cast<double>(j), samples[j]});
    return all;
  };
  std::vector<Point> response;
  constexpr int frequencies = 500;
  for (int i = 0; i <= frequencies; ++i) {
    const double f = static_cast<double>(i) / frequencies, once = filter.gain(f);
    response.push_back({f, both_ways ? once * once : once});
  }
  constexpr std::size_t columns = 900, rows = 900;
  Canvas canvas(rows, columns);
  draw_plot(
      canvas, {0, 0}, {columns, rows / 2.0}, {"First samples", "sample", "value", false, false},
      {{"before", series_colors[5], points(before)}, {"after", series_colors[0], points(after)}});
  draw_plot(canvas, {0, rows / 2.0}, {columns, rows},
            {"Frequency response", "frequency (1: half the sampling rate)", "gain", true, false},
            {{"gain", series_colors[1], response}});
  return canvas.picture();
}

/// @brief The first samples of the first line.
template <class T>
std::vector<double> first_samples(const std::vector<T>& values, std::size_t length,
                                  std::size_t stride) {
  std::vector<double> some;
  for (std::size_t j = 0; j < std::min<std::size_t>(length, 500); ++j)
    some.push_back(static_cast<double>(values[j * stride]));
  return some;
}

void run(const ToFilter& options, Session& session) {
  const Description filter(options);
  const bool sound = is_wav(options.input);
  if (options.output != "-" && sound != is_wav(options.output))
    throw std::invalid_argument("input and output must both be WAV files, or both .npy files");
  if (const auto objection = objection_to_name(options.output, sound ? ".wav" : ".npy");
      !objection.empty())
    throw std::invalid_argument("--output: " + objection);
  const wavescan_io::OutputFile output(options.output);
  std::optional<wavescan_io::OutputFile> plot;
  if (!options.plot.empty()) plot.emplace(options.plot);
  std::vector<double> before, after;
  std::vector<std::size_t> shape;
  std::string type;
  // Filters samples along an axis of a matrix.
  const auto filtered = [&]<class T>(const std::vector<T>& samples, std::size_t rows,
                                     std::size_t columns, int axis) {
    const std::size_t length = axis == 0 ? rows : columns, stride = axis == 0 ? columns : 1;
    if (samples.empty()) return samples;
    const auto data = to_device("filter", samples, rows, columns);
    filter.apply(data, axis, options.both_ways);
    std::vector<T> result = to_host(data);
    before = first_samples(samples, length, stride);
    after = first_samples(result, length, stride);
    return result;
  };

  if (sound) {
    if (options.axis) throw std::invalid_argument("--axis: sound is filtered along time");
    wavescan_io::Sound content = wavescan_io::read_wav(options.input);
    shape = {content.length(), content.channels};
    type = "sound";
    content.samples = filtered(content.samples, content.length(), content.channels, 0);
    write_wav(output, content);
  } else {
    const wavescan_io::NpyArray input = wavescan_io::read_npy(options.input);
    const int rank = static_cast<int>(input.shape.size());
    const int axis = options.axis.value_or(rank - 1);
    if (axis < -rank || axis >= rank)
      throw std::invalid_argument("--axis: " + options.input + " has rank " + std::to_string(rank) +
                                  ", got axis " + std::to_string(axis));
    const std::size_t rows = rank == 1 ? 1 : input.shape[0], columns = input.shape.back();
    const int along = rank == 1 ? 1 : (axis + rank) % rank;
    wavescan_io::NpyArray result{input.shape, {}};
    if (std::holds_alternative<std::vector<float>>(input.entries))
      result.entries = filtered(input.as<float>(), rows, columns, along);
    else
      result.entries = filtered(input.as<double>(), rows, columns, along);
    shape = input.shape;
    type = result.type_name();
    write_npy(output, result);
  }
  if (filter.unstable())
    session.warn("the filter is unstable: a pole lies outside the unit circle");
  if (plot) write_png(*plot, picture(filter, options.both_ways, before, after));

  session.result = {{"input", options.input},
                    {"shape", shape},
                    {"type", type},
                    {"both_ways", options.both_ways},
                    {"output", options.output}};
  if (plot) session.result["plot"] = options.plot;
  session.say("Wrote " + options.output + " (" + type + ")");
}

}  // namespace

void add_filter(CLI::App& app, Session& session) {
  const auto options = std::make_shared<ToFilter>();
  CLI::App* command = add_command(app, session, "filter",
                                  "Digital filters of an array in a .npy file, or of a WAV file",
                                  [options, &session] { run(*options, session); });
  add_files(command, session, {options->input, "Array of rank 1 or 2, or sound", "IN"},
            {options->output, "Where to write the result, of the same kind", "OUT"});
  command->add_option("--b", options->b, "Numerator of the transfer function: 0.5,0.5")
      ->type_name("B0,B1,...");
  command->add_option("--a", options->a, "Its denominator (default: 1)")->type_name("A0,A1,...");
  command
      ->add_option("--sos", options->sos,
                   "Second-order sections: b0,b1,b2,a0,a1,a2;..., or a .npy file with six columns")
      ->type_name("ROWS");
  command->add_flag("--both-ways", options->both_ways, "Forwards, then backwards: without delay");
  add_number(command, "--axis", options->axis, Limits<int>{},
             "Axis to filter along (default: the last)")
      ->type_name("K");
  add_output(
      command, session, "--plot",
      {options->plot, "Where to draw the first samples and the frequency response", "OUT.png"});
}

}  // namespace wavescan_tool
