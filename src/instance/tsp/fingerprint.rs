//! What tells an instance from others.

use xxhash_rust::xxh3::Xxh3;

use super::instance::Instance;

impl Instance {
    /// Feeds everything that costs and constraints follow from; names and comments are left out.
    pub(crate) fn feed(&self, hash: &mut Xxh3) {
        hash.update(self.metric().keyword().as_bytes());
        hash.update(&(self.len() as u64).to_le_bytes());
        for place in self.coords.iter() {
            place.to_array().iter().for_each(|x| hash.update(&x.to_le_bytes()));
        }
        self.matrix.iter().for_each(|entry| hash.update(&entry.to_le_bytes()));
        let constraints = &self.constraints;
        hash.update(&[u8::from(constraints.open)]);
        for end in [constraints.start, constraints.end] {
            hash.update(&end.map_or(u64::MAX, u64::from).to_le_bytes());
        }
        // In whatever order they were given, and either way where distances are symmetric, they are the same constraints.
        let ordered = |&[a, b]: &[u32; 2]| if self.is_symmetric() { [a.min(b), a.max(b)] } else { [a, b] };
        let mut fixed: Vec<[u32; 2]> = constraints.fixed.iter().map(ordered).collect();
        fixed.sort_unstable();
        fixed.iter().flatten().for_each(|city| hash.update(&city.to_le_bytes()));
        if let Some(given) = &self.given {
            hash.update(&given.scale.to_le_bytes());
            hash.update(&given.shift.to_le_bytes());
        }
    }
}
