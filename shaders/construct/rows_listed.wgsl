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

#if ONE_EACH
/// Which option is this lane's; the last for lanes without one.
fn own_option(lane: u32) -> u32 {
    return select(min(lane, CANDIDATES - 1u), lane, CANDIDATES >= CREW);
}

/// Whether this lane has no option.
fn is_idle(lane: u32) -> bool {
    return (CANDIDATES < CREW) & (lane >= CANDIDATES);
}
#endif
