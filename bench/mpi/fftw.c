/* FFTW's MPI beside fourfold-mpi: DCT-II (REDFT10) in f64 with FFTW_MEASURE, as slabs along the first
 * axis. Prints the least seconds of the rounds, of the slowest rank in each, by rank 0.
 *
 *   mpicc -O2 fftw.c -o fftw -lfftw3_mpi -lfftw3 -lm
 *   mpirun -n 2 fftw out|transposed ROUNDS LENGTH LENGTH [LENGTH]
 *
 * With "transposed", the output is divided along the second axis, as it comes out. */
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    ptrdiff_t n[8], local[4];
    fftw_r2r_kind kinds[8];
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    if (argc < 5 || argc > 11) {
        fprintf(stderr, "usage: fftw out|transposed ROUNDS LENGTH LENGTH [LENGTH]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int rank, d = argc - 3, rounds = atoi(argv[2]);
    unsigned flags = FFTW_MEASURE;
    if (strcmp(argv[1], "transposed") == 0)
        flags |= FFTW_MPI_TRANSPOSED_OUT;
    for (int i = 0; i < d; i++) {
        n[i] = atol(argv[3 + i]);
        kinds[i] = FFTW_REDFT10;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ptrdiff_t size = fftw_mpi_local_size_transposed(d, n, MPI_COMM_WORLD, local, local + 1, local + 2, local + 3);
    double *x = fftw_alloc_real(size), *y = fftw_alloc_real(size);
    fftw_plan plan = fftw_mpi_plan_r2r(d, n, x, y, MPI_COMM_WORLD, kinds, flags);
    if (!x || !y || !plan)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (ptrdiff_t i = 0; i < size; i++)
        x[i] = (double)(i * 7919 % 1009) / 1009 - 0.5;
    double best = 1e300;
    for (int round = -1; round < rounds; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double mine = -MPI_Wtime(), slowest;
        fftw_execute(plan);
        mine += MPI_Wtime();
        MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (round >= 0 && slowest < best)
            best = slowest;
    }
    if (rank == 0)
        printf("%.9f\n", best);
    fftw_destroy_plan(plan);
    MPI_Finalize();
    return 0;
}
