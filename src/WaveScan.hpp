// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_HPP
#define WAVESCAN_HPP

/// @file
/// @brief All of WaveScan: scans and wavefront loops on Kokkos.

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Align.hpp>
#include <WaveScan_AlignMany.hpp>
#include <WaveScan_AlignmentFormats.hpp>
#include <WaveScan_AsOperator.hpp>
#include <WaveScan_BlockSOR.hpp>
#include <WaveScan_BlockTridiagonal.hpp>
#include <WaveScan_BlockTridiagonalSolve.hpp>
#include <WaveScan_CheckLaws.hpp>
#include <WaveScan_CheckSegments.hpp>
#include <WaveScan_FiltFilt.hpp>
#include <WaveScan_Filter.hpp>
#include <WaveScan_ImageFilters.hpp>
#include <WaveScan_ImageLoops.hpp>
#include <WaveScan_ImageViews.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_KernelPaths.hpp>
#include <WaveScan_LineSOR.hpp>
#include <WaveScan_LinearRecurrence.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Pad.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Pentadiagonal.hpp>
#include <WaveScan_PentadiagonalSolve.hpp>
#include <WaveScan_PivotReport.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_SOR3D.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <WaveScan_SegmentedLinearRecurrence.hpp>
#include <WaveScan_SegmentedReduce.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_SlidingInputs.hpp>
#include <WaveScan_SmallMatrices.hpp>
#include <WaveScan_SmithWaterman.hpp>
#include <WaveScan_SmithWatermanMatrix.hpp>
#include <WaveScan_SubstitutionMatrix.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <WaveScan_TeamLevelScan.hpp>
#include <WaveScan_TeamLevelSegmentedScan.hpp>
#include <WaveScan_TeamTridiagonalSolve.hpp>
#include <WaveScan_Tridiagonal.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <WaveScan_TridiagonalSolve.hpp>
#include <WaveScan_Tuning.hpp>
#include <WaveScan_Unique.hpp>
#include <WaveScan_Version.hpp>
#include <WaveScan_Wavefront.hpp>
#include <WaveScan_Workspaces.hpp>

#endif
