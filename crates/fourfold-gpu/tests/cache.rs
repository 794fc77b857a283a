//! Plans with kernels from disk.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::present;
use fourfold::Problem;
use fourfold_gpu::cache::Cache;
use fourfold_gpu::{Device, GpuPlanner};
use std::fs;
use std::process::Command;

/// Kernels of several sorts.
const PROBLEMS: [&str; 3] = ["dct2 f32 12x20", "fft f32 17", "dst1,dct4 f32 6x5"];

/// What the problems' plans make of numbers.
fn outputs(device: &Device, cache: &Cache) -> Vec<Vec<f32>> {
    let planner = GpuPlanner::with_cache(device.clone(), Some(cache.clone()));
    let run = |text: &&str| {
        let problem: Problem = text.parse().unwrap();
        let plan = planner.plan(&problem).unwrap();
        let x: Vec<f32> = (0..2 * problem.input().len).map(|i| (i as f32).sin()).collect();
        if problem.input_domain() == fourfold::Domain::Real {
            let mut y = vec![0.0; problem.output().len];
            plan.execute(&x, &mut y).unwrap();
            return y;
        }
        let x: Vec<_> = x.chunks(2).map(|z| num_complex::Complex::new(z[0], z[1])).collect();
        let mut y = x.clone();
        plan.execute(&x, &mut y).unwrap();
        y.iter().flat_map(|z| [z.re, z.im]).collect()
    };
    PROBLEMS.iter().map(run).collect()
}

/// The files of a cache and what is in them.
fn files(cache: &Cache) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files: Vec<_> =
        cache.entries().unwrap().into_iter().map(|e| (e.path.clone(), fs::read(e.path).unwrap())).collect();
    files.sort();
    files
}

#[cfg(unix)]
#[test]
fn kernels_are_kept_and_found() {
    use std::os::unix::fs::MetadataExt;
    let Some(device) = present() else { return };
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(folder.path().join("kernels"));
    let expected = outputs(&device, &cache);
    let entries = cache.entries().unwrap();
    assert!(entries.len() >= PROBLEMS.len());
    assert!(entries.iter().all(|entry| entry.target.contains(device.name())), "{entries:?}");
    assert_eq!(entries.iter().map(|entry| entry.bytes).sum::<u64>(), cache.bytes().unwrap());
    // An entry that is written again is another file.
    let files = || cache.entries().unwrap().iter().map(|e| fs::metadata(&e.path).unwrap().ino()).collect::<Vec<_>>();
    let mut before = files();
    assert_eq!(outputs(&device, &cache), expected);
    let mut after = files();
    before.sort();
    after.sort();
    assert_eq!(before, after);
    assert_eq!(cache.clear().unwrap(), entries.len());
    assert!(cache.entries().unwrap().is_empty());
}

#[test]
fn damaged_entries_are_made_again() {
    let Some(device) = present() else { return };
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(folder.path());
    let expected = outputs(&device, &cache);
    let whole = files(&cache);
    for (i, (path, bytes)) in whole.iter().enumerate() {
        let mut damaged = bytes.clone();
        match i % 4 {
            0 => damaged.truncate(bytes.len() - 1),
            1 => *damaged.last_mut().unwrap() ^= 1,
            2 => damaged.clear(),
            _ => damaged[bytes.len() / 2] ^= 0x80,
        }
        fs::write(path, damaged).unwrap();
    }
    assert_eq!(outputs(&device, &cache), expected);
    let lengths = |files: &[(std::path::PathBuf, Vec<u8>)]| files.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
    let again = files(&cache);
    assert_eq!(lengths(&again), lengths(&whole));
    // They are whole: nothing is written a third time.
    assert_eq!(outputs(&device, &cache), expected);
    assert_eq!(files(&cache), again);
}

#[test]
fn a_full_cache_and_a_folder_that_cannot_be_written_do_no_harm() {
    let Some(device) = present() else { return };
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(folder.path());
    let expected = outputs(&device, &cache);
    // The same kernel compiled again may be longer: a few bytes, or by what PoCL has kept of it
    // since the first time.
    let again = Cache::open(folder.path().join("again"));
    assert_eq!(outputs(&device, &again), expected);
    let largest = again.entries().unwrap().iter().map(|entry| entry.bytes).max().unwrap();
    let limit = largest + largest / 8;
    let small = Cache::open(folder.path().join("small")).with_limit(limit);
    assert_eq!(outputs(&device, &small), expected);
    assert!((1..=limit).contains(&small.bytes().unwrap()), "{}", small.bytes().unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = folder.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(outputs(&device, &Cache::open(&open)), expected);
        assert_eq!(fs::read_dir(open).unwrap().count(), 0);
    }
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    assert_eq!(outputs(&device, &Cache::open(file.join("kernels"))), expected);
}

#[test]
fn processes_share_a_cache() {
    let Some(device) = present() else { return };
    let folder = tempfile::tempdir().unwrap();
    let child = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "one_of_many_processes", "--ignored"]).env("FOURFOLD_CACHE_DIR", folder.path());
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..3).map(|_| child()).collect();
    children.into_iter().for_each(|mut child| assert!(child.wait().unwrap().success()));
    let cache = Cache::open(folder.path());
    let there = files(&cache);
    assert!(there.len() >= PROBLEMS.len());
    outputs(&device, &cache);
    assert_eq!(files(&cache), there);
}

#[test]
#[ignore = "`processes_share_a_cache` starts it"]
fn one_of_many_processes() {
    let cache = Cache::standard().unwrap().expect("the folder is named");
    let first = outputs(&common::device().unwrap(), &cache);
    assert_eq!(outputs(&common::device().unwrap(), &cache), first);
}

#[test]
fn the_environment_says_where_the_cache_is() {
    let child = |vars: &[(&str, &str)]| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "a_process_with_an_environment", "--ignored", "--nocapture"]);
        command.env_remove("FOURFOLD_CACHE_DIR").env_remove("FOURFOLD_CACHE_LIMIT").envs(vars.iter().copied());
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(child(&[("FOURFOLD_CACHE_DIR", "")]).contains("standard: None"));
    let named = child(&[("FOURFOLD_CACHE_DIR", "/somewhere"), ("FOURFOLD_CACHE_LIMIT", "1000")]);
    assert!(named.contains(r#"standard: Some(("/somewhere", 1000))"#), "{named}");
    let sized = child(&[("FOURFOLD_CACHE_DIR", "/somewhere"), ("FOURFOLD_CACHE_LIMIT", "2G")]);
    assert!(sized.contains(&format!(r#"("/somewhere", {}))"#, 2u64 << 30)), "{sized}");
    let refused = child(&[("FOURFOLD_CACHE_LIMIT", "much")]);
    assert!(refused.contains("refused: ") && refused.contains(r#""much""#), "{refused}");
    if cfg!(target_os = "linux") {
        let user = child(&[("XDG_CACHE_HOME", "/of/user")]);
        assert!(user.contains(&format!(r#"standard: Some(("/of/user/fourfold", {}))"#, 256 << 20)), "{user}");
        assert!(child(&[("XDG_CACHE_HOME", ""), ("HOME", "/home/me")]).contains("/home/me/.cache/fourfold"));
        // Not the home of the account.
        assert!(child(&[("XDG_CACHE_HOME", ""), ("HOME", "")]).contains("standard: None"));
    }
}

#[test]
#[ignore = "`the_environment_says_where_the_cache_is` starts it"]
fn a_process_with_an_environment() {
    let standard = Cache::standard().map(|cache| cache.map(|cache| (cache.folder().to_owned(), cache.limit())));
    match standard {
        Ok(standard) => println!("standard: {standard:?}"),
        Err(error) => println!("refused: {error}"),
    }
}
