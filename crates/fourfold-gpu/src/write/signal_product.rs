//! The signal between a transform from a spectrum and one to a spectrum, multiplied where it stands.

use crate::desc::filter::SignalProduct;
use crate::desc::kernel::Packing;
use crate::desc::stage::{Port, Split, View};
use crate::ir::statement::{Int, Sym};
use crate::write::dft::small_dft;
use crate::write::element::Element;
use crate::write::writer::{Subline, Writer};
use fourfold::engine::C;

impl Writer<'_> {
    /// All elements in the buffer.
    pub(crate) fn signal_products(&self, product: &SignalProduct) {
        let all = [0, product.n];
        self.items(product.n, |line, e| {
            let z = self.load_at(&Port::Buffer, line, e, all);
            self.store_at(&Port::Buffer, line, e, all, self.signal_product(product, line, e, all, z));
        });
    }

    /// DFTs of the first digit and those back from it, which take the same elements: so these stay in
    /// registers. No other digit is before it, so that there are no twiddles.
    pub(crate) fn dfts_of_signals(&self, [there, back]: [&Split; 2], product: &SignalProduct) {
        let groups = there.groups;
        debug_assert!(there == &Split { inverse: true, ..*back } && there.inner == 1);
        self.items(groups, |line, item| {
            let small = self.small(there, [groups, 1], line, item, &Port::Buffer);
            let places = self.small_addresses(&small, &Port::Buffer, line);
            let range = |j: usize| [j * groups, (j + 1) * groups];
            let z: Vec<_> = (0..there.radix).map(|j| self.load(&Port::Buffer, line, places[j], range(j))).collect();
            let signal = small_dft(&z).into_iter().enumerate();
            let element = |j: usize| item + (j * groups) as i64;
            let products: Vec<_> =
                signal.map(|(j, z)| self.signal_product(product, line, element(j), range(j), z)).collect();
            for (j, z) in small_dft(&products).into_iter().enumerate() {
                self.store(&Port::Buffer, line, places[j], range(j), z);
            }
        });
    }

    /// What element `e`, which is in `range`, becomes.
    fn signal_product(
        &self,
        product: &SignalProduct,
        line: Subline,
        e: Int,
        range: [usize; 2],
        exchanged: C<Sym>,
    ) -> C<Sym> {
        let view = View { order: product.order, ..View::default() };
        let real = |m: Int, range, number, x: Sym| {
            // Signs are met there and back.
            let (at, _) = self.ordered(&view, m, range);
            self.real_element_done(x, Element::new(line, number, at))
        };
        let C { re, im } = exchanged.swap();
        match self.desc.packing {
            Packing::HalfLength => {
                let range = range.map(|m| 2 * m);
                C { re: real(e * 2, range, 0, re), im: real(e * 2 + 1, range, 0, im) }
            }
            Packing::TwoForOne => C { re: real(e, range, 0, re), im: real(e, range, 1, im) },
            Packing::Single | Packing::Complex | Packing::Quarters => C { re: real(e, range, 0, re), im },
        }
    }
}
