// Distances of a window's cities from whole coordinates. Coordinates are read from storage, where a processor's cache holds those of its
// windows: what takes workgroup memory lowers the number of windows at a time. Where there is room they are in workgroup memory
// (COORDINATES_HERE).

#include shared/site

#if COORDINATES_HERE
var<workgroup> spots_here: array<vec2<i32>, CITIES>;
#endif

fn stored_site(label: u32) -> Site {
    return coordinates[here.x * params.all + place_of(here, label)];
}

fn site(label: u32) -> Site {
#if COORDINATES_HERE
    return spots_here[label];
#else
    return stored_site(label);
#endif
}

fn distance(a: u32, b: u32) -> u32 {
    return distance_between(site(a), site(b));
}
