//! A tour as a table.

use std::io::{self, Write};

use super::instance::Instance;
use super::metric::Metric;
use super::tour::{check_tour, in_order};

/// Writes the cities in the order of a tour as comma-separated values with a header: the place in the tour and the city's number, both from 1,
/// its id where the instance's table had a column of these, its name where cities have names, its coordinates as they were given (of TSPLIB's GEO in decimal degrees), and in the
/// unit of [`Instance::length`] the way to the next city and the way up to this one. The last city of a tour leads back to the first one, that of
/// a path nowhere: 0.
///
/// # Errors
/// What the writer reports; [`io::ErrorKind::InvalidInput`] for what is no tour of `instance`.
pub fn write_csv(writer: &mut impl Write, instance: &Instance, tour: &[u32]) -> io::Result<()> {
    check_tour(instance, tour)?;
    let order = in_order(instance, tour);
    let (ids, names) = (instance.city_ids(), instance.city_names());
    let points = match instance.lon_lat().filter(|_| instance.metric() == Metric::Geo) {
        // Degrees and minutes, in the order of TSPLIB's GEO, are no longitudes and latitudes to any other program.
        Some(places) => places.into_iter().map(|place| ((place * 1e7).round() / 1e7).extend(0.0)).collect(),
        None => instance.points().to_vec(),
    };
    // Ids alone are names, too.
    let ids = ids.filter(|ids| names.is_none_or(|names| names != *ids));
    let axes: &[&str] = match (points.is_empty(), instance.metric()) {
        (true, _) => &[],
        (_, Metric::Haversine | Metric::Geo) => &["lon", "lat"],
        (_, Metric::Euc3d) => &["x", "y", "z"],
        _ => &["x", "y"],
    };
    let ways = ways(instance, &order);
    // A way that is not there has no digits.
    let decimals = decimals(ways.iter().map(|way| way.abs()).filter(|way| way.is_finite()).sum());
    let mut so_far = 0.0;
    let mut table = csv::Writer::from_writer(writer);
    let header = ["order", "city"].into_iter().chain(ids.map(|_| "id")).chain(names.map(|_| "name"));
    table.write_record(header.chain(axes.iter().copied()).chain(["to_next", "so_far"]))?;
    for (place, &city) in order.iter().enumerate() {
        let index = city as usize;
        let mut row = vec![(place + 1).to_string(), (index + 1).to_string()];
        row.extend(ids.map(|ids| ids[index].clone()));
        row.extend(names.map(|names| names[index].clone()));
        row.extend(
            points
                .get(index)
                .into_iter()
                .flat_map(|p| p.to_array().into_iter().take(axes.len()))
                .map(|x| x.to_string()),
        );
        row.extend([ways[place], so_far].map(|way| shown(way, decimals)));
        so_far += ways[place];
        table.write_record(&row)?;
    }
    table.flush()
}

/// The way from each city to the next.
fn ways(instance: &Instance, order: &[u32]) -> Vec<f64> {
    let next = |place: usize| match order.get(place + 1) {
        Some(&next) => Some(next),
        None => order.first().copied().filter(|_| !instance.is_open() && order.len() > 1),
    };
    let way =
        |(place, &city): (usize, &u32)| next(place).map_or(0.0, |next| instance.way(city as usize, next as usize));
    order.iter().enumerate().map(way).collect()
}

/// Digits behind the point that tell nine of a length.
fn decimals(length: f64) -> usize {
    let before = if length > 0.0 { length.log10().floor() as i32 } else { 0 };
    (8 - before).clamp(0, 300) as usize
}

/// A number with so many digits behind the point, but for zeros at their end.
fn shown(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cities_stand_in_the_order_of_the_tour() {
        let instance = Instance::from_points(&[[0.0, 0.5], [1.0, 0.0], [1e-7, 0.0]]).unwrap();
        let named = instance.clone().with_city_names(["A", "B, b", "C"]).unwrap();
        let text = |instance: &Instance| {
            let mut text = Vec::new();
            write_csv(&mut text, instance, &[2, 1, 0]).unwrap();
            String::from_utf8(text).unwrap()
        };
        let rows =
            ["1,1,A,0,0.5,1.11803399,0", "2,2,\"B, b\",1,0,0.9999999,1.11803399", "3,3,C,0.0000001,0,0.5,2.11803389"];
        assert_eq!(text(&named), format!("order,city,name,x,y,to_next,so_far\n{}\n", rows.join("\n")));
        assert!(text(&instance).starts_with("order,city,x,y,to_next,so_far\n"));
        let matrix = Instance::from_matrix("m", 3, vec![0, 1, 2, 1, 0, 3, 2, 3, 0]).unwrap();
        assert_eq!(text(&matrix), "order,city,to_next,so_far\n1,1,1,0\n2,2,3,1\n3,3,2,4\n");
        assert!(text(&matrix.open_path(None, None).unwrap()).ends_with(",0,4\n"));
        // Ways that differ there and back, and are less than nothing.
        let signed = Instance::from_matrix_f64(3, vec![0.0, -1.5, -2.25, 1.0, 0.0, 3.0, 2e6, 3.0, 0.0]).unwrap();
        assert_eq!(text(&signed), "order,city,to_next,so_far\n1,1,-2.25,0\n2,3,3,-2.25\n3,2,1,0.75\n");
        // A way that is not there takes no decimals from the others.
        let inf = f64::INFINITY;
        let missing = [0.0, 0.42, inf, inf, 0.42, 0.0, 0.3, inf, inf, 0.3, 0.0, 0.77, inf, inf, 0.77, 0.0];
        let (missing, mut rows) = (Instance::from_matrix_f64(4, missing.to_vec()).unwrap(), Vec::new());
        write_csv(&mut rows, &missing, &[0, 1, 2, 3]).unwrap();
        let rows = String::from_utf8(rows).unwrap();
        assert_eq!(rows, "order,city,to_next,so_far\n1,1,0.42,0\n2,2,0.3,0.42\n3,3,0.77,0.72\n4,4,inf,1.49\n");
        // What is written is read as the same cities.
        let read = Instance::parse(&text(&named), "t").unwrap();
        assert_eq!((read.city_names().unwrap()[1].as_str(), read.distance(0, 1)), ("B, b", named.distance(0, 1)));
        // Degrees and minutes of TSPLIB's GEO are decimal degrees there.
        let towns = [[16.47, 96.10], [16.30, 95.0], [20.09, 92.54]].map(glam::DVec2::from_array);
        let towns = Instance::from_coords("towns", Metric::Geo, &towns).unwrap();
        let rows = text(&towns);
        assert!(rows.starts_with("order,city,lon,lat,to_next,so_far\n1,1,96.1666667,16.7833333,"), "{rows}");
        assert_eq!(
            Instance::parse(&rows, "t").unwrap().lon_lat().unwrap()[0],
            glam::DVec2::new(96.1666667, 16.7833333)
        );
        let path = Instance::parse(&text(&instance.open_path(None, None).unwrap()), "t").unwrap();
        assert_eq!(path.city_names().unwrap(), ["3", "2", "1"]);
    }

    #[test]
    fn ways_add_up_to_the_length() {
        let globe = Instance::from_lon_lat(&[[13.4, 52.5], [2.35, 48.86], [-0.1, 51.5], [12.5, 41.9]]).unwrap();
        let plane = Instance::from_points(&[[0.1, 0.2], [1.0 / 3.0, 0.7], [0.9, 0.1], [1e-9, 0.5]]).unwrap();
        let file = Instance::from_coords("f", Metric::Euc2d, &[(0.0, 0.0), (30.0, 0.0), (30.0, 41.0)].map(Into::into));
        for instance in [globe.clone(), globe.open_path(None, None).unwrap(), plane, file.unwrap()] {
            let order: Vec<u32> = (0..instance.len() as u32).collect();
            let (sum, length) = (ways(&instance, &order).iter().sum::<f64>(), instance.length(&order).unwrap());
            assert!((sum - length).abs() <= 1e-12 * length, "{sum} {length}");
        }
        let told = [(0.0, 3), (-0.0001, 3), (2.5, 3), (1200.0, 0)].map(|(way, decimals)| shown(way, decimals));
        assert_eq!(told, ["0", "0", "2.5", "1200"]);
        assert_eq!([0.0, 0.05, 1.0, 9.99, 12_345.6, 1e12].map(decimals), [8, 10, 8, 8, 4, 0]);
    }
}
