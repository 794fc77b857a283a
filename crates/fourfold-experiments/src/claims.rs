//! What documents say of the numbers of a page, and whether it is so here.

use fourfold::timing::table::Table;

use crate::noise::Noise;

/// A statement about the numbers of a page: the document's, one that follows from it (`implied`),
/// or fourfold's (`ours`).
#[derive(Debug)]
pub(crate) struct Claim {
    /// With the bound within which it holds, if the document gives none.
    text: String,
    /// The numbers that decide.
    here: String,
    decision: Decision,
    /// The noise of other tables whose times decide, too; else 1.
    others: f64,
}

#[derive(Debug)]
enum Decision {
    Exact(bool),
    /// The factor by which a ratio of times lies on the right side of its bound; below 1, it lies on
    /// the wrong side.
    Timed(f64),
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Yes,
    No,
    /// Another measurement may decide otherwise.
    WithinTheNoise,
}

impl Claim {
    /// One on numbers that are the same in every run.
    pub(crate) fn exact(text: impl Into<String>, here: impl Into<String>, holds: bool) -> Claim {
        Claim { text: text.into(), here: here.into(), decision: Decision::Exact(holds), others: 1.0 }
    }

    /// One on times: `margin` is the factor by which a ratio of them lies on the right side of its
    /// bound, as in `ratio / bound` if it must be at least the bound. Of several ratios, it is the
    /// least of the factors.
    pub(crate) fn timed(text: impl Into<String>, here: impl Into<String>, margin: f64) -> Claim {
        Claim { text: text.into(), here: here.into(), decision: Decision::Timed(margin), others: 1.0 }
    }

    /// The same, where times of another table decide, too, which has this noise. The larger noise of
    /// both counts.
    pub(crate) fn beside(self, noise: Option<Noise>) -> Claim {
        Claim { others: noise.map_or(self.others, |noise| noise.most.max(self.others)), ..self }
    }

    /// `noise`: the factor that times of the same problem differ by.
    fn verdict(&self, noise: f64) -> Verdict {
        let noise = noise.max(self.others);
        match self.decision {
            Decision::Exact(true) => Verdict::Yes,
            Decision::Exact(false) => Verdict::No,
            Decision::Timed(margin) if margin > noise => Verdict::Yes,
            Decision::Timed(margin) if margin * noise < 1.0 => Verdict::No,
            Decision::Timed(_) => Verdict::WithinTheNoise,
        }
    }

    /// With a digit more than ratios have, since it is compared with the noise.
    fn margin(&self) -> String {
        match self.decision {
            Decision::Exact(_) => String::new(),
            Decision::Timed(margin) => format!("{margin:.3}"),
        }
    }

    /// Whether it depends on times.
    pub(crate) fn is_timed(&self) -> bool {
        matches!(self.decision, Decision::Timed(_))
    }
}

/// The margin of ratios that must lie in a range.
pub(crate) fn margin_within([least, most]: [f64; 2], ratios: [f64; 2]) -> f64 {
    (ratios[0] / least).min(most / ratios[1])
}

/// Claims with their margins and verdicts; nothing if there are none. The title says what the noise is.
/// Where rows were disturbed, its largest value decides, since these may be among the rows of a claim.
pub(crate) fn table(claims: &[Claim], noise: Option<Noise>, is_disturbed: bool) -> Option<String> {
    let decides = noise.map_or(1.0, |noise| if is_disturbed { noise.most } else { noise.mean });
    let mut table = Table::new(["claim", "here", "margin", "holds here"]);
    for claim in claims {
        let verdict = match claim.verdict(decides) {
            Verdict::Yes => "yes",
            Verdict::No => "**no**",
            Verdict::WithinTheNoise => "within the noise",
        };
        table.row([&*claim.text, &claim.here, &claim.margin(), verdict]);
    }
    let title = match noise {
        None => "Claims".to_owned(),
        Some(Noise { mean, most }) => {
            let which = if is_disturbed { ", which decides, as rows were disturbed" } else { "" };
            format!("Claims, where the noise of this table is {mean:.3} times ({most:.3} at most{which})")
        }
    };
    (!table.is_empty()).then(|| format!("{title}:\n\n{table}"))
}

/// The verdicts where times of the same problem do not differ.
#[cfg(test)]
pub(crate) fn verdicts(claims: &[Claim]) -> Vec<bool> {
    claims.iter().map(|claim| claim.verdict(1.0) == Verdict::Yes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_near_their_bound_are_within_the_noise() {
        let of = |margin: f64| Claim::timed("C", "", margin).verdict(1.25);
        let verdicts = [1.3, 1.2, 1.0, 0.81, 0.79].map(of);
        let open = Verdict::WithinTheNoise;
        assert_eq!(verdicts, [Verdict::Yes, open, open, open, Verdict::No]);
        assert_eq!(Claim::exact("C", "", false).verdict(9.0), Verdict::No);
        let beside = |most| Claim::timed("C", "", 1.5).beside(Some(Noise { mean: 1.0, most })).verdict(1.25);
        assert_eq!([beside(1.4), beside(1.6)], [Verdict::Yes, open]);
        assert_eq!(margin_within([0.5, 1.5], [1.0, 1.25]), 1.2);
        assert_eq!(margin_within([0.5, 1.5], [0.25, 1.0]), 0.5);
    }

    #[test]
    fn the_table_says_what_the_noise_is() {
        let claims = [Claim::timed("C", "2", 2.0), Claim::timed("D", "1.1", 1.1), Claim::exact("E", "3", false)];
        let rows = "| claim | here | margin | holds here |\n|---|---|---|---|\n| C | 2 | 2.000 | yes |\n\
                    | D | 1.1 | 1.100 | within the noise |\n| E | 3 | – | **no** |\n";
        let title = "Claims, where the noise of this table is 1.160 times (1.500 at most):\n\n";
        let noise = |most| Some(Noise { mean: 1.16, most });
        assert_eq!(table(&claims, noise(1.5), false), Some(format!("{title}{rows}")));
        assert_eq!(table(&[], None, false), None);
        let disturbed = table(&claims, noise(2.5), true).unwrap();
        assert!(disturbed.contains("(2.500 at most, which decides, as rows were disturbed)"), "{disturbed}");
        assert!(disturbed.contains("| C | 2 | 2.000 | within the noise |"), "{disturbed}");
    }
}
