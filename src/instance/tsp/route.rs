//! A tour as a table.

use std::io::{self, Write};

use super::instance::Instance;
use super::metric::Metric;
use super::tour::in_order;

/// Writes the cities in the order of a tour as comma-separated values with a header: the place in the tour and the city's number, both from 1,
/// its id where the instance's table had a column of these, its name where cities have names, and its coordinates as they were given.
///
/// # Errors
/// What the writer reports.
pub fn write_csv(writer: &mut impl Write, instance: &Instance, tour: &[u32]) -> io::Result<()> {
    let order = in_order(instance, tour);
    let (ids, names, points) = (instance.city_ids(), instance.city_names(), instance.points());
    // Ids alone are names, too.
    let ids = ids.filter(|ids| names.is_none_or(|names| names != *ids));
    let axes: &[&str] = match (points.is_empty(), instance.metric()) {
        (true, _) => &[],
        (_, Metric::Haversine) => &["lon", "lat"],
        (_, Metric::Geo) => &["latitude", "longitude"],
        (_, Metric::Euc3d) => &["x", "y", "z"],
        _ => &["x", "y"],
    };
    let mut table = csv::Writer::from_writer(writer);
    let header = ["order", "city"].into_iter().chain(ids.map(|_| "id")).chain(names.map(|_| "name"));
    table.write_record(header.chain(axes.iter().copied()))?;
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
        table.write_record(&row)?;
    }
    table.flush()
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
        assert_eq!(text(&named), "order,city,name,x,y\n1,1,A,0,0.5\n2,2,\"B, b\",1,0\n3,3,C,0.0000001,0\n");
        assert!(text(&instance).starts_with("order,city,x,y\n"));
        let matrix = Instance::from_matrix("m", 3, vec![0, 1, 2, 1, 0, 3, 2, 3, 0]).unwrap();
        assert_eq!(text(&matrix), "order,city\n1,1\n2,2\n3,3\n");
        // What is written is read as the same cities.
        let read = Instance::parse(&text(&named), "t").unwrap();
        assert_eq!((read.city_names().unwrap()[1].as_str(), read.distance(0, 1)), ("B, b", named.distance(0, 1)));
    }
}
