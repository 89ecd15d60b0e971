// What an exchange adds to the cost, computed in linear time (Tsutsui and Fujimoto 2011, equation 4).

/// The part that only depends on the four entries between both facilities and between both locations.
fn corner(u: u32, v: u32) -> i32 {
    return entry(FLOW_CORNERS, u, v) * entry(DISTANCE_CORNERS, place[u], place[v]);
}

fn fresh_change(u: u32, v: u32) -> i32 {
    let at_u = place[u];
    let at_v = place[v];
    var sum = corner(u, v);
    sum += entry(PLACING, u, at_v) - entry(PLACING, u, at_u) + entry(PLACING, v, at_u) - entry(PLACING, v, at_v);
    for (var k = 0u; k < params.facilities; k++) {
        let at = place[k];
        sum += (entry(FLOWS_THERE, k, u) - entry(FLOWS_THERE, k, v))
            * (entry(DISTANCES_THERE, at, at_v) - entry(DISTANCES_THERE, at, at_u));
#if ASYMMETRIC
        sum += (entry(FLOWS_BACK, k, u) - entry(FLOWS_BACK, k, v))
            * (entry(DISTANCES_BACK, at, at_v) - entry(DISTANCES_BACK, at, at_u));
#endif
    }
    return sum;
}
