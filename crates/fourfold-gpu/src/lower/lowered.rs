//! What lowering makes: kernel descriptors with the arrays they read and write, and the layouts of
//! their tables. Planning, tuning and inspection need no more; only an executable computes tables.

use crate::choose::estimate::{Choice, Chosen};
use crate::choose::padding::PADDING;
use crate::choose::pass_order::in_own_order;
use crate::desc::action::{Action, SPECTRUM};
use crate::desc::geometry::{Array, Geometry, wide};
use crate::desc::kernel::{DigitRange, KernelDesc};
use crate::lower::stages::StagePipeline;
use crate::lower::tables::TableLayout;
use fourfold::engine::ArrayId;
use fourfold::{Domain, Recipe, Storage};

/// A recipe as kernels for a device.
pub(crate) struct LoweredRecipe<'a> {
    pub(crate) recipe: &'a Recipe,
    /// The numbers of the recipe's passes in the order in which they run.
    pub(crate) order: Vec<usize>,
    /// Whether transforms of reals act on both parts of complex arrays.
    pub(crate) parts: bool,
    pub(crate) action: Option<&'a Action>,
    pub(crate) passes: Vec<LoweredPass>,
}

/// One pass, or several that are one kernel, before it is compiled.
pub(crate) struct LoweredPass {
    pub(crate) descs: Vec<KernelDesc>,
    /// The arrays that its kernels read and write.
    pub(crate) ends: [ArrayId; 2],
    pub(crate) tables: TableLayout,
    pub(crate) uses_bluestein: bool,
    /// How the lines of its passes are done; a copy has none.
    pub(crate) passes: Vec<Chosen>,
}

impl LoweredRecipe<'_> {
    /// The kernels, in the order in which they run.
    pub(crate) fn descs(&self) -> Vec<KernelDesc> {
        self.passes.iter().flat_map(|pass| pass.descs.iter().cloned()).collect()
    }

    /// How the lines of each pass are done, in the order of the recipe.
    pub(crate) fn chosen(&self) -> Vec<Chosen> {
        in_own_order(self.passes.iter().flat_map(|pass| pass.passes.iter().cloned()).collect(), &self.order)
    }

    /// The same without the alternatives.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        self.chosen().into_iter().map(|pass| pass.choice).collect()
    }

    /// Whether Bluestein's convolution stands somewhere.
    pub(crate) fn uses_bluestein(&self) -> bool {
        self.passes.iter().any(|pass| pass.uses_bluestein)
    }

    /// Bytes of the work array, of the spectrum of a filter and of the buffers of long lines.
    pub(crate) fn memory(&self) -> [usize; 3] {
        let reals = |domain: Domain, shape: &[usize]| {
            shape.iter().product::<usize>() * if self.parts { 2 } else { domain.reals() }
        };
        let work = self.recipe.work().map_or(0, |(domain, shape)| reals(domain, shape));
        let forward = self.recipe.problem();
        let is_kept = self.passes.iter().any(|pass| pass.ends.contains(&SPECTRUM));
        let spectrum = if is_kept { reals(forward.output_domain(), &forward.output().shape) } else { 0 };
        let buffers = self.passes.iter().flat_map(|pass| &pass.descs).map(KernelDesc::scratch_reals);
        let buffers = buffers.max().unwrap_or(0) * forward.precision().bytes();
        [work * forward.storage().bytes(), spectrum * forward.storage().bytes(), buffers]
    }
}

impl StagePipeline {
    /// The kernel of the pipeline, for any device that has room for a line.
    pub(crate) fn on_whole_lines(&self, storage: Storage, geometry: Geometry, arrays: [&Array; 2]) -> KernelDesc {
        KernelDesc {
            storage,
            stages: self.stages.clone(),
            digits: self.digits.clone(),
            range: DigitRange::all(self.digits.len()),
            shared: true,
            lines: geometry.lines(),
            near: geometry.lines(),
            tile: 1,
            halved: 0,
            cluster: 1,
            side_by_side: false,
            row: 0,
            across: geometry.across(),
            threads: 1,
            resident: 0,
            packing: self.packing,
            inverse: self.inverse,
            padding: PADDING,
            gap: 0,
            pointwise: [None, None, None],
            orders: self.orders.clone(),
            lane_pairs: [false; 2],
            warp: 1,
            wide: wide(arrays) || geometry.lines() * self.places() > 1 << 28,
            geometry,
            evict_first: [false; 2],
            next: None,
            between: 0,
        }
    }

    /// Its kernels, with the layout of its tables.
    pub(crate) fn lowered(self, descs: Vec<KernelDesc>, ends: [ArrayId; 2], passes: Vec<Chosen>) -> LoweredPass {
        LoweredPass { descs, ends, tables: self.tables, uses_bluestein: self.uses_bluestein, passes }
    }
}
