//! How far a recipe is: which transforms are done, and what may come next.

use crate::distribution::Distribution;
use crate::recipe::step::{Action, PassOp};
use crate::recipe::subject::{Subject, with_unit_axis};
use fourfold::Domain;
use fourfold::engine::{AxisTransform, Transform1d};

/// The array after some of the steps: which transforms were done, and the distribution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Progress {
    pub(crate) distribution: Distribution,
    /// The stage whose transforms are being done, or the number of stages.
    stage: usize,
    /// The transforms of that stage that are done, as bits.
    done: u64,
}

impl Progress {
    pub(crate) fn start(distribution: Distribution) -> Progress {
        Progress { distribution, stage: 0, done: 0 }
    }

    pub(crate) fn stage(&self) -> usize {
        self.stage
    }

    /// Whether all stages are done.
    pub(crate) fn is_complete(&self, subject: &Subject) -> bool {
        self.stage == subject.stages().len()
    }

    /// Domain and shape of the array.
    pub(crate) fn array(&self, subject: &Subject) -> (Domain, Vec<usize>) {
        let Some(problem) = subject.stages().get(self.stage) else { return subject.output() };
        let (mut domain, mut shape) = (problem.input_domain(), with_unit_axis(&problem.input().shape));
        for (i, transform) in problem.transforms().iter().enumerate() {
            let AxisTransform { axis, n, transform1d, .. } = *transform;
            match transform1d {
                Transform1d::R2C if self.is_done(i) => (domain, shape[axis]) = (Domain::Complex, n / 2 + 1),
                Transform1d::C2R if self.is_done(i) => (domain, shape[axis]) = (Domain::Real, n),
                _ => {}
            }
        }
        (domain, shape)
    }

    /// The axes in the order in which they are stored, the slowest first.
    pub(crate) fn order(&self, subject: &Subject) -> Vec<usize> {
        let axes = 0..subject.axes();
        if subject.is_complex_signal() && self.is_complete(subject) { axes.rev().collect() } else { axes.collect() }
    }

    /// Does what an action of a recipe does.
    pub(crate) fn follow(&mut self, subject: &Subject, action: &Action) {
        match action {
            Action::Exchange { to, .. } => self.distribution = to.clone(),
            Action::Negate { .. } | Action::Reflect | Action::WeighEnds | Action::MultiplyRows => {}
            Action::Pass { ops, .. } => {
                for op in ops {
                    if let PassOp::Transform { transform, .. } = op {
                        let transforms = subject.stages()[self.stage].transforms();
                        let i = transforms.iter().position(|other| other == transform);
                        self.take(subject, i.expect("the actions compute the subject"));
                    }
                }
            }
        }
    }

    /// The last axis along which a transform of the stage is left, which one process does first.
    pub(crate) fn last_axis(&self, subject: &Subject) -> Option<usize> {
        let transforms = subject.stages().get(self.stage)?.transforms().iter().enumerate();
        transforms.filter(|(i, _)| !self.is_done(*i)).map(|(_, transform)| transform.axis).max()
    }

    /// A pass along an axis that is whole, if one can come next.
    pub(crate) fn next_pass(&mut self, subject: &Subject) -> Option<Action> {
        let first = self.ready(subject).next()?;
        let axis = subject.stages()[self.stage].transforms()[first].axis;
        let stage = self.stage;
        let mut ops = self.take(subject, first);
        let met = subject.stages()[stage].transforms()[first].transform1d;
        if self.stage != stage && !self.is_complete(subject) {
            let problem = &subject.stages()[self.stage];
            let fits = |i: &usize| {
                let other = problem.transforms()[*i];
                other.axis == axis && is_fourier(other.transform1d) == is_fourier(met)
            };
            if let Some(second) = self.ready(subject).find(fits) {
                ops.extend(self.take(subject, second));
            }
        }
        Some(Action::Pass { axis, ops })
    }

    /// The steps of a pass that do transform `i` of the stage, and the multiply after it if it is the
    /// last one before another stage.
    pub(crate) fn take(&mut self, subject: &Subject, i: usize) -> Vec<PassOp> {
        let transforms = subject.stages()[self.stage].transforms();
        let mut ops = vec![PassOp::Transform { stage: self.stage, transform: transforms[i] }];
        self.done |= 1 << i;
        if self.done.count_ones() as usize == transforms.len() {
            (self.stage, self.done) = (self.stage + 1, 0);
            ops.extend((!self.is_complete(subject)).then_some(PassOp::Multiply));
        }
        ops
    }

    /// The transforms of the stage that can come next, in the order of preference, which is that of
    /// the recipes of one process: rows before columns. A half spectrum is made before, and undone
    /// after, all complex FFTs.
    pub(crate) fn ready(&self, subject: &Subject) -> impl Iterator<Item = usize> + use<> {
        let transforms = subject.stages().get(self.stage).map_or(&[][..], |problem| problem.transforms());
        let left = (0..transforms.len()).filter(|i| !self.is_done(*i)).collect::<Vec<_>>();
        let is_left = |wanted: &dyn Fn(Transform1d) -> bool| left.iter().any(|i| wanted(transforms[*i].transform1d));
        let makes_half = is_left(&|transform| transform == Transform1d::R2C);
        let is_full = |transform| matches!(transform, Transform1d::Forward | Transform1d::Backward);
        let has_full = is_left(&is_full);
        let mut ready: Vec<usize> = left
            .into_iter()
            .filter(|i| {
                let AxisTransform { axis, transform1d, .. } = transforms[*i];
                let waits = (is_full(transform1d) && makes_half) || (transform1d == Transform1d::C2R && has_full);
                !waits && self.distribution.is_whole(axis)
            })
            .collect();
        let rank = |transform| match transform {
            Transform1d::R2C => 0,
            Transform1d::C2R => 2,
            _ => 1,
        };
        ready.sort_by_key(|i| (rank(transforms[*i].transform1d), std::cmp::Reverse(transforms[*i].axis)));
        ready.into_iter()
    }

    fn is_done(&self, i: usize) -> bool {
        self.done >> i & 1 == 1
    }
}

/// Whether at least one side of the transform is complex.
fn is_fourier(transform: Transform1d) -> bool {
    matches!(transform, Transform1d::Forward | Transform1d::Backward | Transform1d::R2C | Transform1d::C2R)
}
