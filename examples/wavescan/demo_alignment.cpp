// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_Fasta.hpp>
#include <WaveScan_SmithWaterman.hpp>
#include <ostream>

#include "alignment_text.hpp"
#include "demo.hpp"
#include "plain_loops.hpp"
#include "progress.hpp"

namespace wavescan_tool {

void demo_alignment(Demo& demo) {
  demo.heading("Aligning two whole mitochondrial genomes: Smith-Waterman");
  const auto read = [&](const char* name) {
    return wavescan_io::read_fasta(demo.data / name, wavescan_io::Alphabet::Nucleotide).front();
  };
  const auto human = read("humanMito.fa"), mouse = read("mouseMito.fa");
  demo.session.say("  a: " + human.name + ", " + std::to_string(human.sequence.size()) + " bases");
  demo.session.say("  b: " + mouse.name + ", " + std::to_string(mouse.sequence.size()) + " bases");

  const Exec exec;
  const auto a = to_device("human", human.sequence), b = to_device("mouse", mouse.sequence);
  const wavescan::MatchMismatch scores;
  const wavescan::LinearGap gap;
  wavescan::Alignment alignment;
  {
    Progress progress("Aligning");
    wavescan::SmithWatermanOptions options;
    options.progress = [&progress](double done) { progress.update(done); };
    alignment = wavescan::smith_waterman(exec, a, b, scores, gap, options);
  }
  const std::string text = wavescan::format_alignment(alignment, human.sequence, mouse.sequence);
  demo.file("alignment.txt").write([&](std::ostream& stream) { stream << text; });
  demo.file("alignment.cigar").write([&](std::ostream& stream) {
    stream << alignment.cigar << '\n';
  });
  demo.session.say("  " + summary(alignment));
  demo.session.say("  CIGAR " + shortened(alignment.cigar, 70) + "\n");
  demo.session.say(first_lines(text, 13, "  "));
  demo.session.say("  ... (all of it in alignment.txt)");
  demo.session.result["alignment"] = to_json(alignment);

  wavescan::AlignmentScore best;
  const double wavescan_time =
      best_time([&] { best = wavescan::smith_waterman_score(exec, a, b, scores, gap); });
  int plain = 0;
  const double plain_time = best_time([&] {
    plain = plain::smith_waterman_score(human.sequence, mouse.sequence, scores.match,
                                        scores.mismatch, static_cast<int>(gap.penalty));
  });
  demo.require_agreement(best.score == plain && alignment.score == plain, "Smith-Waterman");
  demo.timings.push_back({"Smith-Waterman score, " + std::to_string(human.sequence.size()) + " x " +
                              std::to_string(mouse.sequence.size()),
                          plain_time, wavescan_time});
}

}  // namespace wavescan_tool
