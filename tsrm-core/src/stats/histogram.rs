//! The buckets of a histogram: log-linear, as those of HdrHistogram.
//!
//! Up to 7 each value has a bucket; from there on each power of two is cut into four, so a bucket is at
//! most a quarter as wide as its lower end. No table, no allocation: the number of a bucket is made of the
//! value's highest bits.

/// Each power of two is cut into this many, as a power of two.
const CUT: u32 = 2;

/// The bucket of a value, without regard to a maximum.
#[inline(always)]
const fn bucket(value: u64) -> usize {
    let shift = (63 - (value | 1).leading_zeros()).saturating_sub(CUT);
    ((shift as usize) << CUT) + (value >> shift) as usize
}

/// The smallest value of a bucket.
const fn lower(bucket: usize) -> u64 {
    let cut = 1 << CUT;
    if bucket < cut { bucket as u64 } else { ((cut + bucket % cut) as u64) << (bucket / cut - 1) }
}

/// How many buckets a histogram up to `max` has, the one for what is greater included.
pub(crate) const fn buckets(max: u64) -> usize {
    bucket(max) + 1 + (max < u64::MAX) as usize
}

/// The bucket of a value in a histogram up to `max`.
#[inline(always)]
pub(crate) const fn bucket_of(value: u64, max: u64) -> usize {
    if value > max { bucket(max) + 1 } else { bucket(value) }
}

/// The smallest and the greatest value of a bucket in a histogram up to `max`.
pub(crate) const fn bounds(index: usize, max: u64) -> (u64, u64) {
    let last = bucket(max);
    if index > last {
        return (max + 1, u64::MAX);
    }
    (lower(index), if index == last { max } else { lower(index + 1) - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_within_the_bounds_of_its_bucket_and_buckets_touch() {
        for max in [0, 1, 3, 7, 8, 100, 1000, 65_535, 65_536, u64::MAX - 1, u64::MAX] {
            let count = buckets(max);
            assert_eq!(bounds(0, max).0, 0);
            assert_eq!(bounds(count - 1, max).1, u64::MAX);
            for index in 0..count {
                let (low, high) = bounds(index, max);
                assert!(low <= high, "{index} of {max}");
                assert_eq!(bucket_of(low, max), index, "{index} of {max}");
                assert_eq!(bucket_of(high, max), index, "{index} of {max}");
                assert_eq!(bucket_of(low + (high - low) / 2, max), index, "{index} of {max}");
                if index + 1 < count {
                    assert_eq!(bounds(index + 1, max).0, high + 1);
                }
                if high <= max && low > 7 {
                    assert!(high - low < low / 4 + 1, "{index} of {max}");
                }
            }
        }
    }

    #[test]
    fn known_buckets() {
        let of = |value| bucket_of(value, u64::MAX);
        assert_eq!([0, 1, 7, 8, 9, 10, 15, 16].map(of), [0, 1, 7, 8, 8, 9, 11, 12]);
        assert_eq!(buckets(u64::MAX), 252);
        assert_eq!((buckets(0), buckets(7), buckets(8)), (2, 9, 10));
    }
}
