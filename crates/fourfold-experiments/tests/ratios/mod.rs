//! Checks that columns headed as ratios have the ratios of the columns that they name.

/// How many cells have a ratio of others in their row, by their heads: `a/b`, where `a c` and `b c`
/// may be columns if the head is `a/b c`, and `a × copy`. An error if one is not that ratio. Cells
/// have three digits, and small ratios two decimals.
pub(crate) fn checked_ratios(csv: &str) -> usize {
    let mut lines = csv.lines().map(split);
    let heads = lines.next().unwrap();
    let place = |name: &str| heads.iter().position(|head| head == name);
    let operands = |head: &str| {
        if let Some(over) = head.strip_suffix(" × copy") {
            return Some([place(over)?, place("copy")?]);
        }
        let (over, under) = head.split_once('/')?;
        let suffix = under.rsplit_once(' ').map_or("", |(_, last)| last);
        Some([place(over).or_else(|| place(&format!("{over} {suffix}")))?, place(under)?])
    };
    let rows: Vec<Vec<String>> = lines.collect();
    let mut checked = 0;
    for (head, [over, under]) in heads.iter().filter_map(|head| Some((head, operands(head)?))) {
        let column = place(head).unwrap();
        for row in &rows {
            let [ratio, over, under] = [column, over, under].map(|i| row[i].parse::<f64>().unwrap());
            assert!((ratio - over / under).abs() < 0.006 + 0.011 * ratio, "{head}: {row:?}");
            checked += 1;
        }
    }
    checked
}

/// The cells of a line, some of which stand in quotes.
fn split(line: &str) -> Vec<String> {
    let outside =
        line.split('"').enumerate().map(|(i, part)| if i % 2 == 0 { part.replace(',', "\n") } else { part.into() });
    outside.collect::<String>().split('\n').map(str::to_owned).collect()
}

#[test]
fn a_wrong_ratio_is_found() {
    let of = |ratio: &str| {
        format!("N,\"old, new\",old step,new step,old/new step,copy,old step × copy\n1,2,9,4,{ratio},2,4.50\n")
    };
    assert_eq!(checked_ratios(&of("2.25")), 2);
    assert!(std::panic::catch_unwind(|| checked_ratios(&of("0.44"))).is_err());
    assert!(std::panic::catch_unwind(|| checked_ratios(&of("2.30"))).is_err());
}
