// An option of a step.

struct Found {
    /// The city, NONE when it is visited.
    city: u32,
    weight: u32,
    /// Its place among all options, which keys its random word and breaks ties.
    index: u32,
}
