//! The tables of one precision, which a planner keeps for its plans, and the engines that use them.

use crate::baseline::any_recipe::AnyRecipe;
use crate::baseline::cpu::stages;
use crate::baseline::cpu::stages::StagedEngine;
use crate::cpu::base::execute::Execute;
use crate::cpu::base::sizes::{Sizes, table_bytes};
use crate::cpu::batch::batch::Batch;
use crate::cpu::batch::values::Values;
use crate::cpu::engine::{Engine, PreparedAxis};
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::single::single::Single;
use crate::error::Result;
use crate::plan::checks::check_memory;
use crate::recipe::multiplier::Multiplier;
use crate::recipe::recipe::{AxisRecipe, Recipe};
use crate::recipe::scheme::Scheme;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

/// The tables of 1D transforms. The key is a text of everything on which they depend.
pub(crate) struct Tables<S>(Mutex<HashMap<String, PreparedAxis<S>>>);

impl<S> Default for Tables<S> {
    fn default() -> Self {
        Tables(Mutex::default())
    }
}

impl<S: Dispatch> Tables<S> {
    /// The engine of a recipe, or of only the given stage of a baseline's recipe.
    ///
    /// # Errors
    /// If there is no memory for the tables, or if the multiplier does not fit.
    pub(crate) fn any_engine(
        &self,
        recipe: &AnyRecipe,
        isa: Isa,
        multiplier: Option<&Multiplier>,
        stage: Option<usize>,
    ) -> Result<Box<dyn Execute<S>>> {
        Ok(match recipe {
            AnyRecipe::Fused(recipe) => Box::new(self.engine(recipe, isa, multiplier)?),
            AnyRecipe::Staged(recipe) => {
                let mut fft = |recipe: &Recipe| self.engine(recipe, isa, None);
                Box::new(StagedEngine::new(recipe, isa, stage, &mut fft)?)
            }
        })
    }

    fn engine(&self, recipe: &Recipe, isa: Isa, multiplier: Option<&Multiplier>) -> Result<Engine<S>> {
        let values = multiplier.map(|multiplier| Values::<S>::new(multiplier, recipe)).transpose()?;
        Engine::new(recipe, isa, values, &mut |line| self.line(line))
    }

    /// The tables of a 1D transform. They are made if they are not kept already.
    fn line(&self, line: &AxisRecipe) -> Result<PreparedAxis<S>> {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match tables.entry(key(line)) {
            Entry::Occupied(entry) => Ok(entry.get().clone()),
            Entry::Vacant(entry) => {
                check_memory(line, table_bytes(line, size_of::<S>()))?;
                Ok(entry.insert(prepared(line)).clone())
            }
        }
    }
}

/// Makes the tables of a 1D transform.
fn prepared<S: Dispatch>(line: &AxisRecipe) -> PreparedAxis<S> {
    match &line.scheme {
        Scheme::Batched(factors) => PreparedAxis::Batch(Arc::new(Batch::new(line, factors))),
        Scheme::IntraVector(_) | Scheme::Blocked { .. } | Scheme::FourStep { .. } | Scheme::Bluestein { .. } => {
            PreparedAxis::Single(Arc::new(Single::new(line)))
        }
    }
}

/// The key of the tables of a 1D transform.
fn key(line: &AxisRecipe) -> String {
    let AxisRecipe { transform, scale, scheme } = line;
    format!("{:?} {} {:?} {scale:e} {scheme:?}", transform.transform1d, transform.n, transform.end_weights)
}

/// The bytes of scratch of a recipe with `threads` threads. It makes no tables.
pub(crate) fn scratch_bytes<S>(recipe: &AnyRecipe, isa: Isa, threads: usize) -> usize {
    match recipe {
        AnyRecipe::Fused(recipe) => Sizes::new::<S>(recipe, isa).scratch(threads),
        AnyRecipe::Staged(recipe) => stages::scratch_bytes::<S>(recipe, isa, threads),
    }
}
