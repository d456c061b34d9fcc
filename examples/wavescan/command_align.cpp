// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_Error.hpp>
#include <WaveScanIO_Fasta.hpp>
#include <WaveScanIO_File.hpp>
#include <WaveScan_SmithWaterman.hpp>
#include <memory>
#include <optional>
#include <ostream>

#include "alignment_text.hpp"
#include "commands.hpp"
#include "progress.hpp"

namespace wavescan_tool {
namespace {

struct AlignOptions {
  std::string a, b, name_a, name_b, cigar, alignment, alphabet = "nucleotide";
  int match = 2, mismatch = -1, gap = 2, width = 60;
  bool score_only = false;
};

wavescan_io::FastaRecord read_record(const std::string& file, const std::string& name,
                                     const AlignOptions& options) {
  const auto alphabet = options.alphabet == "protein" ? wavescan_io::Alphabet::Protein
                                                      : wavescan_io::Alphabet::Nucleotide;
  const auto records = wavescan_io::read_fasta(file, alphabet);
  if (name.empty()) return records.front();
  for (const auto& record : records)
    if (record.name == name) return record;
  throw wavescan_io::FileError(file, "holds no record named '" + name + "'");
}

void run(const AlignOptions& options, Session& session) {
  const auto a = read_record(options.a, options.name_a, options);
  const auto b = read_record(options.b, options.name_b, options);
  std::optional<wavescan_io::OutputFile> cigar_file, alignment_file;
  if (!options.cigar.empty()) cigar_file.emplace(options.cigar);
  if (!options.alignment.empty()) alignment_file.emplace(options.alignment);

  const Exec exec;
  const auto letters_a = to_device("a", a.sequence), letters_b = to_device("b", b.sequence);
  const wavescan::MatchMismatch scores{options.match, options.mismatch};
  const wavescan::LinearGap gap{options.gap};
  auto& result = session.result;
  result = {{"a", a.name},
            {"length_a", a.sequence.size()},
            {"b", b.name},
            {"length_b", b.sequence.size()}};
  session.say("a: " + a.name + ", " + std::to_string(a.sequence.size()) + " letters");
  session.say("b: " + b.name + ", " + std::to_string(b.sequence.size()) + " letters");
  if (options.score_only) {
    const auto best = wavescan::smith_waterman_score(exec, letters_a, letters_b, scores, gap);
    result.update({{"score", best.score}, {"end_a", best.end_a}, {"end_b", best.end_b}});
    session.say("score " + std::to_string(best.score));
    return;
  }

  wavescan::Alignment alignment;
  {
    Progress progress("Aligning");
    wavescan::SmithWatermanOptions aligning;
    aligning.progress = [&progress](double done) { progress.update(done); };
    alignment = wavescan::smith_waterman(exec, letters_a, letters_b, scores, gap, aligning);
  }
  const std::string text =
      wavescan::format_alignment(alignment, a.sequence, b.sequence, options.width);
  if (cigar_file)
    cigar_file->write([&](std::ostream& stream) { stream << alignment.cigar << '\n'; });
  if (alignment_file) alignment_file->write([&](std::ostream& stream) { stream << text; });

  result.update(to_json(alignment));
  result["cigar"] = alignment.cigar;
  session.say(summary(alignment));
  if (!alignment.empty()) {
    constexpr std::size_t screen = 72;
    constexpr int lines_shown = 14;
    session.say("CIGAR " + shortened(alignment.cigar, screen) + "\n");
    session.say(first_lines(text, alignment_file ? lines_shown : 1 << 30, ""));
  }
  for (const auto& file : {options.cigar, options.alignment})
    if (!file.empty()) session.say("Wrote " + file);
}

}  // namespace

void add_align(CLI::App& app, Session& session) {
  const auto options = std::make_shared<AlignOptions>();
  CLI::App* command =
      add_command(app, session, "align", "Align two sequences locally: Smith-Waterman",
                  [options, &session] { run(*options, session); });
  command->add_option("a", options->a, "FASTA file")->required()->type_name("A.fa");
  command->add_option("b", options->b, "FASTA file")->required()->type_name("B.fa");
  command->add_option("--name-a", options->name_a, "Record of A.fa (default: the first)")
      ->type_name("NAME");
  command->add_option("--name-b", options->name_b, "Record of B.fa (default: the first)")
      ->type_name("NAME");
  command->add_option("--alphabet", options->alphabet, "nucleotide (default) or protein")
      ->check(CLI::IsMember({"nucleotide", "protein"}))
      ->type_name("NAME");
  command->add_option("--match", options->match, "Score of two equal letters (default: 2)")
      ->check(at_least(1))
      ->type_name("N");
  command
      ->add_option("--mismatch", options->mismatch, "Score of two different letters (default: -1)")
      ->check(CLI::Range(-1000000, 1000000))
      ->type_name("N");
  command->add_option("--gap", options->gap, "Cost of a letter without a partner (default: 2)")
      ->check(at_least(1))
      ->type_name("N");
  command->add_flag("--score-only", options->score_only, "Compute nothing but the best score");
  command->add_option("--cigar", options->cigar, "Where to write the whole CIGAR")
      ->type_name("FILE");
  command->add_option("--alignment", options->alignment, "Where to write the whole alignment")
      ->type_name("FILE");
  command->add_option("--width", options->width, "Columns of a line of it (default: 60)")
      ->check(at_least(1))
      ->type_name("N");
}

}  // namespace wavescan_tool
