//! What the system says of its processor.

use std::fs;

/// The processor's name, with what tells its models apart where several have one name.
pub(crate) fn processor() -> String {
    described(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
}

/// From the lines `name : value` of Linux. Other systems do not have them.
fn described(lines: &str) -> String {
    let value = |name: &str| {
        let of_line =
            |line: &str| line.split_once(':').map(|(key, value)| (key.trim() == name, value.trim().to_owned()));
        lines.lines().filter_map(of_line).find(|(is_it, _)| *is_it).map(|(_, value)| value)
    };
    let facts = [("vendor_id", ""), ("cpu family", "family "), ("model", "model "), ("stepping", "stepping ")];
    let facts = facts.iter().filter_map(|(key, word)| Some(format!("{word}{}", value(key)?)));
    let facts = facts.collect::<Vec<_>>().join(", ");
    match value("model name") {
        Some(name) if facts.is_empty() => name,
        Some(name) => format!("{name} ({facts})"),
        None => "a processor that the system does not name".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_of_one_name_are_told_apart() {
        let lines = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n\
                     stepping\t: 1\n\nprocessor\t: 1\nmodel\t\t: 2\n";
        assert_eq!(described(lines), "AMD EPYC (AuthenticAMD, family 25, model 1, stepping 1)");
        assert_eq!(described("model name\t: Neoverse\n"), "Neoverse");
        assert_eq!(described(""), "a processor that the system does not name");
    }
}
