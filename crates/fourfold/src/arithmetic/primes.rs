//! Number theory: prime factors, and the powers of a generator modulo a prime.

/// The prime factors of n in ascending order, with multiplicity. The list is empty for n ≤ 1.
pub fn prime_factors(mut n: usize) -> Vec<usize> {
    let (mut list, mut p) = (vec![], 2);
    while p * p <= n {
        while n % p == 0 {
            list.push(p);
            n /= p;
        }
        p += if p == 2 { 1 } else { 2 };
    }
    if n > 1 {
        list.push(n);
    }
    list
}

/// The greatest common divisor; the other number, if one is 0.
pub fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The powers g^0, g^1, …, g^{p−2} mod p of the least generator g of the multiplicative group of
/// the prime p.
pub fn generator_powers(p: usize) -> Vec<u32> {
    let g = generator(p as u64);
    std::iter::successors(Some(1u64), |x| Some(x * g % p as u64)).take(p - 1).map(|x| x as u32).collect()
}

/// The least generator of the multiplicative group of the prime p.
fn generator(p: u64) -> u64 {
    let mut primes = prime_factors(p as usize - 1);
    primes.dedup();
    (1..p).find(|&g| primes.iter().all(|&q| power(g, (p - 1) / q as u64, p) != 1)).expect("every prime has a generator")
}

fn power(mut base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = (result as u128 * base as u128 % modulus as u128) as u64;
        }
        base = (base as u128 * base as u128 % modulus as u128) as u64;
        exponent >>= 1;
    }
    result
}
