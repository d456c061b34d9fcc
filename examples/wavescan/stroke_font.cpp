// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "stroke_font.hpp"

#include <algorithm>
#include <string_view>

namespace wavescan_tool {
namespace {

// Strokes are separated by blanks; a stroke is a sequence of points, each two digits x and y. The
// baseline is y = 2, small letters reach 6, capital letters 8; two units in x are as long as one in
// y. A stroke that begins with '~' is a smooth curve with these control points, closed if it ends
// where it began.
constexpr std::string_view glyphs[] = {
    /* ! */ "0804 0202",
    /* " */ "0806 2826",
    /* # */ "1317 4347 0555 0454",
    /* $ */ "~6768080565620203 3931",
    /* % */ "0268 ~0608282606 ~4244646242",
    /* & */ "6216 ~1618484625 ~2504024264",
    /* ' */ "0806",
    /* ( */ "~28060321",
    /* ) */ "~08262301",
    /* asterisk */ "2723 0446 0644",
    /* + */ "0444 2622",
    /* , */ "1200",
    /* - */ "0444",
    /* . */ "0202",
    /* slash */ "0148",
    /* 0 */ "~0208686202",
    /* 1 */ "163832",
    /* 2 */ "~0608686502 0262",
    /* 3 */ "~0708686525 ~2565620203",
    /* 4 */ "480464 4842",
    /* 5 */ "580805 ~0566620203",
    /* 6 */ "~580804 ~0206666202",
    /* 7 */ "086822",
    /* 8 */ "~1518585515 ~0205656202",
    /* 9 */ "~0408686404 ~666212",
    /* : */ "0303 0606",
    /* ; */ "1200 0606",
    /* < */ "460442",
    /* = */ "0545 0343",
    /* > */ "064402",
    /* ? */ "~07086864332333 3232",
    /* @ */ "~7464 ~0208888202",
    /* A */ "023862 1454",
    /* B */ "0208 ~08585505 ~05656202",
    /* C */ "~676808026263",
    /* D */ "0208 ~08686202",
    /* E */ "68080262 0545",
    /* F */ "680802 0545",
    /* G */ "~676808026264 6434",
    /* H */ "0208 6268 0565",
    /* I */ "0208",
    /* J */ "~48420203",
    /* K */ "0208 6804 2562",
    /* L */ "080262",
    /* M */ "0208448882",
    /* N */ "02086268",
    /* O */ "~0208787202",
    /* P */ "0208 ~08686404",
    /* Q */ "~0208787202 4472",
    /* R */ "0208 ~08686404 3462",
    /* S */ "~6768080565620203",
    /* T */ "0868 3832",
    /* U */ "0804 ~04026264 6468",
    /* V */ "083268",
    /* W */ "0822476288",
    /* X */ "0268 0862",
    /* Y */ "083568 3532",
    /* Z */ "08680262",
    /* [ */ "29090121",
    /* backslash */ "0841",
    /* ] */ "09292101",
    /* ^ */ "052745",
    /* _ */ "0161",
    /* ` */ "0816",
    /* a */ "~05165654 5452 ~5404025253",
    /* b */ "0802 ~0206565202",
    /* c */ "~555606025253",
    /* d */ "5852 ~0206565202",
    /* e */ "0454 ~545606025253",
    /* f */ "~481816 1612 0636",
    /* g */ "~0206565202 5652 ~52500001",
    /* h */ "0802 ~04065654 5452",
    /* i */ "0602 0808",
    /* j */ "~161000 1818",
    /* k */ "0802 4603 2452",
    /* l */ "0802",
    /* m */ "0602 ~04064644 4442 ~44468684 8482",
    /* n */ "0602 ~04065654 5452",
    /* o */ "~0206565202",
    /* p */ "0600 ~0206565202",
    /* q */ "5650 ~0206565202",
    /* r */ "0602 ~040646",
    /* s */ "~4546060444420203",
    /* t */ "1813 ~131242 0636",
    /* u */ "0604 ~04025254 5652",
    /* v */ "062246",
    /* w */ "0622456286",
    /* x */ "0652 0256",
    /* y */ "0622 4610",
    /* z */ "06460242",
    /* { */ "~39181504 ~04231131",
    /* | */ "0109",
    /* } */ "~09181544 ~44231101",
    /* ~ */ "~040644546",
};

constexpr double unit_x = 1.0 / 12, unit_y = 1.0 / 6, gap = 2.6 * unit_x;

using Stroke = std::vector<Glyph::Vertex>;

Glyph::Vertex between(Glyph::Vertex a, Glyph::Vertex b, double t) {
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

// Chaikin's corner cutting, which tends to a quadratic B-spline.
Stroke smoothed(Stroke points) {
  const bool closed = points.front().x == points.back().x && points.front().y == points.back().y;
  for (int round = 0; round < 4; ++round) {
    Stroke finer;
    if (!closed) finer.push_back(points.front());
    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
      finer.push_back(between(points[k], points[k + 1], 0.25));
      finer.push_back(between(points[k], points[k + 1], 0.75));
    }
    finer.push_back(closed ? finer.front() : points.back());
    points = std::move(finer);
  }
  return points;
}

Stroke parse(std::string_view text) {
  const bool smooth = text.starts_with('~');
  if (smooth) text.remove_prefix(1);
  Stroke points;
  for (; text.size() >= 2; text.remove_prefix(2))
    points.push_back({(text[0] - '0') * unit_x, (text[1] - '2') * unit_y});
  return smooth ? smoothed(std::move(points)) : points;
}

}  // namespace

Glyph glyph_of(char letter) {
  if (letter == ' ') return {{}, 6 * unit_x};
  const auto index = static_cast<std::size_t>(letter - '!');
  std::string_view text = letter > ' ' && index < std::size(glyphs) ? glyphs[index] : "0208686202";
  Glyph glyph{{}, 0};
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    glyph.strokes.push_back(parse(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    for (const auto& vertex : glyph.strokes.back())
      glyph.advance = std::max(glyph.advance, vertex.x);
  }
  glyph.advance += gap;
  return glyph;
}

}  // namespace wavescan_tool
