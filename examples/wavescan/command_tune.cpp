// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "commands.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "tuning_fit.hpp"
#include "tuning_measure.hpp"

namespace wavescan_tool {
namespace {

using wavescan::Tuning;

struct TuneOptions {
  std::string output = "wavescan-tuning.txt";
  std::string measurements;
  int experiments = 240;
  std::int64_t entries = 0;  // 0: chosen
};

/// Every fourth experiment is held out, to judge the model by what it has not seen.
bool is_held_out(std::size_t experiment) { return experiment % 4 == 3; }

std::string measurements_text(const std::vector<Experiment>& experiments,
                              const std::vector<Observation>& observations) {
  std::ostringstream text;
  text << "loop,rows,columns,value_bytes,operations,entry_weights,inputs,schedule,seconds,held_"
          "out\n";
  for (std::size_t k = 0; k < observations.size(); ++k)
    for (const Timing& timing : observations[k].timings) {
      const auto& shape = observations[k].shape;
      text << experiments[k].loop << ',' << shape.rows << ',' << shape.columns << ','
           << shape.value_bytes << ',' << shape.operations << ',' << shape.entry_weights << ','
           << shape.inputs << ',' << to_string(timing.schedule) << ',' << timing.seconds << ','
           << is_held_out(k) << '\n';
    }
  return text.str();
}

nlohmann::ordered_json to_json(const Quality& quality) {
  return {{"shapes", quality.shapes},
          {"fastest_chosen", quality.fastest},
          {"mean_loss", quality.mean_loss},
          {"largest_loss", quality.largest_loss}};
}

std::string sentence(const Quality& quality) {
  const auto percent = [](double part) { return fixed(100 * part, 1) + " %"; };
  return "the fastest schedule for " + std::to_string(quality.fastest) + " of " +
         std::to_string(quality.shapes) + " shapes; time lost " + percent(quality.mean_loss) +
         " on average, " + percent(quality.largest_loss) + " at most";
}

void run(const TuneOptions& options, Session& session) {
  wavescan_io::OutputFile output(options.output);
  std::optional<wavescan_io::OutputFile> measurements;
  if (!options.measurements.empty()) measurements.emplace(options.measurements);
  const std::int64_t entries = options.entries > 0 ? options.entries : tuning_entries();
  const auto all = experiments(options.experiments, entries);

  std::vector<Observation> observations, seen, held_out;
  std::vector<Tuning::Tile> tiles;
  {
    Progress progress("Measuring");
    for (std::size_t k = 0; k < all.size(); ++k) {
      progress.update(static_cast<double>(k) / static_cast<double>(all.size()),
                      all[k].loop + ", " + std::to_string(all[k].shape.rows) + " x " +
                          std::to_string(all[k].shape.columns));
      observations.push_back(observe(all[k]));
      (is_held_out(k) ? held_out : seen).push_back(observations.back());
    }
    progress.update(1, "tile sizes");
    tiles = fastest_tiles(entries);
  }
  const Tuning model(machine_name(), fit(seen), tiles);
  const Quality known = quality_of(model, seen), unknown = quality_of(model, held_out);

  std::ostringstream text;
  text << "wavescan-tuning 1\n# " << all.size() << " experiments of up to " << entries
       << " entries. On shapes not used for the fit:\n# " << sentence(unknown) << ".\n"
       << model.to_string(tuning_section());
  output.write([&](std::ostream& file) { file << text.str(); });
  if (measurements)
    measurements->write([&](std::ostream& file) { file << measurements_text(all, observations); });

  session.result = {{"machine", model.machine()},   {"section", tuning_section()},
                    {"experiments", all.size()},    {"used_for_the_fit", to_json(known)},
                    {"held_out", to_json(unknown)}, {"output", options.output}};
  session.say("Machine        " + model.machine() + " [" + tuning_section() + "]");
  session.say("Fitted shapes  " + sentence(known));
  session.say("Held out       " + sentence(unknown));
  for (const auto& [schedule, bytes, size] : tiles)
    session.say("Tiles          " + std::string(to_string(schedule)) + ", values of " +
                std::to_string(bytes) + " bytes: " + std::to_string(size.rows) + " x " +
                std::to_string(size.columns));
  session.say("Wrote " + options.output +
              "; programs use it if the environment says WAVESCAN_TUNING=" + options.output);
}

}  // namespace

void add_tune(CLI::App& app, Session& session) {
  const auto options = std::make_shared<TuneOptions>();
  CLI::App* command = add_command(
      app, session, "tune", "Measure this machine, so that schedules and tiles are chosen for it",
      [options, &session] { run(*options, session); });
  add_output(command, session, "-o,--output",
             {options->output, "Where to write the model (default: wavescan-tuning.txt)", "FILE"});
  add_output(command, session, "--measurements",
             {options->measurements, "Where to write all times, as CSV", "FILE.csv"});
  add_number(command, "--experiments", options->experiments, at_least(8),
             "Loops and shapes to measure (default: 240)")
      ->type_name("N");
  add_number(command, "--entries", options->entries, at_least(std::int64_t{1} << 12),
             "Entries of the largest arrays (default: 2^26 on a GPU, 2^22 on a host)")
      ->type_name("N");
}

}  // namespace wavescan_tool
