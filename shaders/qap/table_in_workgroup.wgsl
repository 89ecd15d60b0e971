// The table that changes come from, in workgroup memory while a dispatch lasts.

override TABLE_WORDS: u32 = 1u;

var<workgroup> table_here: array<i32, TABLE_WORDS>;

fn table_load(index: u32) -> i32 {
    return table_here[index];
}

fn table_store(index: u32, value: i32) {
    table_here[index] = value;
}

fn table_begin(table: u32, lane: u32) {
    for (var i = lane; i < TABLE_WORDS; i += LANES) {
        table_here[i] = bitcast<i32>(memory[table + i]);
    }
}

fn table_end(table: u32, lane: u32) {
    for (var i = lane; i < TABLE_WORDS; i += LANES) {
        memory[table + i] = bitcast<u32>(table_here[i]);
    }
}
