// SPDX-License-Identifier: Apache-2.0
//! Two threads that count words, sort, search, recurse, format, and catch panics, until the program is ended.

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex};
use std::thread;

#[inline(never)]
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[inline(never)]
fn write_text(state: &mut u64, words: usize) -> String {
    let mut out = String::new();
    for _ in 0..words {
        out.push_str(&format!("w{} ", next(state) % 500));
    }
    out
}

#[inline(never)]
fn count_words(text: &str) -> HashMap<&str, usize> {
    let mut out = HashMap::new();
    for word in text.split_whitespace() {
        *out.entry(word).or_insert(0) += 1;
    }
    out
}

#[inline(never)]
fn compare(a: &(usize, String), b: &(usize, String)) -> std::cmp::Ordering {
    b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1))
}

#[inline(never)]
fn sort_counts(counts: HashMap<&str, usize>) -> Vec<(usize, String)> {
    let mut out: Vec<_> = counts.into_iter().map(|(word, n)| (n, word.to_string())).collect();
    out.sort_by(compare);
    out
}

#[inline(never)]
fn index(sorted: &[(usize, String)]) -> BTreeMap<String, usize> {
    sorted.iter().map(|(n, word)| (word.clone(), *n)).collect()
}

#[inline(never)]
fn search(tree: &BTreeMap<String, usize>, state: &mut u64) -> usize {
    (0..200).filter_map(|_| tree.get(&format!("w{}", next(state) % 600))).sum()
}

#[inline(never)]
fn recurse(depth: u64) -> u64 {
    if depth == 0 {
        return 1;
    }
    black_box(recurse(depth - 1)) + black_box(depth) % 7
}

#[inline(never)]
fn fail(state: &mut u64) -> u64 {
    let value = next(state);
    if value % 2 == 0 {
        panic!("every second");
    }
    value
}

#[inline(never)]
fn try_it(state: &mut u64) -> u64 {
    catch_unwind(AssertUnwindSafe(|| fail(state))).unwrap_or(0)
}

#[inline(never)]
fn call_all(actions: &[Box<dyn Fn(u64) -> u64 + Send>], value: u64) -> u64 {
    actions.iter().map(|action| action(value)).sum()
}

fn serve(mut state: u64, shared: Arc<Mutex<u64>>) {
    let actions: Vec<Box<dyn Fn(u64) -> u64 + Send>> =
        vec![Box::new(|x| recurse(x % 40)), Box::new(|x| (0..50).fold(x, |a, b| black_box(a * 31 + b) % 1_000_003))];
    loop {
        let text = write_text(&mut state, 300);
        let sorted = sort_counts(count_words(&text));
        let tree = index(&sorted);
        let mut found = search(&tree, &mut state) as u64;
        for _ in 0..30 {
            found += call_all(&actions, next(&mut state) % 1000);
        }
        for _ in 0..4 {
            found ^= try_it(&mut state);
        }
        *shared.lock().unwrap() ^= found;
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let shared = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (1..3).map(|n| (n, shared.clone())).map(|(n, shared)| thread::spawn(move || serve(n * 88172645463325252, shared))).collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
