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
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
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
  std::string a, b, name_a, name_b, cigar, alignment, sam, paf, plot, matrix, checkpoint, free_ends,
      mode = "local", alphabet = "nucleotide";
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
    auto& free = scores.free_ends = {false, false, false, false};
    const std::pair<const char*, bool*> ends[] = {{"begin-a", &free.begin_a},
                                                  {"end-a", &free.end_a},
                                                  {"begin-b", &free.begin_b},
                                                  {"end-b", &free.end_b}};
    for (const std::string& name : split(options.free_ends, ',')) {
      const auto end = std::find_if(std::begin(ends), std::end(ends),
                                    [&name](const auto& known) { return known.first == name; });
      if (end == std::end(ends))
        throw std::invalid_argument(
            "--free-ends: expected some of begin-a, end-a, begin-b, end-b, with commas between "
            "them, got '" +
            name + "'");
      *end->second = true;
    }
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

// Names as SAM has them (https://samtools.github.io/hts-specs/SAMv1.pdf, 1.2.1 and 1.4) and PAF,
// where * stands for no sequence.
bool may_name_query(const std::string& name) {
  constexpr std::size_t longest = 254;
  return !name.empty() && name != "*" && name.size() <= longest &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return c > ' ' && c <= '~' && c != '@'; });
}
bool may_name_reference(const std::string& name) {
  return !name.empty() && name[0] != '*' && name[0] != '=' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return c > ' ' && c <= '~' &&
                  std::string_view("\\,\"`'()[]{}<>").find(c) == std::string_view::npos;
         });
}
bool may_be_in_paf(const std::string& name) { return !name.empty() && name != "*"; }

void require_names(const std::string& file, const std::vector<FastaRecord>& records,
                   const char* format, bool (*may_be)(const std::string&)) {
  for (const FastaRecord& record : records)
    if (!may_be(record.name))
      throw wavescan_io::FileError(
          file, std::string(format) + " does not allow the name '" + record.name + "'");
}

/// @brief Throws if the files that were asked for cannot name these sequences.
void check_names(const AlignOptions& options, const std::vector<FastaRecord>& queries,
                 const std::vector<FastaRecord>& targets) {
  if (!options.sam.empty()) {
    require_names(options.a, queries, "SAM", may_name_query);
    require_names(options.b, targets, "SAM", may_name_reference);
    std::set<std::string> names;
    for (const FastaRecord& target : targets)
      if (!names.insert(target.name).second)
        throw wavescan_io::FileError(
            options.b, "SAM does not allow two references of one name, '" + target.name + "'");
  }
  // All alignments are lines of PAF where no file is named.
  const bool is_printed = options.all && !options.score_only && options.sam.empty();
  if (!options.paf.empty() || is_printed) {
    require_names(options.a, queries, "PAF", may_be_in_paf);
    require_names(options.b, targets, "PAF", may_be_in_paf);
  }
}

void refuse_what_is_unused(const AlignOptions& options, const Session& session) {
  if (options.mode != "semi-global")
    refuse_unused(session, {"--free-ends"}, "without --mode semi-global");
  if (!options.matrix.empty() && options.matrix != "iupac")
    refuse_unused(session, {"--match", "--mismatch"}, "with --matrix " + options.matrix);
  if (options.score_only)
    refuse_unused(session, {"--cigar", "--alignment", "--plot", "--sam", "--paf", "--width"},
                  "with --score-only");
}

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
  refuse_what_is_unused(options, session);
  const auto queries = read_records(options.a, options), targets = read_records(options.b, options);
  check_names(options, queries, targets);
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
  refuse_what_is_unused(options, session);
  const auto a = read_record(options.a, options.name_a, options);
  const auto b = read_record(options.b, options.name_b, options);
  check_names(options, {a}, {b});
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
  add_input(command, session, "a", {options->a, "FASTA file, also compressed by gzip", "A.fa"})
      ->required();
  add_input(command, session, "b", {options->b, "FASTA file, also compressed by gzip", "B.fa"})
      ->required();
  CLI::Option* all = command->add_flag(
      "--all", options->all, "Align every record of A.fa with every one of B.fa: lines of PAF");
  command->add_option("--name-a", options->name_a, "Record of A.fa (default: the first)")
      ->type_name("NAME")
      ->excludes(all);
  command->add_option("--name-b", options->name_b, "Record of B.fa (default: the first)")
      ->type_name("NAME")
      ->excludes(all);
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
      ->type_name("ENDS");
  add_number(command, "--match", options->match, Limits<int>{1, 32767},
             "Score of two equal letters (default: 2)")
      ->type_name("N");
  add_number(command, "--mismatch", options->mismatch, Limits<int>{-32768, 32767},
             "Score of two different letters (default: -1)")
      ->type_name("N");
  add_input(command, session, "--matrix",
            {options->matrix,
             "Scores from a table: BLOSUM45, BLOSUM50, BLOSUM62, BLOSUM80, PAM120, PAM250, "
             "NUC.4.4, a file in NCBI's format, or iupac: --match and --mismatch with "
             "ambiguity codes",
             "NAME"});
  add_number(command, "--gap", options->gap, at_least(1),
             "Cost of each letter of a gap (default: 2)")
      ->type_name("N");
  add_number(command, "--gap-open", options->gap_open, at_least(0),
             "What a gap costs beside (default: 0)")
      ->type_name("N");
  command->add_flag("--score-only", options->score_only, "Compute nothing but the best score");
  const auto add_file = [&](const char* name, std::string& file, const char* description,
                            const char* type) {
    return add_output(command, session, name, {file, description, type});
  };
  add_file("--cigar", options->cigar, "Where to write the whole CIGAR", "FILE")->excludes(all);
  add_file("--alignment", options->alignment, "Where to write the whole alignment", "FILE")
      ->excludes(all);
  add_file("--plot", options->plot, "Where to draw the path and the words that both sequences have",
           "PLOT.png")
      ->excludes(all);
  command
      ->add_option("--checkpoint", options->checkpoint,
                   "Where to keep, once a minute, what has been found: the same command goes on "
                   "there when it was stopped; removed at the end")
      ->type_name("FILE")
      ->excludes(all);
  add_file("--sam", options->sam, "Where to write SAM: a is the query, b the reference", "FILE");
  add_file("--paf", options->paf, "Where to write PAF: a is the query, b the target", "FILE");
  add_number(command, "--width", options->width, at_least(1),
             "Columns of a line of the alignment (default: 60)")
      ->type_name("N")
      ->excludes(all);
}

}  // namespace wavescan_tool
