//! The random instances of the DIMACS challenge on the travelling salesman problem (Johnson and McGeoch 2002), city for city: the
//! generators' stream is Knuth's subtractive one (The Art of Computer Programming, volume 2, section 3.2.2), so all machines make the same.

use glam::DVec2;

use crate::error::{Error, Result};

/// Numbers of the stream are below this.
const BELOW: i64 = 1_000_000_000;
/// Coordinates are below this, those of clouds' centres at least.
const SIDE: i64 = 1_000_000;
/// Numbers that each new one follows from, and how far apart two of them are that it is the difference of.
const LAG: usize = 55;
const APART: usize = 24;
/// Cities for each centre of a cloud.
const OF_A_CLOUD: usize = 100;

/// The stream of numbers.
struct Subtractive {
    numbers: [i64; LAG],
    at: usize,
}

impl Subtractive {
    fn new(seed: u64) -> Result<Self> {
        let Some(seed) = i64::try_from(seed).ok().filter(|seed| *seed < BELOW) else {
            return Err(Error::Config(format!(
                "seeds of the DIMACS challenge's generators are below {BELOW}, not {seed}"
            )));
        };
        // Differences of the seed and 1, laid out 21 apart.
        let (mut numbers, mut last, mut next) = ([seed; LAG], seed, 1);
        for place in 1..LAG {
            let place = 21 * place % LAG;
            numbers[place] = next;
            (last, next) = (next, (last - next).rem_euclid(BELOW));
        }
        let mut stream = Self { numbers, at: 0 };
        (0..3 * LAG).for_each(|_| {
            stream.next();
        });
        Ok(stream)
    }

    fn next(&mut self) -> i64 {
        self.at = (self.at + LAG - 1) % LAG;
        let other = self.numbers[(self.at + APART) % LAG];
        self.numbers[self.at] = (self.numbers[self.at] - other).rem_euclid(BELOW);
        self.numbers[self.at]
    }

    /// A number in 0 (included) to 1 (excluded).
    fn unit(&mut self) -> f64 {
        self.next() as f64 / BELOW as f64
    }

    fn place(&mut self) -> DVec2 {
        let mut coordinate = || (self.next() / (BELOW / SIDE)) as f64;
        let x = coordinate();
        DVec2::new(x, coordinate())
    }

    /// Two normal deviates by Marsaglia's polar method, in the order in which they are used.
    fn normals(&mut self) -> DVec2 {
        loop {
            let first = 2.0 * self.unit() - 1.0;
            let second = 2.0 * self.unit() - 1.0;
            let square = first * first + second * second;
            if square > 0.0 && square < 1.0 {
                return DVec2::new(second, first) * libm::sqrt(-2.0 * libm::log(square) / square);
            }
        }
    }
}

/// Cities spread evenly over a square.
pub(super) fn uniform(n: usize, seed: u64) -> Result<Vec<DVec2>> {
    let mut stream = Subtractive::new(seed)?;
    Ok((0..n).map(|_| stream.place()).collect())
}

/// Cities in clouds, also beyond the square that the centres lie in.
pub(super) fn clustered(n: usize, seed: u64) -> Result<Vec<DVec2>> {
    if n < OF_A_CLOUD {
        return Err(Error::Config(format!(
            "clustered instances of the DIMACS challenge have {OF_A_CLOUD} cities or more, not {n}"
        )));
    }
    let mut stream = Subtractive::new(seed)?;
    let centres: Vec<DVec2> = (0..n / OF_A_CLOUD).map(|_| stream.place()).collect();
    let spread = SIDE as f64 / libm::sqrt(n as f64);
    let mut city = || {
        let centre = centres[(stream.unit() * centres.len() as f64) as usize];
        centre + (stream.normals() * spread).trunc()
    };
    Ok((0..n).map(|_| city()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First and last cities of the challenge's files, and a sum over all of them.
    #[test]
    fn cities_are_those_of_the_challenge() {
        let check = |cities: Vec<DVec2>, first: [[f64; 2]; 3], last: [f64; 2], sum: i64| {
            assert_eq!(cities[..3], first.map(DVec2::from_array));
            assert_eq!(cities[3161], DVec2::from_array(last));
            let words = (1i64..).zip(&cities).map(|(number, city)| number * (3 * city.x as i64 + city.y as i64));
            assert_eq!(words.sum::<i64>(), sum);
        };
        check(
            uniform(3162, 3162).unwrap(),
            [[537168.0, 182949.0], [580266.0, 683381.0], [297386.0, 657521.0]],
            [304114.0, 945700.0],
            9_835_897_596_040,
        );
        check(
            clustered(3162, 3162).unwrap(),
            [[492189.0, 676982.0], [996275.0, 623342.0], [106625.0, 835432.0]],
            [949340.0, 934920.0],
            10_788_809_759_541,
        );
    }

    #[test]
    fn what_the_challenge_does_not_make_is_refused() {
        assert!(clustered(99, 1).unwrap_err().to_string().contains("100 cities or more"));
        assert!(clustered(100, 0).is_ok() && uniform(1, 999_999_999).is_ok());
        assert!(uniform(5, 1_000_000_000).unwrap_err().to_string().contains("below 1000000000"));
        assert!(uniform(5, u64::MAX).is_err());
    }
}
