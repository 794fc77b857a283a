//! How few columns are packed, and which columns clusters of blocks have.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::choose::estimate::{Lines, mixes};
use crate::choose::radices::{ClusterRadices, LARGE, cluster_radices};
use crate::desc::kernel::Packing;
use fourfold::Precision;
use fourfold::engine::Data;

impl Lines<'_> {
    /// Runs of so many bytes that columns of these have.
    pub(crate) fn runs(&self, packing: Packing, bytes: usize) -> usize {
        let geometry = self.geometry(packing);
        (geometry.lines() * geometry.line_bytes(self.storage)).div_ceil(bytes)
    }

    /// Bytes that columns of these take in short runs, with the padding, for each byte of which a
    /// buffer has 16.
    pub(crate) fn run_bytes(&self, packing: Packing, device: &DeviceAttributes) -> usize {
        let column = self.geometry(packing).line_bytes(self.storage);
        let places = 2 * self.elements(packing) * self.dfts(packing) * self.storage.precision().bytes() / column;
        places.saturating_add(places / 16).saturating_mul(device.short_run())
    }

    /// Whether columns of reals are better packed with themselves than in pairs: of an odd number, one would be packed
    /// with itself and take as long as two. The reals of a pair are no pair of memory in rows of an odd number. So an
    /// instruction reads half of a run, and touches the sector in the middle like the next one. Tiles of a power of two
    /// fit rows of as many pairs, and cut others. Clusters on the way back from a spectrum keep pairs.
    ///
    /// On an H200, of 50 problems 12 took more than 0.99 of the time, and all 0.94 on average. `dct2 f64 725760x35` took
    /// 469 µs instead of 544, `dct2 f32 1000x999` 18.5 instead of 20.3, `dct3 f64 30720x21` 18.3 instead of 20.7. But
    /// `dst2 f64 163x6750x15`, which has eight pairs, took 500 instead of 431. By clusters, `dst3 f32 6000x2999` took 283
    /// instead of 249; but by few clusters, `dct3 f64 7680x163x5` would take 156 instead of 195. Of an even number, `dst3
    /// f32 658560x12` took 111 instead of 104.
    pub(crate) fn leaves_half(&self, device: &DeviceAttributes) -> bool {
        let columns = self.geometry(Packing::TwoForOne).pair.map_or(0, |pair| pair.across.size);
        let is_odd = columns % 2 == 1 && !columns.div_ceil(2).is_power_of_two() && !self.filters;
        let pays = || match self.dft().0 {
            Data::Real => true,
            Data::Hermitian => !self.is_for_clusters(Packing::TwoForOne, device),
            Data::Complex | Data::ComplexBackward => false,
        };
        is_odd && pays() && self.is_smooth(Packing::HalfLength, device)
    }

    /// Whether clusters of columns that are packed with themselves have a stage less than those of two as one, and so one
    /// exchange less, where half spectra come after the DFTs. On an H200 `dct2 f64 8192x8192` 750 to 714 µs, `f64
    /// 6144x6144` 454 to 421, `f32 8192x8192` 373 to 367, `dht f32 3024x2744` 61.2 to 56.2. But `dct2 f32 10000x4000` 315
    /// to 328, and `dct3 f64 6144x6144` 498 to 546.
    pub(crate) fn clusters_save_exchange(&self, device: &DeviceAttributes) -> bool {
        let is_even = self.geometry(Packing::TwoForOne).pair.is_some_and(|pair| pair.across.size % 2 == 0);
        let is_plain = self.dft().0 == Data::Real && !self.filters;
        let clustered = || self.columns(Packing::HalfLength, device).is_some_and(|blocks| blocks >= device.sms);
        let saves = || {
            let [two, one] =
                [Packing::TwoForOne, Packing::HalfLength].map(|packing| self.cluster_radices(packing, device));
            one.len() < two.len()
        };
        is_plain && is_even && clustered() && saves()
    }

    /// Whether clusters are expected to be faster than others.
    pub(crate) fn is_for_clusters(&self, packing: Packing, device: &DeviceAttributes) -> bool {
        self.pairs_up(packing, device)
            || self.columns(packing, device).is_some_and(|blocks| blocks >= device.sms)
            || self.shares_few(packing, device)
    }

    /// If clusters should have columns of these: how many blocks all clusters have, of short runs.
    pub(crate) fn columns(&self, packing: Packing, device: &DeviceAttributes) -> Option<usize> {
        let geometry = self.geometry(packing);
        let digits = self.cluster_radices(packing, device);
        // One on an SM, they are worth it where the last DFTs are one stage with the combine.
        let combine_fusion =
            self.dft().0 == Data::Real && self.dft().2 == 1 && digits.last().is_some_and(|radix| radix % 2 == 0);
        let runs = self.runs(packing, device.short_run());
        let blocks = runs * digits.first().map_or(0, |radix| radix / 2);
        // Back from a spectrum, clusters exchange once more.
        let is_back = matches!(self.dft().0, Data::Hermitian | Data::ComplexBackward);
        let enough = if is_back { runs > device.sms } else { blocks >= device.sms };
        let resident = if combine_fusion { 1 } else { RESIDENT };
        let pays = geometry.across() && device.cluster_pays(self.run_bytes(packing, device), runs, resident, enough);
        pays.then_some(blocks)
    }

    /// Whether clusters of two give most SMs the one block of complex columns that
    /// half of them would have; in f64 they measured slower.
    pub(crate) fn pairs_up(&self, packing: Packing, device: &DeviceAttributes) -> bool {
        let groups = 2 * self.runs(packing, device.short_run());
        let most = device.fills(groups) && groups <= device.sms;
        let complex = packing == Packing::Complex && mixes(self.line) && self.storage.precision() == Precision::F32;
        complex && most && device.cluster > 1 && self.geometry(packing).across()
    }

    /// Whether clusters should have columns that are so few that blocks with runs of a sector are for few SMs.
    /// (On an H200 `dct2 f32 3072x45` 15.9 to 8.2 µs, `dht f64 1024x45` 9.0 to 6.8, `dct3 f32 1024x320` 7.9 to 7.8. Two
    /// kernels are as good for long columns, and up to 1.6 times as long for short ones.)
    pub(crate) fn shares_few(&self, packing: Packing, device: &DeviceAttributes) -> bool {
        let n = self.line.transform.n;
        let are_long = n > RESIDENT * device.usual_threads() && device.reads_at_once(n);
        let are_few = || !device.nearly_saturates(self.runs(packing, device.least_run()));
        let lead = || self.cluster_radices(packing, device).first().copied().unwrap_or(1);
        let fits = |lead: usize| lead % 2 == 0 && lead >= device.cluster;
        let may = device.cluster > 1 && !self.filters && are_long && self.geometry(packing).across();
        may && are_few() && self.is_smooth(packing, device) && fits(lead())
    }

    /// Large clusters measured faster, but for types IV of even length, whose reals are complex
    /// lines, those of two, where these have room; and a large second radix, but for these and
    /// three DFTs in f32.
    pub(crate) fn cluster_radices(&self, packing: Packing, device: &DeviceAttributes) -> Vec<usize> {
        let complex = packing == Packing::Complex && !mixes(self.line);
        let two =
            complex && self.run_bytes(packing, device) <= 2 * device.shared_per_block || self.pairs_up(packing, device);
        let rules = ClusterRadices {
            lead: LARGE.min(if two { 4 } else { 2 * device.cluster }),
            even: two || self.dft().2 > 1 && self.storage.precision() == Precision::F32,
            combine_fusion: packing != Packing::Complex,
        };
        cluster_radices(self.smooth(packing, self.elements(packing), device), rules)
    }
}
