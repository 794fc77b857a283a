//! Who takes part.

/// What a contestant is to fourfold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Ours,
    Peer,
    /// It does other work than the problem asks for: a copy, an FFT, more threads.
    Yardstick,
}

/// One way to solve a problem, ready to run.
pub(crate) struct Contestant<'a> {
    pub(crate) name: String,
    pub(crate) role: Role,
    /// Its results times this are fourfold's; none if they are other results.
    pub(crate) factor: Factor,
    pub(crate) runner: Runner<'a>,
}

/// How a contestant scales its results.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Factor {
    Times(f64),
    /// Orthonormal.
    Ortho,
    /// Not to be compared: other work, or results that do not come here.
    Other,
}

/// Where it runs.
pub(crate) enum Runner<'a> {
    /// In this process: one call is one run.
    Here(Box<dyn FnMut() + 'a>),
    /// In the Python child, under this name.
    Child(&'static str),
}

impl<'a> Contestant<'a> {
    pub(crate) fn peer(name: &str, factor: f64, run: impl FnMut() + 'a) -> Contestant<'a> {
        Contestant {
            name: name.to_owned(),
            role: Role::Peer,
            factor: Factor::Times(factor),
            runner: Runner::Here(Box::new(run)),
        }
    }

    pub(crate) fn yardstick(self) -> Contestant<'a> {
        Contestant { role: Role::Yardstick, factor: Factor::Other, ..self }
    }

    pub(crate) fn ours(self) -> Contestant<'a> {
        Contestant { role: Role::Ours, ..self }
    }

    pub(crate) fn ortho(self) -> Contestant<'a> {
        Contestant { factor: Factor::Ortho, ..self }
    }
}
