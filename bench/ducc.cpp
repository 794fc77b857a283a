// ducc's transforms behind a C function, so that the bench calls them without Python and builds them for this CPU.

#include "ducc0/fft/fft.h"
// Versions before it was split into files of its own instantiate the templates where they are used.
#if !__has_include("ducc0/fft/fft_inst_inc.h")
#include "ducc0/fft/fftnd_impl.h"
#endif
#include <exception>

namespace {

template <typename T>
void run(char family, int type, const ducc0::fmav_info::shape_t &shape, const ducc0::fmav_info::shape_t &axes,
         const void *in, void *out, size_t threads)
{
    using namespace ducc0;
    using Complex = std::complex<T>;
    auto half = shape;
    half.back() = half.back() / 2 + 1;
    const cfmav<T> real_in(static_cast<const T *>(in), shape);
    const vfmav<T> real_out(static_cast<T *>(out), shape);
    switch (family) {
    case 'c': return dct(real_in, real_out, axes, type, T(1), false, threads);
    case 's': return dst(real_in, real_out, axes, type, T(1), false, threads);
    case 'h': return r2r_separable_fht(real_in, real_out, axes, T(1), threads);
    case 'r': return r2c(real_in, vfmav<Complex>(static_cast<Complex *>(out), half), axes, true, T(1), threads);
    case 'f':
        return c2c(cfmav<Complex>(static_cast<const Complex *>(in), shape),
                   vfmav<Complex>(static_cast<Complex *>(out), shape), axes, true, T(1), threads);
    default: throw std::runtime_error("unknown family");
    }
}

} // namespace

/// Transforms all axes from `first` on; family: c DCT, s DST, h DHT, r real FFT, f complex FFT. Returns 0 if all went well.
extern "C" int bench_ducc(char family, int type, int bits, size_t axes, const size_t *shape, size_t first,
                          const void *in, void *out, size_t threads)
{
    try {
        const ducc0::fmav_info::shape_t lengths(shape, shape + axes);
        ducc0::fmav_info::shape_t transformed;
        for (size_t axis = first; axis < axes; ++axis) transformed.push_back(axis);
        if (bits == 64) run<double>(family, type, lengths, transformed, in, out, threads);
        else run<float>(family, type, lengths, transformed, in, out, threads);
        return 0;
    } catch (const std::exception &) {
        return 1;
    }
}
