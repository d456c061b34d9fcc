// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_Error.hpp>
#include <WaveScanIO_Fasta.hpp>
#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Png.hpp>
#include <WaveScan_Align.hpp>
#include <WaveScan_AlignMany.hpp>
#include <WaveScan_AlignmentFormats.hpp>
#include <WaveScan_SubstitutionMatrix.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "alignment_plot.hpp"
#include "alignment_text.hpp"
#include "commands.hpp"
#include "progress.hpp"

namespace wavescan_tool {
namespace {

using wavescan_io::FastaRecord;
using wavescan_io::OutputFile;
// One type for all scores, so that alignments are compiled once.
using Scores = wavescan::Scoring<wavescan::SubstitutionMatrix>;

struct AlignOptions {
  std::string a, b, name_a, name_b, cigar, alignment, sam, paf, plot, matrix, checkpoint,
      mode = "local", alphabet = "nucleotide";
  std::vector<std::string> free_ends;
  int match = 2, mismatch = -1, gap = 2, gap_open = 0, width = 60;
  bool score_only = false, all = false;
};

std::vector<FastaRecord> read_records(const std::string& file, const AlignOptions& options) {
  const auto alphabet = options.alphabet == "protein" ? wavescan_io::Alphabet::Protein
                                                      : wavescan_io::Alphabet::Nucleotide;
  return wavescan_io::read_fasta(file, alphabet);
}

FastaRecord read_record(const std::string& file, const std::string& name,
                        const AlignOptions& options) {
  const auto records = read_records(file, options);
  if (name.empty()) return records.front();
  for (const auto& record : records)
    if (record.name == name) return record;
  throw wavescan_io::FileError(file, "holds no record named '" + name + "'");
}

// Every letter is itself, as MatchMismatch has it.
wavescan::SubstitutionMatrix plain_matrix(int match, int mismatch) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*";
  std::vector<int> scores;
  for (const char x : letters)
    for (const char y : letters) scores.push_back(x == y ? match : mismatch);
  return {letters, scores};
}

wavescan::SubstitutionMatrix matrix_of(const AlignOptions& options) {
  if (options.matrix.empty()) return plain_matrix(options.match, options.mismatch);
  if (options.matrix == "iupac")
    return wavescan::nucleotide_matrix(options.match, options.mismatch);
  try {
    return wavescan::substitution_matrix(options.matrix);
  } catch (const std::invalid_argument&) {  // then it is a file
  }
  const std::string text = wavescan_io::read_bytes(options.matrix);
  try {
    return wavescan::parse_substitution_matrix(text);
  } catch (const std::invalid_argument& error) {
    throw wavescan_io::FileError(options.matrix, error.what());
  }
}

Scores scores_of(const AlignOptions& options) {
  Scores scores{matrix_of(options), wavescan::AffineGap{options.gap_open, options.gap}};
  if (options.mode == "global") scores.mode = wavescan::AlignmentMode::Global;
  if (options.mode == "semi-global") scores.mode = wavescan::AlignmentMode::SemiGlobal;
  if (!options.free_ends.empty()) {
    const auto has = [&](const char* end) {
      return std::find(options.free_ends.begin(), options.free_ends.end(), end) !=
             options.free_ends.end();
    };
    scores.free_ends = {has("begin-a"), has("end-a"), has("begin-b"), has("end-b")};
  }
  return scores;
}

/// @brief A progress bar with cells a second and the time that is left.
class AlignProgress {
 public:
  explicit AlignProgress(double cells) : cells_(cells) {}
  void update(double done) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    std::string note;
    if (done > 0 && seconds > 0)
      note = scientific(done * cells_ / seconds, 1) + " cells/s, " +
             duration(seconds * (1 - done) / done) + " left";
    bar_.update(done, note);
  }

 private:
  double cells_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Progress bar_{"Aligning"};
};

double product(const std::string& a, const std::string& b) {
  return static_cast<double>(a.size()) * static_cast<double>(b.size());
}

/// @brief The files that were asked for.
struct AlignFiles {
  std::optional<OutputFile> cigar, alignment, sam, paf, plot;
  explicit AlignFiles(const AlignOptions& options) {
    if (!options.cigar.empty()) cigar.emplace(options.cigar);
    if (!options.alignment.empty()) alignment.emplace(options.alignment);
    if (!options.sam.empty()) sam.emplace(options.sam);
    if (!options.paf.empty()) paf.emplace(options.paf);
    if (!options.plot.empty()) plot.emplace(options.plot);
  }
};

wavescan::NamedSequence named(const FastaRecord& record) { return {record.name, record.sequence}; }

void report_files(const AlignOptions& options, const Session& session) {
  for (const auto& file :
       {options.cigar, options.alignment, options.sam, options.paf, options.plot})
    if (!file.empty()) session.say("Wrote " + file);
}

// Sequences where the program's execution space finds them.
auto device_set(const std::vector<std::string>& texts) {
  const auto set = wavescan::sequence_set(texts);
  const Exec::memory_space space;
  const auto letters = Kokkos::create_mirror_view_and_copy(space, set.letters);
  const auto offsets = Kokkos::create_mirror_view_and_copy(space, set.offsets);
  return wavescan::SequenceSet{letters, offsets};
}

// Every record of A with every record of B.
void run_all(const AlignOptions& options, Session& session) {
  const auto queries = read_records(options.a, options), targets = read_records(options.b, options);
  const AlignFiles files(options);
  const Scores scores = scores_of(options);
  std::vector<std::string> texts;
  std::vector<wavescan::NamedSequence> names;
  double cells = 0;
  for (const FastaRecord& target : targets) {
    texts.push_back(target.sequence);
    names.push_back(named(target));
  }
  const auto set = device_set(texts);
  std::string sam = wavescan::sam_header(names), paf;
  auto& list = session.result["alignments"] = nlohmann::ordered_json::array();
  for (const FastaRecord& query : queries) {
    cells = 0;
    for (const std::string& text : texts) cells += product(query.sequence, text);
    AlignProgress progress(cells);
    const wavescan::AlignOptions aligning{[&](double done) { progress.update(done); }};
    const auto one = device_set({query.sequence});
    if (options.score_only) {
      const auto found = wavescan::align_scores(one, set, scores, aligning);
      for (std::size_t k = 0; k < found.size(); ++k) {
        list.push_back({{"a", query.name},
                        {"b", targets[k].name},
                        {"score", found[k].score},
                        {"end_a", found[k].end_a},
                        {"end_b", found[k].end_b}});
        session.say(query.name + "\t" + targets[k].name + "\t" + std::to_string(found[k].score));
      }
      continue;
    }
    const auto found = wavescan::align_many(one, set, scores, aligning);
    for (std::size_t k = 0; k < found.size(); ++k) {
      nlohmann::ordered_json entry = {{"a", query.name}, {"b", targets[k].name}};
      entry.update(to_json(found[k]));
      entry["cigar"] = found[k].cigar;
      list.push_back(entry);
      const std::string line = wavescan::paf_line(found[k], named(query), named(targets[k]));
      paf += line + "\n";
      sam += wavescan::sam_line(found[k], named(query), named(targets[k])) + "\n";
      if (!files.paf && !files.sam) session.say(line);
    }
  }
  if (files.sam) files.sam->write([&](std::ostream& stream) { stream << sam; });
  if (files.paf) files.paf->write([&](std::ostream& stream) { stream << paf; });
  report_files(options, session);
}

void run_one(const AlignOptions& options, Session& session) {
  const auto a = read_record(options.a, options.name_a, options);
  const auto b = read_record(options.b, options.name_b, options);
  const AlignFiles files(options);
  const Scores scores = scores_of(options);

  const Exec exec;
  const auto letters_a = to_device("a", a.sequence), letters_b = to_device("b", b.sequence);
  auto& result = session.result;
  result = {{"a", a.name},
            {"length_a", a.sequence.size()},
            {"b", b.name},
            {"length_b", b.sequence.size()}};
  session.say("a: " + a.name + ", " + std::to_string(a.sequence.size()) + " letters");
  session.say("b: " + b.name + ", " + std::to_string(b.sequence.size()) + " letters");
  // The share of the work is one of at most four passes.
  const double passes = options.score_only ? 1 : 4;
  std::optional<AlignProgress> progress(std::in_place, passes * product(a.sequence, b.sequence));
  wavescan::AlignOptions aligning{[&](double done) { progress->update(done); }};
  aligning.checkpoint = options.checkpoint;
  if (!options.checkpoint.empty() && std::filesystem::exists(options.checkpoint))
    session.say("Going on with " + options.checkpoint);
  if (options.score_only) {
    const auto best = wavescan::align_score(exec, letters_a, letters_b, scores, aligning);
    progress.reset();
    result.update({{"score", best.score}, {"end_a", best.end_a}, {"end_b", best.end_b}});
    session.say("score " + std::to_string(best.score));
    return;
  }

  const wavescan::Alignment alignment =
      wavescan::align(exec, letters_a, letters_b, scores, aligning);
  progress.reset();
  const std::string text =
      wavescan::format_alignment(alignment, a.sequence, b.sequence, options.width);
  if (files.cigar)
    files.cigar->write([&](std::ostream& stream) { stream << alignment.cigar << '\n'; });
  if (files.alignment) files.alignment->write([&](std::ostream& stream) { stream << text; });
  if (files.sam)
    files.sam->write([&](std::ostream& stream) {
      stream << wavescan::sam_header({named(b)})
             << wavescan::sam_line(alignment, named(a), named(b)) << '\n';
    });
  if (files.paf)
    files.paf->write([&](std::ostream& stream) {
      stream << wavescan::paf_line(alignment, named(a), named(b)) << '\n';
    });
  if (files.plot)
    write_png(*files.plot, alignment_plot(a.sequence, b.sequence, alignment).picture());

  result.update(to_json(alignment));
  result["cigar"] = alignment.cigar;
  session.say(summary(alignment));
  if (!alignment.empty()) {
    constexpr std::size_t screen = 72;
    constexpr int lines_shown = 14;
    session.say("CIGAR " + shortened(alignment.cigar, screen) + "\n");
    session.say(first_lines(text, files.alignment ? lines_shown : 1 << 30, ""));
  }
  report_files(options, session);
}

}  // namespace

void add_align(CLI::App& app, Session& session) {
  const auto options = std::make_shared<AlignOptions>();
  CLI::App* command =
      add_command(app, session, "align", "Align two sequences, or all of two files with each other",
                  [options, &session] { (options->all ? run_all : run_one)(*options, session); });
  const auto add_file = [&](const char* name, std::string& file, const char* description) {
    return command->add_option(name, file, description)->type_name("FILE");
  };
  command->add_option("a", options->a, "FASTA file, also compressed by gzip")
      ->required()
      ->type_name("A.fa");
  command->add_option("b", options->b, "FASTA file, also compressed by gzip")
      ->required()
      ->type_name("B.fa");
  command->add_option("--name-a", options->name_a, "Record of A.fa (default: the first)")
      ->type_name("NAME");
  command->add_option("--name-b", options->name_b, "Record of B.fa (default: the first)")
      ->type_name("NAME");
  CLI::Option* all = command->add_flag(
      "--all", options->all, "Align every record of A.fa with every one of B.fa: lines of PAF");
  command->add_option("--alphabet", options->alphabet, "nucleotide (default) or protein")
      ->check(CLI::IsMember({"nucleotide", "protein"}))
      ->type_name("NAME");
  command
      ->add_option("--mode", options->mode,
                   "local (default), global or semi-global, with ends that are free")
      ->check(CLI::IsMember({"local", "global", "semi-global"}))
      ->type_name("NAME");
  command
      ->add_option("--free-ends", options->free_ends,
                   "Of begin-a, end-a, begin-b, end-b, those that may be left out in a "
                   "semi-global alignment (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember({"begin-a", "end-a", "begin-b", "end-b"}))
      ->type_name("ENDS");
  command->add_option("--match", options->match, "Score of two equal letters (default: 2)")
      ->check(CLI::Range(1, 32767))
      ->type_name("N");
  command
      ->add_option("--mismatch", options->mismatch, "Score of two different letters (default: -1)")
      ->check(CLI::Range(-32768, 32767))
      ->type_name("N");
  command
      ->add_option("--matrix", options->matrix,
                   "Scores from a table: BLOSUM45, BLOSUM50, BLOSUM62, BLOSUM80, PAM120, PAM250, "
                   "NUC.4.4, a file in NCBI's format, or iupac: --match and --mismatch with "
                   "ambiguity codes")
      ->type_name("NAME");
  command->add_option("--gap", options->gap, "Cost of each letter of a gap (default: 2)")
      ->check(at_least(1))
      ->type_name("N");
  command->add_option("--gap-open", options->gap_open, "What a gap costs beside (default: 0)")
      ->check(at_least(0))
      ->type_name("N");
  command->add_flag("--score-only", options->score_only, "Compute nothing but the best score");
  CLI::Option* of_one[] = {
      add_file("--cigar", options->cigar, "Where to write the whole CIGAR"),
      add_file("--alignment", options->alignment, "Where to write the whole alignment"),
      add_file("--plot", options->plot,
               "Where to draw the path and the words that both sequences have (PNG)"),
      add_file("--checkpoint", options->checkpoint,
               "Where to keep, once a minute, what has been found: the same command goes on there "
               "when it was stopped; removed at the end")};
  for (CLI::Option* option : of_one) option->excludes(all);
  add_file("--sam", options->sam, "Where to write SAM: a is the query, b the reference");
  add_file("--paf", options->paf, "Where to write PAF: a is the query, b the target");
  command->add_option("--width", options->width, "Columns of a line of it (default: 60)")
      ->check(at_least(1))
      ->type_name("N");
}

}  // namespace wavescan_tool
