// An option of a step.

struct Found {
    city: u32,
    /// Whether the city is not visited.
    free: bool,
    weight: u32,
    /// Its number among all options, which tells its deviate.
    index: u32,
}
