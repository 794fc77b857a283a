//! Sizes that may be chosen of a pass.

/// How large blocks are, and how they share out their lines; as estimated, where it is not said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Size {
    /// Lines of a block that has whole lines.
    pub(crate) tile: Option<usize>,
    /// The most threads, dealt out to the items of the longest stage.
    pub(crate) threads: Option<usize>,
    /// Blocks on an SM for which the compiler shall leave registers; 0 if it may choose.
    pub(crate) resident: Option<usize>,
    /// 1 if both sublines of Hermitian pairs have threads, 0 if they are done one after the other.
    pub(crate) beside: Option<usize>,
    /// 1 if lanes are paired where they can be, 0 if they are not.
    pub(crate) exchange: Option<usize>,
    /// 1 if rows that are made of half spectra, and those of types I, go through shared memory before they are
    /// written, where they have room there; 0 if they do not.
    pub(crate) through: Option<usize>,
    /// Kernels that the pass is, each for a range of the digits. Lines whose one kernel convolves are convolved as a
    /// whole in three or five, then without clusters.
    pub(crate) kernels: Option<usize>,
    /// Bytes of a run of memory, where a block has parts of lines and no tile is chosen, but for clusters.
    pub(crate) run: Option<usize>,
}

/// With which pass a pass is one kernel, if shared memory has room for a part of the array over their axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum AxisFusion {
    #[default]
    None,
    /// With the one before it in the recipe.
    WithPrevious,
    /// With the one of this number, right after which it runs.
    WithPass(usize),
}

/// Names of sizes in the text of a choice, and the least and the most of each.
pub(crate) const NAMES: [(&str, [usize; 2]); 8] = [
    ("tile", [1, 4096]),
    ("threads", [1, 4096]),
    ("resident", [0, 32]),
    ("beside", [0, 1]),
    ("exchange", [0, 1]),
    ("through", [0, 1]),
    ("kernels", [1, 8]),
    ("run", [1, 4096]),
];

impl Size {
    /// In the order of [`NAMES`].
    pub(crate) fn values(mut self) -> [Option<usize>; 8] {
        self.values_mut().map(|value| *value)
    }

    /// The same, to be changed.
    pub(crate) fn values_mut(&mut self) -> [&mut Option<usize>; 8] {
        let Size { tile, threads, resident, beside, exchange, through, kernels, run } = self;
        [tile, threads, resident, beside, exchange, through, kernels, run]
    }

    /// Whether each is what [`NAMES`] allows.
    pub(crate) fn is_valid(self) -> bool {
        let mut all = NAMES.iter().zip(self.values());
        all.all(|((_, [least, most]), value)| value.is_none_or(|value| (least..=most).contains(&&value)))
    }

    /// Whether the number of kernels is an estimate.
    pub(crate) fn estimates_kernels(self) -> bool {
        self.tile.or(self.kernels).or(self.run).is_none()
    }

    /// What of it holds for each of several kernels.
    pub(crate) fn of_each(self) -> Size {
        Size { tile: None, kernels: None, ..self }
    }
}
