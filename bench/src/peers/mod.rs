//! The peers, as far as they could be had.

pub(crate) mod composite;
mod ducc;
mod fftw;
mod ipp;
mod library;
mod mkl;
pub(crate) mod ours;
pub(crate) mod python;
mod rust;

use crate::case::Case;
use crate::contestant::Contestant;
use anyhow::Result;
use std::path::Path;

/// Builds of ducc for this CPU, by the names of the contestants.
const DUCC: [(&str, &str); 2] = [("ducc 0.42", "libducc-0.42.0.so"), ("ducc 0.35", "libducc-0.35.0.so")];

pub(crate) struct Peers {
    mkl: Option<mkl::Mkl>,
    ipp: Option<ipp::Ipp>,
    fftw: Option<fftw::Fftw>,
    ducc: Vec<(&'static str, ducc::Ducc)>,
    ducc_avx2: Option<ducc::Ducc>,
    pub(crate) python: Option<python::Python>,
    /// What could not be had, and why.
    pub(crate) missing: Vec<String>,
}

impl Peers {
    /// Opens what `peers.sh` has left in `folder`.
    pub(crate) fn open(folder: &Path) -> Peers {
        let (libraries, packages) = (folder.join("lib"), folder.join("python/lib"));
        let mut missing = Vec::new();
        Peers {
            mkl: had("MKL and composite M", mkl::Mkl::open(&packages), &mut missing),
            ipp: had("IPP", ipp::Ipp::open(&packages), &mut missing),
            fftw: had("FFTW", fftw::Fftw::open(&libraries), &mut missing),
            ducc: DUCC
                .iter()
                .filter_map(|(name, file)| Some((*name, had(name, ducc::Ducc::open(&libraries, file), &mut missing)?)))
                .collect(),
            ducc_avx2: had("ducc for AVX2", ducc::Ducc::open(&libraries, "libducc-avx2.so"), &mut missing),
            python: had("SciPy and OpenCV", python::Python::start(&folder.join("python/bin/python")), &mut missing),
            missing,
        }
    }

    /// All that solve the case with one thread.
    pub(crate) fn offers<'a>(&self, case: &'a Case) -> Result<Vec<Contestant<'a>>> {
        let mut all = Vec::new();
        if let Some(mkl) = self.mkl.as_ref().filter(|_| case.kind.is_some()) {
            all.push(mkl.offer(case)?);
            all.extend(composite::offer(case, mkl)?);
        }
        if let Some(ipp) = &self.ipp {
            all.extend(ipp.offer(case)?);
        }
        all.extend(self.ducc.iter().filter_map(|(name, ducc)| ducc.offer(name, case, 1)));
        if let Some(fftw) = &self.fftw {
            all.extend(fftw.offer(case)?);
        }
        all.extend(rust::offers(case));
        if let Some(python) = &self.python {
            all.extend(python.offers(case)?);
        }
        Ok(all)
    }

    /// ducc's build for AVX2.
    pub(crate) fn ducc_avx2<'a>(&self, case: &'a Case) -> Option<Contestant<'a>> {
        self.ducc_avx2.as_ref()?.offer("ducc 0.42, AVX2", case, 1)
    }

    /// ducc with more threads.
    pub(crate) fn ducc_threads<'a>(&self, case: &'a Case, threads: usize) -> Option<Contestant<'a>> {
        let (_, ducc) = self.ducc.first()?;
        Some(ducc.offer(&format!("ducc 0.42, {threads} threads"), case, threads)?.yardstick())
    }

    /// Keeps what was learnt while planning.
    pub(crate) fn save(&self) -> Result<()> {
        self.fftw.as_ref().map_or(Ok(()), fftw::Fftw::save)
    }
}

fn had<T>(name: &str, peer: Result<T>, missing: &mut Vec<String>) -> Option<T> {
    peer.map_err(|error| missing.push(format!("{name} ({error:#})"))).ok()
}
