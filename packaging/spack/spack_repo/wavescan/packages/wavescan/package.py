# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Spack recipe of WaveScan, which takes the sources from the checkout that it lies in.

For Spack's own repository of recipes, once the project has an address and a release: `git` becomes that
address, `homepage` and `url` (of the release's archive) are added, `version("0.1.0", sha256="...")` stands
above "main", and `maintainers(...)` names those who answer for the recipe, by their names on GitHub.

Tried with the development version of Spack 0.24 of January 2025, whose build systems stood in for those of
`spack_repo.builtin`: `spack audit packages`, `spack spec` with each variant, and a build on an installed Kokkos.
"""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Wavescan(CMakePackage, CudaPackage, ROCmPackage):
    """Scans and wavefront loops on Kokkos: weighted scans, SOR, summed-area tables, integral
    histograms and Smith-Waterman alignment. Headers, and a library that saves compile time."""

    git = Path(__file__).resolve().parents[6].as_uri()

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("openmp", default=True, description="Use a Kokkos with OpenMP")
    variant("kernels", default=False, description="Build the library WaveScan::kernels")
    variant(
        "kernel_types",
        default="float,double,int32,int64",
        values=("float", "double", "int32", "int64", "uint32", "uint64"),
        multi=True,
        when="+kernels",
        description="Types that WaveScan::kernels has",
    )
    variant("mpi", default=False, description="Provide WaveScan::mpi, for several processes")
    variant("nccl", default=False, when="+mpi+cuda", description="Send between GPUs by NCCL")
    variant("tests", default=False, description="Build the unit tests")
    variant(
        "examples",
        default=False,
        description="Build the examples; install the tool wavescan and its data",
    )

    # Kokkos takes one architecture at a time.
    variant(
        "cuda_arch",
        default="none",
        values=("none",) + CudaPackage.cuda_arch_values,
        multi=False,
        sticky=True,
        when="+cuda",
        description="CUDA architecture",
    )
    variant(
        "amdgpu_target",
        default="none",
        values=("none",) + ROCmPackage.amdgpu_targets,
        multi=False,
        sticky=True,
        when="+rocm",
        description="AMD GPU architecture",
    )

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")

    depends_on("kokkos@5.0:")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos+cuda+wrapper", when="+cuda")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
        depends_on(f"nccl cuda_arch={arch}", when=f"+nccl cuda_arch={arch}")
    depends_on("kokkos+rocm", when="+rocm")
    for target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")

    depends_on("mpi", when="+mpi")
    depends_on("nccl", when="+nccl")
    depends_on("googletest@1.12:", when="+tests", type=("build", "link"))
    with when("+examples"):
        depends_on("libpng")
        depends_on("zlib-api")
        depends_on("cairo")
        depends_on("cli11", type="build")
        depends_on("nlohmann-json", type="build")

    conflicts("%gcc@:11", msg="WaveScan needs more of C++20 than GCC 11 has")
    conflicts("+cuda", when="+rocm", msg="CUDA and ROCm exclude each other")
    conflicts("cuda_arch=none", when="+cuda", msg="+cuda needs the GPU: cuda_arch=90, say")
    conflicts("amdgpu_target=none", when="+rocm", msg="+rocm needs the GPU: amdgpu_target=gfx90a, say")

    sanity_check_is_file = [join_path("include", "wavescan", "WaveScan.hpp")]

    def cmake_args(self):
        args = [
            self.define_from_variant("WaveScan_ENABLE_KERNELS", "kernels"),
            self.define_from_variant("WaveScan_ENABLE_MPI", "mpi"),
            self.define_from_variant("WaveScan_ENABLE_TESTS", "tests"),
            self.define_from_variant("WaveScan_ENABLE_EXAMPLES", "examples"),
            self.define("WaveScan_ENABLE_NCCL", self.spec.satisfies("+nccl")),
        ]
        if self.spec.satisfies("+kernels"):
            args.append(self.define_from_variant("WaveScan_KERNELS_TYPES", "kernel_types"))
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        if self.spec.satisfies("+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        return args
