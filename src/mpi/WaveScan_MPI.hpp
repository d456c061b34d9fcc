// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_HPP
#define WAVESCAN_MPI_HPP

/// @file
/// @brief All of WaveScan::mpi: operations on arrays that are distributed over processes.

#include <WaveScan_MPI_Align.hpp>
#include <WaveScan_MPI_DataSliding.hpp>
#include <WaveScan_MPI_IntegralHistogram.hpp>
#include <WaveScan_MPI_Rebalance.hpp>
#include <WaveScan_MPI_SOR.hpp>
#include <WaveScan_MPI_SOROptions.hpp>
#include <WaveScan_MPI_Scan.hpp>
#include <WaveScan_MPI_SegmentedReduce.hpp>
#include <WaveScan_MPI_SegmentedScan.hpp>
#include <WaveScan_MPI_Select.hpp>
#include <WaveScan_MPI_SummedAreaTable.hpp>

#endif
