// Node insertion: a city goes between two others, and the cities on the way, on the shorter side, move up by one.

/// The position `i` steps from another.
fn along(from_: u32, i: u32, forward: bool) -> u32 {
    let cities = params.cities;
    return select(select(from_ - i, from_ + cities - i, from_ < i), ring(from_ + i), forward);
}

/// Applies an insertion if its edges still stand; the loop turns it took, 0 when they do not.
fn insert(insertion: vec4<u32>, lane: u32) -> u32 {
    let city = insertion.x & 0xFFFFu;
    let one = insertion.y & 0xFFFFu;
    let other = insertion.y >> 16u;
    let before = step_from(city, false);
    let after = step_from(city, true);
    var stands = before == insertion.z && after == insertion.w && step_from(one, true) == other;
    var first = one;
    if params.directed == 0u && !stands {
        let leaves = (before == insertion.z && after == insertion.w) || (before == insertion.w && after == insertion.z);
        let forward = step_from(one, true) == other;
        stands = leaves && (forward || step_from(other, true) == one);
        first = select(other, one, forward);
    }
    let place = position_of(city);
    let behind = position_of(first);
    // Cities to pass forwards; the others, but the city itself, lie backwards.
    let ahead = select(behind - place, behind + params.cities - place, behind < place);
    let forward = ahead * 2u <= params.cities - 1u;
    let length = select(params.cities - 1u - ahead, ahead, forward);
    let chunk = (length + LANES - 1u) / LANES;
    let start = min(lane * chunk, length);
    let end = min(start + chunk, length);
    var here = city_at(along(place, start, forward));
    let last = city_at(along(place, end, forward));
    // All lanes must have read before one of them moves a city.
    barrier();
    if !stands {
        if lane == 0u {
            let_all_wait(vec4<u32>(city, one, city, one));
        }
        return 0u;
    }
    for (var i = start; i < end; i++) {
        let position = along(place, i, forward);
        let source = along(place, i + 1u, forward);
        var next = last;
        if i + 1u < end {
            next = city_at(source);
        }
        relocate(next, source, position, here);
        here = next;
    }
    if start < end && end == length {
        relocate(city, place, along(place, length, forward), last);
    }
    if lane == 0u {
        let_all_wait(vec4<u32>(insertion.z, insertion.w, city, one));
        let_wait(other);
    }
    barrier();
    return chunk + 2u;
}
