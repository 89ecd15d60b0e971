// The table that changes come from, where workgroup memory cannot hold it.

var<private> table_home: u32;

fn table_load(index: u32) -> i32 {
    return bitcast<i32>(memory[table_home + index]);
}

fn table_store(index: u32, value: i32) {
    memory[table_home + index] = bitcast<u32>(value);
}

fn table_begin(table: u32, lane: u32) {
    table_home = table;
}

fn table_end(table: u32, lane: u32) {
}
