// What all forms of candidate lists share.

/// Indices of options.
fn span() -> u32 {
#if ONE_EACH
    return CANDIDATES;
#else
    return params.candidates;
#endif
}

/// Options to ask for.
fn options() -> u32 {
    return span();
}

/// The option with an index.
fn indexed(city: u32, index: u32) -> Found {
    return option(city, index);
}
